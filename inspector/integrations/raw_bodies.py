"""Responses of urllib3, by which `requests` and `botocore` send: given ones, and bodies observed as they are read."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from inspector.integrations.byte_streams import EndWatcher
from inspector.integrations.stand_ins import StandIn
from inspector.integrations.tracebacks import unseen
from instrument.control import HttpAnswer


class RawBody(StandIn):
    """The body of a response, observed; everything else is urllib3's own."""

    def __init__(self, raw: Any, reading: EndWatcher) -> None:
        super().__init__(raw)
        self._reading = reading

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[bytes]:
        """Yield the body as it comes."""
        pieces = self._inner.stream(*args, **kwargs)
        with unseen:
            try:
                for data in pieces:
                    self._reading.received(data)
                    yield data
            except GeneratorExit:
                raise
            except BaseException as exc:
                self._reading.stopped(exc)
                raise
        self._reading.ended()

    def read(self, *args: Any, **kwargs: Any) -> bytes:
        """Read some of the body, or all of it."""
        with unseen:
            try:
                data = self._inner.read(*args, **kwargs)
            except BaseException as exc:
                self._reading.stopped(exc)
                raise
        # Encoded bytes would be mistaken for decoded ones.
        if kwargs.get("decode_content") or "content-encoding" not in self._inner.headers:
            self._reading.received(data)
        if not data or (args[0] if args else kwargs.get("amt")) is None:
            self._reading.ended()
        return data

    def close(self) -> None:
        """Close it."""
        self._reading.closed()
        self._inner.close()

    def release_conn(self) -> None:
        """Give the connection back."""
        self._reading.closed()
        self._inner.release_conn()


def given_response(answer: HttpAnswer) -> Any:
    """Return a response of urllib3 that was not sent for."""
    return import_module("urllib3").HTTPResponse(
        _Body(answer), headers=answer.headers, status=answer.status, preload_content=False
    )


class _Body:
    """The body of an answer, for urllib3 to read: it is closed once it was read to its end."""

    def __init__(self, answer: HttpAnswer) -> None:
        self._left = b"".join(answer.pieces)
        self.closed = False

    def read(self, amt: int | None = None) -> bytes:
        """Return a number of bytes, or the rest."""
        end = len(self._left) if amt is None else amt
        data, self._left = self._left[:end], self._left[end:]
        self.closed = not self._left
        return data

    read1 = read

    def close(self) -> None:
        """Leave the rest."""
        self.closed = True
