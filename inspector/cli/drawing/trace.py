"""Draws a trace in the terminal: a line of facts, then one line per event with its place in time and its cost."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from msgspec import UNSET

from inspector.cli.drawing.conversations import Annotation
from inspector.cli.drawing.plumbing import traces_without_plumbing
from inspector.cli.drawing.shaping import Repeat, TreeShape
from inspector.cli.drawing.tree import BLANK, LAST_BRANCH, TRUNK, TreeRow, tree_rows
from inspector.cli.output import figures, status
from inspector.cli.output.losses import loss_sentences
from inspector.cli.output.operation import shown_name
from inspector.cli.output.terminal import Style, Terminal
from inspector.cli.output.visible import cut, pad, width
from inspector.model import Event, Losses, Run, Trace
from inspector.nouns import is_notification

_BAR_COLUMNS = 16
_BAR_FROM_WIDTH = 90
_BAR_CELLS = {(True, True): "━", (True, False): "╸", (False, True): "╺", (False, False): " "}
_NAME_LEAST = 24
_NAME_AFTER_GUIDES = 10
_NOTE_LEAST = 14
_ASCII_GUIDES = str.maketrans({"├": "|", "└": "`", "│": "|", "─": "-"})
_MARKS = {"": "", "orphan": "(parent not recorded)", "cycle": "(its parents form a loop)"}
_GAP = "  "
_SHORT_ERROR = 60
"""The length of an error that may be repeated."""
_TRACE_DIGITS = 8
"""The length of a trace id beside its root; enough for ``inspector show``."""

Piece: TypeAlias = tuple[str, Style]
"""Text on one line, and how it stands out."""

_SPACE: Piece = (_GAP, "")
DUPLICATE = "duplicate"
"""Marks a span whose call another one counts."""


@dataclass(frozen=True, slots=True)
class _Line:
    """The parts of one drawn line, escaped and without colour."""

    depth: int
    guides: str
    sign: str
    name: str
    word: str
    bar: str
    time_spent: str
    tokens: str
    cost: str
    note: str
    style: Style
    is_duplicate: bool
    """Whether another span counts for its call."""
    below: tuple[str, ...] = ()
    """Lines drawn below it."""


@dataclass(frozen=True, slots=True)
class _Columns:
    """How wide each column is; 0 leaves it out."""

    name: int
    word: int
    bar: int
    time_spent: int
    tokens: int
    cost: int


def trace_lines(
    trace: Trace,
    events: Sequence[Event],
    terminal: Terminal,
    shape: TreeShape | None = None,
    annotations: Mapping[str, Annotation] | None = None,
) -> Iterable[str]:
    """Draw one trace: its facts, then its tree."""
    yield terminal.style(terminal.cut(_facts(trace, events, terminal)), "dim")
    if trace.losses is not UNSET:
        yield from _missing(trace.losses, terminal, of=" of its processes")
    yield from tree_lines(events, terminal, shape, annotations)


def tree_lines(
    events: Sequence[Event],
    terminal: Terminal,
    shape: TreeShape | None = None,
    annotations: Mapping[str, Annotation] | None = None,
) -> Iterable[str]:
    """Draw only the tree, with its columns aligned and cut to the terminal's width."""
    rows = tree_rows(events, shape=shape)
    yield from _aligned(list(_lines(rows, _extent(events), terminal, annotations or {})), terminal)


def _lines(
    rows: Iterable[TreeRow], extent: tuple[int, int], terminal: Terminal, annotations: Mapping[str, Annotation]
) -> Iterator[_Line]:
    """Make the lines of a tree; an error already shown above is repeated only by its type."""
    above: list[str] = []
    for row in rows:
        del above[row.depth :]
        message = (row.event.error.message or "") if row.event.error else ""
        is_repeated = len(message) > _SHORT_ERROR and any(message in each or each in message for each in above if each)
        above.append(message if len(message) > _SHORT_ERROR else "")
        yield _line(
            row, extent, terminal, annotations.get(row.event.span_id, Annotation()), with_message=not is_repeated
        )


def run_lines(
    run: Run,
    traces: Sequence[tuple[Trace, Sequence[Event]]],
    terminal: Terminal,
    *,
    losses: Losses | None = None,
    shape: TreeShape | None = None,
    annotations: Mapping[str, Annotation] | None = None,
) -> Iterable[str]:
    """Draw a whole run: a line of facts, question and answer, then its traces on one time scale."""
    extent = _extent([event for _, events in traces for event in events])
    yield terminal.style(terminal.cut(_facts_of_run(run, traces, terminal)), "dim")
    yield from _question_and_answer(run, [trace for trace, _ in traces], terminal)
    if losses is not None:
        yield from _missing(losses, terminal)
    lines: list[_Line] = []
    is_all = shape is None or shape.everything
    for trace, events in traces if is_all else traces_without_plumbing(traces):
        named = f"trace {terminal.safe(trace.trace_id[:_TRACE_DIGITS])}"
        lines += [
            line if line.depth else replace(line, note=_GAP.join(filter(None, (named, line.note))))
            for line in _lines(tree_rows(events, shape=shape), extent, terminal, annotations or {})
        ]
    yield from _aligned(lines, terminal)


def _missing(losses: Losses, terminal: Terminal, *, of: str = "") -> Iterable[str]:
    for sentence in loss_sentences(losses, of=of):
        yield terminal.style(terminal.cut(sentence), "yellow")


def _aligned(lines: Sequence[_Line], terminal: Terminal) -> Iterable[str]:
    columns = _columns(lines, terminal.width)
    for line in lines:
        yield _drawn(line, columns, terminal)
        for text in line.below:
            yield terminal.style(terminal.cut(text), "dim")


def error_text(event: Event, terminal: Terminal, *, with_message: bool = True) -> str:
    """Say on one line why an event failed, with its type without the module; empty if it did not."""
    if event.error is None:
        return ""
    name, message = event.error.name, event.error.message
    parts = (name, message) if with_message else (name or "error", terminal.signs("…"))
    return ": ".join(terminal.safe(part) for part in parts if part)


def _counts_of(traces: Sequence[Trace], events: Iterable[Event]) -> Sequence[str]:
    """Say how many calls traces have, how many failed, are duplicates or have no price, and of MCP's notifications."""
    calls, failed, spans, unpriced = (
        sum(getattr(trace, name) for trace in traces) for name in ("calls", "errors", "spans", "unpriced_calls")
    )
    notifications = sum(is_notification(event.kind, event.name) and event.status == "ok" for event in events)
    duplicates = spans - calls - notifications
    return (
        figures.counted(calls, "call"),
        f"{failed:,} failed" if failed else "",
        figures.counted(duplicates, "duplicate") if calls and duplicates > 0 else "",
        figures.counted(notifications, "notification") if notifications else "",
        f"{unpriced:,} without a price" if unpriced else "",
    )


def counted_elsewhere(figure: str) -> str:
    """Put a figure that counts at another event in parentheses; nothing stays nothing."""
    return f"({figure})" if figure else ""


def _facts(trace: Trace, events: Sequence[Event], terminal: Terminal) -> str:
    parts = [
        f"trace {terminal.safe(trace.trace_id)}",
        figures.moment(trace.start_time_unix_nano),
        *filter(None, _counts_of([trace], events)),
    ]
    if trace.service:
        parts.append(f"service {terminal.safe(trace.service)}")
    if trace.session_id:
        parts.append(f"session {terminal.safe(trace.session_id)}")
    return terminal.signs(" · ").join(parts)


def _question_and_answer(run: Run, traces: Iterable[Trace], terminal: Terminal) -> Iterable[str]:
    """Draw what was asked first and answered last; where traces ran at once, both of the first one."""
    said: Run | Trace = run
    speaking = sorted((trace for trace in traces if trace.question or trace.answer), key=_start_ns)
    if any(_start_ns(later) < _end_ns(earlier) for earlier, later in pairwise(speaking)):
        said = speaking[0]
    for word, text in (("asked", said.question), ("answered", said.answer)):
        if text is not None:
            yield terminal.cut(f"{word:8}  {terminal.safe(text)}")


def _start_ns(trace: Trace) -> int:
    return int(trace.start_time_unix_nano)


def _end_ns(trace: Trace) -> float:
    return math.inf if trace.end_time_unix_nano is None else int(trace.end_time_unix_nano)


def _facts_of_run(run: Run, drawn: Sequence[tuple[Trace, Sequence[Event]]], terminal: Terminal) -> str:
    traces = [trace for trace, _ in drawn]
    services = sorted({terminal.safe(trace.service) for trace in traces if trace.service})
    # The exception that ended a program has a trace without calls.
    counted = [trace for trace in traces if trace.calls]
    parts = [
        f"run {terminal.safe(run.run_id)}",
        "" if run.origin in ("program", "trace") else f"{run.origin} {terminal.safe(run.name)}",
        figures.moment(min((trace.start_time_unix_nano for trace in traces), key=int)),
        figures.counted(len(counted), "trace"),
        *_counts_of(counted, (event for _, events in drawn for event in events)),
        f"{run.open_calls:,} open" if run.open_calls else "",
        f"service {', '.join(services)}" if services else "",
    ]
    return terminal.signs(" · ").join(filter(None, parts))


def _extent(events: Sequence[Event]) -> tuple[int, int]:
    starts = [int(event.start_time_unix_nano) for event in events]
    ends = [int(event.end_time_unix_nano) for event in events if event.end_time_unix_nano]
    return min(starts, default=0), max((*starts, *ends), default=0)


def _line(
    row: TreeRow, extent: tuple[int, int], terminal: Terminal, annotation: Annotation, *, with_message: bool
) -> _Line:
    event = row.event
    tokens = figures.tokens(row.usage.input_tokens, row.usage.output_tokens)
    tokens = terminal.signs(f"{tokens} tok") if tokens else ""
    cost = terminal.signs(figures.cost(row.usage.cost_usd))
    is_duplicate = event.folded_into is not None
    notes = (
        terminal.safe(_unnamed(event)),
        terminal.signs(_repeated(row.repeat)),
        f"{figures.counted(row.hidden, 'span')} below" if row.hidden else "",
        DUPLICATE if is_duplicate else "",
        terminal.signs(terminal.safe(annotation.note)),
        error_text(event, terminal, with_message=with_message),
        _MARKS[row.mark],
    )
    return _Line(
        depth=row.depth,
        guides=_guides(row.guides, terminal),
        sign=status.sign(event.status, unicode=terminal.unicode),
        name=terminal.safe(event.name if terminal.width is None else shown_name(event.name)),
        word=status.word(event.status),
        bar=_bar(event, *extent, unicode=terminal.unicode),
        time_spent=terminal.signs(figures.duration(event.duration_ms)),
        tokens=counted_elsewhere(tokens) if row.counts_elsewhere else tokens,
        cost=counted_elsewhere(cost) if row.counts_elsewhere else cost,
        note=_GAP.join(filter(None, notes)),
        style=status.STYLES[event.status],
        is_duplicate=is_duplicate,
        below=tuple(f"{_guides(_after(row.guides), terminal)}{terminal.safe(text)}" for text in annotation.lines),
    )


def _guides(guides: str, terminal: Terminal) -> str:
    return guides if terminal.unicode else guides.translate(_ASCII_GUIDES)


def _after(guides: str) -> str:
    """Return the guides between a row and what is below it."""
    outer, own = guides[: -len(TRUNK)], guides[-len(TRUNK) :]
    return outer + ((BLANK if own == LAST_BRANCH else TRUNK) if own else "") + TRUNK


def _unnamed(event: Event) -> str:
    """Return the tool or agent of a span whose name lacks it: the AI SDK calls every tool ``ai.toolCall``."""
    called = {"tool": event.tool, "agent": event.agent}.get(event.kind)
    return called if called and called not in event.name else ""


def _repeated(repeat: Repeat | None) -> str:
    if repeat is None:
        return ""
    with_next = f" with the next {repeat.length - 1}" if repeat.length > 1 else ""
    return f"\u00d7 {repeat.times:,}{with_next}"


def _bar(event: Event, start_ns: int, end_ns: int, *, unicode: bool) -> str:
    """Draw an event's place in time, in half columns; one that has not ended reaches the right edge."""
    halves = _BAR_COLUMNS * 2
    whole_ns = max(1, end_ns - start_ns)
    ended_ns = int(event.end_time_unix_nano) if event.end_time_unix_nano else end_ns
    first = min(halves - 1, (int(event.start_time_unix_nano) - start_ns) * halves // whole_ns)
    after = max(first + 1, -(-(ended_ns - start_ns) * halves // whole_ns))
    cells: list[str] = []
    for left in range(0, halves, 2):
        filled = (first <= left < after, first <= left + 1 < after)
        cells.append(_BAR_CELLS[filled] if unicode else "=" if any(filled) else " ")
    return "".join(cells)


def _columns(lines: Sequence[_Line], room: int | None) -> _Columns:
    name = max((width(_label(line)) for line in lines), default=0)
    word = max((width(line.word) for line in lines), default=0)
    time_spent = max((width(line.time_spent) for line in lines), default=0)
    tokens = max((width(line.tokens) for line in lines), default=0)
    cost = max((width(line.cost) for line in lines), default=0)
    note = max((width(line.note) for line in lines), default=0)
    bar = _BAR_COLUMNS if len(lines) > 1 and (room is None or room >= _BAR_FROM_WIDTH) else 0
    if room is None:
        return _Columns(name, word, bar, time_spent, tokens, cost)
    least = min(name, _NAME_LEAST)
    if least + _taken(word, bar, time_spent, tokens, cost) > room:
        tokens = cost = 0
    # A failed call seldom has tokens or a cost, so its message may stand where they would.
    taken = _taken(word, bar, time_spent, max(_taken(tokens, cost) - len(_GAP), min(note, _NOTE_LEAST)))
    if least + taken > room:
        taken = _taken(word, time_spent)
    return _Columns(min(name, max(_NAME_LEAST // 2, room - taken)), word, bar, time_spent, tokens, cost)


def _taken(*columns: int) -> int:
    return sum(column + len(_GAP) for column in columns if column)


def _label(line: _Line) -> str:
    return f"{line.guides}{line.sign} {line.name}"


def _shortened_guides(line: _Line, room: int, ellipsis: str) -> str:
    """Leave the outermost guides out if they are too deep for their column, and say how deep they are."""
    whole = line.depth * len(TRUNK)
    if whole == len(line.guides) <= room:
        return line.guides
    mark = f"{ellipsis}{line.depth} "
    kept = max(0, room - len(mark)) // len(TRUNK) * len(TRUNK)
    return mark + (line.guides[-kept:] if kept else "")


def _drawn(line: _Line, columns: _Columns, terminal: Terminal) -> str:
    room_for_guides = columns.name - 2 - min(_NAME_AFTER_GUIDES, width(line.name))
    guides = line.guides
    if terminal.width is not None or line.depth * len(TRUNK) > len(guides):
        guides = _shortened_guides(line, max(0, room_for_guides), terminal.ellipsis)
    room_for_name = max(1, columns.name - width(guides) - 2)
    name = pad(cut(line.name, room_for_name, mark=terminal.ellipsis), room_for_name)
    head: list[Piece] = [(guides, "dim"), (f"{line.sign} ", line.style), (name, "dim" if line.is_duplicate else "")]
    parts: list[Piece] = []
    if columns.word:
        parts.append((pad(line.word, columns.word), line.style))
    if columns.bar:
        parts.append((line.bar, "dim" if line.style == "green" else line.style))
    if columns.time_spent:
        parts.append((pad(line.time_spent, columns.time_spent, right=True), ""))
    if line.tokens or line.cost or not line.note:
        for text, size in ((line.tokens, columns.tokens), (line.cost, columns.cost)):
            if size:
                parts.append((pad(text, size, right=True), "dim"))
    parts.append((line.note, "dim" if line.is_duplicate and line.style == "green" else line.style))
    return _styled(head, parts, terminal)


def _styled(head: list[Piece], parts: list[Piece], terminal: Terminal) -> str:
    """Join the pieces within the terminal's width, without spaces at the end."""
    pieces = head + [piece for part in parts for piece in (_SPACE, part)]
    while not pieces[-1][0].strip():
        pieces.pop()
    text = ""
    left = terminal.width
    for piece, style in pieces:
        shown = piece if left is None else cut(piece, left, mark=terminal.ellipsis)
        text += terminal.style(shown, style)
        if left is not None:
            left -= width(shown)
    return text.rstrip(" ")
