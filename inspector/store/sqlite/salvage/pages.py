"""Reads the pages of an SQLite file without SQLite, which stops at the first broken one.

See https://sqlite.org/fileformat2.html; numbers in parentheses are its sections.
"""

import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO, TypeAlias

from inspector.store.sqlite.database.files import LOG, beside

Value: TypeAlias = int | float | str | bytes | None

_PAGE_BYTES = 16384
"""The page size of our databases, used if the file header is broken."""
_LEAST_PAGE_BYTES = 512
_LOG_HEAD = struct.Struct(">IIIIIIII")
_FRAME_HEAD = struct.Struct(">IIIIII")
_LOG_MAGIC = (0x377F0682, 0x377F0683)
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR = 0x0D, 0x0A, 0x02
_POINTERS = {_TABLE_LEAF: 8, _INDEX_LEAF: 8, _INDEX_INTERIOR: 12}
"""Where the cell pointers of a page begin, by kind of page (1.6)."""
_ROOT, _NODE = 1, 5
"""Kinds of pages in the pointer map (1.8)."""
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_BROKEN = (IndexError, ValueError, struct.error, OverflowError)


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a table, or one entry of an index."""

    page: int
    row_id: int | None
    """None for an index entry, which has it as its last value."""
    values: tuple[Value, ...]


class Broken(Exception):
    """The requested data is in a broken or missing page."""


class Pages:
    """The pages of a file after its last commit: from the write-ahead log next to it, or else from the file.

    Raises:
        OSError: The file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = path.open("rb")
        head = self._file.read(100)
        size = int.from_bytes(head[16:18], "big")
        size = 65536 if size == 1 else size
        plausible = size >= _LEAST_PAGE_BYTES and size & (size - 1) == 0
        self._size = size if plausible else _PAGE_BYTES
        self._usable = self._size - (head[20] if plausible else 0)
        self._frames: dict[int, int] = {}
        self._log: BinaryIO | None = None
        with suppress(OSError):
            self._log = beside(path, LOG).open("rb")
            self._frames = dict(self._committed(self._log))
        whole = os.fstat(self._file.fileno()).st_size // self._size
        self.count = max([whole, *self._frames])
        """The number of pages."""

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        if self._log is not None:
            self._log.close()

    def records(self) -> Iterator[Record | None]:
        """Yield the rows and index entries of every page, and None for each that cannot be read."""
        for number in range(1, self.count + 1):
            with suppress(Broken):
                yield from self._records_of(number, self._page(number))

    def root_of(self, number: int) -> int | None:
        """Return the root page of the table or index that a page belongs to; None if the pointer map lacks it (1.8)."""
        for _ in range(64):
            try:
                kind, parent = self._map_entry(number)
            except Broken:
                return None
            if kind != _NODE:
                return number if kind == _ROOT else None
            number = parent
        return None

    def _map_entry(self, number: int) -> tuple[int, int]:
        per_map = self._usable // 5
        at = (number - 2) // (per_map + 1) * (per_map + 1) + 2
        offset = 5 * (number - at - 1)
        if number < 2 or offset < 0:
            raise Broken  # the first page and the map's own pages have no entry
        entry = self._page(at)[offset : offset + 5]
        if len(entry) < 5:
            raise Broken
        return entry[0], int.from_bytes(entry[1:], "big")

    def _committed(self, log: BinaryIO) -> Iterator[tuple[int, int]]:
        """Yield the pages in the log and their offsets, up to the last commit (4.1)."""
        head = log.read(_LOG_HEAD.size)
        if len(head) < _LOG_HEAD.size:
            return
        magic, _, size, _, *salts = _LOG_HEAD.unpack(head)[:6]
        if magic not in _LOG_MAGIC or size != self._size:
            return
        waiting: list[tuple[int, int]] = []
        offset = _LOG_HEAD.size
        end = os.fstat(log.fileno()).st_size
        while offset + _FRAME_HEAD.size + size <= end:
            number, commits, *found = _FRAME_HEAD.unpack(_at(log, offset, _FRAME_HEAD.size))[:4]
            if found != salts:
                return  # left over from before the log was restarted
            waiting.append((number, offset + _FRAME_HEAD.size))
            if commits:
                yield from waiting
                waiting.clear()
            offset += _FRAME_HEAD.size + size

    def _page(self, number: int) -> bytes:
        if not 1 <= number <= self.count:
            raise Broken
        if number in self._frames:
            assert self._log is not None
            page = _at(self._log, self._frames[number], self._size)
        else:
            page = _at(self._file, (number - 1) * self._size, self._size)
        if len(page) < self._size:
            raise Broken
        return page

    def _records_of(self, number: int, page: bytes) -> Iterator[Record | None]:
        start = 100 if number == 1 else 0
        kind = page[start]
        if kind not in _POINTERS:
            return
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        first = start + _POINTERS[kind]
        if first + 2 * count > self._usable:
            raise Broken
        for at in range(first, first + 2 * count, 2):
            try:
                yield self._record(number, page, kind, int.from_bytes(page[at : at + 2], "big"))
            except (Broken, *_BROKEN):
                yield None

    def _record(self, number: int, page: bytes, kind: int, at: int) -> Record:
        if kind == _INDEX_INTERIOR:
            at += 4
        size, at = _varint(page, at)
        row_id = None
        if kind == _TABLE_LEAF:
            row_id, at = _varint(page, at)
            row_id = row_id - (1 << 64) if row_id >> 63 else row_id
        return Record(number, row_id, _values(self._payload(page, kind, size, at)))

    def _payload(self, page: bytes, kind: int, size: int, at: int) -> bytes:
        """Return a cell's payload, including its overflow pages (1.6)."""
        most, least = _local_bytes(self._usable, is_table=kind == _TABLE_LEAF)
        if size <= most:
            if at + size > self._usable:
                raise Broken
            return page[at : at + size]
        local = least + (size - least) % (self._usable - 4)
        local = local if local <= most else least
        parts, following = [page[at : at + local]], int.from_bytes(page[at + local : at + local + 4], "big")
        rest = size - local
        if rest > self.count * self._usable:
            raise Broken
        while rest > 0:
            overflow = self._page(following)
            parts.append(overflow[4 : min(self._usable, 4 + rest)])
            following, rest = int.from_bytes(overflow[:4], "big"), rest - (self._usable - 4)
        # A chain that continues behind the payload belongs to another cell.
        if following:
            raise Broken
        return b"".join(parts)


@cache
def _local_bytes(usable: int, *, is_table: bool) -> tuple[int, int]:
    """Return the maximum payload within a page, and the minimum part that stays there if it overflows (1.6)."""
    most = usable - 35 if is_table else (usable - 12) * 64 // 255 - 23
    return most, (usable - 12) * 32 // 255 - 23


def _at(file: BinaryIO, offset: int, size: int) -> bytes:
    return os.pread(file.fileno(), size, offset)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number at an offset, and the offset behind it (1.6)."""
    value = 0
    for used in range(8):
        byte = data[at + used]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + used + 1
    return value << 8 | data[at + 8], at + 9


def _values(payload: bytes) -> tuple[Value, ...]:
    """Return the columns of a record (2.1)."""
    end, at = _varint(payload, 0)
    if end > len(payload):
        raise Broken
    body, values = end, list[Value]()
    while at < end:
        kind, at = _varint(payload, at)
        value, body = _value(kind, payload, body)
        values.append(value)
    if at != end or body != len(payload):
        raise Broken
    return tuple(values)


def _value(kind: int, payload: bytes, at: int) -> tuple[Value, int]:
    if kind == 0:
        return None, at
    if kind in (8, 9):
        return kind - 8, at
    if kind == 7:
        return struct.unpack_from(">d", payload, at)[0], at + 8
    size = _INTEGER_BYTES.get(kind)
    if size is None:
        if kind < 12:
            raise Broken
        size = (kind - 12) // 2
    content = payload[at : at + size]
    if len(content) < size:
        raise Broken
    if kind < 12:
        return int.from_bytes(content, "big", signed=True), at + size
    return (content.decode() if kind % 2 else content), at + size
