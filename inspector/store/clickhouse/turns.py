"""The turns of runs, linked at query time from the facts that are stored with each call."""

import itertools
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from inspector.model import Page, Turn
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.slots import of_run, of_trace, reached
from inspector.store.values.chains import Chains, ToolResult
from inspector.store.values.cursor import cut, read_cursor
from inspector.store.values.inferred_tools import InferredTools
from inspector.store.values.recorded_tools import MOST_TOOLS
from inspector.store.values.rows import INT64_MAX
from inspector.store.values.turn_pages import Next, next_of, turns_of
from inspector.store.values.turns import CallFacts, Linked, PlacedCall, call_facts

_MOST_CALLS: Final = 50_000
"""Maximum number of model calls to link per query."""
_MOST_RUNS: Final = 1000
"""How many of the latest runs are searched for inferred tool calls."""
_MOST_READ_AGAIN: Final = 200
"""Maximum number of model calls per query whose prompts are read again."""
_FACTS: Final = msgspec.json.Decoder(CallFacts)
_ATTRIBUTES: Final = msgspec.json.Decoder(dict[str, Any])


def read_turns(database: Database, run_id: str, trace_id: str | None, *, cursor: str | None, limit: int) -> Page[Turn]:
    """Return one page of the turns of a run, or of one of its traces, in the order they began."""
    list_key = ("turns", run_id, trace_id)
    after = read_cursor(list_key, cursor) or (-INT64_MAX, 0)
    calls = _read(database, [run_id])
    linked = _linked(database, calls)
    places: dict[int | None, tuple[str, str]] = {call[0]: (call[5], call[6]) for call in calls}
    found = [
        (
            *(turn.span, turn.start_ns, turn.end_ns, turn.conversation, turn.link, turn.candidates, turn.messages),
            *(turn.new_from, turn.sizes, turn.tools, *places[turn.span]),
            *(*places.get(turn.previous, (None, None)), turn.start_ns, turn.span),
        )
        for turn in linked.turns
        if (turn.start_ns, turn.span) > after and trace_id in (None, places[turn.span][0])
    ]
    rows, more = cut(list_key, found[: limit + 1], limit)
    return Page(turns_of(rows, _following(linked), partial(_read_tools, database, run_id)), more)


def inferring(database: Database, inferred: InferredTools) -> list[str]:
    """Return runs with an inferred tool call."""
    values = Values()
    asks = "notEmpty(asks)" if inferred.tool is None else f"has(asks, {values.text(inferred.tool)})"
    asking = f"SELECT trace_id FROM spans FINAL WHERE {asks} AND folded_into IS NULL"
    runs = database.rows(
        f"SELECT run_id FROM traces FINAL WHERE trace_id IN ({asking}) GROUP BY run_id "
        f"ORDER BY max(start_ns) DESC LIMIT {_MOST_RUNS}",
        values,
    )
    by_run: dict[str, list[Any]] = {}
    for call in _read(database, [row[0] for row in runs]) if runs else ():
        by_run.setdefault(call[7], []).append(call)
    return sorted(
        inferred.among(turn for run_id, calls in by_run.items() for turn in _asking(run_id, _linked(database, calls)))
    )


def _asking(run_id: str, linked: Linked) -> Iterable[tuple[str, str, Sequence[ToolResult]]]:
    following = _following(linked)
    for turn in linked.turns:
        if turn.span in following:
            yield run_id, turn.tools, following[turn.span].results


def _read(database: Database, run_ids: Sequence[str]) -> Sequence[Any]:
    values = Values()
    its = f"SELECT trace_id, run_id FROM traces FINAL WHERE run_id IN {values.texts(run_ids)}"
    slots = database.rows(its.replace("trace_id, run_id", "first_slot, last_slot"), values)
    return database.rows(
        "SELECT id, start_ns, end_ns, status = 'error', turn, trace_id, span_id, its.run_id FROM (SELECT * FROM spans "
        f"FINAL WHERE trace_id IN (SELECT trace_id FROM ({its})) AND {reached(slots)} "
        "AND kind = 'llm' AND folded_into IS NULL) AS spans "
        f"INNER JOIN ({its}) AS its USING (trace_id) WHERE turn IS NOT NULL ORDER BY start_ns, id LIMIT {_MOST_CALLS}",
        values,
    )


def _linked(database: Database, calls: Sequence[Sequence[Any]]) -> Linked:
    keys: dict[int, tuple[str, str]] = {call[0]: (call[5], call[6]) for call in calls}
    read = itertools.count()

    def read_all(place: PlacedCall) -> CallFacts | None:
        return _all_facts(database, *keys[place.span]) if next(read) < _MOST_READ_AGAIN else None

    linked = Linked(read_all)
    for span, start_ns, end_ns, failed, turn, *_ in calls:
        linked.take(PlacedCall(span, start_ns, end_ns, failed), _FACTS.decode(turn))
    return linked


def _all_facts(database: Database, trace_id: str, span_id: str) -> CallFacts | None:
    values = Values()
    where = f"{of_trace(values.text(trace_id))} AND span_id = {values.text(span_id)}"
    row = database.row(f"SELECT attributes, process, status FROM spans FINAL WHERE {where}", values)
    if row is None:
        return None
    attributes, process, status = row
    return call_facts(Chains(), _ATTRIBUTES.decode(attributes), process, is_over=status != "running", most_ends=None)


def _following(linked: Linked) -> dict[int, Next]:
    return {
        turn.previous: next_of(turn.start_ns, turn.results)
        for turn in reversed(linked.turns)
        if turn.link == "continues" and turn.previous is not None
    }


def _read_tools(database: Database, run_id: str, since_ns: int, until_ns: int) -> Sequence[Any]:
    values = Values()
    between = f"start_ns BETWEEN {values.integer(since_ns)} AND {values.integer(until_ns)}"
    return database.rows(
        f"SELECT start_ns, trace_id, span_id, tool, status, identity, folded_into FROM spans FINAL "
        f"WHERE {of_run(values.text(run_id))} AND kind = 'tool' AND {between} "
        f"ORDER BY start_ns, id LIMIT {MOST_TOOLS}",
        values,
    )
