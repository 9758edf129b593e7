"""``inspector show``: draws a run or one of its traces as trees, or shows one span in full."""

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from inspector.cli.filters import HexId
from inspector.cli.options import Text, WholeNumber, WithId, fields_option, home_option, no_pager_option
from inspector.model import Event, Run, Trace

if TYPE_CHECKING:
    from inspector.cli.drawing.conversations import Annotation
    from inspector.cli.drawing.shaping import TreeShape
    from inspector.cli.output.terminal import Terminal
    from inspector.settings import Settings
    from inspector.store import Store


class ShowOptions(TypedDict):
    """The options of ``show``."""

    what: str | None
    run_id: str | None
    span_id: str | None
    errors: bool
    depth: int | None
    fold: bool
    everything: bool
    no_pager: bool
    full: bool
    as_json: tuple[str, ...] | None
    home: Path | None


@click.command(cls=WithId)
@click.argument("what", metavar="[RUN|TRACE|SPAN]", type=Text(), required=False)
@click.option(
    "--run",
    "run_id",
    type=Text(),
    metavar="ID",
    help="The same as RUN, but never a trace.",
)
@click.option(
    "--span",
    "span_id",
    type=HexId(16, least=4),
    metavar="ID",
    help="Show one span in full: input, output, middleware, attributes, error.",
)
@click.option("--errors", is_flag=True, help="Draw only failed spans and those above them.")
@click.option(
    "--depth", type=WholeNumber(1, 1000), metavar="N", help="Draw this many levels, and count the spans below."
)
@click.option("--fold", is_flag=True, help="Draw equal neighbours and repeating groups once, with their number.")
@click.option(
    "--all", "everything", is_flag=True, help="Also draw MCP's connection messages, and both sides of each message."
)
@no_pager_option
@click.option("--full", is_flag=True, help="Include the large fields of every span; implies --json.")
@fields_option(Event)
@home_option
def show(**options: Unpack[ShowOptions]) -> None:
    """Draw a run or a trace as a tree: times, status, tokens, cost, and what failed.

    RUN or TRACE is an id, a part of one as the lists show it, or 'last' (the default): the run in which a trace began
    most recently. It may also be a file written by 'inspector export' or 'inspector test', for its last run. All traces
    of a run are drawn on one time scale. The id of a SPAN shows only that span, as --span does.

    Model calls that continue one another are drawn as a conversation: question and answer, the calls that ran between
    them, and tool calls that are only known from the messages, marked 'inferred' and never counted. MCP's lists and
    pings are one row, and a second recording of a message is left out; --all and --depth draw them. A call that
    middleware made several times has a line for each attempt.

    Output longer than the screen goes through $INSPECTOR_PAGER, $PAGER or less.
    """
    what, run_id, span_id = options["what"], options["run_id"], options["span_id"]
    full, as_json = options["full"], options["as_json"]
    is_document = full or as_json is not None
    _refuse_contradictions(options, is_document=is_document)
    from inspector.cli.drawing.shaping import TreeShape
    from inspector.cli.home import settings_of
    from inspector.cli.lookup import find_any, find_event
    from inspector.cli.opening import opened
    from inspector.cli.output.documents import event_fields
    from inspector.cli.output.paging import paged
    from inspector.cli.output.terminal import standard_output
    from inspector.cli.run_files import file_of, home_of
    from inspector.lookup import find_run

    names = event_fields(as_json, full=full)
    is_all = options["everything"] or options["depth"] is not None
    shape = TreeShape(options["errors"], options["depth"], options["fold"], is_all)
    standard, settings = standard_output(), settings_of(options["home"])
    _print_refused(settings)
    with ExitStack() as stack:
        file = None if what is None else file_of(what)
        if file is not None:
            settings, what = stack.enter_context(home_of(file)), "last"
        store = stack.enter_context(opened(settings))
        terminal = stack.enter_context(paged(standard, may_page=not (is_document or options["no_pager"])))
        found = span_id or (find_any(store, what or "last") if run_id is None else find_run(store, run_id))
        if isinstance(found, Trace):
            _show_trace(store, found, terminal, names, shape)
        elif isinstance(found, Run):
            _show_run(store, found, terminal, names, shape)
        else:
            event = find_event(store, found, trace=what or "last") if isinstance(found, str) else found
            _show_event(event, terminal, () if full and not as_json else as_json)
            found = event
        if not is_document:
            _show_beside(store, found, terminal, None if file is None else str(file))


def _refuse_contradictions(options: ShowOptions, *, is_document: bool) -> None:
    if options["run_id"] is not None and (options["what"] or options["span_id"]):
        raise click.UsageError("--run cannot be combined with RUN, TRACE or --span")
    is_shaped = options["errors"] or options["fold"] or options["everything"] or options["depth"] is not None
    if is_shaped and (is_document or options["span_id"] is not None):
        raise click.UsageError(
            "--errors, --depth, --fold and --all are for the tree; for JSON use 'inspector events --status error'"
        )


def _print_refused(settings: "Settings") -> None:
    """Report what is not in the home because it was sent elsewhere, and refused there."""
    from inspector.cli.output.notices import notice
    from inspector.refusals import all_refused

    # A home that cannot be looked into is refused when it is opened.
    with suppress(PermissionError):
        for refused in all_refused(settings.outbox, days=settings.retention_days, now_ns=time.time_ns()):
            notice(f"inspector: {refused.sentence}; see inspector doctor")


def _show_beside(store: "Store", item: Run | Trace | Event, terminal: "Terminal", file: str | None) -> None:
    """Show what belongs to an item besides itself: duplicates, labels, and whether it can be replayed."""
    if isinstance(item, Event):
        _show_duplicates(store, item, terminal)
    _show_labels(store, item, terminal)
    _show_replays(store, item, terminal, file)


def _show_duplicates(store: "Store", event: Event, terminal: "Terminal") -> None:
    """List the other spans of a call: that of a server of MCP has the exception whose text is all a client gets."""
    from inspector.cli.output.rows import event_table
    from inspector.lookup import events_of

    duplicates = [each for each in events_of(store, event.trace_id) if each.folded_into == event.span_id]
    if duplicates:
        terminal.write(["", *event_table(duplicates, terminal)])


def _show_labels(store: "Store", item: Run | Trace | Event, terminal: "Terminal") -> None:
    """List the labels of a span, of a trace and its run, or of a run and its spans."""
    from inspector.cli.output.rows import label_lines
    from inspector.cli.writing.labelling import labels_of, target_of

    run = store.run(item.run_id) if isinstance(item, Trace) else None
    if isinstance(item, Trace) and (run is None or run.traces > 1):
        labels = store.labels(trace_id=item.trace_id).items
    else:
        labels = labels_of(store, target_of(store, item))
    if labels:
        terminal.write(["", *label_lines(labels, terminal)])


def _show_replays(store: "Store", item: Run | Trace | Event, terminal: "Terminal", file: str | None) -> None:
    """Say whether a run, or its only trace, can be replayed, or which run it replays."""
    from inspector.cli.drawing.replayable import replay_lines

    if isinstance(item, Event):
        return
    run = store.run(item.run_id) if isinstance(item, Trace) else item
    if run is None or (isinstance(item, Trace) and run.traces > 1):
        return
    lines = [terminal.style(terminal.cut(line), "dim") for line in replay_lines(store, run, terminal, file)]
    if lines:
        terminal.write(["", *lines])


def _inferred(
    store: "Store", run_id: str, traces: Sequence[Sequence[Event]], terminal: "Terminal"
) -> tuple[Sequence[Sequence[Event]], Mapping[str, "Annotation"]]:
    """Return a run's traces with its conversations and annotations; print why conversations cannot be known."""
    from inspector.cli.drawing.attempts import attempt_annotations
    from inspector.cli.drawing.conversations import with_conversations
    from inspector.cli.drawing.namesakes import with_model_names
    from inspector.cli.drawing.resources import resource_annotations
    from inspector.cli.lookup import question_and_answer, turns_of
    from inspector.cli.output.notices import notice

    turns = turns_of(store, run_id)
    events = [event for trace in traces for event in trace]
    calls = [event for event in events if event.kind == "llm" and event.folded_into is None]
    if not turns and len(calls) > 1 and all(event.kind != "agent" for event in events):
        notice(
            "conversations are not known: the model calls were recorded without their messages, "
            "as with INSPECTOR_CAPTURE_CONTENT=false"
        )
    inferred = with_conversations(
        with_model_names(store, traces), turns, lambda first, last: question_and_answer(store, first, last)
    )
    recorded = resource_annotations(store, traces) | attempt_annotations(store, traces, terminal)
    return inferred.traces, recorded | dict(inferred.annotations)


def _print_none_failed(shape: "TreeShape", events: Iterable[Event]) -> None:
    from inspector.cli.output.notices import notice

    if shape.errors and not any(event.status == "error" for event in events):
        notice("no span of it failed")


def _show_run(
    store: "Store", run: Run, terminal: "Terminal", names: tuple[str, ...] | None, shape: "TreeShape"
) -> None:
    from inspector.cli.drawing.trace import run_lines
    from inspector.cli.output.documents import LARGE, run_document, write_json
    from inspector.cli.output.losses import sum_of
    from inspector.lookup import events_of, traces_of

    # A file that was removed to save space belonged to another program.
    losses = sum_of(loss for loss in store.losses(run=run.run_id) if loss.reason != "dropped_segments")
    full = not LARGE.isdisjoint(names or ())
    whole = [(trace, list(events_of(store, trace.trace_id, full=full))) for trace in traces_of(store, run)]
    if names is not None:
        write_json(run_document(run, whole, losses, names), terminal)
        return
    traces, annotations = _inferred(store, run.run_id, [events for _, events in whole], terminal)
    drawn = [(trace, events) for (trace, _), events in zip(whole, traces, strict=True)]
    terminal.write(run_lines(run, drawn, terminal, losses=losses, shape=shape, annotations=annotations))
    _print_none_failed(shape, [event for events in traces for event in events])


def _show_event(event: Event, terminal: "Terminal", as_json: tuple[str, ...] | None) -> None:
    from inspector.cli.drawing.sheet import event_lines
    from inspector.cli.output.documents import chosen_fields, write_json

    if as_json is None:
        terminal.write(event_lines(event, terminal))
    else:
        write_json(chosen_fields(event, as_json) if as_json else event, terminal)


def _show_trace(
    store: "Store", trace: Trace, terminal: "Terminal", names: tuple[str, ...] | None, shape: "TreeShape"
) -> None:
    from inspector.cli.drawing.trace import trace_lines
    from inspector.cli.output.documents import LARGE, trace_document, write_json
    from inspector.lookup import events_of

    # Read again, since only a single trace says what is missing of it.
    summary = store.trace(trace.trace_id) or trace
    full = not LARGE.isdisjoint(names or ())
    events = list(events_of(store, summary.trace_id, full=full))
    if names is not None:
        write_json(trace_document(summary, events, names), terminal)
        return
    (drawn,), annotations = _inferred(store, summary.run_id, [events], terminal)
    terminal.write(trace_lines(summary, drawn, terminal, shape, annotations))
    _print_none_failed(shape, drawn)
