"""Sends one request at a time to an OTLP/HTTP receiver, and decides from its answer what becomes of the spans."""

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
from inspector.forward.endpoint import Endpoint
from inspector.forward.line import Line
from inspector.otlp import MEDIA_TYPES, Item, partial_success, request_of

Outcome = Literal["taken", "refused", "split", "later", "misdirected", "cut"]
"""Taken; never to be taken; too large at once; to be tried again; nothing will be, until a setting changes; and ended
by us before there was an answer."""

TIMEOUT_S = 10.0
_MOST_ANSWER_BYTES = 64 << 10
_LONGEST_WAIT_S = 300.0
_RETRYABLE = frozenset((429, 502, 503, 504))
"""https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes"""
_MISDIRECTED = frozenset((301, 302, 303, 307, 308, 401, 403, 404, 405, 407, 421))
"""Answers of something that is no receiver, or none that knows us; the spans are as good as before."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a request."""

    outcome: Outcome
    reason: str = ""
    wait_s: float | None = None
    """How long the receiver asks to be left alone."""
    rejected: int = 0
    """Spans left out of a request that was taken otherwise."""
    is_inspector: bool = False


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        """Follow nothing: spans and credentials go to the host that was named."""


class Sender:
    """Sends spans to one endpoint.

    Args:
        endpoint: Where to.
        timeout_s: How long the receiver may be silent.
    """

    def __init__(self, endpoint: Endpoint, *, timeout_s: float = TIMEOUT_S) -> None:
        self.endpoint = endpoint
        self._timeout_s = timeout_s
        # urllib asks the environment for proxies, which a loopback address must not go through.
        proxies = urllib.request.ProxyHandler({} if endpoint.is_loopback else None)
        self._line = Line()
        self._opener = urllib.request.build_opener(proxies, _NoRedirect, *self._line.handlers())

    def hurry(self, timeout_s: float) -> None:
        """Let the receiver be silent no longer than this."""
        self._timeout_s = min(self._timeout_s, timeout_s)

    def renewed(self) -> "Sender":
        """Return another one for a forked child: a thread of the parent may have been in the midst of a request."""
        return Sender(self.endpoint, timeout_s=self._timeout_s)

    def cut(self) -> bool:
        """End the request that goes on, from another thread, and let none through until `mend`.

        Returns:
            False where that takes as long as the look-up of the receiver's name, which nothing can end.
        """
        return self._line.cut()

    def mend(self) -> None:
        """Let requests through again."""
        self._line.mend()

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
            if self._line.is_cut:
                return Answer("cut")
            reason = getattr(error, "reason", error)
            return Answer("later", f"{type(reason).__name__}: {reason}")
        finally:
            self._line.ended()

    def _taken(self, headers: Message, body: bytes) -> Answer:
        # An answer that says 200 and more that nobody understands is a 200.
        rejected, reason = partial_success(headers.get_content_type(), body)
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
