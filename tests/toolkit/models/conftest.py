import json

import pytest
from loopback import Quiet, serving_http


class Endpoint:
    """Answers each request with the next of its replies: a JSON body, a list of events, or a status with a body."""

    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}/v1"
        self.replies = []
        self.requests = []
        self.keys = []


class _Handler(Quiet):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        endpoint = self.server.endpoint
        endpoint.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        endpoint.keys.append(self.headers["Authorization"])
        assert self.path == "/v1/chat/completions"
        reply = endpoint.replies.pop(0)
        status, body = reply if isinstance(reply, tuple) else (200, reply)
        if isinstance(body, list):
            kind, sent = (
                "text/event-stream",
                "".join(f"data: {json.dumps(each)}\n\n" for each in body) + "data: [DONE]\n\n",
            )
        else:
            kind, sent = ("text/html", body) if isinstance(body, str) else ("application/json", json.dumps(body))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(sent.encode())))
        self.send_header("x-should-retry", "false")
        self.end_headers()
        self.wfile.write(sent.encode())


@pytest.fixture
def endpoint():
    """An endpoint on the loopback address that answers in the wire format of chat completions."""
    with serving_http(_Handler) as server:
        server.endpoint = Endpoint(server.server_port)
        yield server.endpoint
