"""Reads spans and logs from files: OTLP JSON, as we and OpenTelemetry's collector export it, and transcripts."""

import gzip
import stat
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import IO, cast

from inspector.ingest.errors import FileUnreadable
from inspector.otlp import Decoded, DecodedSpan, Signal, decode_request, json_of
from inspector.parts import Parts
from inspector.reading.recorded import read_line
from inspector.transcripts import Transcript, transcript_of
from inspector.transcripts.lines import object_on

MAX_LINE = 64 << 20
"""Longer lines (in bytes) are skipped, so that no file can use more memory than this."""

_TOGETHER = 8 << 20
"""How many bytes of texts the spans of a transcript have that are stored together."""
_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_LOGS = b'"resourceLogs"'
"""The key of a request with logs."""
_SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class FileRequest:
    """One request of a file."""

    decoded: Decoded
    number: int
    """The number of its line, from 1."""
    written: bytes | None = None
    """The request as the file has it; None for a part of a transcript."""

    @property
    def data(self) -> bytes:
        """The request as OTLP JSON."""
        return json_of(self.decoded) if self.written is None else self.written

    @property
    def signal(self) -> Signal:
        """What the request carries."""
        first = next(iter(self.decoded.spans), None)
        return "logs" if first is not None and first.is_log else "traces"


@contextmanager
def opened_file(path: Path) -> Generator[IO[bytes]]:
    """Open a file for reading; gzip is decompressed.

    Raises:
        FileUnreadable: It is missing, not a regular file, or obviously not OTLP JSON.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise FileUnreadable(
                f"{path} is not a regular file; give a file of OTLP JSON lines, or - for standard input"
            )
        file = path.open("rb")
    except OSError as error:
        raise FileUnreadable(f"{path} cannot be read: {error.strerror or error}") from None
    with file, unpacked(file, str(path)) as readable:
        yield readable


@contextmanager
def unpacked(file: BufferedReader, name: str) -> Generator[IO[bytes]]:
    """Check how a stream begins, and yield it decompressed.

    Raises:
        FileUnreadable: It is obviously not OTLP JSON.
    """
    head = file.peek(16)[:16]
    if head.startswith(_SQLITE):
        raise FileUnreadable(f"{name} is an SQLite database, not OTLP JSON lines; 'inspector export' writes those")
    if head.startswith(_UTF16):
        raise FileUnreadable(f"{name} is UTF-16; OTLP JSON is UTF-8: save it as that")
    if not head.startswith(_GZIP):
        yield file
        return
    with gzip.open(file, "rb") as content:
        yield cast("IO[bytes]", content)


def read_requests(file: IO[bytes], name: str, *, max_line: int = MAX_LINE) -> Iterator[FileRequest]:
    """Yield the request on each line; a file with one request on many lines, or a short transcript, is one.

    Args:
        file: The file, from its beginning on.
        name: What it is called in errors.
        max_line: Longer lines are skipped.

    Raises:
        FileUnreadable: It cannot be read to its end, for example because a gzip file was truncated.
    """
    # Spool files have parts, and later lines may refer to any of them.
    parts = Parts[bytes](lambda line: line)
    first: int | None = None
    has_requests = False
    lines = _lines(file, name, max_line)
    for number, line in lines:
        if not line.strip():
            continue
        first = first or number
        if not has_requests and (transcript := transcript_of(line, Path(name))) is not None:
            yield from _requests_of_transcript(transcript, chain([(number, line)], lines))
            return
        if parts.note(line, line):
            has_requests = True
            if not line.rstrip().endswith(b"}"):
                yield FileRequest(Decoded(malformed="cut off"), number, line)
            continue
        decoded = _decoded(line, max_line, parts)
        if decoded.malformed and number == first and line.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
            whole = line + _rest(file, max_line - len(line), name)
            if (transcript := transcript_of(whole, Path(name))) is not None:
                yield from _requests_of_transcript(transcript, [(number, whole)])
                return
            again = _decoded(whole, max_line) if len(whole) < max_line else decoded
            if not again.malformed:
                yield FileRequest(again, number, whole)
                return
            if not whole.endswith(b"\n"):
                whole += next(lines, (0, b""))[1]
            read = whole.splitlines(keepends=True)
            later = ((number + len(read) + at, rest) for at, (_, rest) in enumerate(lines))
            yield from _requests_of(chain(enumerate(read, number), later), name, max_line)
            return
        has_requests = has_requests or _has_any(decoded)
        yield FileRequest(decoded, number, line)


def _requests_of_transcript(transcript: Transcript, lines: Iterable[tuple[int, bytes]]) -> Iterator[FileRequest]:
    spans: list[DecodedSpan] = []
    size = number = 0
    broken: FileUnreadable | None = None
    try:
        for number, line in lines:
            found = object_on(line)
            if found is None and line.strip():
                yield FileRequest(Decoded(malformed="cut off"), number)
            for span in () if found is None else transcript.spans(found):
                spans.append(span)
                size += sum(len(value) for value in span.attributes.values() if isinstance(value, str))
            if size >= _TOGETHER:
                yield _request_with(spans, number)
                spans, size = [], 0
    except FileUnreadable as error:
        broken = error
    spans += transcript.rest()
    yield _request_with(spans, number)
    if broken is not None:
        raise broken


def _request_with(spans: list[DecodedSpan], number: int) -> FileRequest:
    return FileRequest(Decoded(spans=spans), number)


def _requests_of(lines: Iterator[tuple[int, bytes]], name: str, max_line: int) -> Iterator[FileRequest]:
    """Yield the requests of a file whose first line is cut off: those of a transcript, or one on each line."""
    has_requests = False
    for number, line in lines:
        if not has_requests and (transcript := transcript_of(line, Path(name))) is not None:
            yield from _requests_of_transcript(transcript, chain([(number, line)], lines))
            return
        if line.strip():
            decoded = _decoded(line, max_line)
            has_requests = has_requests or _has_any(decoded)
            yield FileRequest(decoded, number, line)


def _has_any(decoded: Decoded) -> bool:
    return bool(decoded.spans or decoded.rejected)


def _decoded(line: bytes, max_line: int, parts: Parts[bytes] | None = None) -> Decoded:
    if len(line) >= max_line:
        return Decoded(malformed="too long")
    decoded = read_line(line, parts)
    if _LOGS in line and not (decoded.malformed or decoded.spans or decoded.rejected):
        return decode_request(line, "json", signal="logs")
    return decoded


def _lines(file: IO[bytes], name: str, max_line: int) -> Iterator[tuple[int, bytes]]:
    number = 0
    while True:
        try:
            line = file.readline(max_line)
            over = len(line) >= max_line and not line.endswith(b"\n")
            while over and not _ends_line(file.readline(max_line)):
                pass
        except (OSError, EOFError, zlib.error) as error:
            raise _broken(name, f"after line {number}", error) from None
        if not line:
            return
        number += 1
        yield number, line


def _ends_line(more: bytes) -> bool:
    return not more or more.endswith(b"\n")


def _rest(file: IO[bytes], most: int, name: str) -> bytes:
    try:
        return file.read(max(0, most))
    except (OSError, EOFError, zlib.error) as error:
        raise _broken(name, "after its beginning", error) from None


def _broken(name: str, where: str, error: Exception) -> FileUnreadable:
    # What gzip raises for a truncated stream.
    if isinstance(error, EOFError):
        return FileUnreadable(
            f"{name} is cut {where}: the compressed file ends too early; what comes before is imported"
        )
    return FileUnreadable(f"{name} cannot be read on {where}: {error}")
