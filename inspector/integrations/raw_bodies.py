"""The body of an HTTP response as urllib3 gives it to `requests` and `botocore`, observed as the program reads it."""

from collections.abc import Iterator
from typing import Any

from inspector.integrations.byte_streams import EndWatcher
from inspector.integrations.tracebacks import unseen


class RawBody:
    """The body of a response, observed; everything else is urllib3's own.

    Args:
        raw: The response of urllib3.
        reading: Observes it.
    """

    def __init__(self, raw: Any, reading: EndWatcher) -> None:
        self._raw = raw
        self._reading = reading

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[bytes]:
        """Yield the body as it comes."""
        pieces = self._raw.stream(*args, **kwargs)
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
                data = self._raw.read(*args, **kwargs)
            except BaseException as exc:
                self._reading.stopped(exc)
                raise
        # Encoded bytes would be mistaken for decoded ones.
        if kwargs.get("decode_content") or "content-encoding" not in self._raw.headers:
            self._reading.received(data)
        if not data or (args[0] if args else kwargs.get("amt")) is None:
            self._reading.ended()
        return data

    def close(self) -> None:
        """Close it."""
        self._reading.closed()
        self._raw.close()

    def release_conn(self) -> None:
        """Give the connection back."""
        self._reading.closed()
        self._raw.release_conn()

    def __getattr__(self, name: str) -> Any:
        # A copy is asked for things before it has any.
        if name == "_raw":
            raise AttributeError(name)
        return getattr(self._raw, name)
