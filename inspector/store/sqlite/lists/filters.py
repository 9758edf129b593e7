"""Translates a `Filter` into the conditions of a query; values are bound parameters.

A field with a column in the table of filters is compared with that column. The other fields have functions here.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Column, ColumnElement, Connection, Select, Table, and_, func, literal_column, or_, select

from inspector import semconv
from inspector.model import Filter, FilterField
from inspector.store.sqlite.lists.labels import runs_labelled, spans_labelled, traces_labelled
from inspector.store.sqlite.sql.counted import IS_NO_DUPLICATE, REPLAYED, REPLAYED_TRACES
from inspector.store.sqlite.tables import runs, shares, spans, traces
from inspector.store.values import naming
from inspector.store.values.codec import PLAIN
from inspector.store.values.codes import HOOKS
from inspector.store.values.naming import Named
from inspector.store.values.rows import INT64_MAX, clamp, clean, encode
from inspector.toolnames import own_names, parted, unsafe_names

_Pairs: TypeAlias = tuple[tuple[str, str], ...]
_c = spans.c
_traces = traces.alias("named")
"""An alias, so that it stays a subquery within queries of traces."""
_failed = spans.alias("failed")
_calls, _duplicates = spans.alias("calls"), spans.alias("duplicates")
_INDEXED_COLUMNS = frozenset(column.name for index in spans.indexes for column in index.columns)
"""The columns of spans that are in any index."""
PROMOTED: dict[str, Column[Any]] = {
    semconv.SESSION_ID: _c.session_id,
    semconv.TOOL_NAME: _c.tool,
    semconv.AGENT_NAME: _c.agent,
    semconv.REQUEST_MODEL: _c.named_model,
    semconv.RESPONSE_MODEL: _c.model,
    semconv.HOOK: _c.hook,
}
"""The columns with the texts of attributes; without the attribute, a column may have the value of another key."""
_LONGEST_PROMOTED = 1_024
"""Longer texts are cut in the column."""
_UNPROMOTED = re.compile(r"|true|false|null|[\[{].*|-?\d+(?=[.eE])[\d.eE+-]+", re.DOTALL)
"""Matches texts of values that are not copied to a column: empty ones, and JSON other than strings and integers."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions for rows of ``spans``, except for full text."""

    indexed: list[ColumnElement[bool]]
    """Conditions that an index can answer, by seeking or scanning, or that leave few rows."""
    tested: list[ColumnElement[bool]]
    """Conditions for which each row itself must be read."""

    @property
    def all(self) -> list[ColumnElement[bool]]:
        """All conditions, for queries that read few rows anyway."""
        return self.indexed + self.tested


def named(connection: Connection, where: Filter) -> Filter:
    """Return a filter with its names resolved (`inspector.store.values.naming`)."""

    def is_there(what: Named, name: str) -> bool:
        query = select(_c.id).where(*_NAMED[what](clean(name))).limit(1)
        return connection.execute(query).first() is not None

    return naming.named(where, is_there)


def span_conditions(where: Filter) -> Conditions:
    """Return the conditions of a filter."""
    indexed: list[ColumnElement[bool]] = []
    tested: list[ColumnElement[bool]] = []
    for row in where.rows():
        value = getattr(where, row.field)
        if row.column is not None:
            (indexed if row.column in _INDEXED_COLUMNS else tested).extend(_compared(row, value, spans))
        indexed += _INDEXED.get(row.field, _no_conditions)(value)
        tested += _TESTED.get(row.field, _no_conditions)(value)
    if where.trace_id is not None or not tested:
        return Conditions(indexed + tested, [])
    return Conditions(indexed, tested)


def _error_types(error_type: str) -> Select[tuple[str]] | list[str]:
    """Return the error types that a name means: itself, and without a dot also the classes of that name in modules."""
    if "." in error_type:
        return [error_type]
    # Lists the few different types with one index seek each, since an index cannot find texts by their end.
    first = select(func.min(_failed.c.error_type).label("type")).where(_failed.c.error_type.is_not(None))
    types = first.cte("error_types", recursive=True)
    following = select(func.min(_failed.c.error_type)).where(_failed.c.error_type > types.c.type).scalar_subquery()
    types = types.union_all(select(following).where(types.c.type.is_not(None)))
    own_name = func.substr(types.c.type, -len(error_type) - 1) == f".{error_type}"
    return select(types.c.type).where(or_(types.c.type == error_type, own_name))


def _has_error_type(types: Select[tuple[str]] | list[str]) -> ColumnElement[bool]:
    """Return the condition for spans with these error types, and for calls whose duplicates have them."""
    same_call = and_(_calls.c.trace_id == _duplicates.c.trace_id, _calls.c.span_id == _duplicates.c.folded_into)
    calls = select(_calls.c.id).select_from(_duplicates.join(_calls, same_call))
    return or_(_c.error_type.in_(types), _c.id.in_(calls.where(_duplicates.c.error_type.in_(types))))


def of_trace(trace_id: str) -> ColumnElement[bool]:
    """Return the condition for the spans of a trace."""
    return _c.trace_id == select(_traces.c.id).where(_traces.c.trace_id == clean(trace_id)).scalar_subquery()


def _of_run(run_id: str) -> ColumnElement[bool]:
    return _c.trace_id.in_(select(_traces.c.id).where(_traces.c.run_id == clean(run_id)))


def trace_conditions(connection: Connection, where: Filter) -> list[ColumnElement[bool]]:
    """Return the conditions on a row of ``traces``, without those on its spans."""
    t = traces.c
    conditions = traces_labelled(where.labels)
    if where.session_id is not None:
        conditions.append(_of_session(connection, clean(where.session_id)))
    if where.agent is not None:
        conditions.append(func.coalesce(t.head_agent, t.any_agent) == clean(where.agent))
    if where.trace_id is not None:
        conditions.append(t.trace_id == clean(where.trace_id))
    if where.run_id is not None:
        conditions.append(t.run_id == clean(where.run_id))
    if not where.replays:
        conditions.append(t.id.not_in(REPLAYED_TRACES))
    return [*conditions, *_of_own_columns(where, traces)]


def run_conditions(where: Filter) -> list[ColumnElement[bool]]:
    """Return the conditions on a row of ``runs``, without those on its traces and spans."""
    conditions = runs_labelled(where.labels)
    if where.run_id is not None:
        conditions.append(runs.c.run_id == clean(where.run_id))
    if not where.replays:
        conditions.append(runs.c.run_id.not_in(select(_traces.c.run_id).where(_traces.c.id.in_(REPLAYED_TRACES))))
    return [*conditions, *_of_own_columns(where, runs)]


def _of_own_columns(where: Filter, table: Table) -> list[ColumnElement[bool]]:
    """Return the conditions on the columns that both runs and traces have."""
    conditions: list[ColumnElement[bool]] = []
    for row in where.rows():
        if row.of == "run" and row.column is not None:
            conditions += _compared(row, getattr(where, row.field), table)
    if where.min_cost_usd is not None or where.max_cost_usd is not None:
        # The sum of costs is 0 if no cost is known.
        conditions.append(table.c.priced > 0)
    return conditions


def _of_session(connection: Connection, session_id: str) -> ColumnElement[bool]:
    """Return the condition for traces with a span of the session."""
    of_trace = traces.c.session_id == session_id
    shared = select(shares.c.trace_id).where(shares.c.session_id == session_id)
    # Only if needed, since few sessions share a trace, and without the OR an index has the traces in order.
    return or_(of_trace, traces.c.id.in_(shared)) if connection.execute(shared.limit(1)).first() else of_trace


def _compared(row: FilterField, value: Any, table: Table) -> list[ColumnElement[bool]]:
    """Return the conditions on the column of a filter field."""
    column = table.c[row.column or row.field]
    match row.match:
        case "is":
            return [_is(column, clean(value))]
        case "is one of":
            return _one_of(column, value, table)
        case "begins with":
            return begins_with(column, clean(value))
        case "before":
            return [column < clamp(value)] if value <= INT64_MAX else []
        case "at least":
            return [column >= (clamp(value) if row.form == "time" else float(value))]
        case "at most":
            return [column <= float(value)]


def _is(column: Column[Any], value: str) -> ColumnElement[bool]:
    # Rows of schema 0021 and before store hooks by their full names.
    return column.in_((value, HOOKS.of(value))) if column is _c.hook else column == value


def _one_of(column: Column[Any], values: Iterable[str], table: Table) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [column.in_(values)]
    if column.name == "status" and "ok" not in values:
        # SQLite uses the partial index on statuses other than ok only if its condition is in the query.
        conditions.append(literal_column(f"{table.name}.status <> 'ok'", type_=None))
    return conditions


def begins_with(column: Column[Any], prefix: str) -> list[ColumnElement[bool]]:
    """Return the conditions for texts with a prefix."""
    if not prefix:
        return []
    # A range instead of LIKE: it uses the index, is case-sensitive, and needs no escapes.
    bounds: list[ColumnElement[bool]] = [column >= prefix]
    head = prefix.rstrip("\U0010ffff")
    if head:
        following = ord(head[-1]) + 1
        # Skips the surrogates, which are not characters.
        bounds.append(column < head[:-1] + chr(0xE000 if following == 0xD800 else following))
    return bounds


def _promoted(pairs: _Pairs) -> list[tuple[Column[Any], str]]:
    """Return the columns that have the texts of these attributes, each with the text."""
    return [
        (PROMOTED[key], value)
        for key, value in pairs
        if key in PROMOTED and len(value) <= _LONGEST_PROMOTED and not _UNPROMOTED.fullmatch(value)
    ]


def _attributes_indexed(pairs: _Pairs) -> list[ColumnElement[bool]]:
    return [_is(column, clean(value)) for column, value in _promoted(pairs) if column.name in _INDEXED_COLUMNS]


def _attributes_tested(pairs: _Pairs) -> list[ColumnElement[bool]]:
    promoted = [_is(column, clean(value)) for column, value in _promoted(pairs) if column.name not in _INDEXED_COLUMNS]
    return promoted + [_attribute(key, value) for key, value in pairs]


def _content(key: Column[Any], path: str, value: str) -> ColumnElement[bool]:
    return func.content_text(_c.attributes, _c.shared, key, clean(path)) == clean(value)


def _attribute(key: str, value: str) -> ColumnElement[bool]:
    text = clean(value)
    condition = func.attribute_text(_c.attributes, _c.shared, clean(key)) == text
    quoted = encode(text)[1:-1]
    if quoted == text.encode() and quoted:
        # Most rows do not contain the value. In uncompressed text, SQLite finds that out faster than our function.
        may_hold = or_(func.instr(_c.attributes, quoted) > 0, func.substr(_c.attributes, 1, 1) != PLAIN)
        condition = and_(may_hold, condition)
    # The service name of a resource is stored only in the column.
    return or_(_c.service == text, condition) if key == semconv.SERVICE_NAME else condition


def _is_tool_named(name: str) -> ColumnElement[bool]:
    # MCP clients record server and tool separately. The name that the model sees joins both, in ways that differ.
    joined = (and_(_c.tool == clean(tool), _is_of_server(server)) for server, tool in parted(name))
    unsafe = _c.tool.in_([clean(tool) for tool in unsafe_names(name)])
    return or_(unsafe, _attribute(semconv.SEED_TOOL_NAME, name), *joined)


def _is_of_server(server: str) -> ColumnElement[bool]:
    # Rows of earlier versions have the server only as an attribute.
    return or_(_c.server == clean(server), and_(_c.server.is_(None), _attribute(semconv.TOOL_SERVER, server)))


def _no_conditions(_: Any) -> list[ColumnElement[bool]]:
    return []


_NAMED: Mapping[Named, Callable[[str], list[ColumnElement[bool]]]] = {
    "model": lambda name: [_c.named_model == name],
    "tool": lambda name: [_c.tool == name],
    "error_type": lambda name: [_c.error_type == name, IS_NO_DUPLICATE],
    "error_class": lambda name: [_c.error_type.in_(_error_types(name)), IS_NO_DUPLICATE],
}
"""Conditions for spans that have a name."""
_INDEXED: Mapping[str, Callable[[Any], list[ColumnElement[bool]]]] = {
    "trace_id": lambda trace_id: [of_trace(trace_id)],
    "run_id": lambda run_id: [_of_run(run_id)],
    "error_class": lambda name: [_c.error_type.in_(_error_types(clean(name)))],
    "known_error_type": lambda name: [_has_error_type(_error_types(clean(name)))],
    "known_tool": lambda name: [_c.tool.in_([clean(own) for own in (*own_names(name), *unsafe_names(name))])],
    "attributes": _attributes_indexed,
    "labels": spans_labelled,
    "duplicates": lambda _: [IS_NO_DUPLICATE],
    "replays": lambda _: [_c.id.not_in(REPLAYED)],
}
"""The conditions of fields without a column that an index can answer."""
_TESTED: Mapping[str, Callable[[Any], list[ColumnElement[bool]]]] = {
    "known_tool": lambda name: [_is_tool_named(name)],
    "attributes": _attributes_tested,
    "arguments": lambda pairs: [_content(_c.input_key, path, value) for path, value in pairs],
    "results": lambda pairs: [_content(_c.output_key, path, value) for path, value in pairs],
}
"""The conditions of fields without a column for which each row must be read."""
