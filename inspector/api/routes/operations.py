"""What the routes share: their methods, and the statuses that each declares."""

from typing import Any

LOOK = ["GET", "HEAD"]
"""Methods of an operation that changes nothing."""

GUARDED = (400, 401, 403, 413, 414, 421, 422, 431, 500)
"""Statuses of every operation behind the guard, besides its own."""


def statuses(*further: int, without: tuple[int, ...] = ()) -> dict[int | str, dict[str, Any]]:
    """Declare that an operation answers 200, the statuses in ``GUARDED``, and ``further``."""
    return {status: {} for status in sorted({200, *GUARDED, *further} - set(without))}
