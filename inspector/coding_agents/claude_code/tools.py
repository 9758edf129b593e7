"""What is known of Claude Code's tool calls besides their spans, each under the id that the model gave the call."""

from dataclasses import dataclass, field
from typing import Any, Final

from msgspec.structs import replace

from inspector import semconv as sc
from inspector.coding_agents.claude_code.naming import named, with_attributes
from inspector.otlp import DecodedSpan
from inspector.transcripts.lines import Json, blocks_in, text_of

_ID: Final = "tool_use_id"


@dataclass(slots=True)
class Tools:
    """Collects arguments, results and refusals, and completes spans of tools with them."""

    _arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    _results: dict[str, Json] = field(default_factory=dict[str, Json])
    _failures: dict[str, DecodedSpan] = field(default_factory=dict[str, DecodedSpan])
    """The inner spans of calls that failed."""
    _refused: set[str] = field(default_factory=set[str])
    """The ids of spans of calls that were not allowed."""

    _completed: set[str] = field(default_factory=set[str])
    """The ids of calls whose results every later request has again."""

    def has_completed(self, tool_id: str) -> bool:
        """Tell whether a call has been completed."""
        return tool_id in self._completed

    def note_request(self, messages: object) -> None:
        """Take in the messages of a request, which have the results of earlier calls."""
        for block in blocks_in(messages, "tool_result"):
            if (tool_id := str(block.get(_ID))) not in self._completed:
                self._results[tool_id] = block

    def note_answer(self, content: object) -> None:
        """Take in the content of an answer, which asks for calls."""
        for block in blocks_in([{"content": content}], "tool_use"):
            self._arguments[str(block.get("id"))] = block.get("input")

    def note_span(self, span: DecodedSpan) -> DecodedSpan | None:
        """Take in a span inside a call, and return it; None if there is nothing more in it."""
        told = span.attributes
        if told.get("decision") == "reject":
            self._refused.add(str(span.parent_id))
        if told.get("decision") == "accept" and told.get("source") == "config":
            # Nobody was asked.
            return None
        if told.get("span.type") == "tool.execution" and span.status_code == sc.CODE_ERROR:
            self._failures[str(told.get(_ID))] = span
            # A failure is reported once, as that of the call.
            attributes = {key: value for key, value in told.items() if key != sc.ERROR_TYPE}
            return replace(span, status_code=0, status_message=None, attributes=attributes)
        return span

    def complete(self, span: DecodedSpan) -> DecodedSpan | None:
        """Return the span of a call with its arguments and its result; None if they are not known yet."""
        tool_id = str(span.attributes.get(_ID))
        if tool_id not in self._arguments or tool_id not in self._results:
            return None
        result = self._results[tool_id]
        content = result.get("content")
        span = with_attributes(span, {sc.TOOL_CALL_RESULT: content})
        return self.without_result(span, text_of(content) if result.get("is_error") is True else None)

    def without_result(self, span: DecodedSpan, why: str | None = None) -> DecodedSpan:
        """Return the span of a call as far as it is known.

        Args:
            span: The span.
            why: What the model was told of its failure.
        """
        tool_id = str(span.attributes.get(_ID))
        inner = self._failures.pop(tool_id, None)
        self._results.pop(tool_id, None)
        self._completed.add(tool_id)
        if span.span_id in self._refused:
            self._refused.discard(span.span_id)
            span = with_attributes(span, {sc.STATUS: "denied", "error": why})
        elif why is not None or inner is not None:
            span = replace(span, status_code=sc.CODE_ERROR, status_message=why or (inner and inner.status_message))
        if inner is not None:
            span = with_attributes(span, {sc.ERROR_TYPE: inner.attributes.get("error_class")})
        return named(with_attributes(span, {sc.TOOL_CALL_ARGUMENTS: self._arguments.pop(tool_id, None)}))
