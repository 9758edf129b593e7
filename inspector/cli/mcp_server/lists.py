"""Runs, what a text is found in, and figures, as a coding agent reads them."""

import time
from dataclasses import replace
from typing import Any

from inspector.cli.drawing.hits import find_hit
from inspector.cli.filters import times_of
from inspector.cli.lookup import spans_like
from inspector.cli.mcp_server.answer import Continuation, UncutAnswer
from inspector.cli.mcp_server.arguments import Runs, Search, StatsArguments
from inspector.cli.mcp_server.reader import Reader, run_lines
from inspector.cli.mcp_server.texts import one_line, span_line
from inspector.cli.output import figures
from inspector.cli.output.moments import parse_stretch_ns, refusal
from inspector.cli.output.rows import short_run_id
from inspector.cli.output.stats_rows import ranked_groups
from inspector.lookup import SHORT_ID
from inspector.model import Event, Filter, Page, Trace

_RUNS, _HITS = 50, 40
"""How many are read at a time."""
_MOST_EXCERPT = 240


class TimeUnknown(Exception):
    """A time that cannot be read."""


def _times(since: str | None) -> dict[str, Any]:
    if since is None:
        return {}
    stretch = parse_stretch_ns(since, now_ns=time.time_ns())
    if stretch is None:
        raise TimeUnknown(refusal(since))
    since_ns, until_ns = times_of(stretch, None)
    return {"since_ns": since_ns, "until_ns": until_ns}


def runs(reader: Reader, arguments: Runs, place: Continuation) -> UncutAnswer:
    """List runs, newest first."""
    where = Filter(
        statuses=(arguments.status,) if arguments.status else (),
        name=arguments.name,
        q=arguments.text,
        **_times(arguments.since),
    )
    page = reader.store.runs(where, cursor=place.page, limit=_RUNS)
    shown = reader.others(page.items)
    items = ["\n".join(run_lines(run, content=reader.content)) for run in shown]
    about = (
        "Runs, newest first: id, name, status, start, duration, calls, tokens, cost." if items else "No run matches."
    )
    advice = _advice(reader, page, len(shown))
    return UncutAnswer(about, items, noun="run", more=page.next_cursor, advice=advice)


def _advice(reader: Reader, page: Page[Any], shown: int) -> str:
    """Say what is left out, and which part of the words was not understood."""
    left_out = f"Your own run {reader.own_run} is left out; name it to read it." if shown < len(page.items) else ""
    notice = one_line(page.notice, _MOST_EXCERPT) if isinstance(page.notice, str) else ""
    return " ".join(filter(None, (left_out, notice)))


def search(reader: Reader, arguments: Search, place: Continuation) -> UncutAnswer:
    """Find spans that contain a text, newest first."""
    where = Filter(
        q=arguments.text,
        kinds=(arguments.kind,) if arguments.kind else (),
        statuses=(arguments.status,) if arguments.status else (),
        duplicates=False,
        **_within(reader, arguments.run),
        **_times(arguments.since),
    )
    page = reader.store.events(where, cursor=place.page, limit=_HITS, full=True)
    if not page.items and place.page is None:
        # Sometimes only a duplicate has the text, such as the JSON-RPC envelope of a call.
        page = reader.store.events(replace(where, duplicates=True), limit=_HITS, full=True)
    run_ids: dict[str, str] = {}
    for event in page.items:
        if event.trace_id not in run_ids:
            trace = reader.store.trace(event.trace_id)
            run_ids[event.trace_id] = "" if trace is None else trace.run_id
    shown = [event for event in page.items if arguments.run or run_ids[event.trace_id] != reader.own_run]
    items = [_hit(reader, event, arguments.text, run_ids[event.trace_id]) for event in shown]
    about = "Spans with this text, newest first; place and excerpt below each." if items else "No span has this text."
    advice = _advice(reader, page, len(shown))
    return UncutAnswer(about, items, noun="span", more=page.next_cursor, advice=advice)


def _within(reader: Reader, run: str | None) -> dict[str, str]:
    if run is None:
        return {}
    found = reader.find(run)
    return {"trace_id": found.trace_id} if isinstance(found, Trace) else {"run_id": found.run_id}


def _hit(reader: Reader, event: Event, query: str, run_id: str) -> str:
    hit = find_hit(event, query)
    is_known = len(spans_like(reader.store, event.span_id[:SHORT_ID])) < 2
    span_id = event.span_id[:SHORT_ID] if is_known else event.span_id
    line = span_line(event, span_id=span_id, content=reader.content, notes=(f"run {short_run_id(run_id)}",))
    # A path into a value has its keys, which were recorded too.
    where = hit.place if reader.content else hit.place.partition(".")[0].partition("[")[0]
    excerpt = f": {one_line(hit.text, _MOST_EXCERPT)}" if reader.content and hit.text else ""
    return f"{line}\n  in {one_line(where, _MOST_EXCERPT)}{excerpt}" if where else line


def stats(reader: Reader, arguments: StatsArguments) -> UncutAnswer:
    """Add calls up by a field."""
    where = Filter(
        kinds=(arguments.kind,) if arguments.kind else (),
        statuses=(arguments.status,) if arguments.status else (),
        replays=False,
        **_within(reader, arguments.run),
        **_times(arguments.since),
    )
    found = reader.store.stats(where, by=arguments.by)
    rows = [(group.key or figures.UNKNOWN, group) for group in ranked_groups(found, arguments.by, arguments.sort)]
    items: list[str] = []
    for key, group in [*rows, ("total", found.total)] if found.total.count else ():
        used = group.input_tokens or group.output_tokens
        parts = (
            one_line(key, 100),
            figures.counted(group.count, "call"),
            f"{group.errors:,} failed" if group.errors else "",
            f"p50 {figures.duration(group.p50_ms)}, p95 {figures.duration(group.p95_ms)}"
            if group.p50_ms is not None
            else "",
            f"{figures.tokens(group.input_tokens, group.output_tokens)} tok" if used else "",
            figures.cost(group.cost_usd),
        )
        items.append("  ".join(filter(None, parts)))
    about = f"Calls by {arguments.by}, each counted once." if items else "No call matches."
    advice = "" if found.complete else "Too many to count at once: only the newest are counted; give since."
    if reader.own_run is not None and arguments.run is None:
        advice = f"{advice} Calls of your own run are counted too.".strip()
    return UncutAnswer(about, items, noun="row", advice=advice)
