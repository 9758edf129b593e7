"""Combines dialects with the conventions that they fall back to, in a form that is fast to look up."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from inspector.model import KINDS, Kind
from inspector.reading.dialects.dialect import Dialect, KindRule, Reader


class Table(Struct, frozen=True, kw_only=True):
    """A complete dialect: its own rules and keys first, then those of the conventions."""

    name: str
    versions: tuple[tuple[str, str], ...]
    kinds: tuple[KindRule, ...]
    scope_kinds: Mapping[str, Kind]
    session: tuple[str, ...]
    agent: tuple[str, ...]
    model: tuple[str, ...]
    provider: tuple[str, ...]
    tool: tuple[str, ...]
    input_tokens: tuple[str, ...]
    output_tokens: tuple[str, ...]
    cache_read: tuple[str, ...]
    cache_write: tuple[str, ...]
    usages: tuple[str, ...]
    price: tuple[str, ...]
    error_message: tuple[str, ...]
    failures: Mapping[str, frozenset[str | bool]]
    completed: Mapping[str, tuple[str, ...]]
    placeholders: frozenset[str]
    inputs: Mapping[Kind, tuple[str, ...]]
    outputs: Mapping[Kind, tuple[str, ...]]
    contents: Mapping[Kind, tuple[tuple[str, tuple[Reader, ...]], ...]]


_OWN = ("name", "versions", "scopes", "marks", "inputs", "outputs", "contents")


def complete(own: Dialect, conventions: Dialect | None = None) -> Table:
    """Combine a dialect with the conventions, if it needs them."""
    under = conventions or Dialect(name="")
    merged = {
        field.name: _merged(getattr(own, field.name), getattr(under, field.name))
        for field in fields(Dialect)
        if field.name not in _OWN
    }
    return Table(
        name=own.name,
        versions=own.versions,
        inputs=_keys_by_kind(own.inputs, under.inputs),
        outputs=_keys_by_kind(own.outputs, under.outputs),
        contents=_contents(own, under),
        **merged,
    )


_KEY_LISTS = (
    *("session", "agent", "model", "provider", "tool", "input_tokens", "output_tokens", "cache_read", "cache_write"),
    *("usages", "price", "error_message"),
)


def narrowed(table: Table, keys: Iterable[str]) -> Table:
    """Return a table reduced to spans with exactly these attributes, under the name of its version.

    Only keys that those spans neither have nor get from it are left out, so the reading stays the same.
    """
    there = {*keys}
    name = next((version for key, version in table.versions if key in there), table.name)
    there.update(key for added in table.contents.values() for key, _ in added)
    lists: dict[str, Any] = {field: _among(getattr(table, field), there) for field in _KEY_LISTS}
    return replace(
        table,
        name=name,
        versions=(),
        kinds=tuple(rule for rule in table.kinds if rule.key in there),
        failures={key: values for key, values in table.failures.items() if key in there},
        inputs={kind: _among(found, there) for kind, found in table.inputs.items()},
        outputs={kind: _among(found, there) for kind, found in table.outputs.items()},
        **lists,
    )


def _among(keys: tuple[str, ...], there: set[str]) -> tuple[str, ...]:
    return tuple(key for key in keys if key in there)


def _merged(own: Any, under: Any) -> Any:
    if isinstance(own, tuple):
        first = cast("tuple[Any, ...]", own)
        return first + tuple(item for item in cast("tuple[Any, ...]", under) if item not in first)
    return own | under if isinstance(own, frozenset) else {**under, **own}


def _keys_by_kind(own: Mapping[Kind, tuple[str, ...]], under: Mapping[Kind, tuple[str, ...]]) -> dict[Kind, Any]:
    return {kind: _merged(own.get(kind, ()), under.get(kind, ())) for kind in KINDS}


def _contents(own: Dialect, under: Dialect) -> dict[Kind, tuple[tuple[str, tuple[Reader, ...]], ...]]:
    laid: dict[Kind, tuple[tuple[str, tuple[Reader, ...]], ...]] = {}
    for kind in KINDS:
        first, second = own.contents.get(kind, {}), under.contents.get(kind, {})
        laid[kind] = tuple((key, first.get(key, ()) + second.get(key, ())) for key in {**first, **second})
    return laid
