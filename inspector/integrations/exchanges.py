"""What an HTTP client received for a model call, attempt by attempt, before it was parsed: what a replay gives back.

An exchange is watched where the client's own code reads it, so nothing is read twice, and the program gets what it
would have got. It is told of with the end of its call.
"""

from time import monotonic_ns
from typing import Any, Final, Literal

from inspector.integrations.bodies import MOST_BODY_BYTES, plain_pieces

_KEPT_HEADERS: Final = (
    "content-type",
    "x-request-id",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
)
"""What the SDKs read of a response beside its body: how to parse it, whether and when to try again, and its id."""


class Exchange:
    """One attempt of a model call: the response as its client got it, or why there was none."""

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
        self._said: str | None = None
        self.is_sending = True
        """Whether there is neither a response nor a failure yet."""

    def responded(self, status: int, headers: Any, kind: type = object) -> None:
        """Take in the beginning of the response.

        Args:
            status: The HTTP status.
            headers: The response's; one of ``content-encoding`` says that its body comes encoded.
            kind: The class of the response, whose package has the decoders.
        """
        self.is_sending = False
        self._status, self._headers, self._kind = status, headers, kind

    def came(self, content: bytes) -> None:
        """Take in a body that came whole, its encodings undone."""
        self._headers = {name: value for name, value in self._headers.items() if name.lower() != "content-encoding"}
        self._keep(content)
        self._end = "whole"

    def received(self, data: bytes) -> None:
        """Take in bytes of the body as the program reads them."""
        if self._keep(data):
            self._at_ns.append(monotonic_ns() - self._began_ns)

    def ended(self) -> None:
        """Say that the body was read to its end."""
        self._end = "whole"

    def stopped(self, exc: BaseException) -> None:
        """Say what reading the body raised, the sign of its end or not."""
        if isinstance(exc, StopIteration | StopAsyncIteration):
            self._end = "whole"
        else:
            self.failed(exc)

    def closed(self) -> None:
        """Say that the program closed it, before its end or after."""

    def failed(self, exc: BaseException, said: str | None = None) -> None:
        """Say what the client raised instead of a response, or in the middle of one.

        A cancellation is the program's own, as a generator that is closed is.

        Args:
            exc: What it raised.
            said: Its message, where that is read from more than it was made with.
        """
        self.is_sending = False
        if isinstance(exc, Exception):
            self._end, self._exc, self._said = "failed", exc, said

    def told(self) -> dict[str, Any]:
        """Return it as the hooks of its call tell of it."""
        exchange: dict[str, Any] = {"end": self._end}
        if self._exc is not None:
            exchange["exc"] = self._exc
        if self._said is not None:
            exchange["said"] = self._said
        if self._status is None:
            return exchange
        headers = {name.lower(): value for name, value in self._headers.items() if name.lower() in _KEPT_HEADERS}
        exchange |= {"status": self._status, "headers": headers}
        pieces = self._plain()
        return exchange if pieces is None else exchange | {"pieces": pieces, "at_ns": self._at_ns[: len(pieces)]}

    def _plain(self) -> list[bytes] | None:
        """Return the body in pieces, without its encodings; None where it is too long, or none here can undo them."""
        pieces, headers, kind = self._pieces, self._headers, self._kind
        if pieces is None or not headers.get("content-encoding"):
            return None if pieces is None else list(pieces)
        try:
            return plain_pieces(pieces, headers, kind)
        # Whatever a decoder has to say about the bytes.
        except Exception:  # noqa: BLE001
            return None

    def _keep(self, data: bytes) -> bool:
        self._bytes += len(data)
        if self._pieces is None or self._bytes > MOST_BODY_BYTES:
            self._pieces = None
            return False
        self._pieces.append(data)
        return True
