"""A small agent: asks its model, calls whatever the model wants in parallel, and goes on until there is an answer."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio
from mcp.types import CallToolResult, TextContent

from inspector.demo.model import Message, ScriptedModel, ToolCall
from instrument import around

ToolRun = Callable[[dict[str, Any], str], Awaitable[CallToolResult | str]]
"""Takes the arguments and the id that the call's hooks carry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTool:
    """Something an agent can have done."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""
    source: Literal["mcp", "agent"]
    server: str
    """Name of the MCP server, or ``agent`` when another agent does it."""
    run: ToolRun = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A model with instructions and tools."""

    name: str
    description: str
    instructions: str
    model: ScriptedModel
    tools: Sequence[AgentTool] = ()

    async def run(self, task: str) -> str:
        """Work on ``task`` until the model answers without wanting a tool."""
        async with around("agent_call", agent=self, input=task) as call:
            messages: list[Message] = [
                {"role": "system", "content": self.instructions},
                {"role": "user", "content": task},
            ]
            offered = [_offer(tool) for tool in self.tools]
            while True:
                message = await self.model.generate(messages, offered)
                messages.append(message)
                wanted = message.get("tool_calls", [])
                if not wanted:
                    answer = message.get("content", "")
                    call.set(result=answer)
                    return answer
                messages += await self._call_all(wanted)

    async def _call_all(self, wanted: Sequence[ToolCall]) -> list[Message]:
        answers: list[Message] = [{} for _ in wanted]

        async def call_one(place: int, each: ToolCall) -> None:
            answers[place] = await self._call(each)

        async with anyio.create_task_group() as group:
            for place, each in enumerate(wanted):
                group.start_soon(call_one, place, each)
        return answers

    async def _call(self, wanted: ToolCall) -> Message:
        name, args = wanted["function"]["name"], json.loads(wanted["function"]["arguments"])
        tool = next(tool for tool in self.tools if tool.name == name)
        context = {
            "agent_name": self.name,
            "tool_source": tool.source,
            "server_name": tool.server,
            "tool_use_id": wanted["id"],
        }
        async with around("tool_call", tool_name=name, args=args, context=context) as call:
            result = await tool.run(args, call.call_id)
            call.set(result=result)
        return {"role": "tool", "tool_call_id": wanted["id"], "content": _text(result)}


def _offer(tool: AgentTool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _text(result: CallToolResult | str) -> str:
    if isinstance(result, str):
        return result
    text = "\n".join(each.text for each in result.content if isinstance(each, TextContent))
    return f"Error: {text}" if result.is_error else text
