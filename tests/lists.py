"""Lists of a store read to their end, and their items in a form that can be compared."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from inspector.model import Page


def walk(ask: Callable[..., Page[Any]], *args: Any, limit: int = 7, **options: Any) -> list[Any]:
    items: list[Any] = []
    cursor: str | None = None
    while True:
        page = ask(*args, cursor=cursor, limit=limit, **options)
        assert len(page.items) <= limit
        items += page.items
        cursor = page.next_cursor
        if cursor is None:
            return items


def in_order(values: Sequence[Any], order: str) -> list[Any]:
    """Sorts values as lists do: what is not known comes last, in either order."""
    known = sorted((value for value in values if value is not None), reverse=order == "desc")
    return known + [None] * (len(values) - len(known))


def fields_of(noun: Any, names: Sequence[str]) -> dict[str, Any]:
    """The named fields of a trace, run, session or group, as the oracle has them."""
    values = {name: value for name, value in dataclasses.asdict(noun).items() if name in names}
    if "models" in values:
        values["models"] = set(values["models"])
    if values.get("cost_usd") is not None:
        values["cost_usd"] = round(values["cost_usd"], 9)
    return values
