"""Functions of our own that the SQL of readers' connections calls: attributes and contents of a row as text."""

import msgspec

from inspector.frames import Frame, frame_text
from inspector.store.values.codec import unpack
from inspector.store.values.codes import KEYS
from inspector.store.values.contents import StoredShared, read_shared
from inspector.store.values.paths import value_in

_ATTRIBUTES = msgspec.json.Decoder(dict[str, msgspec.Raw])


def attribute_text(attributes: bytes, shared: StoredShared, key: str) -> str | None:
    """Return an attribute as text: strings unchanged, other values as JSON; None if it is stored separately."""
    refers = read_shared(shared).get(key, key) if shared else key
    row_attributes = unpack(attributes)
    if not isinstance(refers, str) or msgspec.json.encode(refers)[1:-1] not in row_attributes:
        return None
    value = _ATTRIBUTES.decode(row_attributes).get(refers)
    if value is None:
        return None
    text = bytes(value)
    return msgspec.json.decode(text, type=str) if text[:1] == b'"' else text.decode()


def content_text(attributes: bytes, shared: StoredShared, key: str | None, path: str) -> str | None:
    """Return the value at a path in a content attribute as text, as `attribute_text` does; None if there is none.

    A path consists of names and indexes, ``rows[0].id``; names may contain dots. Strings that are stored separately
    are not found.
    """
    name = KEYS.name(key)
    text = None if name is None else attribute_text(attributes, shared, name) or _without_strings(shared, name)
    return None if text is None else value_in(text, path)


def _without_strings(shared: StoredShared, key: str) -> str | None:
    """Return an attribute whose long strings are stored separately, with null for each of them."""
    refers = read_shared(shared).get(key)
    if not isinstance(refers, Frame) or not refers.own:
        return None
    return frame_text(refers, lambda _: b"null").decode()
