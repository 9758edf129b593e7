"""What a text is known by again: one digest, for whoever keeps texts once or compares them."""

from hashlib import blake2b

ADDRESS_BYTES = 16
_LONGEST = 4096
"""Bytes of a text that is remembered itself; the digest of a longer one is made again, and no copy of it is kept."""


def address_of(text: bytes) -> bytes:
    """Returns the address of a text."""
    return blake2b(text, digest_size=ADDRESS_BYTES).digest()


class Addresses:
    """The addresses of the texts of one batch, in which most come several times and are asked for by several."""

    def __init__(self) -> None:
        self._known: dict[bytes, bytes] = {}

    def of(self, text: bytes) -> bytes:
        """Returns the address of a text."""
        known = self._known.get(text)
        if known is None:
            known = address_of(text)
            if len(text) <= _LONGEST:
                self._known[text] = known
        return known

    def forget(self) -> None:
        """Lets go of all, as must be done after each batch."""
        self._known.clear()
