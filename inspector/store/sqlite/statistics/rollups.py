"""Rollups of calls by minute, hour and day, so that statistics over many calls need not read each call.

Like the full-text index, they are updated a few moments after each write: the counter ``figured`` has the ``seq`` of
the last change that they include. An included row is subtracted before it is replaced or removed. Replayed calls are
left out. There are two views, one by kind, agent, model, tool and so on, one by name, since grouping by all of these
would give nearly as many groups as calls. A view with too many groups (names that never repeat) is dropped; statistics
then read the calls.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, Final, TypeAlias

import msgspec
from sqlalchemy import Connection

from inspector.store.sqlite.database.counters import load_counters, save_counters
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.sql.bulk import VALUES, execute_rows
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.values.call_stats import Call, CallStats, call_of
from inspector.store.values.rows import INT64_MAX, Row

LEVELS: Final = (60, 3600, 86_400)
"""The lengths of a rollup's time range in seconds; each is a multiple of the previous one."""
BY_FIELDS, BY_NAME = 0, 1
"""The views."""
MOST_GROUPS: Final = {BY_FIELDS: 20_000, BY_NAME: 5_000}
"""A view with more groups is dropped."""
FOLLOWED = "figured"
"""The counter with the ``seq`` of the last change that rollups include."""
_NS = 10**9
_FETCHED = 128
_COLUMNS = (
    "start_ns, kind, status, service, agent, named_model, tool, server, error_type, name, "
    "duration_ms, input_tokens, output_tokens, cached_tokens, cost_usd"
)
_IS_KEPT = "folded_into IS NULL AND replay IS NULL"
_INSERT = f"INSERT OR REPLACE INTO figures VALUES {VALUES}"
_DURATIONS = msgspec.msgpack.Decoder(dict[int, int])

_Key: TypeAlias = tuple[int, int, int, str]
"""View, length and start of the time range in seconds, and the group as JSON."""


def follow_some(connection: Connection, limit: int, *, least: int = 1) -> int:
    """Include the next changes, and return how many; do nothing if there are fewer than ``least``."""
    counts = load_counters(connection)
    followed = counts.get(FOLLOWED, 0)
    if counts["seq"] - followed < least:
        return 0
    rows: list[tuple[Any, ...]] = []
    for changed in ("seq = id AND id > ? ORDER BY id", "seq <> id AND seq > ? ORDER BY seq"):
        sql = f"SELECT seq, {_IS_KEPT}, {_COLUMNS} FROM spans WHERE {changed} LIMIT ?"
        rows += driver(connection).execute(sql, (followed, limit))
    rows.sort()
    del rows[limit:]
    last = rows[-1][0] if len(rows) == limit else counts["seq"]
    _count(connection, [Call._make(row[2:]) for row in rows if row[1]], 1)
    save_counters(connection, {FOLLOWED: last})
    return max(1, len(rows))


def forget(connection: Connection, rows: Iterable[Row]) -> None:
    """Subtract the included ones of these rows; call it before they change."""
    followed = load_counters(connection).get(FOLLOWED, 0)
    counted = [row for row in rows if row.seq <= followed and row.folded_into is None and row.replay is None]
    _count(connection, [call_of(row) for row in counted], -1)


def forget_ids(connection: Connection, ids: Sequence[int]) -> None:
    """Subtract the included ones of these rows of ``spans``; call it before they are removed."""
    followed = load_counters(connection).get(FOLLOWED, 0)
    sql = f"SELECT {_COLUMNS} FROM spans WHERE id IN (SELECT value FROM json_each(?)) AND seq <= ? AND {_IS_KEPT}"
    _count(connection, list(map(Call._make, driver(connection).execute(sql, (json_list(ids), followed)))), -1)


def has_too_many_groups(counts: Mapping[str, int], view: int) -> bool:
    """Tell whether a view was dropped because it had too many groups."""
    return counts.get(_groups_of(view), 0) > MOST_GROUPS[view]


def _groups_of(view: int) -> str:
    return f"groups {view}"


def _count(connection: Connection, calls: Sequence[Call], by: int) -> None:
    if not calls:
        return
    counts = load_counters(connection)
    views = [view for view in MOST_GROUPS if not has_too_many_groups(counts, view)]
    minutes = _by_minute(calls, by, views)
    if not minutes:
        return
    hours = _in_longer_ranges(minutes, LEVELS[1])
    added = minutes | hours | _in_longer_ranges(hours, LEVELS[2])
    ids = _group_ids(connection, {(key[0], key[3]) for key in added}, counts)
    _save(connection, {(*key[:3], ids[key[0], key[3]]): of for key, of in added.items()})
    for view in views:
        if has_too_many_groups(counts, view):
            driver(connection).execute("DELETE FROM figures WHERE view = ?", (view,))
            driver(connection).execute("DELETE FROM figure_groups WHERE view = ?", (view,))


def _by_minute(calls: Sequence[Call], by: int, views: Sequence[int]) -> dict[_Key, CallStats]:
    minutes: dict[_Key, CallStats] = {}
    encode = msgspec.json.encode
    written: dict[tuple[Any, ...], str] = {}
    for call in calls:
        minute = call.start_ns // (60 * _NS) * 60
        for view in views:
            fields = _group_of(call, view)
            group = written.get(fields) or written.setdefault(fields, encode(fields).decode())
            key = (view, 60, minute, group)
            stats = minutes.get(key)
            if stats is None:
                stats = minutes[key] = CallStats()
            stats.add(call, by)
    return minutes


def _in_longer_ranges(stats: Mapping[_Key, CallStats], seconds: int) -> dict[_Key, CallStats]:
    longer: dict[_Key, CallStats] = {}
    for (view, _, start_s, group), of in stats.items():
        longer.setdefault((view, seconds, start_s // seconds * seconds, group), CallStats()).include(of)
    return longer


def _group_of(call: Call, view: int) -> tuple[Any, ...]:
    """Return the fields of a call's group; without a server they are the same as in older schemas."""
    if view == BY_NAME:
        return call.kind, call.status, call.service, call.name
    return call[1:9] if call.server is not None else (*call[1:7], call.error_type)


def _columns_of(written: str, view: int) -> tuple[Any, ...]:
    """Return kind, status, service, agent, model, tool, server, error type and name from a group's JSON."""
    kind, status, service, *rest = msgspec.json.decode(written)
    if view == BY_NAME:
        return kind, status, service, None, None, None, None, None, *rest
    agent, model, tool, *server, error_type = rest
    return kind, status, service, agent, model, tool, server[0] if server else None, error_type, None


def _group_ids(
    connection: Connection, wanted: set[tuple[int, str]], counts: dict[str, int]
) -> dict[tuple[int, str], int]:
    """Return the ids of groups by view and JSON, and store the new groups."""
    execute = driver(connection).execute
    sql = "SELECT view, written, id FROM figure_groups WHERE written IN (SELECT value FROM json_each(?))"
    rows = execute(sql, (json_list([written for _, written in wanted]),))
    row_ids = {(view, written): row_id for view, written, row_id in rows}
    fresh = sorted(wanted - row_ids.keys())
    for view, written in fresh:
        inserted = execute(
            "INSERT INTO figure_groups "
            "(view, written, kind, status, service, agent, model, tool, server, error_type, name) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (view, written, *_columns_of(written, view)),
        )
        row_ids[view, written] = inserted.lastrowid or 0
        counts[_groups_of(view)] = counts.get(_groups_of(view), 0) + 1
    if fresh:
        save_counters(connection, {_groups_of(view): counts.get(_groups_of(view), 0) for view in MOST_GROUPS})
    return row_ids


def _save(connection: Connection, added: Mapping[tuple[int, int, int, int], CallStats]) -> None:
    """Add to the stored rollups, and delete those without any call left."""
    # In the order of the table, so that rows next to each other follow each other.
    saved = dict(sorted(added.items(), key=itemgetter(0)))
    keys = list(saved)
    for start in range(0, len(keys), _FETCHED):
        chunk = keys[start : start + _FETCHED]
        sql = (
            f"WITH wanted (v, s, t, g) AS (VALUES {','.join(['(?, ?, ?, ?)'] * len(chunk))}) SELECT figures.* "
            "FROM wanted JOIN figures ON view = v AND seconds = s AND start_s = t AND group_id = g"
        )
        for row in driver(connection).execute(sql, tuple(chain.from_iterable(chunk))):
            # The stored ones have many more durations, so the new ones are added to them.
            stored = stats_of(row[4:])
            stored.include(saved[row[:4]])
            saved[row[:4]] = stored
    rows = [(*key, *_values(of)) for key, of in saved.items() if of.count]
    if rows:
        execute_rows(driver(connection), _INSERT, rows)
    gone = [key for key, of in saved.items() if not of.count]
    sql = "DELETE FROM figures WHERE view = ? AND seconds = ? AND start_s = ? AND group_id = ?"
    driver(connection).executemany(sql, gone)


def stats_of(values: Sequence[Any]) -> CallStats:
    """Return the statistics in a row of ``figures``, given its columns from ``count`` on."""
    return CallStats(*values[:8], durations=_DURATIONS.decode(values[8]))


def _values(of: CallStats) -> tuple[Any, ...]:
    tokens = (max(-INT64_MAX, min(INT64_MAX, each)) for each in (of.input_tokens, of.output_tokens, of.cached_tokens))
    durations = of.durations
    if 0 in durations.values():
        durations = {bucket: count for bucket, count in durations.items() if count}
    packed = msgspec.msgpack.encode(durations)
    return of.count, of.errors, *tokens, of.priced, of.unpriced_calls, of.cost_usd, packed
