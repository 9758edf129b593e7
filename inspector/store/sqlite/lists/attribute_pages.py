"""Bloom filters for attributes without a column: which pages of 256 rows may have a value.

A page gets its filter a few moments after all of its ids were assigned, and a new one after one of its rows changed.
Pages without a filter are always read, and so are the rows of pages that may match, so results are exact and current.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import Connection

from inspector import semconv
from inspector.model import Filter
from inspector.store.sqlite.database.counters import load_counters, save_counters
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.lists.filters import PROMOTED
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.values.codec import PLAIN, unpack
from inspector.store.values.contents import read_shared
from inspector.store.values.presence import bits_of, mark_of, may_hold
from inspector.store.values.raw import is_raw
from inspector.store.values.rows import Row, clean, encode

PAGE = 256
"""Row ids per page."""
MOST_PAGES = 250
"""Maximum number of pages to read per query."""
FOLLOWED = "pages"
"""The counter of pages that have, or had, a filter."""
_LONGEST = 256
"""Longer values (in bytes) are not in filters."""
_LONGEST_ESCAPED = 6 * _LONGEST + 2
"""JSON of more bytes is longer, since an escaped character takes at most six bytes."""
_ELSEWHERE = frozenset((*PROMOTED, semconv.SERVICE_NAME))
"""Attributes that have a column."""
_ATTRIBUTES = msgspec.json.Decoder(dict[str, msgspec.Raw])


def follow_some(connection: Connection, limit: int, *, again: bool) -> int:
    """Create the filters of the next pages, and return how many.

    Args:
        connection: The writer's.
        limit: The maximum number of pages.
        again: Whether to include pages that have changed since.
    """
    counts = load_counters(connection)
    first = counts.get(FOLLOWED, 0)
    pages = list(range(first, min(first + limit, counts["seq"] // PAGE)))
    done = len(pages)
    if again:
        sql = "SELECT page FROM attribute_pages WHERE bits IS NULL LIMIT ?"
        pages += [row[0] for row in driver(connection).execute(sql, (limit,))]
    if pages:
        rows = [(page, bits_of(_marks(connection, page))) for page in pages]
        driver(connection).executemany("INSERT OR REPLACE INTO attribute_pages VALUES (?, ?)", rows)
    if done:
        save_counters(connection, {FOLLOWED: first + done})
    return len(pages)


def forget(connection: Connection, changes: Iterable[tuple[Row, Row]]) -> None:
    """Drop the filters of pages with rows whose attributes change."""
    pages = {new.id // PAGE for old, new in changes if old.attributes != new.attributes or old.shared != new.shared}
    if pages:
        sql = "UPDATE attribute_pages SET bits = NULL WHERE page IN (SELECT value FROM json_each(?))"
        driver(connection).execute(sql, (json_list(sorted(pages)),))


def pages_holding(connection: Connection, where: Filter) -> list[int] | None:
    """Return the pages whose rows may have the attributes of a filter, the latest first; None if nothing is known."""
    asked = [mark_of(key, clean(value).encode()) for key, value in where.attributes if _is_known(key, value)]
    if not asked:
        return None
    counts = load_counters(connection)
    pages = list(range(counts["seq"] // PAGE, counts.get(FOLLOWED, 0) - 1, -1))
    for page, bits in driver(connection).execute("SELECT page, bits FROM attribute_pages ORDER BY page DESC"):
        if bits is None or all(may_hold(bits, mark) for mark in asked):
            pages.append(page)
    return pages


def ids_holding(connection: Connection, pages: Sequence[int], where: Filter) -> list[int]:
    """Return the rows of some pages that have the attributes of a filter."""
    # The CROSS JOIN makes the planner go from the pages to their rows.
    sql = (
        f"SELECT spans.id FROM json_each(?) AS page CROSS JOIN spans ON spans.id BETWEEN page.value * {PAGE} "
        f"AND page.value * {PAGE} + {PAGE - 1} WHERE TRUE"
    )
    values: list[Any] = [json_list(pages)]
    for key, value in where.attributes:
        if not _is_known(key, value):
            continue
        quoted = encode(clean(value))[1:-1]
        if quoted == clean(value).encode() and quoted:
            # Most rows do not contain the value at all, and SQLite finds that out faster than our function.
            sql += " AND (instr(attributes, ?) > 0 OR substr(attributes, 1, 1) <> ?)"
            values += [quoted, PLAIN]
        sql += " AND attribute_text(attributes, shared, ?) = ?"
        values += [clean(key), clean(value)]
    return [row[0] for row in driver(connection).execute(sql, values)]


def _is_known(key: str, value: str) -> bool:
    """Tell whether an attribute is in filters; those with a column or a long value are not."""
    return key not in _ELSEWHERE and len(clean(value).encode()) <= _LONGEST


def _marks(connection: Connection, page: int) -> set[int]:
    sql = "SELECT attributes, shared FROM spans WHERE id BETWEEN ? AND ?"
    rows = driver(connection).execute(sql, (page * PAGE, page * PAGE + PAGE - 1)).fetchall()
    # One step for all rows before the next one, so that its code and tables stay in the processor's caches.
    unpacked = [unpack(attributes) for attributes, _ in rows]
    decoded = list(map(_ATTRIBUTES.decode, unpacked))
    values = {
        (key, bytes(raw))
        for own in decoded
        for key, raw in own.items()
        if len(raw) <= _LONGEST_ESCAPED and _is_followed(key)
    }
    for own, (_, shared) in zip(decoded, rows, strict=True):
        for key, refers in read_shared(shared).items() if shared else ():
            if isinstance(refers, str) and refers in own:
                values.add((key, bytes(own[refers])))
    return {mark_of(key, text) for key, raw in values if (text := _text(raw)) is not None}


@lru_cache(maxsize=1_024)
def _is_followed(key: str) -> bool:
    return key not in _ELSEWHERE and not is_raw(key)


def _text(raw: bytes) -> bytes | None:
    """Return the text of a JSON value, decoded if it is a string; None if it is too long."""
    if raw[:1] == b'"' and b"\\" not in raw:
        return raw[1:-1] if len(raw) <= _LONGEST + 2 else None
    if len(raw) > _LONGEST_ESCAPED:
        return None
    return msgspec.json.decode(raw, type=str).encode("utf-8", "surrogatepass") if raw[:1] == b'"' else raw
