"""Lists of a store read to their end, and their items in a form that can be compared."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inspector.model import Page


def pages(ask: Callable[..., Any], *args: Any, **options: Any) -> Iterator[Any]:
    cursor: str | None = None
    while True:
        page = ask(*args, cursor=cursor, **options)
        yield page
        cursor = page.next_cursor
        if cursor is None:
            return


def walk(ask: Callable[..., Page[Any]], *args: Any, limit: int = 7, **options: Any) -> list[Any]:
    items: list[Any] = []
    for page in pages(ask, *args, limit=limit, **options):
        assert len(page.items) <= limit
        items += page.items
    return items


def walk_served(get: Callable[[str], Any], path: str) -> list[Any]:
    """Reads a list that is served by HTTP to its end, from a path with a query."""
    items: list[Any] = []
    cursor = ""
    while True:
        page = get(path + cursor)
        items += page["items"]
        if page["next_cursor"] is None:
            return items
        cursor = f"&cursor={page['next_cursor']}"


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
