"""``inspector show``: one trace as a tree, all traces of one program, or one event whole."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspector.cli.filters import HexId
from inspector.cli.options import Text, WithId, fields_option, home_option
from inspector.model import Event

if TYPE_CHECKING:
    from inspector.cli.terminal import Terminal
    from inspector.settings import Settings
    from inspector.store import Store


@click.command(cls=WithId)
@click.argument("trace", type=Text(), required=False)
@click.option(
    "--run",
    "run_id",
    type=Text(),
    metavar="ID",
    help="Draw every trace of one 'inspector run', by the id that it says at its end, or 'last'.",
)
@click.option(
    "--span",
    "span_id",
    type=HexId(16),
    metavar="ID",
    help="Show one event of it whole: input, output, attributes, error.",
)
@click.option("--full", is_flag=True, help="With the large fields of every event; implies --json.")
@fields_option(Event)
@home_option
def show(
    *,
    trace: str | None,
    run_id: str | None,
    span_id: str | None,
    full: bool,
    as_json: tuple[str, ...] | None,
    home: Path | None,
) -> None:
    """Draw one trace as a tree: times, status, tokens, cost, and what failed.

    TRACE is a trace id, the beginning of one, or 'last' (the default).
    """
    if run_id is not None and (trace or span_id):
        raise click.UsageError("--run stands alone: leave out TRACE and --span")
    from inspector.cli.documents import event_fields
    from inspector.cli.home import settings_of
    from inspector.cli.opening import opened
    from inspector.cli.terminal import standard_output

    names = event_fields(as_json, full=full)
    terminal, settings = standard_output(), settings_of(home)
    _say_refused(settings)
    with opened(settings) as store:
        if run_id is not None:
            _show_run(store, run_id, terminal, names)
        elif span_id is not None:
            _show_event(store, span_id, trace or "last", terminal, () if full and not as_json else as_json)
        else:
            _show_trace(store, trace or "last", terminal, names)


def _say_refused(settings: "Settings") -> None:
    """Say what is in no home: what was sent elsewhere, and refused there."""
    from inspector.cli.notices import notice
    from inspector.refusals import all_refused

    for each in all_refused(settings.outbox, days=settings.retention_days, now_ns=time.time_ns()):
        notice(f"inspector: {each.sentence}; see inspector doctor")


def _show_run(store: "Store", run_id: str, terminal: "Terminal", names: tuple[str, ...] | None) -> None:
    from inspector.cli.documents import LARGE, run_document, write_json
    from inspector.cli.drawing import run_lines
    from inspector.cli.lookup import find_run, trace_events
    from inspector.cli.losses import sum_of

    found, traces = find_run(store, run_id)
    # A file that was removed for room was another program's, whoever removed it.
    losses = sum_of(loss for loss in store.losses(run=found) if loss.reason != "dropped_segments")
    full = not LARGE.isdisjoint(names or ())
    whole = [(trace, trace_events(store, trace.trace_id, full=full)) for trace in traces]
    if names is not None:
        write_json(run_document(found, whole, losses, names), terminal)
    else:
        terminal.write(run_lines(found, whole, terminal, losses=losses))


def _show_event(
    store: "Store", span_id: str, trace: str, terminal: "Terminal", as_json: tuple[str, ...] | None
) -> None:
    from inspector.cli.documents import chosen_fields, write_json
    from inspector.cli.lookup import find_event
    from inspector.cli.sheet import event_lines

    event = find_event(store, span_id, trace=trace)
    if as_json is None:
        terminal.write(event_lines(event, terminal))
    else:
        write_json(chosen_fields(event, as_json) if as_json else event, terminal)


def _show_trace(store: "Store", trace: str, terminal: "Terminal", names: tuple[str, ...] | None) -> None:
    from inspector.cli.documents import LARGE, trace_document, write_json
    from inspector.cli.drawing import trace_lines
    from inspector.cli.lookup import find_trace, trace_events

    listed = find_trace(store, trace)
    # Read again, since only a single trace says what is missing of it.
    found = store.trace(listed.trace_id) or listed
    full = not LARGE.isdisjoint(names or ())
    events = trace_events(store, found.trace_id, full=full)
    if names is not None:
        write_json(trace_document(found, events, names), terminal)
    else:
        terminal.write(trace_lines(found, events, terminal))
