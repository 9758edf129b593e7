"""Replies as OpenAI sends them: chat completions, responses, embeddings and legacy completions, whole and streamed."""

import base64
import json
import struct
from collections.abc import Iterator
from typing import Any

from replies import Reply, halves, texts_of, words_of


def chat_usage(reply: Reply) -> dict[str, Any]:
    return {
        "prompt_tokens": reply.input_tokens,
        "completion_tokens": reply.output_tokens,
        "total_tokens": reply.input_tokens + reply.output_tokens,
        "prompt_tokens_details": {"cached_tokens": reply.cached},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def _chat_finish(reply: Reply) -> str:
    return "tool_calls" if reply.calls else "length" if reply.ending == "incomplete" else "stop"


def chat(request: dict[str, Any], reply: Reply, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.calls:
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for call_id, name, arguments in reply.calls
        ]
    choices = [
        {"index": at, "message": message, "finish_reason": _chat_finish(reply), "logprobs": None}
        for at in range(request.get("n") or 1)
    ]
    return {**_chat_head(request, number, "chat.completion"), "choices": choices, "usage": chat_usage(reply)}


def _chat_head(request: dict[str, Any], number: int, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{number:04}",
        "object": kind,
        "created": 1_790_000_000,
        "model": request.get("model", "deployed"),
    }


def chat_events(request: dict[str, Any], reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    head = _chat_head(request, number, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None, index: int = 0) -> dict[str, Any]:
        return {**head, "choices": [{"index": index, "delta": delta, "finish_reason": finish, "logprobs": None}]}

    for index in range(request.get("n") or 1):
        yield chunk({"role": "assistant", "content": ""}, index=index)
        for word in words_of(reply.text):
            yield chunk({"content": word}, index=index)
        for at, (call_id, name, arguments) in enumerate(reply.calls):
            first, second = halves(json.dumps(arguments))
            function = {"name": name, "arguments": ""}
            yield chunk({"tool_calls": [{"index": at, "id": call_id, "type": "function", "function": function}]})
            for part in (first, second):
                yield chunk({"tool_calls": [{"index": at, "function": {"arguments": part}}]})
        yield chunk({}, _chat_finish(reply), index)
    if (request.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": chat_usage(reply)}


def _response_items(reply: Reply, number: int) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reply.thought:
        items.append(
            {"id": f"rs_{number}", "type": "reasoning", "summary": [{"type": "summary_text", "text": reply.thought}]}
        )
    if reply.text:
        content = [{"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}]
        items.append(
            {"id": f"msg_{number}", "type": "message", "role": "assistant", "status": "completed", "content": content}
        )
    for call_id, name, arguments in reply.calls:
        call = {"type": "function_call", "call_id": call_id, "name": name, "arguments": json.dumps(arguments)}
        items.append({"id": f"fc_{call_id}", "status": "completed", **call})
    return items


def response(request: dict[str, Any], reply: Reply, number: int, *, is_over: bool = True) -> dict[str, Any]:
    status = (
        {"incomplete": "incomplete", "refuse": "failed"}.get(reply.ending, "completed") if is_over else "in_progress"
    )
    usage = {
        "input_tokens": reply.input_tokens,
        "input_tokens_details": {"cached_tokens": reply.cached},
        "output_tokens": reply.output_tokens,
        "output_tokens_details": {"reasoning_tokens": len(reply.thought.split())},
        "total_tokens": reply.input_tokens + reply.output_tokens,
    }
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1_790_000_000,
        "status": status,
        "error": {"code": "server_error", "message": "the stub refuses"} if status == "failed" else None,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "instructions": request.get("instructions"),
        "metadata": {},
        "model": request.get("model", "deployed"),
        "output": _response_items(reply, number) if is_over and status != "failed" else [],
        "parallel_tool_calls": True,
        "temperature": request.get("temperature", 1.0),
        "tool_choice": "auto",
        "tools": request.get("tools") or [],
        "top_p": 1.0,
        "usage": usage if is_over and status != "failed" else None,
    }


def response_events(request: dict[str, Any], reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    yield {"type": "response.created", "response": response(request, reply, number, is_over=False)}
    whole = response(request, reply, number)
    for at, item in enumerate(_response_items(reply, number)):
        place = {"output_index": at, "item_id": item["id"]}
        empty = {key: [] if key in ("content", "summary") else "" if key == "arguments" else item[key] for key in item}
        yield {"type": "response.output_item.added", "output_index": at, "item": empty}
        if item["type"] == "function_call":
            for part in halves(item["arguments"]):
                yield {"type": "response.function_call_arguments.delta", **place, "delta": part}
            done = {"arguments": item["arguments"], "name": item["name"]}
            yield {"type": "response.function_call_arguments.done", **place, **done}
        elif item["type"] == "message":
            place["content_index"] = 0
            yield {"type": "response.content_part.added", **place, "part": {**item["content"][0], "text": ""}}
            for word in words_of(reply.text):
                yield {"type": "response.output_text.delta", **place, "delta": word, "logprobs": []}
            yield {"type": "response.output_text.done", **place, "text": reply.text, "logprobs": []}
            yield {"type": "response.content_part.done", **place, "part": item["content"][0]}
        yield {"type": "response.output_item.done", "output_index": at, "item": item}
    yield {"type": f"response.{whole['status']}", "response": whole}


def embeddings(request: dict[str, Any], reply: Reply, number: int) -> dict[str, Any]:
    inputs = request["input"] if isinstance(request["input"], list) else [request["input"]]

    def vector(at: int) -> Any:
        numbers = [0.25, float(at)]
        packed = base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()
        return packed if request.get("encoding_format") == "base64" else numbers

    tokens = sum(len(text.split()) for text in texts_of(inputs))
    data = [{"object": "embedding", "index": at, "embedding": vector(at)} for at in range(len(inputs))]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": request.get("model", "deployed"), "usage": usage}


def completion(request: dict[str, Any], reply: Reply, number: int) -> dict[str, Any]:
    choice = {"index": 0, "text": reply.text, "finish_reason": _chat_finish(reply), "logprobs": None}
    return {**_chat_head(request, number, "text_completion"), "choices": [choice], "usage": chat_usage(reply)}


def completion_events(request: dict[str, Any], reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    head = _chat_head(request, number, "text_completion")
    for word in words_of(reply.text):
        yield {**head, "choices": [{"index": 0, "text": word, "finish_reason": None, "logprobs": None}]}
    yield {**head, "choices": [{"index": 0, "text": "", "finish_reason": _chat_finish(reply), "logprobs": None}]}
    if (request.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": chat_usage(reply)}
