"""Fetches what is at an address: cards, and documents of OpenAPI."""

from dataclasses import dataclass
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from toolkit.errors import ToolkitError

_SCHEMES = ("http", "https")


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was at an address."""

    data: bytes
    url: str
    """Where it was in the end."""
    content_type: str


def fetch(address: str, *, most_bytes: int, timeout_s: float, accept: str = "*/*") -> Fetched:
    """Return what is at an ``http`` or ``https`` address.

    The message of an error is what follows the address in a sentence, since that may hold a password.
    """
    scheme = urlsplit(address).scheme.lower()
    if scheme not in _SCHEMES:
        raise ToolkitError(f"expected an http or https address, not {scheme}")
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    request = Request(address, headers={"Accept": accept})  # noqa: S310 - as checked above
    try:
        with urlopen(request, timeout=timeout_s) as answer:  # noqa: S310 - as checked above
            return _received(answer, most_bytes, timeout_s, is_safe=scheme == "https")
    except HTTPError as error:
        with error:
            raise ToolkitError(f"the server answered {error.code} {error.reason}") from error
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        late = f"it took longer than {timeout_s:g} s" if isinstance(reason, TimeoutError) else ""
        raise ToolkitError(f"cannot be fetched: {late or str(reason) or type(error).__name__}") from error


def _received(answer: Any, most_bytes: int, timeout_s: float, *, is_safe: bool) -> Fetched:
    parts = urlsplit(str(answer.url))
    if parts.scheme not in (("https",) if is_safe else _SCHEMES):
        raise ToolkitError(f"redirected to {parts.scheme}://{parts.netloc.rpartition('@')[2]}, which is not safe")
    data, ends_s = bytearray(), monotonic() + timeout_s
    while piece := answer.read1(most_bytes + 1 - len(data)):
        data += piece
        if len(data) > most_bytes:
            raise ToolkitError(f"larger than {most_bytes:,} bytes")
        if monotonic() > ends_s:
            raise TimeoutError("timed out")
    return Fetched(bytes(data), answer.url, answer.headers.get_content_type())
