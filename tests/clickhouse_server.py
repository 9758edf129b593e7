"""A small server of ClickHouse's HTTP interface in front of the engine in this process, for the client's way there."""

import re
import signal
import socket
import struct
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

import zstandard

Step = Literal["unread", "read", "applied", "half answered"]
"""How far an insert gets before the server is gone."""
ERRORS = {
    164: "default: Cannot execute query in readonly mode. (READONLY)",
    243: "Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)",
    252: "Too many parts (300 with average size of 1.00 KiB). Merges are slower than inserts. (TOO_MANY_PARTS)",
    497: "default: Not enough privileges. To execute this query, needed is the grant INSERT. (ACCESS_DENIED)",
}

_LONGEST_FIELD = 1 << 17
"""The default of `http_max_field_value_size`."""
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


class Faults:
    """What goes wrong with inserts into one table, from the next one on, until it is mended."""

    def __init__(self) -> None:
        self.met = threading.Event()
        """Set once it has gone wrong."""
        self._table = b""
        self._fault: Step | Literal["late"] | int | None = None
        self._mended = threading.Event()

    def begin(self, table: str, fault: Step | Literal["late"] | int) -> None:
        """Has the server be gone in the middle of an insert, answer it late, or refuse it with a code of ClickHouse."""
        self.met.clear()
        self._mended.clear()
        self._table, self._fault = f"INSERT INTO `{table}` ".encode(), fault

    def mend(self) -> None:
        """Has the server work again."""
        self._fault = None
        self._mended.set()

    @property
    def is_gone(self) -> bool:
        """Whether the server answers nobody any more."""
        return isinstance(self._fault, str) and self._fault != "late" and self.met.is_set()

    def of(self, body: bytes) -> Step | Literal["late"] | int | None:
        """Returns what goes wrong with a request, whose beginning this is."""
        fault = self._fault
        if fault is None or not body.startswith(self._table):
            return None
        self.met.set()
        return fault

    def wait_mended(self) -> None:
        """Waits until it is mended."""
        self._mended.wait()


@contextmanager
def served(place: str = ":memory:", faults: Faults | None = None, others: tuple[Faults, ...] = ()) -> Iterator[str]:
    """Serves the engine's memory, and yields the host and port; a place may name a file of its configuration too.

    There is another host of the same engine for each of ``others``, behind a comma.
    """
    # Importing the engine blocks SIGPIPE, which every program that a test starts later would inherit.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    import chdb

    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    connection = chdb.connect(place)
    given = {"engine": connection, "left": _Left()}
    with ExitStack() as stack:
        stack.callback(connection.close)
        hosts = [stack.enter_context(_listening(given | {"faults": each})) for each in (faults or Faults(), *others)]
        yield ",".join(hosts)


@contextmanager
def _listening(given: dict[str, object]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), given))
    # Of clients that are killed it would write a traceback each.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class _Left:
    """How the last request left the engine."""

    database: str = ""
    settings: dict[str, str] = field(default_factory=dict[str, str])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()

    def log_message(self, *_) -> None:
        pass

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        if self.faults.is_gone:
            self._be_gone()
            return
        chunked = self.headers.get("Transfer-Encoding") == "chunked"
        chunks = self._chunks() if chunked else iter([self.rfile.read(int(self.headers.get("Content-Length") or 0))])
        body = next(chunks, b"")
        fault = self.faults.of(self._plain(body))
        if fault == "unread":
            self._be_gone()
            return
        body += b"".join(chunks)
        if fault == "read":
            self._be_gone()
        elif isinstance(fault, int):
            self._send(500, f"Code: {fault}. DB::Exception: {ERRORS[fault]} (version 26.9.1.1)".encode())
        else:
            self._answer(self._plain(body), fault)

    def _be_gone(self, said: bytes = b"") -> None:
        """Ends the connection as a server does that is killed."""
        self.close_connection = True
        with suppress(OSError):
            self.connection.sendall(said)
            if not said:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _plain(self, body: bytes) -> bytes:
        match self.headers.get("Content-Encoding"):
            case "lz4":
                return b"".join(_lz4_frames(body))
            case "zstd":
                return zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True).read()
            case _:
                return body

    def _answer(self, body: bytes, fault: str | None = None) -> None:
        given = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        if self.headers.get_content_type() == "multipart/form-data":
            # The client sends values so that are too long for an address.
            given, body = given | self._form(body), b""
        if any(len(value.encode(errors="surrogateescape")) > _LONGEST_FIELD for value in given.values()):
            self._send(400, b"HTML Form Exception: Field value too long")
            return
        try:
            answer, status = self._run(given, body), 200
        except Exception as error:
            answer, status = str(error).encode(), 500
        if fault == "applied":
            self._be_gone()
        elif fault == "half answered":
            self._be_gone(b"HTTP/1.1 200 OK\r\nX-ClickHouse-Progress: {}\r\n")
        else:
            if fault == "late":
                self.faults.wait_mended()
            with suppress(OSError):
                self._send(status, answer)

    def _send(self, status: int, answer: bytes) -> None:
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
        settings = {name: value for name, value in given.items() if name not in _OURS and not name.startswith("param_")}
        with self.lock, tempfile.NamedTemporaryFile() as rows:
            self._use(given.get("database"), settings)
            sql = given.get("query") or body.decode(errors="surrogateescape")
            head, _, block = body.partition(b"\n")
            if head.upper().startswith(b"INSERT INTO"):
                rows.write(block)
                rows.flush()
                sql = head.decode().replace(" FORMAT Native", f" FROM INFILE '{rows.name}' FORMAT Native")
            return self._ask(sql, params)

    def _use(self, database: str | None, settings: dict[str, str]) -> None:
        """Has the engine work as a request says; what the one before it left is not said again, which takes longer."""
        if database and database != self.left.database:
            self._ask(f"USE `{database}`")
            self.left.database = database
        before = self.left.settings
        changed = [f"{name} = '{value}'" for name, value in settings.items() if before.get(name) != value]
        changed += [f"{name} = DEFAULT" for name in before.keys() - settings.keys()]
        if changed:
            self._ask(f"SET {', '.join(changed)}")
            self.left.settings = settings

    def _ask(self, sql: str, params: dict[str, str] | None = None) -> bytes:
        return self.engine.query(sql, "TabSeparated", params=params or {}).bytes() or b""


def _lz4_frames(body: bytes) -> Iterator[bytes]:
    """Yields what is in each frame: the client makes one of every block of rows."""
    import lz4.frame  # the client has it before Python 3.14, and takes zstd since

    while body:
        frame = lz4.frame.LZ4FrameDecompressor()
        yield frame.decompress(body)
        body = frame.unused_data or b""
