"""Whole lines of a spool, made of changed spans in the writer's thread."""

from collections.abc import Callable, Sequence
from time import time_ns
from typing import NamedTuple, Protocol, TypeAlias

from inspector import semconv as sc
from inspector.logger import logger
from inspector.plain import Plain
from inspector.reading.call_record import BEGIN, State, encode
from inspector.record.call_writer import CallWriter
from inspector.record.losses import Losses
from inspector.record.parts import WrittenParts
from inspector.record.process import Process
from inspector.record.sdk_otlp import encode_sdk_span, sdk_line
from inspector.record.sdk_spans import Origin, SdkSpan
from inspector.record.spans import RecordedSpan
from inspector.record.texts import Texts

_LINE_SPANS = 64
_LINE_BYTES = 1 << 20
_LONGEST = 48 << 20
"""Whoever takes spools in gives up on lines of 64 MiB."""
_TOGETHER = 4096
"""Bytes of facts that are searched for secrets at once: a search has a cost of its own, and what looks like a secret
has all of them searched one by one."""


Entry: TypeAlias = tuple[RecordedSpan, State, bool]
"""One span in a line, as which it is in it, and whether no line before has it."""


class Line(NamedTuple):
    """A whole line of a spool, its newline included, after those of the parts that it is the first to have."""

    data: bytes
    entries: Sequence[Entry]
    news: dict[str, int]
    """What it says was lost."""
    refers_back: bool = False
    """Whether it names parts that lines before it have."""


class Render(Protocol):
    """Makes whole lines of changed spans and of the counts of what was lost."""

    def __call__(
        self, spans: Sequence[RecordedSpan], losses: Losses, *, file: int, is_over: bool = False
    ) -> list[Line]:
        """Return the lines, which go to this file of the process; ``is_over`` says that they are the last."""
        ...


class Renderer:
    """Makes spool lines of changed spans, in the writer's thread.

    Args:
        texts: What makes the texts of captured values.
        process: What every line says of this process.
        program: Returns what is known of the program; asked once.
        longest: Bytes of one record; a longer one is left out.
    """

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
        # Those of the line that is being made.
        self._records: list[bytes] = []
        self._entries: list[Entry] = []
        self._origin: Origin | None = None
        self._size = 0

    def __call__(
        self, spans: Sequence[RecordedSpan], losses: Losses, *, file: int, is_over: bool = False
    ) -> list[Line]:
        """Return whole lines; a span that began and ended since the last batch is written once, ended.

        Args:
            spans: What changed, in order.
            losses: Where spans that cannot be encoded are counted, and what the lines report.
            file: Which file of the process they go to: texts that it has are not written again.
            is_over: Whether these are the last.
        """
        self._parts.begin(file)
        lines: list[Line] = []
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
            lines.append(Line(self._line([], news), [], news))
        return lines

    def _short(self, span: RecordedSpan) -> bytes | None:
        try:
            return self._calls.short(span)
        # Said when it is tried again.
        except BaseException:  # noqa: BLE001
            return None

    def _take(self, together: Sequence["_Short"], lines: list[Line], losses: Losses) -> None:
        """Put short records into lines, as they are where nothing in all together, or in each, is like a secret."""
        are_clean = bool(together) and self._calls.are_clean([each.facts for each in together])
        for entry, facts in together:
            is_clean = are_clean or self._calls.are_clean((facts,))
            self._add(entry, facts if is_clean else None, lines, losses)

    def _add(self, entry: Entry, facts: bytes | None, lines: list[Line], losses: Losses) -> None:
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
        # With the texts that it names: whoever reads the line has them all at once.
        self._size += len(record) + self._parts.framed_chars - chars

    def _encode(self, entry: Entry, facts: bytes | None, losses: Losses) -> bytes | None:
        span, state, is_new = entry
        try:
            record = self._record(span, state, facts)
        # What cannot be encoded costs itself alone, also where the program's redaction ends with SystemExit.
        except BaseException:  # noqa: BLE001
            if span.written != state:
                return None
            _lose(span, state, losses, is_new=is_new)
            logger.warning("a span of %s could not be written and is left out", span.noun, exc_info=True)
            return None
        # Its end had no room meanwhile: it is counted, and what it held was let go of, maybe before it was read.
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

    def _finish(self, losses: Losses) -> Sequence[Line]:
        """Return the line that is being made; none where it has no spans, or what they share cannot be encoded."""
        records, entries, origin = self._records, self._entries, self._origin
        self._records, self._entries, self._origin, self._size = [], [], None, 0
        if not records:
            return ()
        try:
            news: dict[str, int] = losses.news() if origin is None else {}
            made = (
                self._line(records, news) if origin is None else sdk_line(self._process, records, origin, self._texts)
            )
        # As in _encode.
        except BaseException:  # noqa: BLE001
            for span, state, is_new in entries:
                _lose(span, state, losses, is_new=is_new)
            logger.warning("%d spans could not be written and are left out", len(entries), exc_info=True)
            return ()
        parts = self._parts.take()
        return (Line(parts.lines + made, entries, news, parts.refers_back),)

    def _line(self, records: Sequence[bytes], news: dict[str, int]) -> bytes:
        # A line without spans has no other time.
        lost = b',"lost":' + encode({**news, sc.LOST_UNTIL: time_ns()}) if news else b""
        return b'%b,"calls":[%b]%b}\n' % (self._begin, b",".join(records), lost)


class _Short(NamedTuple):
    """A call of which the facts were not searched for secrets yet."""

    entry: Entry
    facts: bytes


def _lose(span: RecordedSpan, state: State, losses: Losses, *, is_new: bool) -> None:
    losses.lose(span, state, "unencodable")
    if is_new and state == "running":
        span.written = None


def _let_go(span: RecordedSpan) -> None:
    """Release what a written call captured, but for an agent's name: its calls may be written after it."""
    name = span.before.get("name")
    span.release()
    if span.noun == "agent_call":
        span.before = {"name": name}
