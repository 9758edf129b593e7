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
from inspector.coding_agents.claude_code.bodies import Bodies
from inspector.coding_agents.claude_code.naming import named, with_attributes
from inspector.coding_agents.claude_code.records import Record
from inspector.coding_agents.claude_code.tools import Tools
from inspector.otlp import DecodedSpan, Scope
from inspector.transcripts.lines import Json, blocks_in

Key = tuple[str, str]
"""The ids of a trace and a span."""

_SCOPE: Final = "com.anthropic.claude_code.tracing"
_PROMPT: Final = "interaction"
_KINDS: Final = ("llm_request", "tool", _PROMPT)
"""In the order in which they are completed."""
_MS: Final = 1_000_000
"""Nanoseconds: the times of records are in milliseconds."""
_PATIENCE_S: Final = 5.0
"""How long a span waits for what is missing once the work on its prompt has ended."""


@dataclass(frozen=True, slots=True)
class _Request:
    """A request to the model, as a log record tells it."""

    id: str
    parent: Key
    """The parent of its model call."""
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
        bodies: The files of requests and answers; None if there are none, so that spans need not wait for them.
    """

    def __init__(self, bodies: Bodies | None) -> None:
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
                parent = record.trace_id, record.span_id
                request_id = str(attributes.get("request_body_id"))
                self._requests[parent].append(_Request(request_id, parent, record.at_ns, attributes.get("model")))
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
        for at, complete in enumerate((self._model_call, self._tools.complete, self._prompt, self._other)):
            for key, waiting in [*self._waiting.items()]:
                span = waiting.span
                if at != _order(span):
                    continue
                is_late = span.trace_id in self._ended and now_s - waiting.since_s >= _PATIENCE_S
                is_due = is_late or (self._bodies is None and at < _KINDS.index(_PROMPT))
                completed = complete(span) or (self._as_far_as_known(span) if is_due else None)
                if completed is not None:
                    del self._waiting[key]
                    yield completed

    def rest(self) -> Iterator[DecodedSpan]:
        """Yield all that are left, since nothing more will come."""
        yield from self.complete(float("inf"))
        left = sorted((waiting.span for waiting in self._waiting.values()), key=_order)
        yield from map(self._as_far_as_known, left)
        self._waiting.clear()

    def _as_far_as_known(self, span: DecodedSpan) -> DecodedSpan:
        match span.attributes.get("span.type"):
            case "tool":
                return self._tools.without_result(span)
            case "llm_request" if requests := self._requests_of(span):
                return self._with_messages(span, requests)
            case _:
                return named(span)

    def _model_call(self, span: DecodedSpan) -> DecodedSpan | None:
        requests = self._requests_of(span)
        has_failed = span.attributes.get("success") is False
        if not requests or not (has_failed or self._is_answered(requests[-1])):
            return None
        return self._with_messages(span, requests)

    def _is_answered(self, request: _Request) -> bool:
        return self._bodies is not None and self._bodies.has_answer(self._answers.get(request.id, ""))

    def _with_messages(self, span: DecodedSpan, requests: list[_Request]) -> DecodedSpan:
        """Return a model call with its request, the last of those that were tried, and its answer."""
        asked, answer = self._take(requests)
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

    def _take(self, requests: list[_Request]) -> tuple[Json, Json]:
        """Return the last request and its answer; forget all of them."""
        asked: Json = {}
        answer: Json = {}
        for each in requests:
            self._requests[each.parent].remove(each)
            path = self._answers.pop(each.id, "")
            if self._bodies is not None:
                asked = self._bodies.request(each.id) or {}
                answer = self._bodies.answer(path) or {}
        if not self._requests[requests[-1].parent]:
            del self._requests[requests[-1].parent]
        return asked, answer

    def _note_answer(self, parent: Key, at_ns: int, answer: Json) -> None:
        if answer and at_ns >= self._last_answers.get(parent, (0, {}))[0]:
            self._last_answers[parent] = at_ns, answer

    def _requests_of(self, span: DecodedSpan) -> list[_Request]:
        """Return the requests of a model call, of which there are several if it was tried again."""
        requests = self._requests.get((span.trace_id, span.parent_id or ""), ())
        model, first_ns, last_ns = span.attributes.get("model"), span.start_ns - _MS, (span.end_ns or 0) + _MS
        return [each for each in requests if first_ns <= each.at_ns <= last_ns and each.model == model]

    def _other(self, span: DecodedSpan) -> DecodedSpan:
        # The last answer inside a tool is that of a subagent, which is no prompt.
        self._last_answers.pop((span.trace_id, span.span_id), None)
        return named(span)

    def _prompt(self, span: DecodedSpan) -> DecodedSpan | None:
        if any(waiting.span.parent_id == span.span_id for waiting in self._waiting.values()):
            return None
        _, answer = self._last_answers.pop((span.trace_id, span.span_id), (0, {}))
        texts = [*blocks_in([answer], "text")]
        # An interrupted tool has no span.
        is_interrupted = any(
            not self._tools.has_completed(str(use.get("id"))) for use in blocks_in([answer], "tool_use")
        )
        added = {sc.OUTPUT_MESSAGES: _said(texts or None), sc.STATUS: "cancelled" if is_interrupted else None}
        return named(with_attributes(span, added))


def _order(span: DecodedSpan) -> int:
    """Return which span is completed before which others."""
    kind = span.attributes.get("span.type")
    return _KINDS.index(kind) if isinstance(kind, str) and kind in _KINDS else len(_KINDS)


def _said(content: object) -> list[Json] | None:
    return None if content is None else [{"role": "assistant", "content": content}]


def _start_of(record: Record) -> DecodedSpan:
    """Return the span of a prompt that is being worked off."""
    told = record.attributes
    attributes = {"span.type": _PROMPT, "user_prompt": told.get("prompt"), sc.SESSION_ID: told.get("session.id")}
    ids = record.trace_id, record.span_id, None
    rest = "claude_code.interaction", 1, record.at_ns, None, 0, None, attributes, (), ()
    return named(DecodedSpan(*ids, *rest, resource={}, scope=Scope(_SCOPE)))
