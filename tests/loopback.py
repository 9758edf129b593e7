"""Servers of HTTP on the loopback address, for as long as a test asks them."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Quiet(BaseHTTPRequestHandler):
    """Writes nothing of what it is asked."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving_http(handler: type[BaseHTTPRequestHandler]) -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
