"""The AI SDK for JavaScript, by Vercel: one span for a call with all its steps, one for each step, one for each tool.

https://ai-sdk.dev/docs/ai-sdk-core/telemetry
"""

from collections.abc import Mapping
from typing import cast

from inspector import semconv
from inspector.model import AttributeValue, Kind
from inspector.otlp import DecodedSpan
from inspector.reading.dialects.content import conversation, copied, listed
from inspector.reading.dialects.dialect import Dialect, KindRule
from inspector.reading.fields import parsed
from inspector.reading.messages import message, read_messages

_OPERATIONS: Mapping[str, Kind] = {
    **dict.fromkeys(("ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"), "agent"),
    **dict.fromkeys(("ai.generateText.doGenerate", "ai.streamText.doStream"), "llm"),
    **dict.fromkeys(("ai.generateObject.doGenerate", "ai.streamObject.doStream"), "llm"),
    **dict.fromkeys(("ai.embed.doEmbed", "ai.embedMany.doEmbed"), "llm"),
    "ai.toolCall": "tool",
}
_METADATA = "ai.telemetry.metadata."


def _embedded(span: DecodedSpan) -> AttributeValue:
    """Find what was embedded: each value as JSON."""
    values = listed("ai.values")(span)
    return cast("AttributeValue", read_messages(values, "user")) if values else None


def _answer(span: DecodedSpan) -> AttributeValue:
    attributes = span.attributes
    keys = ("ai.response.text", "ai.response.object", "ai.response.reasoning", "ai.response.toolCalls")
    text, data, thought, calls = (attributes.get(key) for key in keys)
    if text is None and data is None and thought is None and calls is None:
        return None
    fields = {
        "role": "assistant",
        "content": text if text is not None else data,
        "reasoning": thought,
        "tool_calls": parsed(calls),
        "finish_reason": attributes.get("ai.response.finishReason"),
    }
    answer = message(fields, "assistant")
    # Calls that are not JSON are shown as text.
    if answer and isinstance(calls, str) and parsed(calls) is None:
        answer["parts"].append({"type": "text", "content": calls})
    return cast("AttributeValue", [answer])


VERCEL_AI = Dialect(
    name="vercel_ai/1",
    scopes=("ai",),
    marks=("ai.operationId", "ai.model.id", "ai.toolCall.name"),
    kinds=(KindRule("ai.operationId", _OPERATIONS, otherwise="other"),),
    session=tuple(f"{_METADATA}{name}" for name in ("sessionId", "session_id", "conversationId", "threadId", "chatId")),
    agent=("ai.telemetry.functionId",),
    model=("ai.response.model", "ai.model.id"),
    provider=("ai.model.provider",),
    tool=("ai.toolCall.name",),
    input_tokens=("ai.usage.inputTokens", "ai.usage.promptTokens", "ai.usage.tokens"),
    output_tokens=("ai.usage.outputTokens", "ai.usage.completionTokens"),
    cache_read=("ai.usage.cachedInputTokens", "ai.usage.inputTokenDetails.cacheReadTokens"),
    cache_write=("ai.usage.inputTokenDetails.cacheWriteTokens",),
    # A stream that breaks off ends its span as any other, unlike a call that raises.
    failures={"ai.response.finishReason": frozenset(("error",))},
    # Of a stream that its reader aborts, the span ends without a status; that of the model call is never sent.
    completed={"ai.streamText": ("ai.response.finishReason", "ai.finishReason")},
    inputs={"tool": ("ai.toolCall.args",), "agent": ("ai.prompt",), "other": ("ai.prompt", "ai.value", "ai.values")},
    outputs={
        "tool": ("ai.toolCall.result",),
        "agent": ("ai.response.text", "ai.response.object"),
        "other": ("ai.response.text", "ai.response.object"),
    },
    contents={
        "llm": {
            semconv.INPUT_MESSAGES: (conversation("ai.prompt.messages", "ai.prompt", role="user"), _embedded),
            semconv.OUTPUT_MESSAGES: (_answer,),
            semconv.TOOL_DEFINITIONS: (listed("ai.prompt.tools"),),
            semconv.PROVIDER_NAME: (copied("ai.model.provider"),),
            semconv.REQUEST_MODEL: (copied("ai.model.id"),),
        },
        "tool": {semconv.TOOL_CALL_ID: (copied("ai.toolCall.id"),)},
    },
)
