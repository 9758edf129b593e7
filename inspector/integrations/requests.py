"""Model calls over plain `requests`, recognised by the shape of the request.

Every request goes through ``Session.send``. With ``stream=True`` the program reads the body from ``raw``, a response of
urllib3, so a wrapper there sees how it is read and closed.
"""

from importlib import import_module
from typing import Any

from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.plain_http.requested import Decoded, Sent, sent
from inspector.integrations.raw_bodies import RawBody, given_response
from inspector.integrations.tracebacks import unseen
from instrument.control import HttpAnswer

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Record the model calls of every session."""
    patches.wrap(import_module("requests").Session, "send", _sent)


@wrapping
def _sent(original: Any, /, self: Any, request: Any, **kwargs: Any) -> Any:
    attempt = sent(
        "requests",
        getattr(request, "method", None),
        getattr(request, "url", ""),
        lambda: getattr(request, "body", None),
    )
    if attempt is None:
        return original(self, request, **kwargs)
    with attempt:
        attempt.decide()
        if attempt.call.decision is not None:
            self, request = _directed(attempt, self, request)
        response = original(self, request, **kwargs)
    _responded(attempt, response)
    return response


def _directed(attempt: Sent, session: Any, request: Any) -> tuple[Any, Any]:
    """Return the session and the request to send by it as the controller decided: another body, or an answer."""
    exchange = attempt.given()
    if exchange is not None:
        return _answering(exchange), request
    body = attempt.other_body()
    if body is not None:
        request = request.copy()
        request.prepare_body(body, None)
    return session, request


def _answering(answer: HttpAnswer) -> Any:
    requests = import_module("requests")

    class Answering(requests.adapters.HTTPAdapter):
        def send(self, request: Any, **_: Any) -> Any:
            with unseen:
                return self.build_response(request, given_response(answer))

    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, Answering())
    return session


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
        response.raw = RawBody(response.raw, attempt.exchange)
        return
    reading = request.reading(headers)
    response.raw = RawBody(response.raw, reading)
    reading.dropped_with(response.raw)
