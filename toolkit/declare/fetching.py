"""Fetches a card from an address: its text alone, never what it refers to."""

from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import PurePosixPath
from threading import Thread
from time import monotonic
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from toolkit.declare.documents import MOST_BYTES, decoded
from toolkit.errors import CardInvalid, CardProblem

TIMEOUT_S = 10.0

_SCHEMES = ("http", "https")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A card as it came."""

    text: str
    is_markdown: bool
    stem: str
    """The last part of the address without its ending, for a card without a name."""


def is_address(place: str) -> bool:
    """Return whether ``place`` is meant as an address, rather than as a path."""
    return "://" in place


def shown(address: str) -> str:
    """Return an address for people: without a password, a query or a fragment."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def fetch(address: str, *, timeout_s: float = TIMEOUT_S) -> Fetched:
    """Fetch the card at an ``http`` or ``https`` address, within ten seconds and one MiB.

    Raises:
        CardInvalid: It cannot be fetched, is too large, is no text, or was redirected away from ``https``.
    """
    scheme = urlsplit(address).scheme.lower()
    if scheme not in _SCHEMES:
        raise _refused(address, f"cards come from http and https addresses, not {scheme}")
    # The socket's own limit is for each piece that comes, and pieces can be as small as a byte.
    done: Future[Fetched] = Future()
    Thread(target=_into, args=(done, address, timeout_s), name="toolkit-fetch", daemon=True).start()
    try:
        return done.result(timeout_s)
    except TimeoutError as error:
        if done.done():
            raise
        raise _too_slow(address, timeout_s) from error


def _into(done: "Future[Fetched]", address: str, timeout_s: float) -> None:
    try:
        done.set_result(_fetched(address, timeout_s))
    except BaseException as error:  # noqa: BLE001 - raised where somebody waits for it
        done.set_exception(error)


def _fetched(address: str, timeout_s: float) -> Fetched:
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    request = Request(address, headers={"Accept": "text/markdown, application/yaml, text/*"})  # noqa: S310 - as checked above
    try:
        with urlopen(request, timeout=timeout_s) as answer:  # noqa: S310 - as checked above
            return _read(answer, address, timeout_s)
    except HTTPError as error:
        with error:
            raise _refused(address, f"the server answered {error.code} {error.reason}") from error
    except (OSError, ValueError, HTTPException) as error:
        if isinstance(error, CardInvalid):
            raise
        reason = getattr(error, "reason", None) or error
        if isinstance(reason, TimeoutError):
            raise _too_slow(address, timeout_s) from error
        raise _refused(address, f"cannot be fetched: {str(reason) or type(error).__name__}") from error


def _too_slow(address: str, timeout_s: float) -> CardInvalid:
    return _refused(address, f"cannot be fetched: it took longer than {timeout_s:g} s")


def _read(answer: Any, address: str, timeout_s: float) -> Fetched:
    arrived: str = answer.url
    scheme = urlsplit(arrived).scheme.lower()
    if scheme not in _SCHEMES or (urlsplit(address).scheme.lower() == "https" and scheme != "https"):
        raise _refused(address, f"redirected to {shown(arrived)}, which is not safe")
    data, ends_s = bytearray(), monotonic() + timeout_s
    while len(data) <= MOST_BYTES and (piece := answer.read1(MOST_BYTES + 1 - len(data))):
        data += piece
        if monotonic() > ends_s:
            raise TimeoutError("timed out")
    text = decoded(bytes(data), shown(address))
    path = PurePosixPath(urlsplit(arrived).path)
    is_yaml = path.suffix.lower() in (".yaml", ".yml") or answer.headers.get_content_type().endswith("yaml")
    return Fetched(text, not is_yaml, path.stem)


def _refused(address: str, why: str) -> CardInvalid:
    return CardInvalid((CardProblem(shown(address), 1, why),))
