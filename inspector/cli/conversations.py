"""Conversations drawn for the terminal: a hand-written loop as turns, with the tools that its messages tell of."""

from collections.abc import Iterable, Mapping, Sequence

from inspector.cli import figures, status
from inspector.cli.terminal import Terminal
from inspector.cli.visible import pad, width
from inspector.model import Event, InferredTool, Turn

_GAP = "  "
_LONGEST_NAME = 40
_INFERRED = "inferred"


def conversation_lines(turns: Sequence[Turn], events: Sequence[Event], terminal: Terminal) -> Iterable[str]:
    """Draw the conversations whose tools no span tells of, each as its calls in the order they ran.

    Args:
        turns: The model calls of a run, in the order they began.
        events: The spans of the run.
        terminal: Gives the width, colours and characters to draw with.
    """
    by_id = {(event.trace_id, event.span_id): event for event in events}
    talks: dict[str, list[Turn]] = {}
    for turn in turns:
        if not _is_in_agent(turn, by_id):
            talks.setdefault(turn.conversation, []).append(turn)
    for members in talks.values():
        if any(_is_inferred(tool) for turn in members for tool in turn.tools):
            yield ""
            yield from _conversation(members, by_id, terminal)


def _is_in_agent(turn: Turn, by_id: Mapping[tuple[str, str], Event]) -> bool:
    event, seen = by_id.get((turn.trace_id, turn.span_id)), set[str]()
    while event is not None and event.span_id not in seen:
        if event.kind == "agent":
            return True
        seen.add(event.span_id)
        event = by_id.get((event.trace_id, event.parent_id or ""))
    return False


def _is_inferred(tool: InferredTool) -> bool:
    return not tool.recorded and tool.end_time_unix_nano is not None


def _conversation(turns: Sequence[Turn], by_id: Mapping[tuple[str, str], Event], terminal: Terminal) -> Iterable[str]:
    title = (
        f"conversation of {figures.counted(len(turns), 'turn')}; its tools are inferred from messages, and not counted"
    )
    yield terminal.style(terminal.cut(title), "dim")
    rows: list[tuple[bool, str, str, str]] = []
    for turn in turns:
        event = by_id.get((turn.trace_id, turn.span_id))
        if event is not None:
            used = terminal.signs(figures.tokens(event.input_tokens, event.output_tokens))
            rows.append((event.status != "error", terminal.safe(event.name), _took(event.duration_ms, terminal), used))
        rows += [_tool_row(tool, terminal) for tool in turn.tools if _is_inferred(tool)]
    names = min(_LONGEST_NAME, max((width(name) for _, name, _, _ in rows), default=0))
    times = max((width(took) for _, _, took, _ in rows), default=0)
    for is_ok, name, took, note in rows:
        sign = status.sign("ok" if is_ok else "error", unicode=terminal.unicode)
        line = f"{sign} {pad(name, names)}{_GAP}{pad(took, times)}{_GAP}{note}".rstrip()
        yield terminal.style(terminal.cut(line), "" if is_ok else "red")


def _tool_row(tool: InferredTool, terminal: Terminal) -> tuple[bool, str, str, str]:
    began, ended = int(tool.start_time_unix_nano or 0), int(tool.end_time_unix_nano or 0)
    gave = "" if tool.result is None else f" {'->' if not terminal.unicode else '→'} {tool.result}"
    note = terminal.safe(f"{tool.arguments}{gave}")
    return not tool.failed, terminal.safe(f"{tool.name} ({_INFERRED})"), _took((ended - began) / 1e6, terminal), note


def _took(duration_ms: float | None, terminal: Terminal) -> str:
    return terminal.signs(figures.duration(duration_ms))
