"""Conversations put into the trees of their run: a hand-written loop as an agent with turns and tools.

They stand where the page has them: above the model calls that no recorded agent holds, each call once, and with the
recorded calls that ran between these, so that all of it is in the order in which it happened.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inspector.cli.drawing.between_turns import Forest, Key, Talk, between_turns, key_of
from inspector.cli.output import figures
from inspector.model import Event, InferredTool, SpanError, Turn

_ID = "conversation-{}"
_TOOL_ID = "{}-{}-{}"
"""Ids of rows without a span; those of spans have no hyphen."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a row shows besides its span: a note beside it, and lines below it."""

    note: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Inferred:
    """The spans of some traces, with the conversations that their messages show."""

    traces: Sequence[Sequence[Event]]
    """As many as before, in the same order; a call is in the trace in which its conversation begins."""
    annotations: Mapping[str, Annotation] = field(default_factory=dict[str, Annotation])
    """Annotations, by the ids of their rows."""


def with_conversations(
    traces: Sequence[Sequence[Event]],
    turns: Iterable[Turn],
    asked_and_answered: Callable[[Event, Event], tuple[str | None, str | None]],
) -> Inferred:
    """Put the model calls of each conversation below a row of its own, with the tools between them."""
    forest = Forest(traces)
    talks = _talks(forest, turns)
    between = between_turns(forest, talks)
    moves = _Moves()
    annotations: dict[str, Annotation] = {}
    for talk, members in talks.items():
        calls = [call for turn in members if (call := forest.get(key_of(turn))) is not None]
        inner = [*calls, *between.get(talk, ())]
        top = _top(calls, inner)
        annotations[top.span_id] = _of_conversation(members, *asked_and_answered(calls[0], calls[-1]))
        rows = moves.added.setdefault(key_of(calls[0]), [])
        rows.append(top)
        for event in inner:
            moves.parents[key_of(event)] = top.span_id
            if event.trace_id != top.trace_id:
                moves.traces.update((key_of(each), top.trace_id) for each in forest.whole(event))
        for row, tool in _tools(members, top):
            annotations[row.span_id] = Annotation(_of_tool(tool))
            rows.append(row)
    return Inferred(moves.placed(traces), annotations)


class _Moves:
    """Rows that are added beside a call, and spans that are shown elsewhere than they were recorded."""

    def __init__(self) -> None:
        self.added: dict[Key, list[Event]] = {}
        self.parents: dict[Key, str] = {}
        self.traces: dict[Key, str] = {}

    def placed(self, traces: Sequence[Sequence[Event]]) -> Sequence[Sequence[Event]]:
        placed: dict[str, list[Event]] = {}
        for event in (event for events in traces for event in events):
            key = key_of(event)
            trace_id, parent_id = self.traces.get(key, event.trace_id), self.parents.get(key, event.parent_id)
            is_moved = (trace_id, parent_id) != (event.trace_id, event.parent_id)
            in_trace = placed.setdefault(trace_id, [])
            in_trace += [replace(row, trace_id=trace_id) for row in self.added.get(key, ())]
            in_trace.append(replace(event, trace_id=trace_id, parent_id=parent_id) if is_moved else event)
        return [placed.get(events[0].trace_id, ()) if events else events for events in traces]


def _talks(forest: Forest, turns: Iterable[Turn]) -> Mapping[Talk, Sequence[Turn]]:
    """Return the turns of each visible conversation, split where recorded spans separate them."""
    talks: dict[Talk, list[Turn]] = {}
    for turn in turns:
        call = forest.get(key_of(turn))
        if call is not None and all(event.kind != "agent" for event in forest.upwards(call)):
            talks.setdefault(Talk(turn.conversation, forest.above(call)), []).append(turn)
    return {
        talk: members
        for talk, members in talks.items()
        if len(members) > 1 or any(_is_inferred(tool) for tool in members[0].tools)
    }


def _is_inferred(tool: InferredTool) -> bool:
    return not tool.recorded and tool.start_time_unix_nano is not None and tool.end_time_unix_nano is not None


def _top(calls: Sequence[Event], inner: Sequence[Event]) -> Event:
    """Return the row of a conversation: it begins with its first call, and ends like its last one."""
    first, last = calls[0], calls[-1]
    ends = [event.end_time_unix_nano for event in inner]
    end = None if None in ends else max((at for at in ends if at is not None), key=int)
    is_open = any(event.status == "running" for event in inner)
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


def _tools(members: Iterable[Turn], top: Event) -> Iterator[tuple[Event, InferredTool]]:
    for turn in members:
        for at, tool in enumerate(turn.tools):
            if _is_inferred(tool):
                yield _tool(tool, top, _TOOL_ID.format(top.span_id, turn.span_id, at)), tool


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


def _of_conversation(turns: Sequence[Turn], asked: str | None, answered: str | None) -> Annotation:
    retries, unclear = (sum(turn.link == link for turn in turns) for link in ("retry", "unclear"))
    also = (f"{retries:,} tried again" if retries else "", f"{unclear:,} may continue another" if unclear else "")
    note = ", ".join(filter(None, (f"{figures.counted(len(turns), 'turn')}", *also)))
    lines = [f"{word:8}  {text}" for word, text in (("asked", asked), ("answered", answered)) if text]
    return Annotation(f"inferred: {note}", tuple(lines))


def _of_tool(tool: InferredTool) -> str:
    gave = "" if tool.result is None or tool.failed else f" → {tool.result}"
    return f"inferred  {tool.arguments}{gave}"


def _between_ms(began: str, ended: str) -> float:
    return max(0, int(ended) - int(began)) / 1e6
