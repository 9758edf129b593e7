"""The files of an outbox: which there are, what of them has been sent, and what their processes left open."""

import json
import os
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from inspector import semconv
from inspector.otlp import Item, items_of
from inspector.parts import Parts
from inspector.spooling import SUFFIX, is_abandoned, is_finished, process_of, unborn_segments

_CHUNK = 4 << 20
_MARKS = "sent.json"


@dataclass(slots=True)
class Segment:
    """One spool file that waits to be sent."""

    path: Path
    process: str
    offset: int = 0
    """Up to where it was sent."""
    finished: bool = False
    """Whether its writer has let go of it and all that it holds was read."""
    open: dict[tuple[str, str], Item] = field(default_factory=dict[tuple[str, str], Item])
    """Spans of it that began and have not ended yet, in this file or a later one of the process."""
    bad_lines: int = 0
    parts: Parts[tuple[int, int]] = field(init=False)
    """Texts that its lines name, as far as it was read."""

    def __post_init__(self) -> None:
        """Have parts read from the file."""
        self.parts = Parts(self._load)

    def _load(self, place: tuple[int, int]) -> bytes:
        begin, size = place
        with self.path.open("rb") as file:
            return os.pread(file.fileno(), size, begin)

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name


@dataclass(frozen=True, slots=True)
class Chunk:
    """Spans read from a segment, and the offset behind the last of them."""

    items: tuple[Item, ...]
    end: int


class Waiting:
    """What waits in one directory.

    Args:
        directory: Where recorders with this endpoint write.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._segments: dict[str, Segment] = {}
        self._marks = _load_marks(directory)

    def segments(self) -> list[Segment]:
        """Return the files in the order they were begun."""
        names = sorted(path.name for path in self._directory.glob(f"*{SUFFIX}"))
        for name in names:
            process = process_of(name)
            if process is not None and name not in self._segments:
                segment = Segment(self._directory / name, process)
                self._segments[name] = segment
                self._remember(segment)
        for name in self._segments.keys() - names:
            del self._segments[name]
        for name in self._marks.keys() - names:
            del self._marks[name]
        return [self._segments[name] for name in sorted(self._segments)]

    def _remember(self, segment: Segment) -> None:
        """Read again what had been sent before this process: calls may have begun there that are still open."""
        sent = self._marks.get(segment.name, 0)
        while segment.offset < sent:
            chunk = self.read(segment, until=sent)
            if chunk is None:
                break
            self.sent(segment, chunk, save=False)

    def read(self, segment: Segment, *, until: int | None = None) -> Chunk | None:
        """Return the next whole lines of a segment, up to 4 MiB of them or one long one; None when there is none."""
        segment.finished = False
        try:
            fd = os.open(segment.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            let_go = is_finished(fd)
            data = b""
            while b"\n" not in data:
                more = os.pread(fd, _CHUNK, segment.offset + len(data))
                if not more:
                    segment.finished = let_go
                    return None
                data += more
        finally:
            os.close(fd)
        if until is not None:
            data = data[: until - segment.offset]
        whole = data[: data.rfind(b"\n") + 1]
        if not whole:
            return None
        return _chunk(segment, whole)

    def sent(self, segment: Segment, chunk: Chunk, *, save: bool = True) -> None:
        """Note that a chunk was sent, and which of its calls are open now."""
        for item in chunk.items:
            if item.is_start:
                segment.open[item.key] = item
            else:
                for each in self._of_process(segment.process):
                    each.open.pop(item.key, None)
        segment.offset = chunk.end
        if save:
            self._marks[segment.name] = chunk.end
            self._save_marks()

    def lost(self, segment: Segment) -> list[Item]:
        """Return the open calls of a segment whose process has ended, as spans that ended with the file."""
        if not segment.open or self._is_alive(segment.process):
            return []
        with suppress(OSError):
            end_ns = segment.path.stat().st_mtime_ns
            return [_lost(item, end_ns) for item in segment.open.values()]
        return []

    def put_away(self, segment: Segment) -> None:
        """Delete a segment that was sent to its end, unless a call that began in it is open in a living process."""
        if segment.open and self._is_alive(segment.process):
            return
        segment.path.unlink(missing_ok=True)
        self._segments.pop(segment.name, None)
        self._marks.pop(segment.name, None)
        self._save_marks()

    def _of_process(self, process: str) -> list[Segment]:
        return [each for each in self._segments.values() if each.process == process]

    def _is_alive(self, process: str) -> bool:
        if not all(map(is_abandoned, unborn_segments(self._directory, process))):
            return True
        return any(not each.finished for each in self._of_process(process))

    def _save_marks(self) -> None:
        path = self._directory / _MARKS
        fresh = path.with_suffix(".new")
        with suppress(OSError):
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
                json.dump(self._marks, file)
            fresh.replace(path)


def _chunk(segment: Segment, lines: bytes) -> Chunk:
    """Return the spans of lines, of so many that the texts they name are not more than a chunk either."""
    items: list[Item] = []
    end, most = segment.offset, segment.parts.given_bytes + _CHUNK
    for line in lines.splitlines(keepends=True):
        begin, end = end, end + len(line)
        if segment.parts.note(line, (begin, len(line))):
            continue
        try:
            items += items_of(line, segment.parts)
        except ValueError:
            segment.bad_lines += 1
        if segment.parts.given_bytes > most:
            break
    return Chunk(tuple(items), end)


def left_over(directory: Path) -> int:
    """Return how many bytes of recorded spans wait in an outbox."""
    marks = _load_marks(directory)
    waits = 0
    for path in directory.glob(f"*{SUFFIX}"):
        with suppress(OSError):
            waits += max(0, path.stat().st_size - marks.get(path.name, 0))
    return waits


def _load_marks(directory: Path) -> dict[str, int]:
    try:
        found: Any = json.loads((directory / _MARKS).read_bytes())
        return {str(name): int(offset) for name, offset in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        # Without marks everything is sent again, which receivers take for what they have.
        return {}


def _lost(item: Item, end_ns: int) -> Item:
    start_ns = int(item.span.get("startTimeUnixNano") or 0)
    told = {"key": semconv.STATUS, "value": {"stringValue": "lost"}}
    kept = [each for each in item.span.get("attributes", ()) if each.get("key") != semconv.STATUS]
    span = {
        **item.span,
        "endTimeUnixNano": str(max(start_ns, end_ns)),
        "attributes": [*kept, told],
        "status": {"code": 2, "message": "its process ended before it did"},
    }
    return replace(item, span=span)
