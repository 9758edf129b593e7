"""A server on the loopback address that answers in the wire formats of OpenAI and Anthropic, without any model.

What it answers follows from the request alone, so that calls at the same time do not get each other's answers. The
last message of the user is echoed, unless lines of it say otherwise:

    !call NAME {"some": "arguments"}   ask for this tool, once for each such line; when its results are there: tell them
    !say TEXT                          answer with this text instead of an echo
    !think TEXT                        think this first (Anthropic: a thinking block; OpenAI: a reasoning item)
    !wait SECONDS                      wait so long before the answer
    !pause SECONDS                     wait so long between two events of a stream, after the first word
    !fail STATUS TIMES                 answer so many requests of this text with this status (and retry at once)
    !cut                               close the connection of a stream after its first word
    !break                             send an error in a stream after its first word
    !cached COUNT                      say that so many input tokens were read from a cache
    !incomplete                        stop for having reached the limit of tokens
    !refuse                            refuse (a failed response of the Responses API)

Tokens are the words of the request's texts and of the answer. `GET /requests` lists what was asked, in that order.

    python models.py --port 0          prints the port and serves until it is killed

    with serving() as models:          models.url is http://127.0.0.1:PORT
"""

import argparse
import base64
import json
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What is answered to one request."""

    text: str = ""
    thought: str = ""
    calls: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    """Id, name and arguments of each tool that is asked for."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached: int = 0
    wait_s: float = 0.0
    pause_s: float = 0.0
    failures: tuple[int, int] | None = None
    ending: str = ""
    """``cut``, ``break``, ``incomplete`` or ``refuse``."""


def texts_of(content: Any) -> list[str]:
    """Every text in a request's messages, however they are nested."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, list):
        return [text for item in content for text in texts_of(item)]
    if isinstance(content, dict):
        return [text for key in ("text", "content", "output", "arguments") for text in texts_of(content.get(key))]
    return []


def _messages(request: dict[str, Any]) -> list[dict[str, Any]]:
    found = request.get("messages", request.get("input", request.get("prompt", "")))
    if isinstance(found, list) and all(isinstance(item, dict) for item in found):
        return found
    return [{"role": "user", "content": found}]


def _kind(block: Any) -> Any:
    return block.get("type") if isinstance(block, dict) else None


def _is_result(message: dict[str, Any]) -> bool:
    blocks = message.get("content")
    return (
        message.get("role") == "tool"
        or message.get("type") == "function_call_output"
        or (isinstance(blocks, list) and any(_kind(block) == "tool_result" for block in blocks))
    )


def reply_to(request: dict[str, Any]) -> Reply:
    messages = _messages(request)
    asked = [at for at, each in enumerate(messages) if each.get("role") == "user" and not _is_result(each)]
    # A thread that the server keeps is sent the new messages alone.
    asked_at = asked[-1] if asked else -1
    results = [text for each in messages[asked_at + 1 :] if _is_result(each) for text in texts_of(each)]
    said: list[str] = []
    reply = Reply()
    for line in "\n".join(texts_of(messages[asked_at] if asked else "")).splitlines():
        word, _, rest = line.partition(" ")
        match word:
            case "!call" if not results:
                name, _, arguments = rest.partition(" ")
                at = len(reply.calls)
                reply.calls.append((f"call_{name}_{at}", name, json.loads(arguments or "{}")))
            case "!call" | "!schema":
                pass
            case "!say":
                reply.text = rest
            case "!think":
                reply.thought = rest
            case "!wait":
                reply.wait_s = float(rest)
            case "!pause":
                reply.pause_s = float(rest)
            case "!cached":
                reply.cached = int(rest)
            case "!fail":
                status, _, times = rest.partition(" ")
                reply.failures = int(status), int(times or 1)
            case "!cut" | "!break" | "!incomplete" | "!refuse":
                reply.ending = word[1:]
            case _:
                said.append(line)
    if results:
        reply.text = "told: " + " ".join(results)
    elif reply.calls:
        reply.text = ""
    else:
        reply.text = reply.text or "echo: " + " ".join(said)
    everything = [text for each in messages for text in texts_of(each)] + texts_of(request.get("system"))
    reply.input_tokens = sum(len(text.split()) for text in everything + texts_of(request.get("instructions")))
    reply.output_tokens = len(reply.text.split()) + len(reply.thought.split()) + 3 * len(reply.calls)
    return reply


def words_of(text: str) -> list[str]:
    return [word + " " for word in text.split(" ")[:-1]] + text.split(" ")[-1:] if text else []


def halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


# --- OpenAI: chat completions ---


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
        "id": f"chatcmpl-{number}",
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


# --- OpenAI: responses, embeddings, legacy completions ---


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
    for at, item in enumerate(whole["output"]):
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


# --- Anthropic: messages ---


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


WHOLE = {
    "/chat/completions": chat,
    "/responses": response,
    "/embeddings": embeddings,
    "/completions": completion,
    "/messages/count_tokens": counted,
    "/messages/batches": batch,
    "/messages": message,
}
"""By how the path ends; the first that fits is taken."""
STREAMED = {
    "/chat/completions": chat_events,
    "/responses": response_events,
    "/completions": completion_events,
    "/messages": message_events,
}
_WORDS = ("content_block_delta", "response.output_text.delta")


class Models(ThreadingHTTPServer):
    """The server, with what it was asked."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Asked)
        self.requests: list[dict[str, Any]] = []
        self.failed: Counter[str] = Counter()
        self.turn = threading.Lock()

    @property
    def port(self) -> int:
        return self.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that leave early are what is tested."""


class _Asked(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Models

    def do_GET(self) -> None:
        found = {"data": self.server.requests} if self.path.endswith("/requests") else {"data": [], "object": "list"}
        self._answer(200, found)

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        path = self.path.partition("?")[0]
        ending = next((each for each in WHOLE if path.endswith(each)), None)
        if ending is None:
            self._answer(404, {"error": {"message": f"no {path} here", "type": "not_found_error"}})
            return
        reply = reply_to(request)
        with self.server.turn:
            self.server.requests.append({"path": path, "headers": dict(self.headers), "body": request})
            number = len(self.server.requests)
        if self._is_failing(request, reply):
            return
        time.sleep(reply.wait_s)
        if request.get("stream") and ending in STREAMED:
            self._stream(ending, STREAMED[ending](request, reply, number), reply)
        else:
            self._answer(200, WHOLE[ending](request, reply, number))

    def _is_failing(self, request: dict[str, Any], reply: Reply) -> bool:
        if reply.failures is None:
            return False
        status, times = reply.failures
        key = json.dumps(request.get("messages", request.get("input")))
        with self.server.turn:
            self.server.failed[key] += 1
            is_due = self.server.failed[key] <= times
        if is_due:
            error = {"message": f"the stub fails with {status}", "type": "stub_error", "code": "stub"}
            self._answer(status, {"type": "error", "error": error}, {"retry-after-ms": "1"})
        return is_due

    def _answer(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "x-request-id": "req_1", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, ending: str, events: Iterator[dict[str, Any]], reply: Reply) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("x-request-id", "req_1")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        words = 0
        for number, event in enumerate(events):
            if words and reply.ending == "cut":
                self.close_connection = True
                return
            if words and reply.ending == "break":
                self._event({"type": "error", "error": {"type": "overloaded_error", "message": "the stub breaks"}})
                break
            if words:
                time.sleep(reply.pause_s)
            self._event({**event, "sequence_number": number} if ending == "/responses" else event)
            words += _is_word(event)
        if ending.endswith("completions"):
            self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _event(self, event: dict[str, Any]) -> None:
        name = f"event: {event['type']}\n" if "type" in event else ""
        self._chunk(f"{name}data: {json.dumps(event)}\n\n".encode())

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _is_word(event: dict[str, Any]) -> bool:
    choices = event.get("choices") or [{}]
    return event.get("type") in _WORDS or bool((choices[0].get("delta") or {}).get("content") or choices[0].get("text"))


@contextmanager
def serving(port: int = 0) -> Iterator[Models]:
    """Serve from a thread of this process."""
    with Models(port) as models:
        thread = threading.Thread(target=models.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield models
        finally:
            models.shutdown()
            thread.join()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    with serving(parser.parse_args().port) as served:
        print(served.port, flush=True)  # noqa: T201 -- how its caller learns the port
        threading.Event().wait()
