"""Whole lines of a spool, made of changed spans in the writer's thread."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

from inspector.logger import logger
from inspector.record.losses import Losses
from inspector.record.otlp import SpanEncoder, line, our_scope
from inspector.record.parts import WrittenParts
from inspector.record.sdk_otlp import encode_sdk_span, sdk_line
from inspector.record.sdk_spans import Origin, SdkSpan
from inspector.record.spans import RecordedSpan, State
from inspector.record.texts import Texts

_LINE_SPANS = 64
_LINE_BYTES = 1 << 20
_LONGEST = 48 << 20
"""Whoever takes spools in gives up on lines of 64 MiB."""


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
        resource: The process, as OTLP JSON.
        version: Ours.
        longest: Bytes of one record; a longer one is left out.
    """

    def __init__(self, texts: Texts, resource: bytes, version: str, *, longest: int = _LONGEST) -> None:
        self._parts = WrittenParts()
        self._encoder = SpanEncoder(texts, self._parts)
        self._texts = texts
        self._resource = resource
        self._version = version
        self._longest = longest

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
        batch: list[bytes] = []
        entries: list[Entry] = []
        origin: Origin | None = None
        size = 0
        for span in spans:
            state, before = span.state, span.written
            if before == state:
                continue
            span.written = state
            chars = self._parts.framed_chars
            record = self._encode(span, state, losses, is_new=before is None)
            if record is None:
                continue
            its_origin = span.origin if isinstance(span, SdkSpan) else None
            if batch and (len(batch) >= _LINE_SPANS or size >= _LINE_BYTES or its_origin is not origin):
                lines += self._lines(batch, entries, origin, losses)
                batch, entries, size = [], [], 0
            origin = its_origin
            batch.append(record)
            entries.append((span, state, before is None))
            # With the texts that it names: whoever reads the line has them all at once.
            size += len(record) + self._parts.framed_chars - chars
        if batch:
            lines += self._lines(batch, entries, origin, losses)
        if news := losses.news(is_over=is_over):
            lines.append(Line(line(self._resource, [], our_scope(self._version, news)), [], news))
        return lines

    def _encode(self, span: RecordedSpan, state: State, losses: Losses, *, is_new: bool) -> bytes | None:
        try:
            record = self._record(span, state)
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

    def _record(self, span: RecordedSpan, state: State) -> bytes:
        if isinstance(span, SdkSpan):
            record = encode_sdk_span(span, state, self._texts, self._parts)
        else:
            record = self._encoder.encode(span, state)
        if len(record) > self._longest:
            raise ValueError(f"the record of the call has {len(record):,} bytes, more than a line may have")
        return record

    def _lines(
        self, spans: list[bytes], entries: list[Entry], origin: Origin | None, losses: Losses
    ) -> tuple[Line, ...]:
        """Return the line, or none where what its spans share cannot be encoded."""
        try:
            return (self._line(spans, entries, origin, losses),)
        # As in _encode.
        except BaseException:  # noqa: BLE001
            for span, state, is_new in entries:
                _lose(span, state, losses, is_new=is_new)
            logger.warning("%d spans could not be written and are left out", len(entries), exc_info=True)
            return ()

    def _line(self, spans: list[bytes], entries: list[Entry], origin: Origin | None, losses: Losses) -> Line:
        if origin is not None:
            made, news = sdk_line(self._resource, spans, origin, self._texts), dict[str, int]()
        else:
            news = losses.news()
            made = line(self._resource, spans, our_scope(self._version, news))
        parts = self._parts.take()
        return Line(parts.lines + made, entries, news, parts.refers_back)


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
