"""A request of an HTTP client that calls a model, as a call of its own."""

import json
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import replace
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Self

from inspector.integrations.bodies import MOST_BODY_BYTES
from inspector.integrations.calls import Call, around_here, enclosing, opened, safely
from inspector.integrations.deciding import decide, decide_async, is_undecided
from inspector.integrations.exchanges import FIRST_ERROR, Exchange
from inspector.integrations.model_requests import ModelRequest
from inspector.integrations.plain import is_fields
from inspector.integrations.plain_http.apis import calls_model, recognised
from inspector.integrations.streams import AnswerFailed
from instrument.control import HttpAnswer


class Decoded:
    """A response whose client returns its body decoded."""

    def __init__(self, headers: Any) -> None:
        lower = {str(name).lower(): value for name, value in headers.items()}
        self.headers = {name: value for name, value in lower.items() if name != "content-encoding"}


class Sent:
    """A request on its way to a model: a call of its own, or an attempt of one that an SDK or a framework makes.

    While the client sends it, it is a context manager: its own call is the innermost one, and fails with what the
    client raises.
    """

    def __init__(
        self, call: Call, exchange: Exchange, read_body: Callable[[], Any], request: ModelRequest | None = None
    ) -> None:
        self.call = call
        self.exchange = exchange
        self._read_body = read_body
        self._request = request

    def decide(self) -> None:
        """Ask a controller about the call, unless one was asked.

        Raises:
            Exception: The call is refused.
        """
        if is_undecided(self.call):
            decide(self.call, self._body())

    async def decide_async(self) -> None:
        """Like `decide`, in a coroutine."""
        if is_undecided(self.call):
            await decide_async(self.call, self._body())

    def _body(self) -> Any:
        return safely(lambda: plain_request(self._read_body()), None)

    def given(self) -> HttpAnswer | None:
        """Return the outcome for the client instead of sending; None to send.

        Raises:
            Exception: The call was refused, or its client is given this instead of a response.
        """
        return None if self.call.decision is None else self.call.decision.attempt()

    def other_body(self) -> bytes | None:
        """Return the body to send, where it is another one than the program's."""
        decision = self.call.decision
        return json.dumps(decision.body).encode() if decision is not None and decision.changes else None

    def __enter__(self) -> Self:
        self._leave = None if self._request is None else self._request.call.enter()
        return self

    def __exit__(self, kind: object, exc: BaseException | None, traceback: object) -> None:
        if exc is not None:
            self.exchange.failed(exc)
            if self._request is not None:
                self._request.call.failed(exc)
        if self._leave is not None:
            self._leave()

    def responded(self, status: int, headers: Any, kind: type = object) -> ModelRequest | None:
        """Say which response came, as `Exchange.responded`; returns the call that it ends, if it is one of its own."""
        self.exchange.responded(status, headers, kind)
        return None if self._request is None else refused(self._request, status)


def sent(client: str, method: Any, url: Any, read_body: Callable[[], Any]) -> Sent | None:
    """Report a request that is about to be sent; None if it calls no model, or is recorded already.

    Args:
        client: The integration of the HTTP client.
        method: The request's.
        url: Where it goes, as text or as the client's own class.
        read_body: Returns the body: text, bytes, or plain data; anything else is no request to a model.
    """
    if not isinstance(method, str) or method.upper() != "POST":
        return None
    around = next(around_here(), None)
    if around is not None and around.noun == "llm_generate":
        return _attempt(around, url, read_body)
    if next(enclosing("llm_generate"), None) is not None:
        return None
    request = safely(lambda: recognised(str(url), lambda: plain_request(read_body())), None)
    if request is None:
        return None
    keywords = {"llm": request.model, "prompt": request.prompt}
    # A context of its own: a stream is open while its consumer goes on, and calls of that are not below it.
    call = opened("llm_generate", lambda: keywords, emitter=client, context=copy_context())
    exchange = Exchange()
    call.exchanges.append(exchange)
    return Sent(call, exchange, read_body, ModelRequest(request.endpoint, call, exchange))


def _attempt(call: Call, url: Any, read_body: Callable[[], Any]) -> Sent | None:
    # A client that sends by another one, or follows a redirect, makes one attempt of it.
    if any(exchange.is_sending for exchange in call.exchanges):
        return None
    if not safely(lambda: calls_model(str(url)), otherwise=False):
        return None
    exchange = Exchange()
    call.exchanges.append(exchange)
    return Sent(call, exchange, read_body)


def refused(request: ModelRequest, status: int) -> ModelRequest:
    """Return the request as a refused one if the status of its response is an error."""
    if status < FIRST_ERROR:
        return request
    phrase = safely(lambda: HTTPStatus(status).phrase, "")

    def failure(body: dict[str, Any]) -> str:
        message = _message(body)
        return f"{status} {phrase}".rstrip() + (f": {message}" if message else "")

    endpoint = replace(request.endpoint, answer=None, failure=failure, failed=_failed_with(status))
    return ModelRequest(endpoint, request.call, request.exchange)


@lru_cache(maxsize=200)
def _failed_with(status: int) -> type[AnswerFailed]:
    # OpenTelemetry's conventions for HTTP have the status as error.type, which here is the name of a class.
    return type(str(status), (AnswerFailed,), {"__module__": "builtins"})


def _message(body: dict[str, Any]) -> str | None:
    error = body.get("error", body.get("detail", body.get("message")))
    text = error.get("message") if is_fields(error) else error
    return text if isinstance(text, str) else None


def plain_request(body: Any) -> Any:
    """Return the body of a request as plain data; None where it is too long."""
    if not isinstance(body, (str, bytes, bytearray)):
        return body
    return json.loads(body) if len(body) <= MOST_BODY_BYTES else None
