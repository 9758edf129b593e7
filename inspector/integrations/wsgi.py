"""WSGI: a request lasts until the server closes the application's result (PEP 3333)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from inspector.integrations.served import Served, arrived
from inspector.integrations.tracebacks import unseen

Environ: TypeAlias = dict[str, Any]
StartResponse: TypeAlias = Callable[..., Any]
App: TypeAlias = Callable[[Environ, StartResponse], Iterable[bytes]]


def answer_wsgi(
    app: App, environ: Environ, start_response: StartResponse, *, route: Callable[[], str | None] | None = None
) -> Iterable[bytes]:
    """Let an application answer a request, and record it unless an outer application does."""
    request = _arrived(environ)
    if request is None:
        with unseen:
            return app(environ, start_response)
    recorded = request.recorded
    recorded.route = route

    def start(status: str, headers: Any, *rest: Any) -> Any:
        code = status[:3]
        request.status = int(code) if code.isdigit() else None
        if route is not None and (pattern := route()) is not None:
            # Known only while the framework handles it.
            recorded.route = lambda: pattern
        return start_response(status, headers, *rest)

    with unseen:
        try:
            body = app(environ, start)
        except BaseException as exc:
            request.ended(exc)
            raise
    wrapper = environ.get("wsgi.file_wrapper")
    if isinstance(wrapper, type) and isinstance(body, wrapper):
        # Servers use the system's sendfile only for this very object.
        request.ended()
        return body
    return _Body(request, body)


class _Body:
    """The result of an application; its end is that of the request."""

    def __init__(self, request: Served, body: Iterable[bytes]) -> None:
        self._request = request
        self._body = body
        self._exc: BaseException | None = None
        self._is_whole = False

    def __iter__(self) -> Iterator[bytes]:
        with unseen:
            try:
                yield from self._body
            except GeneratorExit:
                raise
            except BaseException as exc:
                self._exc = exc
                raise
        self._is_whole = True

    def close(self) -> None:
        """End the request when the application's own close has run."""
        close = getattr(self._body, "close", None)
        with unseen:
            try:
                if close is not None:
                    close()
            finally:
                self._request.is_left = not self._is_whole and self._exc is None
                self._request.ended(self._exc)


def _arrived(environ: Mapping[str, Any]) -> Served | None:
    names = {"traceparent": "HTTP_TRACEPARENT", "tracestate": "HTTP_TRACESTATE"}
    headers = {name: environ[key] for name, key in names.items() if key in environ}
    path = f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}"
    return arrived(str(environ.get("REQUEST_METHOD")), path, headers)
