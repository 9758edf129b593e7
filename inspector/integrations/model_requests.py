"""A request to a model over HTTP, from opening its call to the end of its answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inspector.integrations.bodies import with_request_id
from inspector.integrations.byte_streams import watch_body
from inspector.integrations.calls import Call
from inspector.integrations.exchanges import Exchange
from inspector.integrations.plain import is_fields
from inspector.integrations.streams import AnswerFailed, StreamedAnswer, StreamReading, put_together
from inspector.logger import warn_of_error_once
from instrument.signals import is_of_signal


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A path of the provider's API that calls a model."""

    operation: str
    """A well-known value of ``gen_ai.operation.name``."""
    answer: Callable[[], StreamedAnswer] | None = None
    """Combines the chunks of its streams; None if it has none."""
    shown: Callable[[Any], Any] = lambda response: response
    """Reduces a response to the part that is recorded."""
    failure: Callable[[dict[str, Any]], str | None] = lambda _: None
    """Finds a failure in a response, given as plain data."""
    failed: type[AnswerFailed] = AnswerFailed
    """The exception class for such a failure."""


class ModelRequest:
    """One request in progress, with all its attempts, each of which may have an exchange of its own instead."""

    def __init__(self, endpoint: Endpoint, call: Call, exchange: Exchange | None = None) -> None:
        self.endpoint = endpoint
        self.call = call
        self.exchange = exchange

    def responded(self, response: Any, *, is_stream: bool = False) -> None:
        """End the call with a complete HTTPX response, or follow a body that is still to be read."""
        content = None if is_stream else content_of(response)
        if content is None:
            self._follow(response)
        else:
            self.came(content, response.headers)

    def came(self, content: bytes, headers: Any) -> None:
        """End the call with a complete, decoded body."""
        if self.exchange is not None:
            self.exchange.came(content)
        self.answered(lambda: with_request_id(self._whole(content, headers), headers))

    def answered(self, read: Callable[[], Any]) -> None:
        """End the call with an answer: an object of the SDK, or plain data."""
        try:
            response = read()
            fields = response if is_fields(response) else _said_of(response)
            failed = self.endpoint.failure(fields)
        # The border to an SDK of any version: the program has its answer in any case.
        except Exception as error:
            self.call.ended()
            if is_of_signal(error):
                raise
            warn_of_error_once("the answer of a model could not be read; it is recorded without")
            return
        if failed is not None:
            self.call.failed(self.endpoint.failed(failed, fields.get("_request_id")))
            return
        shown = self.endpoint.shown

        def describe() -> dict[str, Any]:
            usage = response.get("usage") if is_fields(response) else getattr(response, "usage", None)
            return {"response": shown(response), "usage": usage}

        self.call.ended(describe)

    def keep_answer(self) -> None:
        """Keep the answer of a call that fails although it arrived, such as one of the wrong type."""
        exchange = self.call.exchanges[-1] if self.call.exchanges else None
        answer = None if exchange is None else exchange.answer()
        if answer is not None:
            self.keep(*answer)

    def keep(self, content: bytes, headers: Any) -> None:
        """Keep a decoded body of a call that fails, or the part of it that arrived."""
        try:
            response = with_request_id(self._whole(content, headers), headers)
            if is_fields(response):
                self.call.add(response=self.endpoint.shown(response), usage=response.get("usage"))
        # The border to an answer that the SDK could not read either, perhaps: then there is nothing to keep.
        except Exception as error:
            if is_of_signal(error):
                raise

    def reading(self, response: Any) -> StreamReading:
        """Return the `StreamReading` that follows the body of a response as the program reads it."""
        endpoint = self.endpoint
        answer = None if endpoint.answer is None else endpoint.answer()
        reading = StreamReading(
            self.call,
            answer=answer,
            plain=_plain_chunk,
            shown=endpoint.shown,
            failure=endpoint.failure,
            failed=endpoint.failed,
            exchange=self.exchange,
        )
        reading.of_body(response)
        return reading

    def _follow(self, response: Any) -> None:
        try:
            reading = self.reading(response)
            reading.dropped_with(watch_body(response, reading))
        # As above.
        except Exception as error:
            self.call.ended()
            if is_of_signal(error):
                raise
            warn_of_error_once("the answer of a model could not be read; it is recorded without")

    def _whole(self, content: bytes, headers: Any) -> Any:
        answer = self.endpoint.answer
        return put_together(content, headers, None if answer is None else answer())


def content_of(response: Any) -> bytes | None:
    """Return the body of a response that has been read."""
    try:
        content = response.content
    # ResponseNotRead, of either generation of HTTPX.
    except Exception as error:
        if is_of_signal(error):
            raise
        return None
    return content if isinstance(content, bytes) else None


def _said_of(response: Any) -> dict[str, Any]:
    return {name: getattr(response, name, None) for name in ("status", "error", "_request_id")}


def _plain_chunk(chunk: Any) -> dict[str, Any]:
    return chunk if is_fields(chunk) else chunk.to_dict(warnings=False)
