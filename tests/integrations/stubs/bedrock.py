"""A server on the loopback address that answers as Amazon Bedrock's runtime does, without any model.

It answers the last text of the user as `replies` says, from the request alone.

    with serving_bedrock() as url:     http://127.0.0.1:PORT
"""

import base64
import json
import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

from anthropic_wire import message, message_events
from replies import Reply, reply_to, words_of


def converse(reply: Reply) -> dict[str, Any]:
    """The answer to Converse."""
    calls = [{"toolUse": {"toolUseId": call_id, "name": name, "input": given}} for call_id, name, given in reply.calls]
    content = calls or [{"text": reply.text}]
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "tool_use" if calls else "end_turn",
        "usage": _usage(reply),
        "metrics": {"latencyMs": 7},
    }


def converse_events(reply: Reply) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of ConverseStream."""
    yield "messageStart", {"role": "assistant"}
    for at, (call_id, name, given) in enumerate(reply.calls):
        start = {"toolUse": {"toolUseId": call_id, "name": name}}
        yield "contentBlockStart", {"start": start, "contentBlockIndex": at}
        text = json.dumps(given)
        for piece in (text[:4], text[4:]):
            yield "contentBlockDelta", {"delta": {"toolUse": {"input": piece}}, "contentBlockIndex": at}
        yield "contentBlockStop", {"contentBlockIndex": at}
    for word in [] if reply.calls else words_of(reply.text):
        yield "contentBlockDelta", {"delta": {"text": word}, "contentBlockIndex": 0}
    yield "messageStop", {"stopReason": "tool_use" if reply.calls else "end_turn"}
    yield "metadata", {"usage": _usage(reply), "metrics": {"latencyMs": 7}}


def _usage(reply: Reply) -> dict[str, int]:
    given, written = reply.input_tokens, reply.output_tokens
    return {"inputTokens": given, "outputTokens": written, "totalTokens": given + written}


def framed(name: str, payload: dict[str, Any], kind: str = "event") -> bytes:
    """A message of ``application/vnd.amazon.eventstream``."""
    body = json.dumps(payload).encode()
    pairs = {f":{kind}-type": name, ":content-type": "application/json", ":message-type": kind}
    headers = b"".join(
        struct.pack(">B", len(key)) + key.encode() + struct.pack(">BH", 7, len(value)) + value.encode()
        for key, value in pairs.items()
    )
    prelude = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    sent = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + body
    return sent + struct.pack(">I", zlib.crc32(sent))


class _Asked(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        _, _, model, operation = unquote(self.path).split("/", 3)
        if "messages" not in request:
            self._titan(request["inputText"], operation, embeds="embed" in model)
            return
        reply = reply_to(_plain(request))
        if reply.failures is not None:
            status, _ = reply.failures
            kind = {429: "ThrottlingException"}.get(status, "ValidationException")
            self._answer(status, {"message": f"the stub fails with {status}"}, {"x-amzn-errortype": kind})
        elif operation == "converse":
            self._answer(200, converse(reply))
        elif operation == "converse-stream":
            self._stream([framed(name, event) for name, event in converse_events(reply)], reply)
        elif operation == "invoke":
            self._answer(200, message({**request, "model": model}, reply, 1))
        else:
            self._stream([_chunk(event) for event in message_events({**request, "model": model}, reply, 1)], reply)

    def _titan(self, text: str, operation: str, *, embeds: bool) -> None:
        """Answer as Amazon's models do: tokens are in headers, and in the last event of a stream."""
        if embeds:
            self._answer(200, {"embedding": [0.5] * 256, "inputTextTokenCount": 3}, _counted(3, 0))
        elif operation == "invoke":
            self._answer(200, {"results": [{"outputText": text.upper(), "completionReason": "FINISH"}]}, _counted(2, 1))
        else:
            counts = {"inputTokenCount": 2, "outputTokenCount": 1}
            last = {"outputText": text[2:].upper(), "amazon-bedrock-invocationMetrics": counts}
            self._stream([_chunk({"outputText": text[:2].upper()}), _chunk(last)], Reply())

    def _answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("x-amzn-requestid", "00000000-1111-2222-3333-444444444444")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: list[bytes], reply: Reply) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/vnd.amazon.eventstream")
        self.send_header("x-amzn-requestid", "00000000-1111-2222-3333-444444444444")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        if reply.ending == "break":
            message = {"message": "the stub breaks"}
            events = [*events[:2], framed("modelStreamErrorException", message, kind="exception")]
        for event in [*events, b""]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _plain(request: dict[str, Any]) -> dict[str, Any]:
    """Return a request with the results of tools as `replies` knows them."""
    messages = [{**each, "content": [_block(block) for block in each["content"]]} for each in request["messages"]]
    return {**request, "messages": messages}


def _block(block: Any) -> Any:
    if isinstance(block, dict) and "toolResult" in block:
        return {"type": "tool_result", "content": block["toolResult"]["content"]}
    return block


def _counted(given: int, written: int) -> dict[str, str]:
    names = "x-amzn-bedrock-input-token-count", "x-amzn-bedrock-output-token-count"
    return dict(zip(names, map(str, (given, written)), strict=True))


def _chunk(event: dict[str, Any]) -> bytes:
    return framed("chunk", {"bytes": base64.b64encode(json.dumps(event).encode()).decode()})


@contextmanager
def serving_bedrock() -> Iterator[str]:
    """Serve from a thread of this process."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Asked) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


if __name__ == "__main__":
    with serving_bedrock() as served:
        print(served, flush=True)  # noqa: T201 -- how its caller learns where
        threading.Event().wait()
