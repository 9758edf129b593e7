"""The HTTP responses of a model call, attempt by attempt, restored to the byte from the recording.

The recorder writes them to the field ``raw`` of a call; the span has them as the attribute ``inspector.raw.exchanges``.
"""

import zlib
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import msgspec
from msgspec import Struct

from inspector.reading.columns import EVENT_END, Columns, Letters, quoted, text_of

_MOST_BYTES = 64 << 20
_EVENT_END = EVENT_END.encode()


class ExchangeUnreadable(ValueError):
    """The recorded exchanges are damaged."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception that a client raised."""

    cls: str
    """``module:qualname``."""
    message: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One attempt of a model call."""

    status: int | None
    """The HTTP status; None if there was no response."""
    headers: dict[str, str]
    pieces: tuple[bytes, ...]
    """The body: in one piece, or the pieces of a stream as its client got them."""
    at_ms: tuple[int, ...]
    """When each piece of a stream came, since the request; empty if the body came whole."""
    end: Literal["whole", "left", "failed"]
    """Whether the body was read to its end, closed before that, or broken off by ``error``."""
    error: Raised | None
    left_out: str | None
    """Why the body is not recorded: ``too long``, ``not text``, ``a secret``."""


class _Raised(Struct):
    cls: str = msgspec.field(name="class")
    message: str = ""


class _Written(Struct):
    status: int | None = None
    headers: dict[str, str | None] = {}
    text: list[str] | None = None
    letters: Letters = "utf8"
    packed: str | None = None
    texts: list[str] = []
    pieces: list[str] | None = None
    """Those of a stream, as a cassette has them."""
    end: Literal["whole", "left", "failed"] = "whole"
    error: _Raised | None = None
    left_out: str | None = None


class _Table(Struct):
    """The offsets of a stream's pieces."""

    ms: list[int] = []
    """When each came, since the previous one."""
    events: list[int] | None = None
    bytes: list[int] | None = None
    columns: Columns | None = None
    """The body, if it does not follow this table."""


_decode = msgspec.json.Decoder(list[_Written]).decode
_decode_table = msgspec.json.Decoder(_Table).decode


def read_exchanges(text: str) -> tuple[Exchange, ...]:
    """Return the attempts of a call in order.

    Raises:
        ExchangeUnreadable: No recorder wrote it like this, or it was cut.
    """
    try:
        return tuple(map(_read, _decode(text)))
    except (msgspec.MsgspecError, ValueError, zlib.error, RecursionError) as error:
        raise ExchangeUnreadable(f"the recorded exchange cannot be read: {error}") from error


def _read(written: _Written) -> Exchange:
    pieces, at_ms = _body(written)
    error = written.error
    return Exchange(
        written.status,
        {name: value for name, value in written.headers.items() if value is not None},
        pieces,
        at_ms,
        written.end,
        None if error is None else Raised(error.cls, error.message),
        written.left_out,
    )


def _body(written: _Written) -> tuple[tuple[bytes, ...], tuple[int, ...]]:
    if written.text is not None:
        return (_whole(written.text, written.letters),), ()
    if written.pieces is not None:
        return tuple(piece.encode() for piece in written.pieces), (0,) * len(written.pieces)
    if written.packed is None:
        return (), ()
    head, _, body = _unpacked(b64decode(written.packed, validate=True)).partition(b"\n")
    table = _decode_table(head)
    body = body if table.columns is None else text_of(table.columns, written.texts).encode()
    sizes = table.bytes if table.events is None else _sizes(body, table.events)
    return ((body,), ()) if sizes is None else (_cut(body, sizes), tuple(accumulate(table.ms)))


def _whole(pieces: Sequence[str], letters: Letters) -> bytes:
    """Return a body: every second piece is a string of JSON."""
    return "".join(quoted(piece, letters) if at % 2 else piece for at, piece in enumerate(pieces)).encode()


def _unpacked(data: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    body = unpacking.decompress(data, _MOST_BYTES)
    if not unpacking.eof:
        raise ValueError("cut, or longer than a body may be")
    return body


def _sizes(body: bytes, events: Sequence[int]) -> list[int]:
    sizes: list[int] = []
    begin = 0
    for count in events:
        end = begin
        for _ in range(count):
            end = body.index(_EVENT_END, end) + len(_EVENT_END)
        sizes.append(end - begin)
        begin = end
    return sizes


def _cut(body: bytes, sizes: Sequence[int]) -> tuple[bytes, ...]:
    if sum(sizes) != len(body):
        raise ValueError("its pieces are not as long as the whole")
    pieces: list[bytes] = []
    begin = 0
    for size in sizes:
        pieces.append(body[begin : begin + size])
        begin += size
    return tuple(pieces)
