"""A server on the loopback address that answers as OpenAI, Anthropic, Gemini and Ollama do, without any model.

What it answers follows from the request alone, so that calls at the same time do not get each other's answers. The
last message of the user is echoed, unless lines of it say otherwise:

    !call NAME {"some": "arguments"}   ask for this tool, once for each such line; when its results are there: tell them
    !say TEXT                          answer with this text instead of an echo
    !after WORD TEXT                   answer with this text once the word is in another line, the last that holds
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
import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

from anthropic_wire import batch, counted, message, message_events
from gemini_wire import gemini, gemini_chunks
from ollama_wire import ollama, ollama_lines
from openai_wire import chat, chat_events, completion, completion_events, embeddings, response, response_events
from replies import Reply, reply_to

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
_GEMINI, _OLLAMA = (":generateContent", ":streamGenerateContent"), ("/api/chat", "/api/generate")
_NUMBERS = count(1)
"""Of the answers, for the ids of their requests."""
_WORDS = ("content_block_delta", "response.output_text.delta")


class Models(ThreadingHTTPServer):
    """The server, with what it was asked."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Asked)
        self.requests: list[dict[str, Any]] = []
        self.failed: Counter[str] = Counter()
        self.turn = threading.Lock()
        self.answered_by: str | None = None
        """A model that all answers are of, whichever was asked."""
        self.said: str | None = None
        """What is answered, whatever was asked, where no tool is asked for."""

    @property
    def port(self) -> int:
        return self.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def reached(self, text: str) -> None:
        """Return once a request with this text has arrived, however slow the machine is."""
        while text not in json.dumps([each["body"] for each in self.requests], ensure_ascii=False):  # noqa: ASYNC110 - requests arrive in threads
            await asyncio.sleep(0.005)

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
        ending = next((each for each in (*WHOLE, *_GEMINI, *_OLLAMA) if path.endswith(each)), None)
        if ending is None:
            self._answer(404, {"error": {"message": f"no {path} here", "type": "not_found_error"}})
            return
        reply = reply_to(request)
        if self.server.said is not None and not reply.calls:
            reply.text = self.server.said
        with self.server.turn:
            self.server.requests.append({"path": path, "headers": dict(self.headers), "body": request})
            number = len(self.server.requests)
        if self.server.answered_by is not None:
            request = {**request, "model": self.server.answered_by}
        if self._is_failing(request, reply):
            return
        time.sleep(reply.wait_s)
        if ending in _GEMINI:
            self._gemini(path.rpartition("/")[2].partition(":")[0], ending, reply, number)
        elif ending in _OLLAMA:
            self._ollama(ending, request, reply)
        elif request.get("stream") and ending in STREAMED:
            self._stream(ending, STREAMED[ending](request, reply, number), reply)
        else:
            self._answer(200, WHOLE[ending](request, reply, number))

    def _gemini(self, model: str, ending: str, reply: Reply, number: int) -> None:
        if ending == ":generateContent":
            self._answer(200, gemini(model, reply, number))
        elif "alt=sse" in self.path:
            self._pieces("text/event-stream", gemini_chunks(model, reply, number), reply, b"data: %s\r\n\r\n")
        else:
            chunks = list(gemini_chunks(model, reply, number))
            self._answer(200, chunks)

    def _ollama(self, ending: str, request: dict[str, Any], reply: Reply) -> None:
        if request.get("stream", True):
            self._pieces("application/x-ndjson", ollama_lines(ending, request, reply), reply, b"%s\n")
        else:
            self._answer(200, ollama(ending, request, reply))

    def _pieces(self, kind: str, pieces: Iterator[dict[str, Any]], reply: Reply, layout: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, piece in enumerate(pieces):
            if number and reply.ending == "cut":
                self.close_connection = True
                return
            self._chunk(layout % json.dumps(piece).encode())
        self._chunk(b"")

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

    @property
    def _id_header(self) -> str:
        return "request-id" if "/messages" in self.path else "x-request-id"

    def _answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {
            "content-type": "application/json",
            self._id_header: f"req_{next(_NUMBERS)}",
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, ending: str, events: Iterator[dict[str, Any]], reply: Reply) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header(self._id_header, f"req_{next(_NUMBERS)}")
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
