"""One-time codes that sign a browser in, so the token itself never appears in an address."""

import hashlib
import secrets
import time
from collections.abc import Callable

LIFETIME_S = 600
MOST_OPEN = 64
"""The number of unused codes; one more revokes the oldest."""


class OneTimeCodes:
    """Codes that each work once, within ten minutes. Kept in memory, so they end with the process."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._deadlines: dict[bytes, float] = {}

    def create(self) -> str:
        """Issue a code that signs in once."""
        code = secrets.token_urlsafe(24)
        self._deadlines[_digest(code)] = self._clock() + LIFETIME_S
        while len(self._deadlines) > MOST_OPEN:
            del self._deadlines[next(iter(self._deadlines))]
        return code

    def redeem(self, code: str) -> bool:
        """Use a code up; returns whether it was valid."""
        deadline = self._deadlines.pop(_digest(code), None)
        return deadline is not None and self._clock() < deadline


def _digest(code: str) -> bytes:
    # Looked up by digest: how long the look-up takes says nothing about the code.
    return hashlib.sha256(code.encode("utf-8", "replace")).digest()
