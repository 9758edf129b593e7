"""Which runs are replays, as their first calls say, so that lists can mark them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection

from inspector import semconv
from inspector.model import Run
from inspector.spooling import is_run_id
from inspector.store.sqlite.contents import json_list
from inspector.store.sqlite.engine import driver
from inspector.store.sqlite.events import attribute_text
from inspector.store.values.codec import PLAIN

_FIRST_TRACES, _FIRST_SPANS, _FIRST_CALLS = 3, 20, 3
"""Looked at of each run, and of each trace, which hold a page of runs to little work; every answered call names the run
that it was given back from."""
_FIRST: Final = f"""
SELECT asked.value, spans.attributes, spans.shared
FROM json_each(?) AS asked
CROSS JOIN traces ON traces.id IN (
    SELECT id FROM traces AS its WHERE its.run_id = asked.value ORDER BY its.start_ns LIMIT {_FIRST_TRACES}
)
CROSS JOIN spans ON spans.id IN (
    SELECT id FROM (
        SELECT id, kind, hook FROM spans AS its WHERE its.trace_id = traces.id ORDER BY its.start_ns
        LIMIT {_FIRST_SPANS}
    ) WHERE kind IN ('llm', 'tool', 'rpc') AND hook IS NOT NULL LIMIT {_FIRST_CALLS}
)
WHERE substr(spans.attributes, 1, 1) <> ? OR instr(spans.attributes, ?) > 0
"""  # noqa: S608  # constants


def with_replays(connection: Connection, items: Sequence[Run]) -> tuple[Run, ...]:
    """Returns runs, the replays among them with the run that each one replays."""
    names = _names(connection, [run.run_id for run in items])
    if not names:
        return tuple(items)
    run_of = _run_of(connection, names.values())
    return tuple(
        replace(run, replay_of=run_of.get(names[run.run_id], names[run.run_id])) if run.run_id in names else run
        for run in items
    )


def _names(connection: Connection, run_ids: Sequence[str]) -> dict[str, str]:
    """Returns what the calls of replays name: a run, or its only trace."""
    key = semconv.REPLAYED_RUN
    found: dict[str, str] = {}
    for run_id, attributes, shared in driver(connection).execute(_FIRST, (json_list(run_ids), PLAIN, key.encode())):
        name = None if run_id in found else attribute_text(attributes, shared, key)
        if name is not None and is_run_id(name):
            found[run_id] = name
    return found


def _run_of(connection: Connection, trace_ids: Iterable[str]) -> dict[str, str]:
    sql = "SELECT trace_id, run_id FROM traces WHERE trace_id IN (SELECT value FROM json_each(?))"
    return dict(driver(connection).execute(sql, (json_list(sorted(set(trace_ids))),)).fetchall())
