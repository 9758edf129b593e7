"""What recorded events of a framework's program are, for tests that compare them with what the program saw."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from inspector.model import Event


def facts(event: Event) -> dict[str, Any]:
    return json.loads(bytes(event.attributes or b"{}"))


def own(events: Sequence[Event]) -> list[Event]:
    """The events less JSON-RPC and those of the provider's SDK, which are not the framework's."""
    models = {each.span_id for each in events if each.kind == "llm"}
    return [each for each in events if each.kind != "rpc" and not (each.kind == "llm" and each.parent_id in models)]


def drawn(events: Sequence[Event]) -> str:
    """A line for each event with its status, indented below its parent, in the order they began."""
    depths: dict[str, int] = {}
    for each in events:
        depths[each.span_id] = depths.get(each.parent_id or "", -1) + 1
    return "\n".join("  " * depths[each.span_id] + f"{each.name}: {each.status}" for each in events)


def tool_calls(events: Sequence[Event], text_of: Callable[[Any], Any] = lambda result: result) -> list[dict[str, Any]]:
    """The tool calls as programs count them, sorted; ``text_of`` returns what a program saw of a result."""
    calls: list[dict[str, Any]] = []
    for event in events:
        if event.kind != "tool":
            continue
        its = facts(event)
        call = {"kind": "tool_call", "name": its["gen_ai.tool.name"]}
        call["arguments"] = json.loads(its["gen_ai.tool.call.arguments"])
        if event.status == "error":
            call["error"] = its["mcp.error.message"]
        elif "gen_ai.tool.call.result" in its:
            call["result"] = text_of(json.loads(its["gen_ai.tool.call.result"]))
        calls.append(call)
    return sorted(calls, key=str)


def overlap(first: Event, second: Event) -> bool:
    """Whether each began before the other ended."""
    assert first.end_time_unix_nano and second.end_time_unix_nano
    return (
        first.start_time_unix_nano < second.end_time_unix_nano
        and second.start_time_unix_nano < first.end_time_unix_nano
    )
