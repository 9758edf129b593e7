"""Pages of sorted lists, and their cursors: opaque text with the list and the position where the next page begins."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

import msgspec

from inspector.model import Order, RunSort, SessionSort, Sort, TraceSort
from inspector.plain import INT64_MAX, INT64_MIN
from inspector.store.errors import CursorInvalid

S = TypeVar("S", Sort, TraceSort, RunSort, SessionSort)
Position: TypeAlias = tuple[int | float | None, int]
"""The sort value and the row id of the last item; rows without a value come last, in order of id."""

_Bounded = Annotated[int, msgspec.Meta(ge=INT64_MIN, le=INT64_MAX)]
_LONGEST = 512
_FOREIGN = "this is not a cursor of this server; take next_cursor of the page before, unchanged"
_DECODER = msgspec.json.Decoder(tuple[str, _Bounded | float | None, _Bounded])


@dataclass(frozen=True, slots=True)
class Window(Generic[S]):
    """The requested page of a list."""

    sort: S
    order: Order
    cursor: str | None
    limit: int


def write_cursor(list_key: object, position: Position) -> str:
    """Return the cursor of a position in a list; ``list_key`` is everything that defines the list."""
    return _encoded(msgspec.json.encode((_digest(list_key), *position)))


def read_cursor(list_key: object, cursor: str | None) -> Position | None:
    """Return the position of a cursor; None without one.

    Raises:
        CursorInvalid: It is not a cursor, or belongs to another list, filter or order.
    """
    if cursor is None:
        return None
    try:
        text = urlsafe_b64decode(cursor[:_LONGEST].encode("ascii") + b"=" * (-len(cursor) % 4))
        digest, value, row_id = _DECODER.decode(text)
    except (ValueError, msgspec.MsgspecError) as err:
        raise CursorInvalid(_FOREIGN) from err
    # Decoding ignores characters outside base64 and anything behind the maximum length; encoding again finds both.
    if _encoded(text) != cursor:
        raise CursorInvalid(_FOREIGN)
    if digest != _digest(list_key):
        raise CursorInvalid("this cursor belongs to another filter or order; repeat the request that gave it")
    return value, row_id


def cut(list_key: object, rows: Sequence[Any], limit: int) -> tuple[Sequence[Any], str | None]:
    """Return the rows of a page and the cursor of the next one, given one row more; each ends in its position."""
    if len(rows) <= limit:
        return rows, None
    value, row_id = rows[limit - 1][-2:]
    return rows[:limit], write_cursor(list_key, (value, row_id))


def _encoded(text: bytes) -> str:
    return urlsafe_b64encode(text).decode().rstrip("=")


def _digest(list_key: Any) -> str:
    return blake2b(repr(list_key).encode("utf-8", "backslashreplace"), digest_size=6).hexdigest()
