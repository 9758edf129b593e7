"""Amazon Bedrock by `boto3`: Converse and InvokeModel, each also as a stream.

Every operation of every client of botocore goes through one method, and every attempt through its HTTP session. A
stream is an ``EventStream``, which gets a class that observes how it is iterated; the body of InvokeModel is a response
of urllib3.
"""

import json
from collections.abc import Callable, Iterator
from contextvars import copy_context
from importlib import import_module
from typing import Any, Final, cast
from urllib.parse import quote

from inspector.integrations.bodies import with_request_id
from inspector.integrations.botocore.answers import ConverseAnswer, InvokedAnswer, with_counted_usage
from inspector.integrations.botocore.frames import CONTENT_TYPE, FramedBody, GivenFrames, streamed
from inspector.integrations.calls import Call, Model, around_here, opened, safely
from inspector.integrations.deciding import decide, is_undecided
from inspector.integrations.decision import Decision
from inspector.integrations.exchanges import FIRST_ERROR
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.plain import is_fields
from inspector.integrations.plain_http.answers import without_embeddings
from inspector.integrations.plain_http.requested import Decoded, plain_request, sent
from inspector.integrations.raw_bodies import RawBody, given_response
from inspector.integrations.streams import StreamedAnswer, StreamReading
from inspector.integrations.tracebacks import unseen
from inspector.logger import warn_of_error_once
from instrument.control import HttpAnswer
from instrument.signals import is_of_signal

__all__ = ["install"]

_OPERATIONS: Final = {
    "Converse": "converse",
    "ConverseStream": "converse-stream",
    "InvokeModel": "invoke",
    "InvokeModelWithResponseStream": "invoke-with-response-stream",
}
"""The operations that call a model, and how their paths end."""
_ANSWERS: Final[dict[str, Callable[[], StreamedAnswer]]] = {"stream": ConverseAnswer, "body": InvokedAnswer}
"""The member of a response that is a stream of events, and what combines them."""

_STREAMS: Final = {"converse-stream": True, "invoke-with-response-stream": False}
"""The ends of the URLs of streams, and whether they are of Converse."""


def install(patches: Patches) -> None:
    """Record the model calls of every client."""
    patches.wrap(import_module("botocore.client").BaseClient, "_make_api_call", _called)
    patches.wrap(import_module("botocore.httpsession").URLLib3Session, "send", _sent)


@wrapping
def _called(original: Any, self: Any, operation_name: str, api_params: Any) -> Any:
    if operation_name not in _OPERATIONS or self.meta.service_model.service_name != "bedrock-runtime":
        return original(self, operation_name, api_params)
    # A context of its own: a stream is open while its consumer goes on, and calls of that are not below it.
    call = opened(
        "llm_generate", lambda: _facts(self, operation_name, api_params), emitter="botocore", context=copy_context()
    )
    with call:
        if is_undecided(call):
            api_params = _changed(decide(call, call.keyword("prompt")), api_params)
        response = original(self, operation_name, api_params)
    try:
        _answered(call, response)
    # The border to another version's responses: the program has its answer in any case.
    except Exception as error:
        call.ended()
        if is_of_signal(error):
            raise
        warn_of_error_once("the answer of a model could not be read; it is recorded without")
    return response


def _changed(decision: Decision, params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a call with the controller's request."""
    if not decision.changes:
        return params
    body = decision.body
    decision.keep()
    return body if "messages" in params else {**params, "body": json.dumps(body)}


@wrapping
def _sent(original: Any, self: Any, request: Any) -> Any:
    around = next(around_here(), None)
    attempt = None
    if around is not None and around.emitter == "botocore":
        attempt = sent("botocore", request.method, request.url, lambda: None)
    if attempt is None:
        return original(self, request)
    with attempt:
        exchange = attempt.given()
        response = original(self, request) if exchange is None else _response_of(request, exchange)
    attempt.responded(response.status_code, response.headers)
    content: Any = getattr(response, "_content", None)
    if isinstance(content, bytes):
        attempt.exchange.came(content)
    else:
        are_frames = response.headers.get("content-type") == CONTENT_TYPE
        response.raw = RawBody(response.raw, FramedBody(attempt.exchange) if are_frames else attempt.exchange)
    return response


def _response_of(request: Any, answer: HttpAnswer) -> Any:
    pieces, headers = answer.pieces, answer.headers
    name = request.url.rpartition("/")[2]
    if name in _STREAMS and answer.status < FIRST_ERROR and headers.get("content-type") != CONTENT_TYPE:
        pieces, headers = streamed(b"".join(pieces), is_converse=_STREAMS[name]), {"content-type": CONTENT_TYPE}
    raw = GivenFrames(pieces) if headers.get("content-type") == CONTENT_TYPE else given_response(answer)
    response = import_module("botocore.awsrequest").AWSResponse(request.url, answer.status, headers, raw)
    if not request.stream_output:
        # Read here, as its session does.
        response.content  # noqa: B018
    return response


def _facts(client: Any, operation_name: str, params: dict[str, Any]) -> dict[str, Any]:
    model = params.get("modelId")
    prompt: Any = params
    operation = "chat"
    if "messages" not in params:
        # InvokeModel, whose body has the form that the model's maker gave it.
        body = safely(lambda: plain_request(params.get("body")), None)
        prompt = body if is_fields(body) else {}
        operation = "chat" if "messages" in prompt else "embeddings" if "embed" in str(model) else "text_completion"
    path = f"/model/{quote(str(model), safe='')}/{_OPERATIONS[operation_name]}"
    url = client.meta.endpoint_url.rstrip("/") + path
    return {"llm": Model("aws.bedrock", model, operation, url=url), "prompt": prompt}


def _answered(call: Call, response: dict[str, Any]) -> None:
    metadata: dict[str, Any] = response.get("ResponseMetadata") or {}
    headers: dict[str, Any] = {**(metadata.get("HTTPHeaders") or {}), "x-request-id": metadata.get("RequestId")}
    for name, answer in _ANSWERS.items():
        body: Any = response.get(name)
        if hasattr(body, "_event_generator"):
            reading = StreamReading(call, answer=answer(), plain=dict)
            _watch(body, reading)
        elif hasattr(body, "_raw_stream"):
            reading = StreamReading(call, answer=None, plain=dict, shown=_shown(call, headers))
            body._raw_stream = RawBody(body._raw_stream, reading)  # noqa: SLF001 - there is no other way in
        else:
            continue
        reading.of_body(Decoded(headers))
        reading.dropped_with(body)
        return
    shown = {name: value for name, value in response.items() if name != "ResponseMetadata"}
    call.ended(lambda: {"response": with_request_id(shown, headers), "usage": response.get("usage")})


def _shown(call: Call, headers: dict[str, Any]) -> Callable[[Any], Any]:
    embeds = call.keyword("llm").operation == "embeddings"

    def shown(response: dict[str, Any]) -> dict[str, Any]:
        counted = with_counted_usage(response, headers)
        return without_embeddings(counted) if embeds else counted

    return shown


_classes: dict[type, type] = {}


def _watch(stream: Any, reading: StreamReading) -> None:
    kind = cast("type[Any]", type(stream))
    if kind not in _classes:
        _classes[kind] = _watched_class(kind)
    stream.inspector_reading = reading
    stream.__class__ = _classes[kind]


def _watched_class(kind: Any) -> type:
    def events(self: Any) -> Iterator[Any]:
        reading: StreamReading = self.inspector_reading
        reading.began()
        with unseen:
            try:
                for event in kind.__iter__(self):
                    reading.item(event)
                    yield event
            except GeneratorExit:
                # The stream may be iterated again, from where it is.
                raise
            except BaseException as exc:
                reading.failed(exc)
                raise
        reading.ended()

    def close(self: Any) -> None:
        self.inspector_reading.closed()
        kind.close(self)

    return type(kind.__name__, (kind,), {"__iter__": events, "close": close, "__module__": kind.__module__})
