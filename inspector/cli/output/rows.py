"""Lists of spans, runs and sessions as tables, and single spans as lines that follow each other."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from msgspec import UnsetType

from inspector.cli.drawing.trace import DUPLICATE, counted_elsewhere, error_text
from inspector.cli.output import figures, status
from inspector.cli.output.operation import name_beside_kind
from inspector.cli.output.table import Cell, Column, table_lines
from inspector.cli.output.terminal import Terminal
from inspector.cli.output.visible import cut, pad, width
from inspector.lookup import SHORT_ID
from inspector.model import Event, Label, Run, Session
from inspector.spooling import is_process_key

_EVENT_COLUMNS = (
    Column(title="TIME"),
    Column(title="STATUS"),
    Column(title="KIND", leaves=5),
    Column(title="NAME", shrinks_to=12),
    Column(title="DURATION", right=True, leaves=4),
    Column(title="TOKENS", right=True, leaves=3),
    Column(title="COST", right=True, leaves=2),
    Column(title="SPAN", style="dim"),
    Column(title="TRACE", style="dim", leaves=1),
    Column(title="DUPLICATE", style="dim"),
    Column(title="ERROR", shrinks_to=16, style="red"),
)
_RUN_COLUMNS = (
    Column(title="RUN", style="dim"),
    Column(title="STARTED"),
    Column(title="STATUS"),
    Column(title="NAME", shrinks_to=8),
    Column(title="ASKED", shrinks_to=10, leaves=9),
    Column(title="ANSWERED", shrinks_to=10, leaves=8),
    Column(title="LABELS", shrinks_to=8, leaves=7),
    Column(title="REPLAY OF", style="dim", leaves=7),
    Column(title="DURATION", right=True, leaves=4),
    Column(title="TRACES", right=True, leaves=1),
    Column(title="CALLS", right=True, leaves=5),
    Column(title="ERRORS", right=True, leaves=6),
    Column(title="TOKENS", right=True, leaves=2),
    Column(title="COST", right=True, leaves=3),
    Column(title="UNPRICED", right=True, leaves=1),
    Column(title="ERROR", shrinks_to=12, leaves=10, style="red"),
)
_LABEL_COLUMNS = (
    Column(title="GIVEN", leaves=2),
    Column(title="ON"),
    Column(title="LABEL", shrinks_to=12),
    Column(title="NOTE", shrinks_to=12),
    Column(title="AUTHOR", shrinks_to=8),
    Column(title="SOURCE", leaves=1),
)
_SESSION_COLUMNS = (
    Column(title="SESSION", shrinks_to=16),
    Column(title="STARTED"),
    Column(title="STATUS"),
    Column(title="DURATION", right=True, leaves=5),
    Column(title="TRACES", right=True, leaves=4),
    Column(title="CALLS", right=True),
    Column(title="ERRORS", right=True),
    Column(title="TOKENS", right=True, leaves=2),
    Column(title="COST", right=True, leaves=3),
    Column(title="UNPRICED", right=True, leaves=1),
)
_DUP = "dup"
"""Stands for ``duplicate`` in a narrow table."""
_LIVE_NAME = 34
_LIVE_FIGURES = 10
_NARROW = 120
"""On terminals narrower than this, ids are cut and times are brief."""


def event_table(events: Sequence[Event], terminal: Terminal) -> Iterable[str]:
    """Lay out a page of events; ids are whole if there is space, else parts that ``show`` accepts."""
    columns = [
        replace(column, title=_DUP.upper()) if is_narrow(terminal) and column.title == DUPLICATE.upper() else column
        for column in _EVENT_COLUMNS
    ]
    return table_lines(columns, [_event_cells(event, terminal) for event in events], terminal)


def _event_cells(event: Event, terminal: Terminal) -> tuple[Cell, ...]:
    tokens, cost = _used(event, terminal)
    return (
        Cell(figures.moment(event.start_time_unix_nano, brief=is_narrow(terminal))),
        status_cell(event.status, terminal),
        Cell(event.kind),
        Cell(name_text(event, terminal)),
        Cell(terminal.signs(figures.duration(event.duration_ms))),
        Cell(tokens),
        Cell(cost),
        Cell(span_id_text(event, terminal)),
        Cell(_trace_id(event, terminal)),
        Cell(_DUP if is_narrow(terminal) and event.folded_into is not None else _duplicate(event)),
        Cell(error_text(event, terminal)),
    )


def is_narrow(terminal: Terminal) -> bool:
    """Return whether ids are cut and times are brief."""
    return terminal.width is not None and terminal.width < _NARROW


def name_text(event: Event, terminal: Terminal) -> str:
    """Return the name of an event; on a terminal, without what the kind already says."""
    return terminal.safe(event.name if terminal.width is None else name_beside_kind(event.name))


def span_id_text(event: Event, terminal: Terminal) -> str:
    """Return an id, whole if there is space, else a part that ``show`` accepts."""
    return terminal.safe(event.span_id[:SHORT_ID] if is_narrow(terminal) else event.span_id)


def _trace_id(event: Event, terminal: Terminal) -> str:
    return terminal.safe(event.trace_id if terminal.width is None else event.trace_id[:SHORT_ID])


def _duplicate(event: Event) -> str:
    return DUPLICATE if event.folded_into is not None else ""


def _used(event: Event, terminal: Terminal) -> tuple[str, str]:
    """Format the tokens and the cost of an event, in parentheses if it is a duplicate."""
    tokens = terminal.signs(figures.tokens(event.input_tokens, event.output_tokens))
    cost = terminal.signs(figures.cost(event.cost_usd))
    if event.folded_into is None:
        return tokens, cost
    return counted_elsewhere(tokens), counted_elsewhere(cost)


def run_table(
    runs: Sequence[Run], terminal: Terminal, failures: Mapping[str, Event] = MappingProxyType({})
) -> Iterable[str]:
    """Lay out a page of runs; ids are whole if nothing is cut, else parts that ``show`` accepts.

    Args:
        runs: The runs.
        terminal: Where.
        failures: The spans that say why runs failed, by the ids of the runs.
    """
    return table_lines(_RUN_COLUMNS, [_run_cells(run, terminal, failures.get(run.run_id)) for run in runs], terminal)


def _run_cells(run: Run, terminal: Terminal, failure: Event | None) -> tuple[Cell, ...]:
    state = status_cell(run.status, terminal)
    if run.open_calls:
        state = Cell(f"{state.text}, {run.open_calls:,} open", state.style)
    return (
        Cell(_run_id(run.run_id, terminal)),
        Cell(figures.moment(run.start_time_unix_nano, brief=is_narrow(terminal))),
        state,
        Cell(terminal.safe(run.name)),
        Cell(terminal.safe(run.question or "")),
        Cell(terminal.safe(run.answer or "")),
        Cell(labels_text(run.labels, terminal)),
        Cell("" if isinstance(run.replay_of, UnsetType) else _run_id(run.replay_of, terminal)),
        Cell(terminal.signs(figures.duration(run.duration_ms))),
        Cell(f"{run.traces:,}"),
        Cell(f"{run.calls:,}"),
        Cell(f"{run.errors:,}", "red" if run.errors else ""),
        Cell(_summed_tokens(run, terminal)),
        Cell(terminal.signs(figures.cost(run.cost_usd))),
        Cell(f"{run.unpriced_calls:,}" if run.unpriced_calls else ""),
        Cell("" if failure is None else error_text(failure, terminal)),
    )


def _run_id(run_id: str, terminal: Terminal) -> str:
    return terminal.safe(run_id if terminal.width is None else short_run_id(run_id))


def labels_text(labels: Sequence[Label], terminal: Terminal) -> str:
    """Format labels on one line, each only once, with a count if there are several equal ones."""
    counts = Counter(_label_text(label) for label in labels)
    return terminal.safe(", ".join(text if count == 1 else f"{count} {text}" for text, count in counts.items()))


def _label_text(label: Label) -> str:
    if label.score is not None:
        return f"{label.name} {label.score:g}"
    return label.name if label.value is None else f"{label.name} {label.value}"


def label_lines(labels: Sequence[Label], terminal: Terminal) -> Iterable[str]:
    """Lay out labels; notes are whole if nothing is cut."""
    rows = [
        (
            Cell(figures.moment(label.time_unix_nano, brief=is_narrow(terminal))),
            Cell("run" if label.span_id is None else terminal.safe(f"span {label.span_id[:SHORT_ID]}")),
            Cell(terminal.safe(_label_text(label))),
            Cell(terminal.safe(label.note or "")),
            Cell(terminal.safe(label.author or "")),
            Cell(label.source),
        )
        for label in labels
    ]
    return table_lines(_LABEL_COLUMNS, rows, terminal)


def short_run_id(run_id: str) -> str:
    """Return the part of an id that distinguishes it from others; the keys of processes begin with the time."""
    return run_id[-SHORT_ID:] if is_process_key(run_id) else run_id[:SHORT_ID]


def session_table(sessions: Sequence[Session], terminal: Terminal) -> Iterable[str]:
    """Lay out a page of sessions."""
    return table_lines(_SESSION_COLUMNS, [_session_cells(session, terminal) for session in sessions], terminal)


def _session_cells(session: Session, terminal: Terminal) -> tuple[Cell, ...]:
    took_ms = None
    if session.end_time_unix_nano is not None:
        took_ms = (int(session.end_time_unix_nano) - int(session.start_time_unix_nano)) / 1e6
    return (
        Cell(terminal.safe(session.session_id)),
        Cell(figures.moment(session.start_time_unix_nano)),
        status_cell(session.status, terminal),
        Cell(terminal.signs(figures.duration(took_ms))),
        Cell(f"{session.traces:,}"),
        Cell(f"{session.calls:,}"),
        Cell(f"{session.errors:,}", "red" if session.errors else ""),
        Cell(_summed_tokens(session, terminal)),
        Cell(terminal.signs(figures.cost(session.cost_usd))),
        Cell(f"{session.unpriced_calls:,}" if session.unpriced_calls else ""),
    )


def _summed_tokens(item: Run | Session, terminal: Terminal) -> str:
    """Format the tokens of many calls; a dash if there are none, since then no call reported any."""
    used = item.input_tokens or item.output_tokens
    return terminal.signs(figures.tokens(item.input_tokens, item.output_tokens) if used else figures.UNKNOWN)


def status_cell(state: status.Status, terminal: Terminal) -> Cell:
    """Format a status with its sign and, unless it is ok, its word."""
    text = f"{status.sign(state, unicode=terminal.unicode)} {status.word(state)}".rstrip()
    return Cell(text, status.STYLES[state])


def live_line(event: Event, terminal: Terminal) -> str:
    """Format one event on a line of its own, in columns that later lines share."""
    name = cut(f"{event.kind:8}  {name_text(event, terminal)}", 10 + _LIVE_NAME, mark=terminal.ellipsis)
    began = figures.moment(event.start_time_unix_nano, brief=is_narrow(terminal))
    ids = ("" if is_narrow(terminal) else _trace_id(event, terminal), span_id_text(event, terminal))
    left = "  ".join(filter(None, (began, *ids)))
    state = status_cell(event.status, terminal)
    took = pad(terminal.signs(figures.duration(event.duration_ms)), _LIVE_FIGURES, right=True)
    tokens, cost = _used(event, terminal)
    rest = [
        f"{tokens} tok" if tokens else "",
        cost,
        _duplicate(event),
        error_text(event, terminal),
    ]
    tail = "  ".join([pad(name, 10 + _LIVE_NAME), took, *filter(None, rest)])
    room = None if terminal.width is None else max(0, terminal.width - width(left) - 15)
    shown = tail.rstrip() if room is None else cut(tail.rstrip(), room, mark=terminal.ellipsis)
    return f"{terminal.style(left, 'dim')}  {terminal.style(pad(state.text, 11), state.style)}  {shown}".rstrip()
