"""Losses in a spool file, each with the time range in which it happened."""

import calendar
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from inspector import semconv
from inspector.model import AttributeValue, Loss, LossReason
from inspector.otlp import LOSSES, Decoded
from inspector.reading.recorded import read_line
from inspector.spooling import SUFFIX, UNWRITTEN_SUFFIX, hidden_segments, is_abandoned, read_unwritten_name
from inspector.tail import Segment, opened, read_lines

_MARKS = tuple(f'"{key}"'.encode() for key in LOSSES)
_STARTED = re.compile(r"\d{8}T\d{6}")


class LossReader:
    """Reads the losses that the lines of a spool file report.

    A line reports losses since the previous line, so they happened between the latest times of the two. A line without
    spans names the time itself.
    """

    def __init__(self, segment: Segment) -> None:
        self._process = segment.process or segment.name
        self._run: str | None = None
        self._service: str | None = None
        self._latest_ns = _began_ns(self._process)

    def losses_in(self, decoded: Decoded) -> Iterator[Loss]:
        """Yield the losses that a line reports, and those in the line itself, if it is bad."""
        since_ns = self._latest_ns
        for span in decoded.spans:
            self._latest_ns = max(self._latest_ns, span.end_ns or span.start_ns)
        if decoded.spans:
            self._run, self._service = origin(decoded.spans[0].resource)
        for reported in decoded.losses:
            self._run, self._service = origin(reported.resource)
            self._latest_ns = max(self._latest_ns, reported.until_ns)
            for reason, count in reported.counts.items():
                yield self._loss(reason, count, since_ns)
        undecodable = bool(decoded.malformed) + sum(decoded.rejected.values())
        if undecodable:
            yield self._loss("undecodable", undecodable, since_ns)

    def _loss(self, reason: LossReason, count: int, since_ns: int) -> Loss:
        return Loss(self._process, self._run, self._service, reason, count, since_ns, self._latest_ns)


def waiting_losses(segments: Iterable[Segment], offsets: Mapping[str, int]) -> Iterator[Loss]:
    """Yield the losses that recorders report in lines that are not ingested yet."""
    for segment in segments:
        loss_reader = LossReader(segment)
        with suppress(OSError), opened(segment) as fd:
            for line in read_lines(fd, offsets.get(segment.name, 0), segment.size):
                # Other lines are not decoded, to save time; bad ones are counted when they are ingested.
                if line.whole and any(mark in line.data for mark in _MARKS):
                    yield from loss_reader.losses_in(read_line(line.data))


def unwritten_losses(directory: Path) -> Iterator[tuple[Path, Loss]]:
    """Yield the losses that dead processes reported by file names because their disk was full, with the files."""
    for path in sorted(directory.glob(f"*{UNWRITTEN_SUFFIX}")):
        read = read_unwritten_name(path.name)
        if read is None or _is_writing(directory, read[0]):
            continue
        process, run, count = read
        with suppress(FileNotFoundError):
            at_ns = path.stat(follow_symlinks=False).st_ctime_ns
            yield path, Loss(process, run, None, "unwritten", count, _began_ns(process), at_ns)


def _is_writing(directory: Path, process: str) -> bool:
    own = [*directory.glob(f"{process}.*{SUFFIX}"), *hidden_segments(directory, process)]
    return not all(map(is_abandoned, own))


def origin(resource: Mapping[str, AttributeValue]) -> tuple[str | None, str | None]:
    """Return the run and the service of a resource."""
    run, service = resource.get(semconv.RUN_ID), resource.get(semconv.SERVICE_NAME)
    return run if isinstance(run, str) else None, service if isinstance(service, str) else None


def _began_ns(process: str) -> int:
    """Return when a recording process began, from its key; 0 for a file of another program."""
    match = _STARTED.match(process)
    if match is None:
        return 0
    try:
        return calendar.timegm(time.strptime(match.group(), "%Y%m%dT%H%M%S")) * 1_000_000_000
    except ValueError:
        return 0
