"""Models that are called by plain `requests`, known by the shape of the request.

``Session.send`` is where every request goes. With ``stream=True`` the body is read from ``raw``, a response of urllib3,
by whoever has the response; so what stands there tells how it is read and closed.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from inspector.integrations.byte_streams import EndWatcher
from inspector.integrations.patches import Patches
from inspector.integrations.plain_http.requested import Decoded, Sent, sent
from inspector.integrations.tracebacks import unseen

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Record the model calls of every session."""
    patches.wrap(import_module("requests").Session, "send", _sent)


def _sent(original: Callable[..., Any]) -> Callable[..., Any]:
    def send(self: Any, request: Any, **kwargs: Any) -> Any:
        attempt = sent(
            "requests",
            getattr(request, "method", None),
            getattr(request, "url", ""),
            lambda: getattr(request, "body", None),
        )
        if attempt is None:
            return original(self, request, **kwargs)
        leave = attempt.enter()
        try:
            response = original(self, request, **kwargs)
        except BaseException as exc:
            attempt.failed(exc)
            raise
        finally:
            leave()
        _responded(attempt, response)
        return response

    return send


def _responded(attempt: Sent, response: Any) -> None:
    headers = Decoded(response.headers)
    request = attempt.responded(response.status_code, headers.headers)
    # ``content`` would read the body of a stream.
    content: Any = getattr(response, "_content", None)
    if isinstance(content, bytes):
        if request is None:
            attempt.exchange.came(content)
        else:
            request.came(content, response.headers)
        return
    if request is None:
        response.raw = _Raw(response.raw, attempt.exchange)
        return
    reading = request.reading()
    reading.of_body(headers)
    response.raw = _Raw(response.raw, reading)
    reading.dropped_with(response.raw)


class _Raw:
    """The body of a response, watched; all else is urllib3's own."""

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
        # Bytes as they came over the wire would be taken for what they hold.
        if kwargs.get("decode_content") or "content-encoding" not in self._raw.headers:
            self._reading.received(data)
        if not data or not (args or kwargs.get("amt")):
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
