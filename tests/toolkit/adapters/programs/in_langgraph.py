"""Tools of LangGraph's in a node of ours; says what came of it as JSON."""

import asyncio
import json
from typing import Annotated, Any

from langchain.tools import ToolRuntime, tool
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId
from langgraph.prebuilt import InjectedState, InjectedStore
from langgraph.types import Command

from toolkit.node import ToolNode


@tool
def with_runtime(x: int, runtime: ToolRuntime) -> str:
    """Look at the runtime."""
    return f"{x} {runtime.state['user']} {runtime.tool_call_id} {runtime.store}"


@tool
def with_state(
    x: int,
    state: Annotated[dict, InjectedState],
    user: Annotated[str, InjectedState("user")],
    store: Annotated[Any, InjectedStore()],
) -> str:
    """Look at the state."""
    return f"{x} {state['user']} {user} {store}"


@tool
def with_command(call_id: Annotated[str, InjectedToolCallId]) -> Command:
    """Change the state."""
    return Command(update={"messages": [ToolMessage("updated", tool_call_id=call_id)], "seen": 1})


async def main():
    node = ToolNode([with_runtime, with_state, with_command], dependencies={"store": "shelf"})
    sent = {"x": 1, "runtime": "forged", "state": {"user": "Eve"}, "user": "Eve", "store": "forged"}
    calls = [{"name": f"with_{each}", "args": sent, "id": each} for each in ("runtime", "state", "command")]
    results = await node.invoke(calls, {"user": "Ada"})
    told = {
        "arguments": [sorted(each.input_schema["properties"]) for each in node.definitions()],
        "results": [each.text for each in results],
        "update": results[2].metadata["command"].update["seen"],
    }
    print(json.dumps(told))


asyncio.run(main())
