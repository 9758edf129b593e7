"""Replies as Anthropic sends them: messages, whole and streamed, counts and batches."""

import json
from collections.abc import Iterator
from typing import Any

from replies import Reply, halves, words_of


def message(request: dict[str, Any], reply: Reply, number: int) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if reply.thought:
        content.append({"type": "thinking", "thinking": reply.thought, "signature": "signed"})
    if reply.text:
        content.append({"type": "text", "text": reply.text, "citations": None})
    for call_id, name, arguments in reply.calls:
        content.append(
            {"type": "tool_use", "id": call_id, "name": name, "input": arguments, "caller": {"type": "direct"}}
        )
    stop = {"incomplete": "max_tokens", "refuse": "refusal"}.get(
        reply.ending, "tool_use" if reply.calls else "end_turn"
    )
    usage = {
        "input_tokens": reply.input_tokens - reply.cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": reply.cached,
        "output_tokens": reply.output_tokens,
        "service_tier": "standard",
    }
    head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": request.get("model", "?")}
    return {**head, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def message_events(request: dict[str, Any], reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    whole = message(request, reply, number)
    begun = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    yield {"type": "message_start", "message": begun}
    for at, block in enumerate(whole["content"]):
        place = {"index": at}
        match block["type"]:
            case "thinking":
                empty = {"type": "thinking", "thinking": "", "signature": ""}
                deltas = [{"type": "thinking_delta", "thinking": word} for word in words_of(block["thinking"])]
                deltas.append({"type": "signature_delta", "signature": block["signature"]})
            case "text":
                empty = {**block, "text": ""}
                deltas = [{"type": "text_delta", "text": word} for word in words_of(block["text"])]
            case _:
                empty = {**block, "input": {}}
                parts = halves(json.dumps(block["input"]))
                deltas = [{"type": "input_json_delta", "partial_json": part} for part in ("", *parts)]
        yield {"type": "content_block_start", **place, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", **place, "delta": delta}
        yield {"type": "content_block_stop", **place}
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": {"output_tokens": reply.output_tokens}}
    yield {"type": "message_stop"}


def counted(request: dict[str, Any], reply: Reply, number: int) -> dict[str, Any]:
    return {"input_tokens": reply.input_tokens}


def batch(request: dict[str, Any], reply: Reply, number: int) -> dict[str, Any]:
    counts = dict.fromkeys(("canceled", "errored", "expired", "succeeded"), 0)
    return {
        "id": f"msgbatch_{number}",
        "type": "message_batch",
        "processing_status": "in_progress",
        "request_counts": {**counts, "processing": len(request.get("requests", ()))},
        "created_at": "2026-11-22T00:00:00Z",
        "expires_at": "2026-11-23T00:00:00Z",
        **dict.fromkeys(("archived_at", "cancel_initiated_at", "ended_at", "results_url")),
    }
