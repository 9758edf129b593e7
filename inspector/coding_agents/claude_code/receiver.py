"""Receives what Claude Code sends, on a free port of this machine."""

import hmac
import secrets
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from inspector.otlp import MOST_BYTES

Take = Callable[[str, bytes], None]
"""Takes the path of a request, and its body in JSON; called by several threads."""

_TICK_S: Final = 0.1
"""The end waits for this long at most."""


class Receiver(ThreadingHTTPServer):
    """Listens as soon as it exists, and answers while `serve_forever` runs.

    Args:
        take: Called with each request.
        tick: Called ten times a second, in the thread of `serve_forever`.
    """

    # A sender that keeps its connection open must not keep this process.
    daemon_threads = True
    block_on_close = False

    def __init__(self, take: Take, tick: Callable[[], None]) -> None:
        self.take = take
        self.token = secrets.token_hex(16)
        self._tick = tick
        super().__init__(("127.0.0.1", 0), _Requests)

    @property
    def endpoint(self) -> str:
        """The address for senders."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def run(self) -> None:
        """Answer until `shutdown` is called."""
        self.serve_forever(poll_interval=_TICK_S)

    def service_actions(self) -> None:
        """Do what is due from time to time."""
        self._tick()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: the terminal is the program's."""


class _Requests(BaseHTTPRequestHandler):
    server: Receiver  # pyright: ignore[reportIncompatibleVariableOverride] - nobody else makes one
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        authorization = self.headers.get("Authorization", "").encode()
        if not length.isdecimal() or int(length) > MOST_BYTES:
            self._answer(413)
        elif not hmac.compare_digest(authorization, f"Bearer {self.server.token}".encode()):
            self._answer(401)
        else:
            self.server.take(self.path, self.rfile.read(int(length)))
            self._answer(200)

    def _answer(self, status: int) -> None:
        # The rest of a refused request would be taken for the next one.
        self.close_connection = self.close_connection or status != 200
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that it has there
        """Say nothing: the terminal is the program's."""
