"""What the routes share: their methods, the statuses that each declares, and what they answer with."""

from typing import Any

from starlette.responses import Response

from inspector.api.bodies import json_response
from inspector.api.errors import RequestRefused
from inspector.api.problems import not_found

LOOK = ["GET", "HEAD"]
"""Methods of an operation that changes nothing."""

GUARDED = (400, 401, 403, 413, 414, 421, 422, 431, 500)
"""Statuses of every operation behind the guard, besides its own."""


def statuses(*further: int, without: tuple[int, ...] = ()) -> dict[int | str, dict[str, Any]]:
    """Declare that an operation answers 200, the statuses in ``GUARDED``, and ``further``."""
    return {status: {} for status in sorted({200, *GUARDED, *further} - set(without))}


def json_or_404(value: Any, no: str) -> Response:
    """Answer with ``value``; None means that there is ``no`` such thing.

    Raises:
        RequestRefused: With 404, if there is none.
    """
    if value is None:
        raise RequestRefused(not_found(no))
    return json_response(value)
