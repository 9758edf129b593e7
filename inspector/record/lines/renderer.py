"""Makes whole spool lines of changed spans, in the writer's thread."""

from collections.abc import Callable, Sequence
from time import time_ns
from typing import NamedTuple, Protocol, TypeAlias

from inspector import semconv as sc
from inspector.logger import logger
from inspector.plain import Plain
from inspector.reading.call_record import BEGIN, State, encode
from inspector.record.calls.sdk_spans import Origin, SdkSpan
from inspector.record.calls.spans import RecordedSpan
from inspector.record.lines.call_writer import CallWriter
from inspector.record.lines.losses import LossCounter
from inspector.record.lines.parts import WrittenParts
from inspector.record.lines.sdk_otlp import encode_sdk_span, sdk_line
from inspector.record.lines.texts import Texts
from inspector.record.process.identity import Process

_LINE_SPANS = 64
_LINE_BYTES = 1 << 20
_LONGEST = 48 << 20
"""The most bytes of a record; readers of spools reject lines above 64 MiB."""
_TOGETHER = 4096
"""How many bytes of facts are searched for secrets at once, since each search has a fixed cost. If there is a possible
secret, all of them are searched again one by one."""


Entry: TypeAlias = tuple[RecordedSpan, State, bool]
"""One span in a line, its state there, and whether it is in no earlier line."""


class RenderedLine(NamedTuple):
    """One call line of a spool with its newline, after the lines of its new parts."""

    data: bytes
    entries: Sequence[Entry]
    news: dict[str, int]
    """The counts of lost spans that it reports."""
    refers_back: bool = False
    """Whether it refers to parts in earlier lines."""


class Render(Protocol):
    """Makes whole lines of changed spans, and of the counts of lost ones."""

    def __call__(
        self, spans: Sequence[RecordedSpan], losses: LossCounter, *, file: int, is_over: bool = False
    ) -> list[RenderedLine]:
        """Return the lines, which go to this file of the process; ``is_over`` if they are the last."""
        ...


class Renderer:
    """Makes spool lines of changed spans, in the writer's thread, without records longer than ``longest`` bytes."""

    def __init__(
        self,
        texts: Texts,
        process: Process,
        *,
        program: Callable[[], dict[str, Plain]] = dict,
        longest: int = _LONGEST,
    ) -> None:
        self._parts = WrittenParts()
        self._calls = CallWriter(texts, self._parts, program)
        self._texts = texts
        self._process = process
        self._begin = BEGIN + encode(process)
        self._longest = longest
        # The records of the current line.
        self._records: list[bytes] = []
        self._entries: list[Entry] = []
        self._origin: Origin | None = None
        self._size = 0

    def __call__(
        self, spans: Sequence[RecordedSpan], losses: LossCounter, *, file: int, is_over: bool = False
    ) -> list[RenderedLine]:
        """Return whole lines for a file, to which its texts are not written again.

        A span that began and ended since the last batch is written once, with its end.
        """
        self._parts.begin(file)
        lines: list[RenderedLine] = []
        together: list[_Short] = []
        size = 0
        for span in spans:
            state, before = span.state, span.written
            if before == state:
                continue
            span.written = state
            entry = (span, state, before is None)
            facts = None if type(span) is SdkSpan else self._short(span)
            if facts is not None:
                together.append(_Short(entry, facts))
                size += len(facts)
                if size < _TOGETHER:
                    continue
            self._take(together, lines, losses)
            together, size = [], 0
            if facts is None:
                self._add(entry, None, lines, losses)
        self._take(together, lines, losses)
        lines += self._finish(losses)
        if news := losses.news(is_over=is_over):
            lines.append(RenderedLine(self._line([], news), [], news))
        return lines

    def _short(self, span: RecordedSpan) -> bytes | None:
        try:
            return self._calls.short(span)
        # The second attempt reports it.
        except BaseException:  # noqa: BLE001
            return None

    def _take(self, together: Sequence["_Short"], lines: list[RenderedLine], losses: LossCounter) -> None:
        """Add short records to lines, unchanged if all of them together, or each alone, have no possible secret."""
        are_clean = bool(together) and self._calls.are_clean([each.facts for each in together])
        for entry, facts in together:
            is_clean = are_clean or self._calls.are_clean((facts,))
            self._add(entry, facts if is_clean else None, lines, losses)

    def _add(self, entry: Entry, facts: bytes | None, lines: list[RenderedLine], losses: LossCounter) -> None:
        span = entry[0]
        origin = span.origin if type(span) is SdkSpan else None
        if len(self._records) >= _LINE_SPANS or self._size >= _LINE_BYTES or origin is not self._origin:
            lines += self._finish(losses)
        self._origin = origin
        chars = self._parts.framed_chars
        record = self._encode(entry, facts, losses)
        if record is None:
            return
        self._records.append(record)
        self._entries.append(entry)
        # Including the texts that it refers to: a reader of the line loads them all at once.
        self._size += len(record) + self._parts.framed_chars - chars

    def _encode(self, entry: Entry, facts: bytes | None, losses: LossCounter) -> bytes | None:
        span, state, is_new = entry
        try:
            record = self._record(span, state, facts)
        # One span that cannot be encoded must not affect others, even if the program's `redact` raises SystemExit.
        except BaseException:  # noqa: BLE001
            if span.written != state:
                return None
            _lose(span, state, losses, is_new=is_new)
            logger.warning("a span of %s could not be written and is left out", span.noun, exc_info=True)
            return None
        # There was no room for its end: the span is counted as lost, and its values may be released before they were
        # read.
        if span.written != state:
            return None
        losses.keep(span)
        if state not in ("running", "abandoned"):
            _let_go(span)
        return record

    def _record(self, span: RecordedSpan, state: State, facts: bytes | None) -> bytes:
        if type(span) is SdkSpan:
            record = encode_sdk_span(span, state, self._texts, self._parts)
        else:
            record = self._calls.record(span, state, self._calls.careful(span, state) if facts is None else facts)
        if len(record) > self._longest:
            raise ValueError(f"the record of the call has {len(record):,} bytes, more than a line may have")
        return record

    def _finish(self, losses: LossCounter) -> Sequence[RenderedLine]:
        """Return the current line; nothing if it has no spans, or if it cannot be encoded."""
        records, entries, origin = self._records, self._entries, self._origin
        self._records, self._entries, self._origin, self._size = [], [], None, 0
        if not records:
            return ()
        try:
            news: dict[str, int] = losses.news() if origin is None else {}
            line = (
                self._line(records, news) if origin is None else sdk_line(self._process, records, origin, self._texts)
            )
        # As in _encode.
        except BaseException:  # noqa: BLE001
            for span, state, is_new in entries:
                _lose(span, state, losses, is_new=is_new)
            logger.warning("%d spans could not be written and are left out", len(entries), exc_info=True)
            return ()
        parts = self._parts.take()
        return (RenderedLine(parts.lines + line, entries, news, parts.refers_back),)

    def _line(self, records: Sequence[bytes], news: dict[str, int]) -> bytes:
        # Spans give a line its time; without them it needs this one.
        lost = b',"lost":' + encode({**news, sc.LOST_UNTIL: time_ns()}) if news else b""
        return b'%b,"calls":[%b]%b}\n' % (self._begin, b",".join(records), lost)


class _Short(NamedTuple):
    """A call whose facts have not been searched for secrets."""

    entry: Entry
    facts: bytes


def _lose(span: RecordedSpan, state: State, losses: LossCounter, *, is_new: bool) -> None:
    losses.lose(span, state, "unencodable")
    if is_new and state == "running":
        span.written = None


def _let_go(span: RecordedSpan) -> None:
    """Release the captured values of a written call, except an agent's name, which its calls may still need."""
    name = span.before.get("name")
    span.release()
    if span.noun == "agent_call":
        span.before = {"name": name}
