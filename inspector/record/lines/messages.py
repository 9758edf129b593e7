"""Encodes the messages of prompts as JSON, once for all calls that send them again.

Each call sends the history again. Its message objects may be new, but they share their texts with the earlier ones, and
Python caches the hash of a text. So a known message is found without reading its characters.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from itertools import compress, count, repeat
from operator import is_, methodcaller
from typing import Any, Final, TypeAlias, cast

import msgspec

_MOST_BYTES: Final = 4 << 20
"""How many bytes of messages the cache may hold; then it is cleared."""
_WORDS: Final = frozenset((str, type(None)))
_Words: TypeAlias = tuple[tuple[str, Any], ...]
_items: Final[Callable[[dict[str, Any]], Iterable[tuple[str, Any]]]] = methodcaller("items")
_encode: Final = msgspec.json.Encoder().encode


class Messages:
    """A bounded cache of recently encoded messages."""

    def __init__(self) -> None:
        self._bytes = 0
        self._bodies: dict[_Words, bytes] = {}
        self._addresses: dict[bytes, bytes] = {}

    def bodies(self, messages: Sequence[dict[str, Any]]) -> list[bytes]:
        """Return the JSON of messages.

        Raises:
            TypeError: A message contains something that JSON cannot express.
            UnicodeError: A text has a lone surrogate.
        """
        words: list[_Words] = list(map(tuple, map(_items, messages)))
        try:
            found = list(map(self._bodies.get, words))
        except TypeError:  # a message with a list or an object, which others may change
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
        # Values of other types may be equal but encoded differently: 1 and True, 0.0 and -0.0.
        if _WORDS.issuperset(map(type, message.values())):
            self._make_room(body)
            self._bodies[words] = body
        return body

    def addresses(self, bodies: Sequence[bytes | msgspec.Raw]) -> list[bytes]:
        """Return the hashes that identify messages, the same in all processes."""
        if not bodies or type(bodies[0]) is not bytes:
            # Messages cut out of a text are looked up only once.
            return list(map(address_of, bodies))
        known = list(map(self._addresses.get, cast("Sequence[bytes]", bodies)))
        for at in missing(known):
            known[at] = self._address(bytes(bodies[at]))
        return cast("list[bytes]", known)

    def _address(self, body: bytes) -> bytes:
        address = address_of(body)
        self._make_room(body)
        self._addresses[body] = address
        return address

    def _make_room(self, body: bytes) -> None:
        if self._bytes > _MOST_BYTES:
            self._bodies.clear()
            self._addresses.clear()
            self._bytes = 0
        self._bytes += len(body)


def missing(values: Sequence[object]) -> Iterable[int]:
    """Return the indexes of the entries that are None."""
    return compress(count(), map(is_, values, repeat(None)))


def address_of(body: bytes | msgspec.Raw) -> bytes:
    """Return the hash of a JSON text."""
    return blake2b(body, digest_size=16).digest()
