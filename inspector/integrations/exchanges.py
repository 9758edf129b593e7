"""The HTTP responses of a model call before parsing, attempt by attempt, for replays.

An exchange is observed where the client's own code reads it, so nothing is read twice, and the program gets the same.
It is reported at the end of its call.
"""

from time import monotonic_ns
from typing import Any, Final, Literal

from inspector.integrations.bodies import MOST_BODY_BYTES, plain_pieces
from instrument.signals import is_of_signal

FIRST_ERROR: Final = 400
"""From this HTTP status on, a response is an error."""
_KEPT_HEADERS: Final = (
    "content-type",
    "x-request-id",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "x-amzn-requestid",
    "x-amzn-errortype",
    "x-amzn-bedrock-input-token-count",
    "x-amzn-bedrock-output-token-count",
)
"""The headers that SDKs read: how to parse the body, whether and when to retry, the request id, Bedrock's tokens."""


class Exchange:
    """One attempt of a model call: its response, or why there was none."""

    def __init__(self) -> None:
        self._began_ns = monotonic_ns()
        self._status: int | None = None
        self._headers: Any = {}
        self._kind: type = object
        self._pieces: list[bytes] | None = []
        self._bytes = 0
        self._at_ns: list[int] = []
        self._end: Literal["whole", "left", "failed"] = "left"
        self._exc: Exception | None = None
        self.message: str | None = None
        """The message of its exception, if the arguments of that do not contain it."""
        self.is_sending = True
        """Whether there is neither a response nor a failure yet."""

    def responded(self, status: int, headers: Any, kind: type = object) -> None:
        """Note the head of the response; ``kind`` is its class, whose package has the decoders of encoded bodies."""
        self.is_sending = False
        self._status, self._headers, self._kind = status, headers, kind

    def came(self, content: bytes) -> None:
        """Note a complete, decoded body."""
        self._headers = {name: value for name, value in self._headers.items() if name.lower() != "content-encoding"}
        self._keep(content)
        self._end = "whole"

    def received(self, data: bytes) -> None:
        """Note bytes of the body as the program reads them."""
        if self._keep(data):
            self._at_ns.append(monotonic_ns() - self._began_ns)

    def ended(self) -> None:
        """Note that the body was read to its end."""
        self._end = "whole"

    def stopped(self, exc: BaseException) -> None:
        """Note an exception from reading the body, including the one that marks its end."""
        if isinstance(exc, StopIteration | StopAsyncIteration):
            self._end = "whole"
        else:
            self.failed(exc)

    def closed(self) -> None:
        """Note that the program closed it, before or after its end."""

    def failed(self, exc: BaseException) -> None:
        """Note an exception of the client, instead of a response or in the middle of one.

        Cancellations and closed generators come from the program and are not noted.
        """
        self.is_sending = False
        if isinstance(exc, Exception):
            self._end, self._exc = "failed", exc

    def answer(self) -> tuple[bytes, Any] | None:
        """Return the decoded body and the headers of a complete response without an error status, if it was kept."""
        if self._end != "whole" or self._status is None or self._status >= FIRST_ERROR:
            return None
        pieces = self._plain()
        return None if pieces is None else (b"".join(pieces), self._headers)

    def as_keywords(self) -> dict[str, Any]:
        """Return it as the hooks of its call carry it."""
        exchange: dict[str, Any] = {"end": self._end}
        if self._exc is not None:
            exchange["exc"] = self._exc
        if self.message is not None:
            exchange["said"] = self.message
        if self._status is None:
            return exchange
        headers = {name.lower(): value for name, value in self._headers.items() if name.lower() in _KEPT_HEADERS}
        exchange |= {"status": self._status, "headers": headers}
        pieces = self._plain()
        return exchange if pieces is None else exchange | {"pieces": pieces, "at_ns": self._at_ns[: len(pieces)]}

    def _plain(self) -> list[bytes] | None:
        """Return the decoded body in pieces; None if it is too long or cannot be decoded."""
        pieces, headers, kind = self._pieces, self._headers, self._kind
        if pieces is None or not headers.get("content-encoding"):
            return None if pieces is None else list(pieces)
        try:
            return plain_pieces(pieces, headers, kind)
        # Decoders raise errors of their own for invalid bytes.
        except Exception as error:
            if is_of_signal(error):
                raise
            return None

    def _keep(self, data: bytes) -> bool:
        self._bytes += len(data)
        if self._pieces is None or self._bytes > MOST_BODY_BYTES:
            self._pieces = None
            return False
        self._pieces.append(data)
        return True
