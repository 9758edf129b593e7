"""The hash of a text: the one digest by which texts are stored once and compared."""

from hashlib import blake2b

HASH_BYTES = 16
_LONGEST = 4096
"""Texts up to this many bytes are cached; longer ones are hashed again rather than kept in memory."""


def hash_of(text: bytes) -> bytes:
    """Return the hash of a text."""
    return blake2b(text, digest_size=HASH_BYTES).digest()


class TextHashes:
    """A cache of the hashes in one batch, where most texts occur several times."""

    def __init__(self) -> None:
        self._known: dict[bytes, bytes] = {}

    def of(self, text: bytes) -> bytes:
        """Return the hash of a text."""
        cached = self._known.get(text)
        if cached is None:
            cached = hash_of(text)
            if len(text) <= _LONGEST:
                self._known[text] = cached
        return cached

    def forget(self) -> None:
        """Empty the cache; call it after each batch."""
        self._known.clear()
