"""``inspector find``: the spans that contain a text, and where."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from inspector.cli.filters import Moment, TimeRange, Words, times_of
from inspector.cli.options import OneOf, Text, WholeNumber, home_option, json_option
from inspector.model import KINDS, STATUSES, Event, Filter, Kind, Status

if TYPE_CHECKING:
    from inspector.cli.drawing.hits import BestPlace
    from inspector.cli.pages import Listed, PageChoice
    from inspector.store import Store


class FindOptions(TypedDict):
    """The options of ``find``."""

    words: tuple[str, ...]
    within: str | None
    kind: tuple[Kind, ...]
    status: tuple[Status, ...]
    since: tuple[int, int | None] | None
    until: int | None
    limit: int
    page: int | None
    as_json: bool
    home: Path | None


@click.command()
@click.argument("words", type=Words(), nargs=-1, required=True, metavar="TEXT...")
@click.option(
    "--in", "within", type=Text(), metavar="RUN|TRACE", help="Only in this run or trace; 'last' is the last run."
)
@click.option("--kind", multiple=True, type=OneOf(KINDS), help="Kind of span; repeatable.")
@click.option("--status", multiple=True, type=OneOf(STATUSES), help="Status; repeatable.")
@click.option("--since", type=TimeRange(), help="Started at or after; like --since of 'inspector events'.")
@click.option("--until", type=Moment(), help="Started before; like --since.")
@click.option(
    "--limit", type=WholeNumber(1, 1000), default=20, show_default=True, metavar="N", help="Maximum number of hits."
)
@click.option("--page", type=WholeNumber(1, 100_000), metavar="N", help="Page number, from 1.")
@json_option
@home_option
def find(**options: Unpack[FindOptions]) -> None:
    """Find spans with a text in their prompt, answer, arguments, result, error or events, newest first.

    Each hit shows where the text is, the words around it, and the command that shows the whole span. All words must
    occur; '"a phrase"' must occur as it is, and begin* matches the beginning of a word. A message that later prompts
    repeat is found where it first appeared.
    """
    from inspector.cli.drawing.hits import find_hit, hit_lines
    from inspector.cli.home import settings_of
    from inspector.cli.opening import opened
    from inspector.cli.output.documents import write_json
    from inspector.cli.output.terminal import standard_output
    from inspector.cli.pages import PageChoice

    terminal = standard_output()
    query = " ".join(options["words"])
    since_ns, until_ns = times_of(options["since"], options["until"])
    choice = PageChoice(options["limit"], options["page"])
    with opened(settings_of(options["home"])) as store:
        where = Filter(
            kinds=options["kind"],
            statuses=options["status"],
            since_ns=since_ns,
            until_ns=until_ns,
            q=query,
            duplicates=False,
            **_within(store, options["within"]),
        )
        listed = _read(store, where, choice)
        if not listed.page.items:
            # Sometimes only a duplicate has the text, such as the JSON-RPC envelope of a call.
            listed = _read(store, replace(where, duplicates=True), choice)
    hits = [find_hit(event, query) for event in listed.page.items]
    if options["as_json"]:
        write_json({"items": [_document(hit) for hit in hits], "next_cursor": listed.page.next_cursor}, terminal)
        return
    home = options["home"]
    elsewhere = "" if home is None else f" --home {shlex.quote(str(home))}"
    for hit in hits:
        terminal.write(hit_lines(hit, terminal, elsewhere=elsewhere))
    listed.say_more(nothing=f"no span holds {query}")


def _read(store: "Store", where: Filter, choice: "PageChoice") -> "Listed[Event]":
    from inspector.cli.pages import read_page

    return read_page(choice, lambda cursor, limit: store.events(where, cursor=cursor, limit=limit, full=True))


def _within(store: "Store", text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    from inspector.lookup import find_run_or_trace
    from inspector.model import Trace

    run = find_run_or_trace(store, text)
    return {"trace_id": run.trace_id} if isinstance(run, Trace) else {"run_id": run.run_id}


def _document(hit: "BestPlace") -> dict[str, object]:
    from inspector.cli.output.documents import chosen_fields, event_fields

    event = chosen_fields(hit.event, event_fields((), full=False) or ())
    return {"event": event, "place": hit.place, "text": hit.text, "hits": hit.hits}
