"""Sends one request at a time to an OTLP/HTTP receiver, and classifies the response."""

import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from time import time
from typing import IO, Literal

from inspector import semconv
from inspector.forward.complaint import WEB_PAGE
from inspector.forward.connection import Connection
from inspector.forward.endpoint import Endpoint
from inspector.otlp import MEDIA_TYPES, Item, partial_success, request_of

Outcome = Literal["taken", "refused", "split", "later", "misdirected", "cut"]
"""Accepted; rejected for good; too large; retry later; useless until a setting changes; and cut by us before a
response."""

TIMEOUT_S = 10.0
_MOST_ANSWER_BYTES = 64 << 10
_LONGEST_WAIT_S = 300.0
_RETRYABLE = frozenset((429, 502, 503, 504))
"""https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes"""
_MISDIRECTED = frozenset((301, 302, 303, 307, 308, 401, 403, 404, 405, 407, 421))
"""Responses of something that is not a receiver, or does not know us; the spans can be sent later."""
_PAGE = "text/html"
"""What a web application answers to any path, and a proxy that asks who we are."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a request."""

    outcome: Outcome
    reason: str = ""
    wait_s: float | None = None
    """How long the receiver asks us to wait."""
    rejected: int = 0
    """Spans rejected from a request that was otherwise accepted."""
    is_inspector: bool = False


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        """Follow no redirect: spans and credentials go only to the configured host."""


class Sender:
    """Sends spans to one endpoint.

    Args:
        endpoint: The receiver.
        timeout_s: How long to wait for the receiver.
    """

    def __init__(self, endpoint: Endpoint, *, timeout_s: float = TIMEOUT_S) -> None:
        self.endpoint = endpoint
        self._timeout_s = timeout_s
        # urllib reads proxies from the environment, which a loopback address must not use.
        proxies = urllib.request.ProxyHandler({} if endpoint.is_loopback else None)
        self._connection = Connection()
        self._opener = urllib.request.build_opener(proxies, _NoRedirect, *self._connection.handlers())

    def hurry(self, timeout_s: float) -> None:
        """Shorten the timeout to this."""
        self._timeout_s = min(self._timeout_s, timeout_s)

    def renewed(self) -> "Sender":
        """Return a new sender for a forked child: a thread of the parent may have been in the middle of a request."""
        return Sender(self.endpoint, timeout_s=self._timeout_s)

    def cut(self) -> bool:
        """End the running request from another thread, and block others until `mend`; see `Connection.cut`."""
        return self._connection.cut()

    def mend(self) -> None:
        """Let requests through again."""
        self._connection.mend()

    def send(self, items: Sequence[Item]) -> Answer:
        """Send spans in one request; never raises."""
        try:
            body = request_of(items, self.endpoint.encoding)
        except Exception as error:  # noqa: BLE001 - one span that cannot be encoded must not keep the others waiting
            return Answer("split", f"cannot be encoded: {error}")
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked when the endpoint was read
            self.endpoint.url,
            data=body,
            method="POST",
            headers={
                "Content-Type": MEDIA_TYPES[self.endpoint.encoding],
                "Content-Encoding": "gzip",
                "User-Agent": "mcp-agent-inspector",
                **dict(self.endpoint.headers),
            },
        )
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                return self._taken(response.headers, response.read1(_MOST_ANSWER_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                return _refused(error.code, error.headers)
        except (OSError, HTTPException, ValueError) as error:
            if self._connection.is_cut:
                return Answer("cut")
            reason = getattr(error, "reason", error)
            return Answer("later", f"{type(reason).__name__}: {reason}")
        finally:
            self._connection.ended()

    def _taken(self, headers: Message, body: bytes) -> Answer:
        media_type = headers.get_content_type()
        # What is written with Flask calls any answer a page, such as an empty one.
        if media_type == _PAGE and body.lstrip().startswith(b"<"):
            return Answer("misdirected", WEB_PAGE)
        # A 200 with an unreadable body is still a 200.
        rejected, reason = partial_success(media_type, body)
        takes = headers.get(semconv.TAKES_HEADER)
        return Answer("taken", reason, rejected=rejected, is_inspector=takes == semconv.TAKES_RUNNING)


def _refused(status: int, headers: Message) -> Answer:
    reason = f"HTTP {status}"
    if status in _RETRYABLE:
        return Answer("later", reason, wait_s=_retry_after_s(headers.get("Retry-After")))
    if status in _MISDIRECTED:
        return Answer("misdirected", reason)
    return Answer("split" if status in (400, 413) else "refused", reason)


def _retry_after_s(text: str | None) -> float | None:
    if not text:
        return None
    try:
        seconds = float(text) if text.strip().isdigit() else parsedate_to_datetime(text).timestamp() - time()
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, seconds), _LONGEST_WAIT_S)
