"""The files of an outbox: their positions, and the calls that their processes left open."""

import json
import os
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from inspector import semconv
from inspector.otlp import Item
from inspector.reading.recorded import items_of_line
from inspector.spooling import SUFFIX, is_finished
from inspector.tail import Segment, SegmentParts, files_by_process, is_alive, list_segments, opened, read_lines

_CHUNK = 4 << 20
_MARKS = "sent.json"


@dataclass(slots=True)
class Outgoing:
    """One spool file that is waiting to be sent."""

    segment: Segment
    process: str
    parts: SegmentParts
    """Texts that its lines refer to, as far as it was read."""
    offset: int = 0
    """The position up to which it was sent."""
    finished: bool = False
    """Whether its writer has closed it and all of it was read."""
    open: dict[tuple[str, str], Item] = field(default_factory=dict[tuple[str, str], Item])
    """Its spans that have begun and not ended, in this file or a later one of the process."""
    bad_lines: int = 0

    @property
    def name(self) -> str:
        """The file's name."""
        return self.segment.name


@dataclass(frozen=True, slots=True)
class Chunk:
    """Spans read from a segment, and the offset behind the last of them."""

    items: tuple[Item, ...]
    end: int


class WaitingFiles:
    """The waiting files of one directory, to which recorders with one endpoint write."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._files: dict[str, Outgoing] = {}
        self._marks = _load_marks(directory)

    def files(self) -> list[Outgoing]:
        """Return the files in the order they were begun."""
        segments, _ = list_segments(self._directory)
        for segment in segments:
            if segment.process is not None and segment.name not in self._files:
                file = Outgoing(segment, segment.process, SegmentParts(segment.inode))
                self._files[segment.name] = file
                self._remember(file)
        names = {segment.name for segment in segments}
        for name in self._files.keys() - names:
            del self._files[name]
        for name in self._marks.keys() - names:
            del self._marks[name]
        return [self._files[name] for name in sorted(self._files)]

    def _remember(self, file: Outgoing) -> None:
        """Reread the part sent before this process started: calls that began there may still be open."""
        sent = self._marks.get(file.name, 0)
        while file.offset < sent:
            chunk = self.read(file, until=sent)
            if chunk is None:
                break
            self.sent(file, chunk, save=False)

    def read(self, file: Outgoing, *, until: int | None = None) -> Chunk | None:
        """Return the next complete lines of a file, up to 4 MiB or one longer line; None if there is none."""
        file.finished = False
        try:
            with opened(file.segment) as fd:
                let_go = is_finished(fd)
                chunk = _chunk(file, fd, os.fstat(fd).st_size if until is None else until)
        except OSError:
            return None
        file.finished = let_go and chunk is None
        return chunk

    def sent(self, file: Outgoing, chunk: Chunk, *, save: bool = True) -> None:
        """Note that a chunk was sent, and which of its calls are still open."""
        for item in chunk.items:
            if item.is_start:
                file.open[item.key] = item
            else:
                for other in self._of_process(file.process):
                    other.open.pop(item.key, None)
        file.offset = chunk.end
        if save:
            self._marks[file.name] = chunk.end
            self._save_marks()

    def lost(self, file: Outgoing) -> list[Item]:
        """Return the open calls of a file whose process is gone, as spans that ended with the file."""
        if not file.open or self._is_alive(file.process):
            return []
        with suppress(OSError):
            end_ns = file.segment.path.stat().st_mtime_ns
            return [_lost(item, end_ns) for item in file.open.values()]
        return []

    def put_away(self, file: Outgoing) -> None:
        """Delete a file that was sent completely, unless a call that began in it is still running."""
        if file.open and self._is_alive(file.process):
            return
        file.segment.path.unlink(missing_ok=True)
        self._files.pop(file.name, None)
        self._marks.pop(file.name, None)
        self._save_marks()

    def _of_process(self, process: str) -> list[Outgoing]:
        return [each for each in self._files.values() if each.process == process]

    def _is_alive(self, process: str) -> bool:
        finished = {each.name for each in self._of_process(process) if each.finished}
        return is_alive(files_by_process(self._directory).get(process, ()), finished)

    def _save_marks(self) -> None:
        path = self._directory / _MARKS
        fresh = path.with_suffix(".new")
        with suppress(OSError):
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
                json.dump(self._marks, file)
            fresh.replace(path)


def _chunk(file: Outgoing, fd: int, size: int) -> Chunk | None:
    """Return the spans of the next lines, limited so that the texts they refer to fit a chunk too."""
    items: list[Item] = []
    end = file.offset
    file.parts.begin(fd, end)
    parts = file.parts.parts
    most = parts.given_bytes + _CHUNK
    for line in read_lines(fd, file.offset, size):
        if not line.whole:
            break
        end = line.end
        if file.parts.note(line):
            continue
        try:
            items += items_of_line(line.data, parts)
        except ValueError:
            file.bad_lines += 1
        if parts.given_bytes > most or end - file.offset >= _CHUNK:
            break
    return None if end == file.offset else Chunk(tuple(items), end)


def left_over(directory: Path) -> int:
    """Return the number of bytes waiting in an outbox."""
    marks = _load_marks(directory)
    waits = 0
    for path in directory.glob(f"*{SUFFIX}"):
        with suppress(OSError):
            waits += max(0, path.stat().st_size - marks.get(path.name, 0))
    return waits


def _load_marks(directory: Path) -> dict[str, int]:
    try:
        marks: Any = json.loads((directory / _MARKS).read_bytes())
        return {str(name): int(offset) for name, offset in marks.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        # Without marks everything is sent again, and receivers recognise the spans that they have.
        return {}


def _lost(item: Item, end_ns: int) -> Item:
    start_ns = int(item.span.get("startTimeUnixNano") or 0)
    lost = {"key": semconv.STATUS, "value": {"stringValue": "lost"}}
    attributes = [each for each in item.span.get("attributes", ()) if each.get("key") != semconv.STATUS]
    span = {
        **item.span,
        "endTimeUnixNano": str(max(start_ns, end_ns)),
        "attributes": [*attributes, lost],
        "status": {"code": 2, "message": "its process ended before it did"},
    }
    return replace(item, span=span)
