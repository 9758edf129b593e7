"""A `Filter` as the conditions of a query, with every value bound."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from inspector import semconv
from inspector.model import Filter, FilterField, LabelFilter
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.slots import of_run, of_trace
from inspector.store.values import naming
from inspector.store.values.naming import Named
from inspector.store.values.rows import INT64_MAX, NOT_COUNTED, clamp
from inspector.store.values.words import begins_span_id, is_span_id, required_strings
from inspector.toolnames import own_names, parted, unsafe_names

IS_CALL: Final = "folded_into IS NULL"
IS_NO_DUPLICATE: Final = f"ifNull(folded_into, '{NOT_COUNTED}') = '{NOT_COUNTED}'"
DUPLICATE_OF: Final = f"nullIf(folded_into, '{NOT_COUNTED}')"
NO_REPLAY: Final = "replay IS NULL"
REPLAYED: Final = "SELECT trace_id FROM spans WHERE replay = 1"
"""Without FINAL, which would merge all spans for it: a trace that ever had a span of a replay is one of a replay."""
NAMED_MODEL: Final = "ifNull(request_model, model)"
_COLUMNS: Final = {"named_model": NAMED_MODEL}
_STEP: Final = re.compile(r"\[(\d{1,9})\]|([^.\[]+)")
_MOST_DOTS: Final = 4
"""Of a path with more, no name holds a dot itself."""
_INDEXED: Final = 64
"""The most words that the engine searches its index for at once."""


@dataclass(slots=True)
class Conditions:
    """What rows must meet, with the values that are bound in it."""

    all: list[str] = field(default_factory=list[str])
    values: Values = field(default_factory=Values)

    @property
    def where(self) -> str:
        """The conditions as a clause, also if there are none."""
        return f"WHERE {' AND '.join(self.all) or 'true'}"

    def add(self, *conditions: str) -> None:
        """Add conditions."""
        self.all += conditions


def named(database: Database, where: Filter) -> Filter:
    """Return a filter that looks for its names where they are known (`inspector.store.values.naming`)."""

    def is_there(what: Named, name: str) -> bool:
        values = Values()
        found = database.row(f"SELECT 1 FROM spans FINAL WHERE {_NAMED[what](name, values)} LIMIT 1", values)
        return found is not None

    return naming.named(where, is_there)


def narrow_spans(conditions: Conditions, where: Filter, *, roughly: bool = False) -> bool:
    """Add the conditions of a filter on spans.

    Args:
        conditions: Where they are added.
        where: The filter, with the names of `named`.
        roughly: Whether spans that have the words of a phrase in another order meet it too, so that no text has to be
            read.

    Returns:
        Whether any span can meet them.
    """
    values = conditions.values
    for row in where.rows():
        value = getattr(where, row.field)
        if row.column is not None:
            conditions.add(*compared(row, value, _COLUMNS.get(row.column, row.column), values))
        elif row.field in _SPANS:
            conditions.add(*_SPANS[row.field](value, values))
    if where.q is None or not where.q.strip():
        return True
    strings = required_strings(where.q)
    if strings is None:
        return False
    conditions.add(*_found_by(strings, values, roughly=roughly))
    return True


def _found_by(strings: Sequence[str], values: Values, *, roughly: bool) -> Iterator[str]:
    # The text of a span does not have its id.
    ids = {needle.strip() for needle in strings if needle.endswith(" ") and is_span_id(needle.strip())}
    for span_id in sorted(ids):
        yield f"(hasAllTokens(text, {values.texts([span_id])}) OR span_id = {values.text(span_id)})"
    # The index has only words. Their order and their beginnings are checked in the few spans that have them all.
    words = {word for needle in strings for word in (needle.split() if needle.endswith(" ") else needle.split()[:-1])}
    indexed = sorted(words - ids)[:_INDEXED]
    if indexed:
        yield f"hasAllTokens(text, {values.texts(indexed)})"
    if not (indexed and roughly):
        alone = {f" {word} " for word in (*indexed, *ids)}
        yield from (_occurs(needle, values) for needle in strings if needle not in alone)


def _occurs(needle: str, values: Values) -> str:
    in_text, word = f"position(text, {values.text(needle)}) > 0", needle.strip()
    is_beginning = not needle.endswith(" ") and begins_span_id(word)
    return f"({in_text} OR startsWith(span_id, {values.text(word)}))" if is_beginning else in_text


def compared(row: FilterField, value: Any, column: str, values: Values) -> list[str]:
    """Return the conditions of a row of the table of filters on its column; none if every value meets it."""
    match row.match:
        case "is":
            return [f"{column} = {values.text(value)}"]
        case "is one of":
            return [f"{column} IN {values.texts(value)}"]
        case "begins with":
            return [f"startsWith({column}, {values.text(value)})"]
        case "before":
            return [f"{column} < {values.integer(clamp(value))}"] if value <= INT64_MAX else []
        case "at least":
            return [f"{column} >= {values.integer(clamp(value)) if row.form == 'time' else values.real(value)}"]
        case "at most":
            return [f"{column} <= {values.real(value)}"]


def _is_of_type(name: str, values: Values) -> str:
    exact = f"error_type = {values.text(name)}"
    return exact if "." in name else f"({exact} OR endsWith(error_type, {values.text(f'.{name}')}))"


def _is_known_as(name: str, values: Values) -> str:
    of_type = _is_of_type(name, values)
    folded = f"SELECT trace_id, assumeNotNull(folded_into) FROM spans FINAL WHERE {of_type} AND folded_into IS NOT NULL"
    return f"({of_type} OR (trace_id, span_id) IN ({folded}))"


def _attribute(key: str, wanted: str, values: Values) -> str:
    condition = f"{text_at('attributes', [values.text(key)])} = {values.text(wanted)}"
    # The resource's service name is only in the column.
    return f"(service = {values.text(wanted)} OR {condition})" if key == semconv.SERVICE_NAME else condition


def _is_tool_known_as(name: str, values: Values) -> str:
    # An MCP client names the server and the tool; how the two were joined for the model, only its caller knows.
    joined = _attribute(semconv.SEED_TOOL_NAME, name, values)
    ways = [f"tool IN {values.texts(own_names(name))} AND {joined}", f"tool IN {values.texts(unsafe_names(name))}"]
    for server, tool in parted(name):
        # Rows of earlier versions have the server only in their attributes.
        in_attributes = f"server IS NULL AND {_attribute(semconv.TOOL_SERVER, server, values)}"
        ways.append(f"tool = {values.text(tool)} AND (server = {values.text(server)} OR {in_attributes})")
    return f"({' OR '.join(ways)})"


def text_at(json: str, path: Iterable[str]) -> str:
    """Return the text of a value in some JSON: a string as it is, anything else as JSON, empty where there is none."""
    at = ", ".join((json, *path))
    return f"if(JSONType({at}) = 'String', JSONExtractString({at}), JSONExtractRaw({at}))"


def _content(key: str, path: str, wanted: str, values: Values) -> str:
    # A missing name is treated like one without content.
    content = text_at("attributes", [f"ifNull({key}, '')"])
    ways = [text_at(content, steps) for steps in _ways(path, values)]
    met = " OR ".join(f"{way} = {values.text(wanted)}" for way in ways)
    return f"({key} IS NOT NULL AND ({met}))" if ways else "false"


def _ways(path: str, values: Values) -> list[list[str]]:
    """Return the readings of a path: each of its dots is between two names, or part of one."""
    return [[step if step.isdigit() else values.text(step[1:]) for step in steps] for steps in _readings(path)]


def _readings(path: str) -> list[list[str]]:
    steps = [f"{int(index) + 1}" if index else f"'{name}" for index, name in _STEP.findall(path)]
    readings: list[list[str]] = [[]]
    for step in steps:
        joined = [
            [*reading[:-1], f"{reading[-1]}.{step[1:]}"]
            for reading in readings
            if reading and step[0] == "'" and reading[-1][0] == "'" and path.count(".") <= _MOST_DOTS
        ]
        readings = [*([*reading, step] for reading in readings), *joined]
    return [reading for reading in readings if reading]


_COMPARISONS: Final = frozenset(("=", ">", ">=", "<", "<="))


def labelled(label: LabelFilter, values: Values) -> str:
    """Return the condition of labels that a filter asks for."""
    name = f"name = {values.text(label.name)}"
    if label.comparison is None:
        return name
    assert label.comparison in _COMPARISONS
    is_value = f"value = {values.text(label.operand)}"
    try:
        met = f"score {label.comparison} {values.real(float(label.operand))}"
    except ValueError:
        return f"{name} AND {is_value}"
    return f"{name} AND ({f'{is_value} OR {met}' if label.comparison == '=' else met})"


_NAMED: Final[Mapping[Named, Callable[[str, Values], str]]] = {
    "model": lambda name, v: f"{NAMED_MODEL} = {v.text(name)}",
    "tool": lambda name, v: f"tool = {v.text(name)}",
    "error_type": lambda name, v: f"error_type = {v.text(name)} AND {IS_NO_DUPLICATE}",
    "error_class": lambda name, v: f"{_is_of_type(name, v)} AND {IS_NO_DUPLICATE}",
}
"""Conditions for spans that have a name."""
_SPANS: Final[Mapping[str, Callable[[Any, Values], list[str]]]] = {
    "trace_id": lambda trace_id, v: [of_trace(v.text(trace_id))],
    "run_id": lambda run_id, v: [of_run(v.text(run_id))],
    "error_class": lambda name, v: [_is_of_type(name, v)],
    "known_error_type": lambda name, v: [_is_known_as(name, v)],
    "known_tool": lambda name, v: [_is_tool_known_as(name, v)],
    "duplicates": lambda _, v: [IS_NO_DUPLICATE],  # noqa: ARG005 - as the others
    "replays": lambda _, v: [NO_REPLAY],  # noqa: ARG005 - as the others
    "attributes": lambda pairs, v: [_attribute(key, wanted, v) for key, wanted in pairs],
    "arguments": lambda pairs, v: [_content("input_key", path, wanted, v) for path, wanted in pairs],
    "results": lambda pairs, v: [_content("output_key", path, wanted, v) for path, wanted in pairs],
    "labels": lambda labels, v: [
        f"(trace_id, span_id) IN (SELECT trace_id, span_id FROM labels FINAL WHERE {labelled(each, v)})"
        for each in labels
    ],
}
"""Conditions on spans of fields without a column."""
