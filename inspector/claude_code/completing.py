"""Adds to Claude Code's spans what the model was asked and answered, and what tools were given and returned.

A log record with the id of a request belongs to the parent of the model call, and was written while that call ran; one
parent's calls follow each other. A tool's arguments are in the answer that asks for it, and its result is in the next
request. Spans and records arrive in any order.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from inspector import semconv as sc
from inspector.claude_code.bodies import Bodies
from inspector.claude_code.messages import Json, blocks
from inspector.claude_code.naming import named, with_attributes
from inspector.claude_code.records import Record
from inspector.claude_code.tools import Tools
from inspector.otlp import DecodedSpan, Scope

Key = tuple[str, str]
"""The ids of a trace and a span."""

_SCOPE: Final = "com.anthropic.claude_code.tracing"
_MS: Final = 1_000_000
"""Nanoseconds: the times of records are in milliseconds."""
_PATIENCE_S: Final = 5.0
"""How long a span waits for what is missing once the work on its prompt has ended."""


@dataclass(frozen=True, slots=True)
class _Request:
    """A request to the model, as a log record tells it."""

    id: str
    at_ns: int
    model: Any


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A span that may not be complete."""

    span: DecodedSpan
    since_s: float


class Completing:
    """Completes the spans of one Claude Code; not thread-safe.

    Args:
        bodies: The files of requests and answers.
    """

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._requests: defaultdict[Key, list[_Request]] = defaultdict(list)
        """By the parent of their model call."""
        self._answers: dict[str, str] = {}
        """Files, by the id of the request."""
        self._tools = Tools()
        self._last_answers: dict[Key, tuple[int, Json]] = {}
        """With the time of each, by the parent of the model call."""
        self._waiting: dict[Key, _Waiting] = {}
        self._ended: set[str] = set()
        """Traces whose prompt was worked off."""

    def take_records(self, records: Iterable[Record]) -> Iterator[DecodedSpan]:
        """Take in log records, and yield the start of each prompt that is being worked off."""
        for record in records:
            attributes = record.attributes
            if record.name == "api_request_body":
                request = _Request(str(attributes.get("request_body_id")), record.at_ns, attributes.get("model"))
                self._requests[record.trace_id, record.span_id].append(request)
            elif record.name == "api_response_body":
                self._answers[str(attributes.get("request_body_id"))] = str(attributes.get("body_ref"))
            elif record.name == "user_prompt" and record.trace_id not in self._ended:
                yield _start_of(record)

    def take_spans(self, spans: Iterable[DecodedSpan], now_s: float) -> None:
        """Take in spans; `complete` returns them."""
        for span in spans:
            noted = self._tools.note_span(span)
            if noted is not None:
                self._waiting[noted.trace_id, noted.span_id] = _Waiting(noted, now_s)
            if span.parent_id is None:
                self._ended.add(span.trace_id)

    def complete(self, now_s: float) -> Iterator[DecodedSpan]:
        """Yield the spans for which nothing is missing, or will come any more."""
        # Model calls first, since they tell about tools and prompts.
        for at, complete in enumerate((self._model_call, self._tools.complete, self._prompt, named)):
            for key, waiting in [*self._waiting.items()]:
                span = waiting.span
                if at != _order(span):
                    continue
                is_late = span.trace_id in self._ended and now_s - waiting.since_s >= _PATIENCE_S
                completed = complete(span) or (self._as_far_as_known(span) if is_late else None)
                if completed is not None:
                    del self._waiting[key]
                    yield completed

    def rest(self) -> Iterator[DecodedSpan]:
        """Yield all that are left, since nothing more will come."""
        yield from self.complete(float("inf"))
        yield from (self._as_far_as_known(waiting.span) for waiting in self._waiting.values())
        self._waiting.clear()

    def _as_far_as_known(self, span: DecodedSpan) -> DecodedSpan:
        return self._tools.without_result(span) if span.attributes.get("span.type") == "tool" else named(span)

    def _model_call(self, span: DecodedSpan) -> DecodedSpan | None:
        request = self._request_of(span)
        has_failed = span.attributes.get("success") is False
        if request is None or not (has_failed or request.id in self._answers):
            return None
        asked = self._bodies.request(request.id) or {}
        answer = self._bodies.answer(self._answers.pop(request.id, "")) or {}
        self._tools.note_request(asked.get("messages"))
        self._tools.note_answer(answer.get("content"))
        self._note_answer((span.trace_id, span.parent_id or ""), span.end_ns or 0, answer)
        messages = {
            sc.INPUT_MESSAGES: asked.get("messages"),
            sc.SYSTEM_INSTRUCTIONS: asked.get("system"),
            sc.TOOL_DEFINITIONS: asked.get("tools"),
            sc.REQUEST_MAX_TOKENS: asked.get("max_tokens"),
            sc.OUTPUT_MESSAGES: _said(answer.get("content")),
            sc.RESPONSE_ID: answer.get("id"),
        }
        return named(with_attributes(span, messages))

    def _note_answer(self, parent: Key, at_ns: int, answer: Json) -> None:
        if answer and at_ns >= self._last_answers.get(parent, (0, {}))[0]:
            self._last_answers[parent] = at_ns, answer

    def _request_of(self, span: DecodedSpan) -> _Request | None:
        """Return the request of a model call; if it was tried again, the last."""
        requests = self._requests[span.trace_id, span.parent_id or ""]
        model, first_ns, last_ns = span.attributes.get("model"), span.start_ns - _MS, (span.end_ns or 0) + _MS
        of_it = [each for each in requests if first_ns <= each.at_ns <= last_ns and each.model == model]
        return of_it[-1] if of_it else None

    def _prompt(self, span: DecodedSpan) -> DecodedSpan | None:
        if any(waiting.span.parent_id == span.span_id for waiting in self._waiting.values()):
            return None
        _, answer = self._last_answers.pop((span.trace_id, span.span_id), (0, {}))
        texts = [*blocks([answer], "text")]
        return named(with_attributes(span, {sc.OUTPUT_MESSAGES: _said(texts or None)}))


def _order(span: DecodedSpan) -> int:
    """Return which span is completed before which others."""
    kinds = ("llm_request", "tool", "interaction")
    kind = span.attributes.get("span.type")
    return kinds.index(kind) if isinstance(kind, str) and kind in kinds else len(kinds)


def _said(content: object) -> list[Json] | None:
    return None if content is None else [{"role": "assistant", "content": content}]


def _start_of(record: Record) -> DecodedSpan:
    """Return the span of a prompt that is being worked off."""
    told = record.attributes
    attributes = {"span.type": "interaction", "user_prompt": told.get("prompt"), sc.SESSION_ID: told.get("session.id")}
    ids = record.trace_id, record.span_id, None
    rest = "claude_code.interaction", 1, record.at_ns, None, 0, None, attributes, (), ()
    return named(DecodedSpan(*ids, *rest, resource={}, scope=Scope(_SCOPE)))
