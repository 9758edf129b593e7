"""Combines dialects with the conventions that they fall back to, and reduces them to what a span can have."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, Final, cast

from inspector.model import KINDS, Kind
from inspector.reading.dialects.dialect import Contents, Dialect, Keys

_OWN: Final = ("name", "versions", "scopes", "marks")
"""Fields by which a dialect is recognised, which are its own alone."""
_BY_KIND: Final = ("inputs", "outputs", "contents")
_MERGED: Final = tuple(field.name for field in fields(Dialect) if field.name not in (*_OWN, *_BY_KIND))
_KEY_LISTS: Final = tuple(field.name for field in fields(Dialect) if field.type == Keys and field.name in _MERGED)


def complete(own: Dialect, conventions: Dialect | None = None) -> Dialect:
    """Combine a dialect with the conventions, if it needs them; its fields by kind then have every kind."""
    under = conventions or Dialect(name="")
    merged = {name: _merged(getattr(own, name), getattr(under, name)) for name in _MERGED}
    return replace(
        own,
        inputs=_keys_by_kind(own.inputs, under.inputs),
        outputs=_keys_by_kind(own.outputs, under.outputs),
        contents=_contents(own, under),
        **merged,
    )


def narrowed(table: Dialect, keys: Iterable[str]) -> Dialect:
    """Return a complete dialect reduced to spans with exactly these attributes, under the name of its version.

    Only keys that those spans neither have nor get from it are left out, so the reading stays the same.
    """
    there = {*keys}
    name = next((version for key, version in table.versions if key in there), table.name)
    there.update(key for added in table.contents.values() for key in added)
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


def _among(keys: Keys, there: set[str]) -> Keys:
    return tuple(key for key in keys if key in there)


def _merged(own: Any, under: Any) -> Any:
    if isinstance(own, tuple):
        first = cast("tuple[Any, ...]", own)
        return first + tuple(item for item in cast("tuple[Any, ...]", under) if item not in first)
    return own | under if isinstance(own, frozenset) else {**under, **own}


def _keys_by_kind(own: Mapping[Kind, Keys], under: Mapping[Kind, Keys]) -> dict[Kind, Keys]:
    return {kind: _merged(own.get(kind, ()), under.get(kind, ())) for kind in KINDS}


def _contents(own: Dialect, under: Dialect) -> Contents:
    first, second = ({kind: each.contents.get(kind, {}) for kind in KINDS} for each in (own, under))
    return {
        kind: {key: first[kind].get(key, ()) + second[kind].get(key, ()) for key in {**first[kind], **second[kind]}}
        for kind in KINDS
    }
