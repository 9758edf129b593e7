"""``inspector show``: one trace as a tree, or one event whole."""

from pathlib import Path

import click

from inspector.cli.filters import HexId
from inspector.cli.options import home_option, json_option


@click.command()
@click.argument("trace", default="last")
@click.option(
    "--span",
    "span_id",
    type=HexId(16),
    metavar="ID",
    help="Show one event of it whole: input, output, attributes, error.",
)
@click.option("--full", is_flag=True, help="With --json: with the large fields of every event.")
@json_option
@home_option
def show(*, trace: str, span_id: str | None, full: bool, as_json: bool, home: Path | None) -> None:
    """Draw one trace as a tree: times, status, tokens, cost, and what failed.

    TRACE is a trace id, the beginning of one, or 'last' (the default).
    """
    from inspector.cli.documents import trace_document, write_json
    from inspector.cli.drawing import trace_lines
    from inspector.cli.home import settings_of
    from inspector.cli.lookup import find_event, find_trace, trace_events
    from inspector.cli.sheet import event_lines
    from inspector.cli.terminal import standard_output
    from inspector.ingest import open_home

    terminal = standard_output()
    with open_home(settings_of(home)) as store:
        if span_id is not None:
            event = find_event(store, span_id, trace=trace)
            write_json(event, terminal) if as_json else terminal.write(event_lines(event, terminal))
            return
        found = find_trace(store, trace)
        events = trace_events(store, found.trace_id, full=full and as_json)
    if as_json:
        write_json(trace_document(found, events, full=full), terminal)
    else:
        terminal.write(trace_lines(found, events, terminal))
