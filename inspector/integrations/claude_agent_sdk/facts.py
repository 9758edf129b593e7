"""How the messages of Claude Code are read."""

import json
from collections.abc import Iterator
from typing import Any, Final, cast

from inspector.integrations.calls import Keywords, Named

Frame = dict[str, Any]
"""A message as it is sent, as JSON has it."""

MADE_UP: Final = "<synthetic>"
"""The model of messages that Claude Code writes itself, such as about an error of the API."""
_OF_SERVERS: Final = "mcp__"
_OF_AGENTS: Final = frozenset(("Agent", "Task"))


class ResultError(Exception):
    """A prompt that Claude Code could not work off; the SDK has an exception of that name for it."""


class ApiError(Exception):
    """A model call that failed."""


class ToolFailed(Exception):
    """A tool call that failed, as the model was told."""


class ToolRefused(Exception):
    """A tool call that a permission, a hook or the program refused."""


def frames_of(data: Any) -> Iterator[Frame]:
    """Yield the messages that the SDK writes at once, one a line."""
    for line in str(data).splitlines():
        if line.strip():
            found = json.loads(line)
            if isinstance(found, dict):
                yield cast("Frame", found)


def member(frame: Any, *names: str) -> Any:
    """Return what is found in a message by these names, one in the other; None if one is missing."""
    for name in names:
        frame = cast("Frame", frame).get(name) if isinstance(frame, dict) else None
    return frame


def blocks_of(frame: Frame, kind: str | None = None) -> list[Frame]:
    """Return the content blocks of a message, all or those of one kind."""
    content = member(frame, "message", "content")
    blocks = cast("list[Frame]", content) if isinstance(content, list) else []
    return [each for each in blocks if kind is None or member(each, "type") == kind]


def main_agent(system: Any, question: Any) -> Keywords:
    """Describe the agent that answers a prompt."""
    description = system if isinstance(system, str) else None
    return {"agent": Named("claude", description, class_name="ClaudeAgent"), **_given(question)}


def subagent(name: Any, question: Any) -> Keywords:
    """Describe an agent that a tool starts."""
    return {"agent": Named(str(name or "subagent"), class_name="ClaudeAgent"), **_given(question)}


def _given(question: Any) -> Keywords:
    return {} if question is None else {"input": question}


def tool(block: Frame, agent: str | None) -> Keywords:
    """Describe a tool call."""
    name = str(block.get("name"))
    _, is_served, own_name = name.partition(_OF_SERVERS)
    source = "mcp" if is_served else "agent" if name in _OF_AGENTS else "builtin"
    server = own_name.partition("__")[0] if is_served else None
    context = {"tool_use_id": block.get("id"), "tool_source": source, "server_name": server, "agent_name": agent}
    return {"tool_name": name, "args": block.get("input"), "context": context}


def tool_failure(block: Frame, frame: Frame) -> BaseException | None:
    """Return why a tool call failed or was refused; None if it did neither."""
    if block.get("is_error") is not True:
        return None
    message = text_of(block.get("content"))
    for about in member(frame, "tool_result_meta") or ():
        if member(about, "id") == block.get("tool_use_id"):
            is_refused = member(about, "permission_decision", "decision") == "reject"
            return ToolRefused(message) if is_refused else ToolFailed(message)
    return ToolFailed(message)


def text_of(content: Any) -> str:
    """Return the text of a message's content."""
    if isinstance(content, str):
        return content
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    return "\n".join(str(text) for each in blocks if (text := member(each, "text")) is not None)


def turn_failure(result: Frame) -> BaseException | None:
    """Return why a prompt was not worked off."""
    if result.get("is_error") is not True:
        return None
    errors = result.get("errors")
    message = "; ".join(map(str, cast("list[Any]", errors))) if isinstance(errors, list) else ""
    return ResultError(message or str(result.get("result") or result.get("subtype")))


def was_interrupted(result: Frame) -> bool:
    """Tell whether the program interrupted the work on a prompt."""
    return str(result.get("terminal_reason", "")).startswith("aborted")


def totals(result: Frame) -> dict[str, Any]:
    """Return what Claude Code counted, as attributes of the agent; the cost is that of the session so far."""
    names = ("total_cost_usd", "num_turns", "duration_api_ms", "subtype", "terminal_reason")
    found = {f"claude_agent_sdk.{name}": result.get(name) for name in names}
    return {name: value for name, value in found.items() if isinstance(value, str | int | float)}
