"""Tools of LangGraph's in a node of ours, and one of ours in an agent of LangChain's; says what came of it as JSON."""

import asyncio
import json
from typing import Annotated, Any

from langchain.agents import create_agent
from langchain.tools import ToolRuntime, tool
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId
from langgraph.prebuilt import InjectedState, InjectedStore
from langgraph.types import Command

from toolkit.adapters.langchain import to_langchain
from toolkit.functions import FunctionTool
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


async def add(x: int) -> dict:
    """Add one."""
    return {"sum": x + 1}


class Scripted(GenericFakeChatModel):
    """A model that takes tools and says what it was told to say."""

    def bind_tools(self, tools, **_):
        return self


async def main():
    node = ToolNode([with_runtime, with_state, with_command], dependencies={"store": "shelf"})
    sent = {"x": 1, "runtime": "forged", "state": {"user": "Eve"}, "user": "Eve", "store": "forged"}
    calls = [{"name": f"with_{each}", "args": sent, "id": each} for each in ("runtime", "state", "command")]
    results = await node.invoke(calls, {"user": "Ada"})
    asked = [{"name": "add", "args": {"x": x}, "id": f"c{x}"} for x in (1, "one")]
    model = Scripted(messages=iter([AIMessage(content="", tool_calls=asked), AIMessage(content="done")]))
    agent = create_agent(model, [to_langchain(FunctionTool(add))])
    answer = await agent.ainvoke({"messages": [{"role": "user", "content": "go"}]})
    told = {
        "arguments": [sorted(each.input_schema["properties"]) for each in node.definitions()],
        "results": [each.text for each in results],
        "update": results[2].metadata["command"].update["seen"],
        "messages": [
            (each.tool_call_id, each.content, each.status, each.artifact)
            for each in answer["messages"]
            if each.type == "tool"
        ],
    }
    print(json.dumps(told))


asyncio.run(main())
