"""Conversations put into the trees of their run: a hand-written loop as an agent with turns and tools.

They stand where the page has them: above the model calls that no recorded agent holds, each call once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inspector.cli import figures
from inspector.model import Event, InferredTool, SpanError, Turn

_ID = "conversation-{}"
_TOOL_ID = "{}-{}-{}"
"""Ids of rows that no span tells of; those of spans have no hyphen."""


@dataclass(frozen=True, slots=True)
class Said:
    """What is told beside a row: in its note, and in lines below it."""

    note: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Inferred:
    """The spans of some traces with the conversations that their messages tell of."""

    traces: Sequence[Sequence[Event]]
    """As many as there were, in the same order; a call stands in the trace in which its conversation begins."""
    said: Mapping[str, Said] = field(default_factory=dict[str, Said])
    """By the id of the row."""


def with_conversations(
    traces: Sequence[Sequence[Event]],
    turns: Iterable[Turn],
    asked_and_answered: Callable[[Event, Event], tuple[str | None, str | None]],
) -> Inferred:
    """Put the model calls of each conversation below a row of its own, with the tools between them.

    Args:
        traces: The spans of a run, trace by trace.
        turns: Its model calls as turns, in the order they began.
        asked_and_answered: Returns the question of the first call and the answer of the last one.
    """
    by_id = {(event.trace_id, event.span_id): event for events in traces for event in events}
    talks: dict[str, list[Turn]] = {}
    for turn in turns:
        if (turn.trace_id, turn.span_id) in by_id and not _is_in_agent(turn, by_id):
            talks.setdefault(turn.conversation, []).append(turn)
    added: dict[str, list[Event]] = {}
    moved: dict[tuple[str, str], Event] = {}
    said: dict[str, Said] = {}
    for members in talks.values():
        tools = [tool for turn in members for tool in turn.tools if _is_inferred(tool)]
        if len(members) < 2 and not tools:
            continue
        calls = [by_id[turn.trace_id, turn.span_id] for turn in members]
        top = _top(calls)
        said[top.span_id] = _of_conversation(members, *asked_and_answered(calls[0], calls[-1]))
        rows = added.setdefault(top.trace_id, [])
        rows.append(top)
        for turn, call in zip(members, calls, strict=True):
            moved[turn.trace_id, turn.span_id] = call
            rows.append(replace(call, trace_id=top.trace_id, parent_id=top.span_id))
            for at, tool in enumerate(turn.tools):
                if _is_inferred(tool):
                    row = _tool(tool, top, _TOOL_ID.format(top.span_id, turn.span_id, at))
                    said[row.span_id] = Said(_of_tool(tool))
                    rows.append(row)
    return Inferred([_placed(events, moved, added) for events in traces], said)


def _placed(
    events: Sequence[Event], moved: Mapping[tuple[str, str], Event], added: Mapping[str, Sequence[Event]]
) -> Sequence[Event]:
    kept = [event for event in events if (event.trace_id, event.span_id) not in moved]
    return [*added.get(events[0].trace_id, ()), *kept] if events else events


def _is_in_agent(turn: Turn, by_id: Mapping[tuple[str, str], Event]) -> bool:
    event, seen = by_id.get((turn.trace_id, turn.span_id)), set[str]()
    while event is not None and event.span_id not in seen:
        if event.kind == "agent":
            return True
        seen.add(event.span_id)
        event = by_id.get((event.trace_id, event.parent_id or ""))
    return False


def _is_inferred(tool: InferredTool) -> bool:
    return not tool.recorded and tool.start_time_unix_nano is not None and tool.end_time_unix_nano is not None


def _top(calls: Sequence[Event]) -> Event:
    """Return the row of a conversation: it begins with its first call, and ends as the last one did."""
    first, last = calls[0], calls[-1]
    ends = [call.end_time_unix_nano for call in calls]
    end = None if None in ends else max((at for at in ends if at is not None), key=int)
    is_open = any(call.status == "running" for call in calls)
    return replace(
        first,
        span_id=_ID.format(first.span_id),
        kind="agent",
        name="conversation",
        status="running" if is_open else last.status,
        end_time_unix_nano=end,
        duration_ms=None if end is None else _between_ms(first.start_time_unix_nano, end),
        input_tokens=None,
        output_tokens=None,
        cached_tokens=None,
        cost_usd=None,
        error=None,
        folded_into=None,
    )


def _tool(tool: InferredTool, top: Event, span_id: str) -> Event:
    began, ended = tool.start_time_unix_nano or "0", tool.end_time_unix_nano or "0"
    return replace(
        top,
        span_id=span_id,
        parent_id=top.span_id,
        kind="tool",
        name=tool.name,
        tool=tool.name,
        status="error" if tool.failed else "ok",
        start_time_unix_nano=began,
        end_time_unix_nano=ended,
        duration_ms=_between_ms(began, ended),
        error=SpanError(None, tool.result) if tool.failed else None,
    )


def _of_conversation(turns: Sequence[Turn], asked: str | None, answered: str | None) -> Said:
    retries, unclear = (sum(turn.link == link for turn in turns) for link in ("retry", "unclear"))
    also = (f"{retries:,} tried again" if retries else "", f"{unclear:,} may continue another" if unclear else "")
    note = ", ".join(filter(None, (f"{figures.counted(len(turns), 'turn')}", *also)))
    lines = [f"{word:8}  {text}" for word, text in (("asked", asked), ("answered", answered)) if text]
    return Said(f"inferred: {note}", tuple(lines))


def _of_tool(tool: InferredTool) -> str:
    gave = "" if tool.result is None or tool.failed else f" → {tool.result}"
    return f"inferred  {tool.arguments}{gave}"


def _between_ms(began: str, ended: str) -> float:
    return max(0, int(ended) - int(began)) / 1e6
