"""Gemini CLI: the conventions under other names, with requests and answers of tools as JSON of its own.

https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/telemetry.md
"""

from typing import Final

from inspector import semconv
from inspector.model import AttributeValue
from inspector.otlp import DecodedSpan
from inspector.reading.dialects.content import copied, member
from inspector.reading.dialects.dialect import Dialect, KindRule

_MESSAGE: Final = "error.message"
_STATUSES: Final = ("error", "cancelled")
_outcome = member(semconv.OUTPUT_MESSAGES, "status")
_parts = member(semconv.OUTPUT_MESSAGES, "response", "responseParts")


def _status(span: DecodedSpan) -> AttributeValue:
    """Return how a tool call ended, if not well; the span itself always does."""
    status = _outcome(span)
    return status if status in _STATUSES else None


def _response(span: DecodedSpan) -> dict[str, AttributeValue]:
    """Return what the model is told of a tool call."""
    parts = _parts(span)
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict) and isinstance(response := part.get("functionResponse"), dict):
            told = response.get("response")
            return told if isinstance(told, dict) else {}
    return {}


def _result(span: DecodedSpan) -> AttributeValue:
    told = _response(span)
    return told.get("output") if told.keys() == {"output"} else told or None


def _error(span: DecodedSpan) -> AttributeValue:
    return _response(span).get("error") if _status(span) else None


GEMINI_CLI = Dialect(
    name="gemini_cli/1",
    scopes=("gemini-cli",),
    kinds=(
        KindRule(
            semconv.OPERATION_NAME,
            {"llm_call": "llm", "tool_call": "tool", "agent_call": "agent", "user_prompt": "agent"},
            otherwise="other",
        ),
    ),
    error_message=(_MESSAGE,),
    contents={
        "tool": {
            semconv.TOOL_CALL_ID: (copied("gen_ai.tool.call_id"),),
            semconv.TOOL_CALL_ARGUMENTS: (member(semconv.INPUT_MESSAGES, "args"),),
            semconv.TOOL_CALL_RESULT: (_result,),
            semconv.STATUS: (_status,),
            semconv.ERROR_TYPE: (member(semconv.OUTPUT_MESSAGES, "response", "errorType"),),
            _MESSAGE: (_error,),
        },
    },
)
