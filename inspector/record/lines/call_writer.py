"""Makes call records of recorded spans, in the writer's thread: the captured facts without secrets.

Few texts contain secrets, and searching a short text costs as much as searching a long one. So records are encoded
unredacted and searched several at a time; only records with a possible secret are encoded again, with each value
redacted. A repeated message of a prompt is recognized by its bytes, and only searched once.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, cast

import msgspec
from msgspec import Raw, Struct

from inspector.encoding import Encoded
from inspector.frames import LEAST_BYTES, Piece, Refers, cut_strings
from inspector.nouns import NOUNS, UNCAUGHT
from inspector.parts import LONG_CHARS
from inspector.plain import Plain
from inspector.reading.call_record import EventRecord, FailureRecord, Read, Section, State
from inspector.reading.places import place_without_secrets
from inspector.record.calls.current import chain
from inspector.record.calls.spans import Failure, RecordedSpan
from inspector.record.capture.captured import Prompt, plain
from inspector.record.capture.exchanges import Exchange
from inspector.record.capture.hooks import Facts
from inspector.record.lines.contentless import read_before_dropping, without_content
from inspector.record.lines.exchanges import written
from inspector.record.lines.parts import WrittenParts, around, size_of
from inspector.record.lines.span_events import ExceptionTexts, exception_texts, span_events
from inspector.record.lines.texts import Texts
from inspector.redaction import Redactor

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.decode
_SECTIONS: Final[tuple[Section, ...]] = ("before", "after", "extra", "noted", "raw")
_EXCHANGES: Final = "exchanges"
_IN_AGENTS: Final = frozenset(noun.name for noun in NOUNS.values() if noun.in_agent)
_DESCRIPTIONS: Final = frozenset(
    ("class", "description", "operation", "provider", "request_id", "time_to_first_chunk", "url")
)
_NAMES: Final = ("call", "session", "emitter", "agent", "name")
_SHORT_CHARS: Final = LEAST_BYTES
"""A value up to this length is never stored as a part."""
_SCALARS: Final = frozenset((bool, int, float, type(None)))
_UNENCODABLE = (TypeError, UnicodeError, ValueError, OverflowError)


class _Facts(Struct, omit_defaults=True):
    """The fields of a `CallRecord` that may contain secrets."""

    call: str | None = None
    session: str | None = None
    emitter: str | None = None
    inbound: bool = False
    agent: str | None = None
    name: str | None = None
    content: bool = True
    before: dict[str, Any] = {}
    after: dict[str, Any] | None = None
    extra: dict[str, Any] = {}
    noted: dict[str, Any] = {}
    raw: dict[str, Any] = {}
    parts: dict[Section, dict[str, Refers]] = {}
    shortened: dict[Section, list[str]] = {}
    failure: FailureRecord | None = None
    events: list[EventRecord] = []
    links: list[tuple[str, str]] = []
    merged: list[Raw] = []
    read: Read | None = None


class _Value(NamedTuple):
    """One captured value with its JSON text."""

    section: Section
    key: str
    plain: Plain
    json: str
    is_shortened: bool
    messages: Sequence[Piece]
    """Its messages and the text around them; empty if it has none."""
    strings: Sequence[Piece]
    """Its long strings and the text around them; empty if it has messages."""


class CallWriter:
    """Makes the records of calls; without ``parts`` (the texts in the file), all values are written whole."""

    def __init__(
        self, texts: Texts, parts: WrittenParts | None = None, program: Callable[[], dict[str, Plain]] = dict
    ) -> None:
        self._texts = texts
        self._parts = parts
        self._describe_program = program
        self._program: dict[str, Plain] = {}
        self._first_id: int | None = None
        """The span with the program's description, in each of its records."""

    def short(self, span: RecordedSpan) -> bytes | None:
        """Return the unsearched facts of a call; None if they are long or need special handling."""
        raw = span.raw
        if span.merged or (raw is not None and _EXCHANGES in raw) or isinstance(span.before.get("prompt"), Prompt):
            return None
        try:
            body = _encode(self._facts_of(span))
        except _UNENCODABLE:
            return None
        return body if len(body) <= LONG_CHARS else None

    def are_clean(self, bodies: Sequence[bytes]) -> bool:
        """Tell whether no facts contain a possible secret."""
        return self._texts.redactor.clean(b"\n".join(bodies).decode())

    def careful(self, span: RecordedSpan, state: State) -> bytes:
        """Return the facts of a call without secrets, with long texts as parts."""
        facts = self._facts_of(span)
        self._put_prompt(facts)
        facts.merged = [Raw(self.record(part, state, self.careful(part, state))) for part in span.merged or ()]
        # One search for all, since each search has a fixed cost.
        long = [value for value in self._take_out(facts, only_long=True) if not self._put_messages(facts, value)]
        is_clean = self._are_clean(facts, long)
        for value in long if is_clean else (*long, *self._take_out(facts, only_long=False)):
            self._put(facts, value, is_clean=is_clean and not value.is_shortened)
        if not is_clean:
            for name in _NAMES:
                if (text := getattr(facts, name)) is not None:
                    setattr(facts, name, self._texts.redacted(name, text))
        if self._texts.raw:
            self._put_exchanges(facts, span)
        return _encode(facts)

    def _take_out(self, facts: _Facts, *, only_long: bool) -> list[_Value]:
        """Move values out of the facts: all of them, or only those that are long or cannot be written unchanged."""
        taken: list[_Value] = []
        for section in _SECTIONS:
            values = _section(facts, section)
            moved = {key: value for key, value in values.items() if not _is_short(value)} if only_long else values
            if moved:
                setattr(facts, section, {key: value for key, value in values.items() if key not in moved})
            for key, value in moved.items():
                encoded = self._texts.of(value)
                pieces = self._pieces_of(key, encoded)
                taken.append(_Value(section, key, value, encoded.text, encoded.truncated, *pieces))
        return taken

    def _are_clean(self, facts: _Facts, long: Sequence[_Value]) -> bool:
        """Tell whether no possible secret is in the long values, nor in the names and values left in the facts."""
        left = {name: getattr(facts, name) for name in (*_NAMES, *_SECTIONS)}
        try:
            return self._texts.redactor.clean("\n".join((_encode(left).decode(), *map(self._field, long))))
        except _UNENCODABLE:
            return False

    def _put_messages(self, facts: _Facts, value: _Value) -> bool:
        """Write a value as its messages; return False if it has none."""
        section, key, messages = value.section, value.key, value.messages
        return bool(messages) and self._by_messages(facts, section, key, messages)

    def _put_prompt(self, facts: _Facts) -> None:
        """Write a long prompt as its messages, or leave it to be written like other values."""
        prompt = facts.before.get("prompt")
        if not isinstance(prompt, Prompt):
            return
        pieces = [] if self._parts is None else self._parts.pieces_of(prompt.value)
        is_written = self._texts.has_room_for(size_of(pieces)) and self._by_messages(facts, "before", "prompt", pieces)
        facts.before = {**facts.before, "prompt": prompt.value}
        if is_written:
            del facts.before["prompt"]

    def _put_exchanges(self, facts: _Facts, span: RecordedSpan) -> None:
        exchanges: Sequence[Exchange] = (span.raw or {}).get(_EXCHANGES, ())
        if exchanges:
            response = (span.after or {}).get("response")
            encoded = self._texts.of(
                written(exchanges, self._texts.redactor, lambda: self._texts.of(response).text, self._parts)
            )
            pieces = () if self._parts is None else self._parts.strings(encoded.text)
            self._write(facts, "raw", _EXCHANGES, encoded.text, pieces, is_shortened=encoded.truncated)

    def record(self, span: RecordedSpan, state: State, facts: bytes) -> bytes:
        """Return the record of a call: its ids, noun, state and times, followed by its facts."""
        stop = b"" if state == "running" else b',"stop":%d' % (span.stop_ns or span.start_ns)
        parent = b"" if span.parent_id is None else b',"parent":"%016x"' % span.parent_id
        return b'{"trace":"%032x","span":"%016x"%b,"noun":%b,"state":"%b","start":%d%b%b%b' % (
            span.trace_id,
            span.span_id,
            parent,
            _encode(span.noun),
            state.encode(),
            span.start_ns,
            stop,
            b"" if facts == b"{}" else b",",
            facts[1:],
        )

    def _facts_of(self, span: RecordedSpan) -> _Facts:
        before, after = _without_places(span.before, self._texts.redactor), span.after
        facts = _Facts(span.call_id, span.session_id, span.emitter, span.direction == "inbound")
        if span.noun in _IN_AGENTS and "agent" not in before:
            facts.agent = _agent_around(span)
        facts.name = span.rename
        # Copies, because another thread may add to the originals or release the span.
        if extra := span.extra:
            facts.extra = dict(extra)
        if self._texts.content:
            facts.before = _stated(before)
            facts.after = None if after is None else _stated(after)
            if noted := span.noted:
                facts.noted = dict(noted)
            raw = span.raw
            if raw is not None and self._texts.raw:
                facts.raw = {key: value for key, value in raw.items() if key != _EXCHANGES}
            if self._has_program(span):
                facts.raw["program"] = self._program
        else:
            facts.content = False
            facts.read = read_before_dropping(before, after) if span.noun == "llm_generate" else None
            facts.before = without_content(span.noun, before)
            facts.after = None if after is None else without_content(span.noun, after)
            facts.extra = {key: value for key, value in facts.extra.items() if _is_attribute(value)}
        if span.failure is not None:
            facts.failure = self._failure(span.failure)
        if span.events:
            facts.events = self._events(span)
        if span.links:
            facts.links = [(f"{link.trace_id:032x}", f"{link.span_id:016x}") for link in span.links]
        return facts

    def _has_program(self, span: RecordedSpan) -> bool:
        # A label is not a call, and the end of a program may be recorded by another process.
        if self._first_id is None and self._texts.raw and span.noun not in ("label", UNCAUGHT):
            self._first_id = span.span_id
            self._program = self._describe_program()
        return bool(self._program) and span.span_id == self._first_id

    def _failure(self, failure: Failure) -> FailureRecord:
        exception = exception_texts(failure, self._texts)
        code = failure.code
        return FailureRecord(
            exception.type,
            exception.message if self._texts.content or not failure.is_content else "",
            self._texts.redacted("code", code) if isinstance(code, str) else code,
            failure.is_content,
            None if failure.frames is None else exception.stacktrace,
        )

    def _events(self, span: RecordedSpan) -> list[EventRecord]:
        return [
            EventRecord(
                each.name,
                each.at_ns,
                {key: Raw(self._texts.of(value).text.encode()) for key, value in each.facts.items()},
                None if each.exception is None else _handled(each.exception),
            )
            for each in span_events(tuple(span.events or ()), self._texts)
        ]

    def _pieces_of(self, key: str, encoded: Encoded) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """Return a text cut into messages, or into long strings if it has no messages."""
        if self._parts is None:
            return (), ()
        messages = () if encoded.truncated else self._parts.pieces(encoded.text, is_prompt=key == "prompt")
        return messages, () if messages else self._parts.strings(encoded.text)

    def _by_messages(self, facts: _Facts, section: Section, key: str, pieces: Sequence[Piece]) -> bool:
        """Write a value as messages; those that the file has are not searched again."""
        rest = around(pieces)
        if self._parts is None or rest is None or not self._texts.redactor.clean(_field(key, rest.decode())):
            return False
        refers = self._parts.framed(key, pieces, lambda bodies: self._clean_bodies(key, bodies))
        facts.parts.setdefault(section, {})[key] = refers
        return True

    def _clean_bodies(self, key: str, bodies: Sequence[bytes]) -> list[bytes]:
        unsearched = [self._unsearched(body) for body in bodies]
        if self.are_clean(unsearched):
            return list(bodies)
        return [
            body if self.are_clean((rest,)) else self._redacted(key, body)
            for body, rest in zip(bodies, unsearched, strict=True)
        ]

    def _unsearched(self, body: bytes) -> bytes:
        """Return a message without its long texts that the file has, such as an answer that it repeats."""
        strings = cut_strings(body, LEAST_BYTES)
        return self._parts.unsearched(strings) if self._parts is not None and strings else body

    def _redacted(self, key: str, body: bytes) -> bytes:
        plain, count = self._texts.redactor.redact_value(key, _decode(body))
        return _encode(plain) if count else body

    def _put(self, facts: _Facts, value: _Value, *, is_clean: bool) -> None:
        """Write a value without secrets, whole or as its long strings."""
        key, json, pieces, is_shortened = value.key, value.json, value.messages or value.strings, value.is_shortened
        if not is_clean and (is_shortened or not self._texts.redactor.clean(self._field(value))):
            redacted = self._texts.without_secrets(key, plain(value.plain))
            json, is_shortened = redacted.text, is_shortened or redacted.truncated
            messages, strings = self._pieces_of(key, redacted)
            pieces = messages or strings
            key = self._texts.key(key) if value.section in ("extra", "noted") else key
        self._write(facts, value.section, key, json, pieces, is_shortened=is_shortened)

    def _write(
        self, facts: _Facts, section: Section, key: str, json: str, pieces: Sequence[Piece], *, is_shortened: bool
    ) -> None:
        """Write JSON without secrets, whole or in pieces."""
        if is_shortened:
            facts.shortened.setdefault(section, []).append(key)
        refers = None if self._parts is None else self._parts.refers(key, pieces)
        if refers is not None:
            facts.parts.setdefault(section, {})[key] = refers
        else:
            _section(facts, section)[key] = Raw(json.encode())

    def _field(self, value: _Value) -> str:
        """Return a value after its key, to be searched, without texts that the file has, such as a repeated answer."""
        if self._parts is None or not value.strings:
            return _field(value.key, value.json)
        return _field(value.key, self._parts.unsearched(value.strings).decode())


def _is_short(value: Plain) -> bool:
    """Tell whether a value is written unchanged if it has no possible secret."""
    fact = cast("Plain | Raw", value)
    if type(fact) is str:
        return len(fact) <= _SHORT_CHARS
    return type(fact) in _SCALARS or (type(fact) is Raw and len(bytes(fact)) <= _SHORT_CHARS)


def _section(facts: _Facts, section: Section) -> dict[str, Any]:
    values: dict[str, Any] | None = getattr(facts, section)
    return {} if values is None else values


def _field(key: str, json: str) -> str:
    return f"{{{_encode(key).decode()}:{json}}}"


def _stated(facts: Facts) -> Facts:
    """Return facts without descriptions that nobody gave; a missing value is read as none."""
    return {key: value for key, value in facts.items() if value is not None or key not in _DESCRIPTIONS}


def _without_places(before: Facts, redactor: Redactor) -> Facts:
    """Return the facts with the secrets removed from addresses."""
    if "url" in before or "place" in before:
        places = {key: before[key] for key in ("url", "place") if before.get(key) is not None}
        return before | {key: place_without_secrets(place, redactor) for key, place in places.items()}
    return before


def _handled(exception: ExceptionTexts) -> FailureRecord:
    return FailureRecord(exception.type, exception.message, stacktrace=exception.stacktrace)


def _is_attribute(plain: Plain) -> bool:
    if isinstance(plain, list):
        return all(isinstance(item, str) for item in plain)
    return isinstance(plain, str | bool | int | float)


def _agent_around(span: RecordedSpan) -> str | None:
    """Return the name of the agent that made a call: the innermost enclosing one in this process."""
    for above in chain(span.parent):
        if above.noun == "agent_call" and isinstance(name := above.before.get("name"), str):
            return name
    return None
