"""Repeated texts are stored once: messages, tools and long strings per session, equal attributes per span.

So an agent that sends its history and its tools with each turn costs only its new text. The column ``shared`` lists
what was taken out of a span's attributes. It is a JSON object with, for each such attribute, either the frame of its
text with the ids of its messages, or, for an array without spaces, only the ids, or the key of the attribute with the
same text. Rows of earlier versions have only ids for every array, and lost its spaces.
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
"""The column ``shared``: JSON, compressed if that is shorter, or nothing."""

SPLIT_ABOVE_CHARS = 1024
"""A shorter prompt takes less space in its row than its messages would take separately."""
_EQUAL_ABOVE_CHARS = 64
_MISSING = b"null"
_BEGIN = frozenset('{["')
_SHARED = msgspec.json.Decoder(Shared)
_FRAME = msgspec.json.Decoder(Frame)
FRAMED = b"\x01"
"""The first byte of a body that is a frame; neither JSON nor compressed text begins with it."""
DECODED = b"\x02"
"""The first byte of a body whose base64 is the string, as for recorded streams; no other body begins with it."""
_BASE64_OF_PACKED = b'"eJ'
"""How the base64 of a zlib stream begins, as a JSON string."""


class DividedAttributes(NamedTuple):
    """A span's attributes, divided by how they are stored."""

    own: dict[str, AttributeValue]
    """The attributes that stay in the span's row."""
    equal: Mapping[str, str]
    """The attributes with the same text as another one, each with the key of that one."""
    messages: Mapping[str, str]
    """The attributes whose text may consist of messages, which are stored separately."""


class StoredMessage(msgspec.Struct, frozen=True, gc=False):
    """One message of a prompt, or a long string of one or of an answer."""

    span: int
    """Row id of the span that first had it."""
    body: bytes | Frame
    """JSON as it was recorded, or a frame around its long strings."""


def take_apart(attributes: Mapping[str, AttributeValue]) -> DividedAttributes | None:
    """Divide a span's attributes; None if all of them stay with the span."""
    # By length: nearly all long texts occur once, and hashing them costs more than comparing the few of equal length.
    seen: dict[int, str] = {}
    equal: dict[str, str] = {}
    messages: dict[str, str] = {}
    for key, value in attributes.items():
        if type(value) is str and (size := len(value)) > _EQUAL_ABOVE_CHARS:
            first = seen.setdefault(size, key)
            if first is not key and attributes[first] == value:
                equal[key] = first
                continue
            if size > SPLIT_ABOVE_CHARS and value[0] in _BEGIN:
                messages[key] = value
    if not equal and not messages:
        return None
    own = dict(attributes)
    for key in (*equal, *messages):
        del own[key]
    return DividedAttributes(own, equal, messages)


def stored_shared(parts: DividedAttributes, frames: Mapping[str, Refers]) -> StoredShared:
    """Return the span's column ``shared``."""
    if not frames and not parts.equal:
        return None
    shared: Shared = {}
    named: list[Runs] = []
    for key, refers in frames.items():
        if isinstance(refers, Frame) and refers.strings:
            # The provider's prompt and the conventions' have the same strings; the span lists them once.
            shared[key] = replace(refers, strings=[]) if refers.strings in named else refers
            named.append(refers.strings)
        else:
            shared[key] = refers
    shared |= parts.equal
    body = msgspec.json.encode(shared)
    packed = pack(body)
    return body.decode(errors="replace") if packed is body else packed


def read_shared(stored: StoredShared) -> Shared:
    """Return a decoded column ``shared``."""
    if not stored:
        return {}
    return _SHARED.decode(stored if isinstance(stored, str) else unpack(stored))


def content_ids(shared: Iterable[StoredShared]) -> set[int]:
    """Return the ids of all messages and long strings that these spans refer to."""
    return {
        content_id
        for stored in shared
        for refers in read_shared(stored).values()
        if not isinstance(refers, str)
        for content_id in (*ids_of(refers), *strings_of(refers))
    }


def own_ids(shared: Iterable[Shared]) -> set[int]:
    """Return the ids in those attributes that own their texts, as answers do (`Frame.own`)."""
    refers = (each for attributes in shared for each in attributes.values())
    return {number for each in refers if isinstance(each, Frame) and each.own for number in numbers(each)}


def strings_of(refers: Refers) -> Iterator[int]:
    """Return the ids of the long strings in the messages of one attribute."""
    return expanded(refers.strings) if isinstance(refers, Frame) else iter(())


def ids_of(refers: Refers) -> Iterator[int]:
    """Return the ids of the messages of one attribute, in order."""
    return numbers(refers) if isinstance(refers, Frame) else expanded(refers)


def last_of(refers: Refers) -> int | None:
    """Return the id of the last message of one attribute."""
    if isinstance(refers, Frame):
        return refers.last
    return next(iter(deque(expanded(refers), maxlen=1)), None)


def stored_body(body: bytes | Frame) -> bytes:
    """Return the column ``body`` of a message."""
    if isinstance(body, Frame):
        return FRAMED + pack(msgspec.json.encode(body))
    if body.startswith(_BASE64_OF_PACKED) and (packed := _decoded(body)) is not None:
        return DECODED + packed
    return pack(body)


def read_body(stored: bytes) -> bytes | Frame:
    """Return the message of a column ``body``."""
    if stored[:1] == FRAMED:
        return _FRAME.decode(unpack(stored[1:]))
    return b'"%b"' % b64encode(stored[1:]) if stored[:1] == DECODED else unpack(stored)


def _decoded(body: bytes) -> bytes | None:
    """Return the bytes that a JSON string has in base64; None if it is not exactly base64."""
    try:
        packed = b64decode(body[1:-1])
    except ValueError:
        return None
    return packed if b'"%b"' % b64encode(packed) == body else None


def text_of(refers: Refers, texts: Mapping[int, StoredMessage]) -> bytes:
    """Return the JSON of one attribute, with null for messages that a damaged database has lost."""
    return frame_text(frame_of(refers), lambda content_id: message_text(texts.get(content_id), texts))


def message_text(message: StoredMessage | None, texts: Mapping[int, StoredMessage]) -> bytes:
    """Return the JSON of a message, with null for each missing long string."""
    if message is None:
        return _MISSING
    if isinstance(message.body, bytes):
        return message.body

    def string_of(content_id: int) -> bytes:
        string = texts.get(content_id)
        # A string never contains another one.
        return string.body if string is not None and isinstance(string.body, bytes) else _MISSING

    return frame_text(message.body, string_of)
