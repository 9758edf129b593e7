"""Protobuf's wire format, as far as needed to find the parts of a request, and to write one.

https://protobuf.dev/programming-guides/encoding/
"""

from collections.abc import Iterator
from struct import pack

VARINT, FIXED64, LENGTH, START_GROUP, END_GROUP, FIXED32 = range(6)
"""Wire types."""
_LONGEST_VARINT = 10
_UINT64 = 2**64 - 1
_MOST_OPEN_GROUPS = 100
"""Maximum nesting, as in protobuf's own parsers."""


class WireError(Exception):
    """The bytes are not a protobuf message."""


class TooMany(Exception):
    """A request holds more parts than any honest one."""


class Budget:
    """The number of parts that one request may still hold.

    A part takes two bytes to send and up to a hundred times as many in memory, so a limit on bytes is not enough.
    """

    def __init__(self, most: int) -> None:
        self._left = most

    def spend(self, parts: int) -> None:
        """Count parts before they are built.

        Raises:
            TooMany: The request holds more than it may.
        """
        self._left -= parts
        if self._left < 0:
            raise TooMany


def fields(data: bytes, start: int, stop: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield number, wire type, and start and end of the content, of every field of a message.

    A group, which OTLP does not use, is a field of type ``START_GROUP``.

    Raises:
        WireError: A field is invalid, or exceeds the message.
    """
    at = start
    while at < stop:
        tag = data[at]
        # Nearly every field is bytes with a one-byte tag and a two-byte length; this path takes a third of the work.
        if tag & 7 == LENGTH and 7 < tag < 128 and at + 2 < stop and data[at + 2] < 128 <= data[at + 1]:
            begin = at + 3
            at = begin + (data[at + 1] & 127 | data[at + 2] << 7)
            if at > stop:
                raise WireError("a field reaches beyond its message")
            yield tag >> 3, LENGTH, begin, at
            continue
        tag, at = varint(data, at, stop)
        number, kind = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise WireError("a field has no number")
        begin, end = _content(data, at, stop, kind) if kind != START_GROUP else (at, _end_of_group(data, at, stop))
        yield number, kind, begin, end
        at = end


def varint(data: bytes, at: int, stop: int) -> tuple[int, int]:
    """Return a number of up to 64 bits and the position behind it.

    Raises:
        WireError: It does not end within ten bytes, or within the message.
    """
    if at < stop and data[at] < 128:
        return data[at], at + 1
    number = shift = 0
    for position in range(at, min(stop, at + _LONGEST_VARINT)):
        number |= (data[position] & 127) << shift
        if data[position] < 128:
            return number & _UINT64, position + 1
        shift += 7
    raise WireError("a number does not end")


def signed(number: int) -> int:
    """Return 64 bits as a signed number in two's complement."""
    return number - (1 << 64) if number >> 63 else number


def number_field(field: int, number: int) -> bytes:
    """Write an integer or boolean field."""
    return _varint(field << 3 | VARINT) + _varint(number & _UINT64)


def bytes_field(field: int, content: bytes) -> bytes:
    """Write a text, bytes or message field."""
    return _varint(field << 3 | LENGTH) + _varint(len(content)) + content


def fixed_field(field: int, number: int) -> bytes:
    """Write an unsigned 64-bit field."""
    return _varint(field << 3 | FIXED64) + number.to_bytes(8, "little")


def double_field(field: int, number: float) -> bytes:
    """Write a floating-point field."""
    return _varint(field << 3 | FIXED64) + pack("<d", number)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _content(data: bytes, at: int, stop: int, kind: int) -> tuple[int, int]:
    """Return start and end of the content of a field other than a group."""
    if kind == LENGTH:
        length, at = varint(data, at, stop)
        end = at + length
    elif kind == VARINT:
        _, end = varint(data, at, stop)
    elif kind in (FIXED64, FIXED32):
        end = at + (8 if kind == FIXED64 else 4)
    else:
        raise WireError("a field has no type")
    if end > stop:
        raise WireError("a field reaches beyond its message")
    return at, end


def _end_of_group(data: bytes, at: int, stop: int) -> int:
    open_groups = 1
    while open_groups:
        tag, at = varint(data, at, stop)
        if tag & 7 == START_GROUP:
            open_groups += 1
            if open_groups > _MOST_OPEN_GROUPS:
                raise WireError("groups are nested too deeply")
        elif tag & 7 == END_GROUP:
            open_groups -= 1
        else:
            _, at = _content(data, at, stop, tag & 7)
    return at
