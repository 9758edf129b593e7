"""A small server of ClickHouse's HTTP interface in front of the engine in this process, for the client's way there."""

import re
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import lz4.frame

_OURS = (
    "database",
    "query",
    "session_id",
    "query_id",
    "compress",
    "client_protocol_version",
    "enable_http_compression",
    "wait_end_of_query",
)


@contextmanager
def served(place: str = ":memory:") -> Iterator[str]:
    """Serves the engine's memory, and yields the host and port; a place may name a file of its configuration too."""
    # Importing the engine blocks SIGPIPE, which every program that a test starts later would inherit.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    import chdb

    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    connection = chdb.connect(place)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"engine": connection}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        connection.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()

    def log_message(self, *_) -> None:
        pass

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or self._chunks()
        if self.headers.get("Content-Encoding") == "lz4":
            body = b"".join(_frames(body))
        self._answer(body)

    def _chunks(self) -> bytes:
        chunks = []
        while self.headers.get("Transfer-Encoding") == "chunked" and (size := int(self.rfile.readline(), 16)):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        if chunks:
            self.rfile.readline()
        return b"".join(chunks)

    def _answer(self, body: bytes) -> None:
        given = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        if self.headers.get_content_type() == "multipart/form-data":
            # The client sends values so that are too long for an address.
            given, body = given | self._form(body), b""
        try:
            answer, status = self._run(given, body), 200
        except Exception as error:
            answer, status = str(error).encode(), 500
        self.send_response(status)
        if code := re.search(rb"Code: (\d+)", answer) if status == 500 else None:
            self.send_header("X-ClickHouse-Exception-Code", code[1].decode())
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _form(self, body: bytes) -> dict[str, str]:
        form = message_from_bytes(f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode() + body)
        return {
            str(part.get_param("name", header="content-disposition")): part.get_payload(decode=True).decode()
            for part in form.get_payload()
        }

    def _run(self, given: dict[str, str], body: bytes) -> bytes:
        params = {name.removeprefix("param_"): value for name, value in given.items() if name.startswith("param_")}
        settings = [name for name in given if name not in _OURS and not name.startswith("param_")]
        with self.lock, tempfile.NamedTemporaryFile() as rows:
            if given.get("database"):
                self._ask(f"USE `{given['database']}`")
            for name in settings:
                self._ask(f"SET {name} = '{given[name]}'")
            sql = given.get("query") or body.decode(errors="surrogateescape")
            head, _, block = body.partition(b"\n")
            if head.upper().startswith(b"INSERT INTO"):
                rows.write(block)
                rows.flush()
                sql = head.decode().replace(" FORMAT Native", f" FROM INFILE '{rows.name}' FORMAT Native")
            try:
                return self._ask(sql, params)
            finally:
                for name in settings:
                    self._ask(f"SET {name} = DEFAULT")

    def _ask(self, sql: str, params: dict[str, str] | None = None) -> bytes:
        return self.engine.query(sql, "TabSeparated", params=params or {}).bytes() or b""


def _frames(body: bytes) -> Iterator[bytes]:
    """Yields what is in each frame: the client makes one of every block of rows."""
    while body:
        frame = lz4.frame.LZ4FrameDecompressor()
        yield frame.decompress(body)
        body = frame.unused_data or b""
