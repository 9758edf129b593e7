"""``/labels``: what people, programs and models say about runs and spans."""

import time
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from inspector.api.errors import Problem, RequestRefused, invalid
from inspector.api.problems import json_or_404
from inspector.api.queries.parameter_types import LabelIdInPath, RunId, SpanId, TraceId
from inspector.api.queries.parameters import LabelsQuery
from inspector.api.queries.query import NoQuery, QueryOf
from inspector.api.read_scheduler import page_cost
from inspector.api.routes.operations import LOOK, statuses
from inspector.api.service import InService
from inspector.model import LabelSource, NewLabel

router = APIRouter()

MOST_BYTES = 64 << 10
"""The JSON of one label."""
_PLAIN = r"^[^\u0000-\u001f]+$"


class LabelBody(BaseModel):
    """A label as it is sent: of a run, or of a span in a trace."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    run_id: RunId = ""
    trace_id: TraceId = ""
    span_id: SpanId = ""
    name: Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^<>=\u0000-\u001f]+$")]
    score: Annotated[float, Field(ge=-1e15, le=1e15)] = 0.0
    value: Annotated[str, Field(min_length=1, max_length=200, pattern=_PLAIN)] = ""
    note: Annotated[str, Field(min_length=1, max_length=10_000, pattern=r"^[^\u0000]*$")] = ""
    author: Annotated[str, Field(min_length=1, max_length=100, pattern=_PLAIN)] = ""
    source: LabelSource = "person"

    def as_label(self, time_ns: int) -> NewLabel:
        """Convert it for the store; what was not sent is None."""
        return NewLabel(**{name: getattr(self, name) for name in self.model_fields_set}, time_ns=time_ns)


@router.api_route("/labels", methods=LOOK, responses=statuses(404, 503))
async def list_labels(
    request: Request, service: InService, query: Annotated[LabelsQuery, Depends(QueryOf(LabelsQuery))]
) -> Response:
    """Answer with one page of labels."""
    return await service.reads.value(
        request,
        page_cost(query.limit),
        lambda: service.store.labels(
            run_id=query.run_id,
            trace_id=query.trace_id,
            span_id=query.span_id,
            cursor=query.cursor,
            limit=query.limit,
        ),
    )


@router.post("/labels", responses=statuses(201, 404, 408, 409, 415, 503, without=(200,)))
async def create_label(request: Request, service: InService, _: NoQuery) -> Response:
    """Label a run or a span, and answer with the label as stored."""
    body = _read(await _body(request))
    new = body.as_label(time.time_ns())
    label = await service.changes.run(lambda: service.store.set_label(new))
    on = f"run {body.run_id}" if body.run_id else f"span {body.span_id} in trace {body.trace_id}"
    answer = json_or_404(label, f"{on} to label")
    answer.status_code = 201
    return answer


@router.delete("/labels/{label_id}", responses=statuses(404, 409, 503))
async def delete_label(service: InService, label_id: LabelIdInPath, _: NoQuery) -> Response:
    """Delete a label, and answer with it."""
    label = await service.changes.run(lambda: service.store.remove_label(label_id))
    return json_or_404(label, f"label {label_id}; /labels lists the labels")


async def _body(request: Request) -> bytes:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise RequestRefused(Problem(415, "send a label as JSON, with Content-Type: application/json"))
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > MOST_BYTES:
                raise RequestRefused(Problem(413, f"a label may have at most {MOST_BYTES:,} bytes"))
            parts.append(part)
    except ClientDisconnect:
        raise RequestRefused(Problem(400, "the request ended early")) from None
    return b"".join(parts)


def _read(body: bytes) -> LabelBody:
    """Parse a label strictly.

    Raises:
        RequestRefused: With 422, naming the first invalid field.
    """
    try:
        decoded: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unreadable(error) from None
    try:
        label = LabelBody.model_validate(decoded)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        name = str(problem["loc"][0]) if problem["loc"] else "name"
        is_number = name == "value" and type(decoded[name]) in (int, float)
        rule = "takes a word; send a number as score" if is_number else f"is not as declared: {problem['msg']}"
        raise invalid(name, rule) from None
    on_run, on_span = label.model_fields_set & {"run_id"}, label.model_fields_set & {"trace_id", "span_id"}
    if bool(on_run) == bool(on_span) or len(on_span) == 1:
        raise invalid("run_id", "must be given, or else trace_id and span_id, but not both")
    return label


def _unreadable(error: Exception) -> RequestRefused:
    """Refuse a body that is not JSON; the parser also rejects numbers outside the range of a double."""
    if "out of range" in str(error):
        return invalid("score", "is not as declared: it takes a number from -1e15 to 1e15")
    return invalid("name", 'cannot be read: send a JSON object, such as {"run_id": "…", "name": "good"}')
