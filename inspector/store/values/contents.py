"""Texts that repeat are kept once: messages, tools and long strings in a session, equal attributes in a span.

An agent that resends its history and its tools each turn then costs its new text. What was taken out of a span's
attributes is named by its column ``shared``, a JSON object: the key of an attribute, and either the frame of its text
with the ids of its messages, or for an array without spaces their ids alone, or the key of the attribute with the same
text. Rows of earlier versions have the ids of every array, whose spaces they did not keep.
"""

from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from inspector.frames import Frame, Refers, Runs, expanded, frame_of, frame_text, numbers
from inspector.model import AttributeValue
from inspector.store.values.codec import pack, unpack

Shared: TypeAlias = dict[str, str | Refers]
StoredShared: TypeAlias = str | bytes | None
"""The column ``shared``: JSON, compressed where that is shorter, or nothing."""

SPLIT_ABOVE_CHARS = 1024
"""A shorter prompt costs less in place than the entries of its messages."""
_EQUAL_ABOVE_CHARS = 64
_MISSING = b"null"
_BEGIN = frozenset('{["')
_SHARED = msgspec.json.Decoder(Shared)
_FRAME = msgspec.json.Decoder(Frame)
FRAMED = b"\x01"
"""Begins the body of a message that is a frame; neither JSON nor what is compressed begins with it."""
DECODED = b"\x02"
"""Begins what a string held in base64, as streams of answers are recorded; nothing else begins with it."""
_BASE64_OF_PACKED = b'"eJ'
"""How a string begins that is the base64 of a zlib stream."""


class Parts(NamedTuple):
    """A span's attributes, apart from what is kept once."""

    own: dict[str, AttributeValue]
    equal: Mapping[str, str]
    """Keys whose text is that of another key."""
    messages: Mapping[str, str]
    """Keys whose text is to be kept by its messages, if it has any."""


class Message(msgspec.Struct, frozen=True, gc=False):
    """One message of a prompt, or a long string of one or of an answer."""

    span: int
    """Row id of the span that brought it."""
    body: bytes | Frame
    """JSON, as it was recorded, or what of it is around its long strings."""


def take_apart(attributes: Mapping[str, AttributeValue]) -> Parts | None:
    """Finds what need not be stored with the span itself; None for nothing."""
    # By length: hashing long texts, nearly all of which occur once, costs more than comparing the few of equal length.
    seen: dict[int, str] = {}
    equal: dict[str, str] = {}
    messages: dict[str, str] = {}
    for key, value in attributes.items():
        if type(value) is str and (size := len(value)) > _EQUAL_ABOVE_CHARS:
            known = seen.setdefault(size, key)
            if known is not key and attributes[known] == value:
                equal[key] = known
                continue
            if size > SPLIT_ABOVE_CHARS and value[0] in _BEGIN:
                messages[key] = value
    if not equal and not messages:
        return None
    own = dict(attributes)
    for key in (*equal, *messages):
        del own[key]
    return Parts(own, equal, messages)


def stored_shared(parts: Parts, frames: Mapping[str, Refers]) -> str | bytes:
    """Returns what the column ``shared`` says about the span."""
    shared: Shared = {}
    named: list[Runs] = []
    for key, refers in frames.items():
        if isinstance(refers, Frame) and refers.strings:
            # Both shapes of a prompt have the same strings, and the span names them once.
            shared[key] = replace(refers, strings=[]) if refers.strings in named else refers
            named.append(refers.strings)
        else:
            shared[key] = refers
    shared |= parts.equal
    body = msgspec.json.encode(shared)
    packed = pack(body)
    return body.decode(errors="replace") if packed is body else packed


def read_shared(stored: StoredShared) -> Shared:
    """Returns what was taken out of a span's attributes."""
    if not stored:
        return {}
    return _SHARED.decode(stored if isinstance(stored, str) else unpack(stored))


def content_ids(shared: Iterable[StoredShared]) -> set[int]:
    """Returns the ids of all messages, and of all long strings, that these spans refer to."""
    return {
        content_id
        for stored in shared
        for refers in read_shared(stored).values()
        if not isinstance(refers, str)
        for content_id in (*ids_of(refers), *strings_of(refers))
    }


def own_ids(shared: Iterable[Shared]) -> set[int]:
    """Returns the ids of all that these attributes of spans are made of, where that is their own."""
    refers = (each for attributes in shared for each in attributes.values())
    return {number for each in refers if isinstance(each, Frame) and each.own for number in numbers(each)}


def strings_of(refers: Refers) -> Iterator[int]:
    """Returns the ids of the long strings inside of the messages of one attribute."""
    return expanded(refers.strings) if isinstance(refers, Frame) else iter(())


def ids_of(refers: Refers) -> Iterator[int]:
    """Returns the ids of the messages of one attribute, in order."""
    return numbers(refers) if isinstance(refers, Frame) else expanded(refers)


def last_of(refers: Refers) -> int | None:
    """Returns the id of the message that was said last in one attribute."""
    if isinstance(refers, Frame):
        return refers.last
    return next(iter(deque(expanded(refers), maxlen=1)), None)


def stored_body(body: bytes | Frame) -> bytes:
    """Returns a message as the column ``body`` has it."""
    if isinstance(body, Frame):
        return FRAMED + pack(msgspec.json.encode(body))
    if body.startswith(_BASE64_OF_PACKED) and (packed := _decoded(body)) is not None:
        return DECODED + packed
    return pack(body)


def read_body(stored: bytes) -> bytes | Frame:
    """Returns a message of the column ``body``."""
    if stored[:1] == FRAMED:
        return _FRAME.decode(unpack(stored[1:]))
    return b'"%b"' % b64encode(stored[1:]) if stored[:1] == DECODED else unpack(stored)


def _decoded(body: bytes) -> bytes | None:
    """Returns what a string of JSON is the base64 of; None where it is none."""
    try:
        packed = b64decode(body[1:-1])
    except ValueError:
        return None
    return packed if b'"%b"' % b64encode(packed) == body else None


def text_of(refers: Refers, texts: Mapping[int, Message]) -> bytes:
    """Returns the JSON that was taken out, with null for a message that a damaged database has lost."""
    return frame_text(frame_of(refers), lambda content_id: message_text(texts.get(content_id), texts))


def message_text(message: Message | None, texts: Mapping[int, Message]) -> bytes:
    """Returns the JSON of a message with its long strings, ``null`` for each that is missing."""
    if message is None:
        return _MISSING
    if isinstance(message.body, bytes):
        return message.body

    def string_of(content_id: int) -> bytes:
        string = texts.get(content_id)
        # A string has none in itself.
        return string.body if string is not None and isinstance(string.body, bytes) else _MISSING

    return frame_text(message.body, string_of)
