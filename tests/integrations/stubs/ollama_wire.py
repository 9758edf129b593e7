"""Replies as Ollama sends them: whole, or a line of JSON for each piece."""

from collections.abc import Iterator
from typing import Any

from replies import Reply, words_of


def _said(ending: str, text: str) -> dict[str, Any]:
    return {"response": text} if ending == "/api/generate" else {"message": {"role": "assistant", "content": text}}


def _head(request: dict[str, Any]) -> dict[str, Any]:
    return {"model": request["model"], "created_at": "2026-11-25T10:00:00Z"}


def _done(reply: Reply) -> dict[str, Any]:
    reason = "length" if reply.ending == "incomplete" else "stop"
    counts = {"prompt_eval_count": reply.input_tokens, "eval_count": reply.output_tokens}
    return {"done": True, "done_reason": reason, **counts}


def ollama(ending: str, request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    said = _said(ending, reply.text)
    if reply.calls:
        calls = [{"function": {"name": name, "arguments": arguments}} for _, name, arguments in reply.calls]
        said["message"]["tool_calls"] = calls
    return {**_head(request), **said, **_done(reply)}


def ollama_lines(ending: str, request: dict[str, Any], reply: Reply) -> Iterator[dict[str, Any]]:
    for word in words_of(reply.text):
        yield {**_head(request), **_said(ending, word), "done": False}
    yield {**_head(request), **_said(ending, ""), **_done(reply)}
