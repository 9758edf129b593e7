"""Messages of prompts as JSON, made once for as long as they are sent again.

A history is sent with each call: the objects may be new ones, but what they say is not, and texts are shared. What a
message says is a few texts, whose hashes Python remembers, so that one that was seen costs no look at its letters.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from itertools import compress, count, repeat
from operator import is_, methodcaller
from typing import Any, Final, TypeAlias, cast

import msgspec

_MOST_BYTES: Final = 4 << 20
"""Of the messages that are kept; then it is begun anew."""
_WORDS: Final = frozenset((str, type(None)))
_Words: TypeAlias = tuple[tuple[str, Any], ...]
_items: Final[Callable[[dict[str, Any]], Iterable[tuple[str, Any]]]] = methodcaller("items")
_encode: Final = msgspec.json.Encoder().encode


class Messages:
    """What was seen last, bounded.

    Args:
        most_bytes: How many bytes of messages are kept.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._bodies: dict[_Words, bytes] = {}
        self._addresses: dict[bytes, bytes] = {}

    def bodies(self, messages: Sequence[dict[str, Any]]) -> list[bytes]:
        """Return the JSON of messages.

        Raises:
            TypeError: There is something in one that JSON has not.
            UnicodeError: A text has half a surrogate pair.
        """
        words: list[_Words] = list(map(tuple, map(_items, messages)))
        try:
            found = list(map(self._bodies.get, words))
        except TypeError:  # a list or an object, which a message holds and others may change
            return list(map(self._body, messages, words))
        for at in missing(found):
            found[at] = self._body(messages[at], words[at])
        return cast("list[bytes]", found)

    def _body(self, message: dict[str, Any], words: _Words) -> bytes:
        try:
            known = self._bodies.get(words)
        except TypeError:  # as above
            return _encode(message)
        if known is not None:
            return known
        body = _encode(message)
        # Of other types, different ones are equal: 1 and True, 0.0 and -0.0.
        if _WORDS.issuperset(map(type, message.values())):
            self._make_room(body)
            self._bodies[words] = body
        return body

    def addresses(self, bodies: Sequence[bytes | msgspec.Raw]) -> list[bytes]:
        """Return the hashes that messages are known by, whatever process looks at them."""
        if not bodies or type(bodies[0]) is not bytes:
            # What was cut out of a text is asked for once.
            return list(map(address_of, bodies))
        found = list(map(self._addresses.get, cast("Sequence[bytes]", bodies)))
        for at in missing(found):
            found[at] = self._address(bytes(bodies[at]))
        return cast("list[bytes]", found)

    def _address(self, body: bytes) -> bytes:
        address = address_of(body)
        self._make_room(body)
        self._addresses[body] = address
        return address

    def _make_room(self, body: bytes) -> None:
        if self._bytes > self._most_bytes:
            self._bodies.clear()
            self._addresses.clear()
            self._bytes = 0
        self._bytes += len(body)


def missing(found: Sequence[object]) -> Iterable[int]:
    """Return the places where there is None."""
    return compress(count(), map(is_, found, repeat(None)))


def address_of(body: bytes | msgspec.Raw) -> bytes:
    """Return the hash of JSON."""
    return blake2b(body, digest_size=16).digest()
