"""A `Filter` as conditions of a query, with every value bound."""

import re
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Select, Table, and_, func, literal_column, or_, select

from inspector import semconv
from inspector.model import Filter
from inspector.store.sqlite.counted import IS_CALL
from inspector.store.sqlite.labels import runs_labelled, spans_labelled, traces_labelled
from inspector.store.sqlite.tables import runs, shares, spans, traces
from inspector.store.values.codec import PACKED
from inspector.store.values.rows import INT64_MAX, clamp, clean, encode

_c = spans.c
_named = traces.alias("named")
"""Under another name, so that it stays a question of its own inside questions about traces."""
_failed = spans.alias("failed")
_calls, _retold = spans.alias("calls"), spans.alias("duplicates")
_INDEXED = frozenset(
    (semconv.SESSION_ID, semconv.TOOL_NAME, semconv.AGENT_NAME, semconv.REQUEST_MODEL, semconv.RESPONSE_MODEL)
)
"""Attributes whose columns have an index, of their own or as part of that over time."""
_PROMOTED: dict[str, Column[Any]] = {
    semconv.SESSION_ID: _c.session_id,
    semconv.TOOL_NAME: _c.tool,
    semconv.AGENT_NAME: _c.agent,
    semconv.REQUEST_MODEL: _c.named_model,
    semconv.RESPONSE_MODEL: _c.model,
    semconv.HOOK: _c.hook,
}
"""Columns that have the attribute's text wherever the attribute is there; without it they may come from another key."""
_LONGEST_PROMOTED = 1_024
"""Longer texts are cut in a column, and whole in the attribute."""
_UNPROMOTED = re.compile(r"|true|false|null|[\[{].*|-?\d+(?=[.eE])[\d.eE+-]+", re.DOTALL)
"""What may be the text of a value that no column takes: nothing, or JSON other than a text or a whole number."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a row of ``spans`` must meet, full text aside."""

    found: list[ColumnElement[bool]]
    """Those that an index answers, be it by reading along it, or that leave few rows."""
    tested: list[ColumnElement[bool]]
    """Those that each row must be looked at for."""

    @property
    def all(self) -> list[ColumnElement[bool]]:
        """All of them, for questions that look at few rows anyway."""
        return self.found + self.tested


def named(connection: Connection, where: Filter) -> Filter:
    """Returns a filter that looks for its names where they are known, if no call is counted under them.

    That is a model among those that answered, and an error type among the classes of that name in any module, and then
    among the duplicates of calls. So a filter for calls finds just what a row of figures counts, and also what is only
    known from elsewhere. A list with duplicates has each of them with its call.
    """
    if where.model is not None and not _is_there(connection, _c.named_model == clean(where.model)):
        where = replace(where, model=None, answered_model=where.model)
    return where if where.error_type is None else _error_named(connection, where, where.error_type)


def _error_named(connection: Connection, where: Filter, name: str) -> Filter:
    if not where.duplicates:
        if _is_there(connection, _c.error_type == clean(name), IS_CALL):
            return where
        if _is_there(connection, _c.error_type.in_(_types(clean(name))), IS_CALL):
            return replace(where, error_type=None, error_class=name)
    return replace(where, error_type=None, known_error_type=name)


def _is_there(connection: Connection, *conditions: ColumnElement[bool]) -> bool:
    return connection.execute(select(_c.id).where(*conditions).limit(1)).first() is not None


def span_conditions(where: Filter) -> Conditions:
    """Returns the conditions of a filter."""
    promoted = [
        (key, _PROMOTED[key], value)
        for key, value in where.attributes
        if key in _PROMOTED and len(value) <= _LONGEST_PROMOTED and not _UNPROMOTED.fullmatch(value)
    ]
    indexed = (
        (_c.session_id, where.session_id),
        (_c.name, where.name),
        (_c.agent, where.agent),
        (_c.service, where.service),
        (_c.named_model, where.model),
        (_c.model, where.answered_model),
        (_c.tool, where.tool),
        (_c.error_type, where.error_type),
        *((column, value) for key, column, value in promoted if key in _INDEXED),
    )
    unindexed = (
        (_c.parent_id, where.parent_id),
        (_c.hook, where.hook),
        *((column, value) for key, column, value in promoted if key not in _INDEXED),
    )
    found = [column == clean(value) for column, value in indexed if value is not None]
    tested = [column == clean(value) for column, value in unindexed if value is not None]
    tested += [_attribute(key, value) for key, value in where.attributes]
    tested += [_content(_c.input_key, path, value) for path, value in where.arguments]
    tested += [_content(_c.output_key, path, value) for path, value in where.results]
    if where.error_class is not None:
        found.append(_c.error_type.in_(_types(clean(where.error_class))))
    if where.known_error_type is not None:
        found.append(_is_known_as(_types(clean(where.known_error_type))))
    found += _common(where, spans)
    for bounds in _figures(where, spans).values():
        found += bounds
    if not where.duplicates:
        found.append(IS_CALL)
    found += spans_labelled(where.labels)
    if where.trace_id is not None:
        found.append(of_trace(where.trace_id))
    if where.run_id is not None:
        found.append(_c.trace_id.in_(select(_named.c.id).where(_named.c.run_id == clean(where.run_id))))
    if where.trace_id is not None or not tested:
        return Conditions(found + tested, [])
    return Conditions(found, tested)


def _types(error_type: str) -> Select[tuple[str]] | list[str]:
    """Returns the exception classes or error codes of a name; a class's own name stands for it in every module."""
    if "." in error_type:
        return [error_type]
    # The few types there are, one seek of the index each: an end of the text is nothing that an index finds.
    first = select(func.min(_failed.c.error_type).label("type")).where(_failed.c.error_type.is_not(None))
    types = first.cte("error_types", recursive=True)
    following = select(func.min(_failed.c.error_type)).where(_failed.c.error_type > types.c.type).scalar_subquery()
    types = types.union_all(select(following).where(types.c.type.is_not(None)))
    own_name = func.substr(types.c.type, -len(error_type) - 1) == f".{error_type}"
    return select(types.c.type).where(or_(types.c.type == error_type, own_name))


def _is_known_as(types: Select[tuple[str]] | list[str]) -> ColumnElement[bool]:
    """Returns the condition for spans of these error types, and for the calls that such spans are duplicates of."""
    same_call = and_(_calls.c.trace_id == _retold.c.trace_id, _calls.c.span_id == _retold.c.folded_into)
    calls = select(_calls.c.id).select_from(_retold.join(_calls, same_call))
    return or_(_c.error_type.in_(types), _c.id.in_(calls.where(_retold.c.error_type.in_(types))))


def of_trace(trace_id: str) -> ColumnElement[bool]:
    """Returns the condition for the spans of a trace."""
    return _c.trace_id == select(_named.c.id).where(_named.c.trace_id == clean(trace_id)).scalar_subquery()


def trace_conditions(connection: Connection, where: Filter) -> list[ColumnElement[bool]]:
    """Returns what a row of ``traces`` must meet itself, whatever its spans must."""
    t = traces.c
    texts = (
        (t.trace_id, where.trace_id),
        (t.run_id, where.run_id),
        (t.name, where.name),
        (t.service, where.service),
        (func.coalesce(t.head_agent, t.any_agent), where.agent),
    )
    conditions = [column == clean(value) for column, value in texts if value is not None]
    if where.session_id is not None:
        conditions.append(_of_session(connection, clean(where.session_id)))
    conditions += _common(replace(where, kinds=()), traces)
    conditions += traces_labelled(where.labels)
    bounds = _figures(where, traces)
    if bounds["cost"]:
        conditions.append(t.priced > 0)
    return [*conditions, *bounds["duration"], *bounds["cost"]]


def run_conditions(where: Filter) -> list[ColumnElement[bool]]:
    """Returns what a row of ``runs`` must meet itself, whatever its traces and their spans must."""
    r = runs.c
    texts = ((r.run_id, where.run_id), (r.name, where.name), (r.service, where.service))
    conditions = [column == clean(value) for column, value in texts if value is not None]
    conditions += _common(replace(where, kinds=()), runs)
    conditions += runs_labelled(where.labels)
    bounds = _figures(where, runs)
    if bounds["cost"]:
        conditions.append(r.priced > 0)
    return [*conditions, *bounds["duration"], *bounds["cost"]]


def _of_session(connection: Connection, session_id: str) -> ColumnElement[bool]:
    """Returns the condition for traces with a span of the session."""
    own = traces.c.session_id == session_id
    shared = select(shares.c.trace_id).where(shares.c.session_id == session_id)
    # Apart, since hardly any session shares a trace with another, and an index has the others in order.
    return or_(own, traces.c.id.in_(shared)) if connection.execute(shared.limit(1)).first() else own


def _common(where: Filter, table: Table) -> list[ColumnElement[bool]]:
    c = table.c
    conditions: list[ColumnElement[bool]] = []
    if where.kinds:
        conditions.append(c.kind.in_(where.kinds))
    if where.statuses:
        conditions.append(c.status.in_(where.statuses))
        if "ok" not in where.statuses:
            # SQLite takes the partial index on what is not ok only when its own condition is spelled out.
            conditions.append(literal_column(f"{table.name}.status <> 'ok'", type_=None))
    if where.name_prefix is not None:
        conditions += _prefix(c.name, clean(where.name_prefix))
    if where.since_ns is not None:
        conditions.append(c.start_ns >= clamp(where.since_ns))
    if where.until_ns is not None and where.until_ns <= INT64_MAX:
        conditions.append(c.start_ns < clamp(where.until_ns))
    return conditions


def _figures(where: Filter, table: Table) -> dict[str, list[ColumnElement[bool]]]:
    return {
        "duration": _between(table.c.duration_ms, where.min_duration_ms, where.max_duration_ms),
        "cost": _between(table.c.cost_usd, where.min_cost_usd, where.max_cost_usd),
    }


def _between(column: Column[Any], least: float | None, most: float | None) -> list[ColumnElement[bool]]:
    bounds: list[ColumnElement[bool]] = []
    if least is not None:
        bounds.append(column >= float(least))
    if most is not None:
        bounds.append(column <= float(most))
    return bounds


def _prefix(column: Column[Any], prefix: str) -> list[ColumnElement[bool]]:
    if not prefix:
        return []
    # A range instead of LIKE: it uses the index, tells upper from lower case, and needs no escapes.
    bounds: list[ColumnElement[bool]] = [column >= prefix]
    head = prefix.rstrip("\U0010ffff")
    if head:
        following = ord(head[-1]) + 1
        # The surrogates in between are no characters.
        bounds.append(column < head[:-1] + chr(0xE000 if following == 0xD800 else following))
    return bounds


def _content(key: Column[Any], path: str, value: str) -> ColumnElement[bool]:
    return func.content_text(_c.attributes, _c.shared, key, clean(path)) == clean(value)


def _attribute(key: str, value: str) -> ColumnElement[bool]:
    wanted = clean(value)
    condition = func.attribute_text(_c.attributes, _c.shared, clean(key)) == wanted
    quoted = encode(wanted)[1:-1]
    if quoted == wanted.encode() and quoted:
        # Most rows do not hold the value at all, which SQLite sees faster than the function, except in a packed text.
        may_hold = or_(func.instr(_c.attributes, quoted) > 0, func.substr(_c.attributes, 1, 1) == PACKED)
        condition = and_(may_hold, condition)
    # The resource's service name is kept in the column alone.
    return or_(_c.service == wanted, condition) if key == semconv.SERVICE_NAME else condition
