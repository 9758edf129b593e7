"""Replies as Gemini's REST API sends them: whole, as server-sent events, or as one array."""

from collections.abc import Iterator
from typing import Any

from replies import Reply, words_of


def _response(model: str, number: int, parts: list[dict[str, Any]], ending: dict[str, Any]) -> dict[str, Any]:
    candidate = {"index": 0, "content": {"role": "model", "parts": parts}, **ending}
    return {"candidates": [candidate], "modelVersion": model, "responseId": f"gemini-{number}"}


def _end(reply: Reply) -> dict[str, Any]:
    return {"finishReason": "STOP"} if reply.ending != "incomplete" else {"finishReason": "MAX_TOKENS"}


def _usage(reply: Reply) -> dict[str, Any]:
    counts = {"promptTokenCount": reply.input_tokens, "candidatesTokenCount": reply.output_tokens}
    return {"usageMetadata": {**counts, "totalTokenCount": reply.input_tokens + reply.output_tokens}}


def _calls(reply: Reply) -> list[dict[str, Any]]:
    return [{"functionCall": {"name": name, "args": arguments}} for _, name, arguments in reply.calls]


def gemini(model: str, reply: Reply, number: int) -> dict[str, Any]:
    parts = [{"text": reply.text}] if reply.text else []
    return {**_response(model, number, parts + _calls(reply), _end(reply)), **_usage(reply)}


def gemini_chunks(model: str, reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    for word in words_of(reply.text):
        yield _response(model, number, [{"text": word}], {})
    yield {**_response(model, number, _calls(reply), _end(reply)), **_usage(reply)}
