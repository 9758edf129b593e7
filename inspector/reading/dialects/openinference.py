"""OpenInference, by Arize: messages, tools and documents spelled in the keys of attributes.

https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
"""

from collections.abc import Mapping
from typing import Any, cast

from inspector import semconv
from inspector.model import AttributeValue, Kind
from inspector.otlp import DecodedSpan
from inspector.reading.dialects.content import conversation, copied, flattened, member
from inspector.reading.dialects.dialect import Dialect, KindRule
from inspector.reading.fields import Fields, parsed
from inspector.reading.message_parts import tool_call
from inspector.reading.messages import MAX_PARTS, Message, message, part

_KINDS: Mapping[str, Kind] = {
    "LLM": "llm",
    "EMBEDDING": "llm",
    "AGENT": "agent",
    "TOOL": "tool",
    "PROMPT": "prompt",
    "CHAIN": "other",
    "RETRIEVER": "other",
    "RERANKER": "other",
    "GUARDRAIL": "other",
    "EVALUATOR": "other",
}
_RUNS: tuple[Kind, ...] = ("workflow", "agent", "tool", "prompt", "other")
_LANGCHAIN_AGENT = {semconv.AGENT_NAME: (member("metadata", "lc_agent_name"),)}


def _field(value: Any, name: str) -> Any:
    return cast("Mapping[str, Any]", value).get(name) if isinstance(value, dict) else None


def _message(item: Mapping[str, Any]) -> Message | None:
    wrapped = item.get("message")
    if not isinstance(wrapped, dict):
        return None
    held = cast("Mapping[str, Any]", wrapped)
    blocks = [_block(each) for each in _list(held.get("contents"))] if "contents" in held else []
    calls = [_field(each, "tool_call") for each in _list(held.get("tool_calls"))] if "tool_calls" in held else []
    if "function_call_name" in held:
        calls.append({"name": held["function_call_name"], "arguments": held.get("function_call_arguments_json")})
    fields = {**held, "content": [block for block in blocks if block] or held.get("content"), "tool_calls": calls}
    return message(fields, "user")


def _block(item: Any) -> Any:
    """Return a block of a message; tool calls appear again outside the blocks, with the same id."""
    call = _field(item, "tool_call")
    if isinstance(call, dict):
        return tool_call(cast("Fields", call))
    content = _field(item, "message_content")
    if not isinstance(content, dict):
        return None
    image = _field(_field(_field(content, "image"), "image"), "url")
    return part({"type": "image_url", "image_url": image} if isinstance(image, str) else cast("Fields", content))


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value)[:MAX_PARTS] if isinstance(value, list) else []


_answers = flattened("llm.output_messages.", _message)


def _answer(span: DecodedSpan) -> AttributeValue:
    answers, reason = _answers(span), span.attributes.get("llm.finish_reason")
    if isinstance(answers, list) and answers and isinstance(reason, str):
        return [*answers[:-1], {**cast("dict[str, Any]", answers[-1]), "finish_reason": reason}]
    return answers


def _tool(item: Mapping[str, Any]) -> Any:
    return parsed(_field(_field(item, "tool"), "json_schema"))


def _document(item: Mapping[str, Any]) -> Any:
    return _field(item, "document")


_documents = flattened("retrieval.documents.", _document)
_reranked = flattened("reranker.output_documents.", _document)


def _found(span: DecodedSpan) -> AttributeValue:
    """Return the documents of a retriever or a reranker that has no other output."""
    return None if "output.value" in span.attributes else _documents(span) or _reranked(span)


def _tool_message(span: DecodedSpan) -> AttributeValue:
    """Return the content of a message of LangChain, which wraps the results of tools."""
    output = parsed(span.attributes.get("output.value"))
    return (
        cast("AttributeValue", _field(_field(output, "data"), "content")) if _field(output, "type") == "tool" else None
    )


def _embedded(item: Mapping[str, Any]) -> Message | None:
    text = _field(_field(item, "embedding"), "text")
    return {"role": "user", "parts": [part(text)]} if isinstance(text, str) else None


OPENINFERENCE = Dialect(
    name="openinference/1",
    scopes=("openinference.instrumentation.*",),
    marks=("openinference.span.kind", "llm.input_messages.0.message.role", "llm.token_count.prompt"),
    kinds=(
        KindRule("openinference.span.kind", {"CHAIN": "workflow"}, where="at the root"),
        KindRule("openinference.span.kind", _KINDS),
        KindRule("llm.input_messages.0.message.role", otherwise="llm"),
        KindRule("llm.token_count.prompt", otherwise="llm"),
    ),
    agent=("agent.name",),
    model=("llm.response.model_name", "llm.model_name", "embedding.model_name", "llm.request.model_name"),
    provider=("llm.provider", "llm.system"),
    tool=("tool.name",),
    input_tokens=("llm.token_count.prompt",),
    output_tokens=("llm.token_count.completion",),
    cache_read=("llm.token_count.prompt_details.cache_read", "llm.token_count.prompt_details.cache_input"),
    cache_write=("llm.token_count.prompt_details.cache_write",),
    price=("llm.cost.total",),
    placeholders=frozenset(("unknown",)),
    inputs={"llm": (semconv.INPUT_MESSAGES, "input.value"), **dict.fromkeys(_RUNS, ("input.value", "reranker.query"))},
    outputs={
        "llm": (semconv.OUTPUT_MESSAGES, "output.value"),
        **dict.fromkeys(_RUNS, ("output.value", "gen_ai.retrieval.documents")),
        "tool": (semconv.TOOL_CALL_RESULT, "output.value"),
    },
    contents={
        "llm": {
            semconv.INPUT_MESSAGES: (
                flattened("llm.input_messages.", _message),
                flattened("embedding.embeddings.", _embedded),
                conversation("input.value", role="user"),
            ),
            semconv.OUTPUT_MESSAGES: (
                _answer,
                conversation("output.value", role="assistant"),
            ),
            semconv.TOOL_DEFINITIONS: (flattened("llm.tools.", _tool),),
            semconv.PROVIDER_NAME: (copied("llm.provider", "llm.system"),),
            semconv.REQUEST_MODEL: (
                copied("llm.request.model_name", "llm.model_name", "embedding.model_name"),
                member("llm.invocation_parameters", "model"),
            ),
            **_LANGCHAIN_AGENT,
        },
        "tool": {
            semconv.TOOL_CALL_ID: (copied("tool_call.id", "tool.id"), member("output.value", "data", "tool_call_id")),
            semconv.TOOL_CALL_RESULT: (_tool_message,),
            **_LANGCHAIN_AGENT,
        },
        "workflow": _LANGCHAIN_AGENT,
        "other": {
            "gen_ai.retrieval.documents": (_found,),
            **_LANGCHAIN_AGENT,
        },
    },
)
