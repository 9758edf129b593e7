"""A client that sends any bytes, and reads whatever is answered."""

import socket
from collections import Counter
from dataclasses import dataclass, field

LONGEST_S = 20.0
"""Without an answer for so long a request counts as hanging."""


@dataclass
class Answer:
    status: int = 0
    """0 where the connection ended without any."""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


@dataclass
class Tally:
    """What became of all requests."""

    statuses: Counter[tuple[str, int | str]] = field(default_factory=Counter[tuple[str, int | str]])
    failures: list[str] = field(default_factory=list[str])

    @property
    def requests(self) -> int:
        return self.statuses.total()

    def judge(self, kind: str, sent: bytes, answer: Answer, *, whole: bool) -> None:
        """Count an answer, and keep what must not be."""
        self.statuses[kind, answer.status] += 1
        later = answer.status == 503 and "retry-after" in answer.headers
        if (answer.status >= 500 and not later) or b"Traceback" in answer.body or (whole and answer.status == 0):
            self.failures.append(f"{kind} {answer.status}: {sent[:600]!r}\n  {answer.body[:300]!r}")

    def table(self) -> str:
        return "\n".join(
            f"{kind:>24} {status!s:>20} {count:>7,}" for (kind, status), count in sorted(self.statuses.items(), key=str)
        )


def exchange(
    address: tuple[str, int], data: bytes, *, whole: bool = True, head: bool = False, most: int = 64 << 20
) -> Answer:
    """Send bytes on a connection of their own and read the first answer; a stream is left after its head.

    Raises:
        TimeoutError: Neither an answer nor an end of the connection came.
    """
    with socket.create_connection(address, timeout=LONGEST_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        received = bytearray()
        try:
            connection.sendall(data)
            if not whole:
                connection.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass  # answered, and closed, before all was sent
        except OSError as error:
            if isinstance(error, TimeoutError):
                raise
        return _read(connection, received, head=head, most=most)


def _read(connection: socket.socket, received: bytearray, *, head: bool, most: int) -> Answer:
    while b"\r\n\r\n" not in received or received.startswith(b"HTTP/1.1 100"):
        if received.startswith(b"HTTP/1.1 100") and b"\r\n\r\n" in received:
            del received[: received.index(b"\r\n\r\n") + 4]
            continue
        if not _more(connection, received):
            return Answer(body=bytes(received))
    begin, _, rest = bytes(received).partition(b"\r\n\r\n")
    line, *pairs = begin.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (pair.partition(":") for pair in pairs)}
    answer = Answer(int(line.split()[1]), headers)
    body = bytearray(rest)
    if not head and not headers.get("content-type", "").startswith("text/event-stream"):
        length = int(headers.get("content-length", most))
        while (
            len(body) < length
            and not (headers.get("transfer-encoding") and body.endswith(b"0\r\n\r\n"))
            and _more(connection, body)
        ):
            pass
    answer.body = bytes(body)
    return answer


def _more(connection: socket.socket, received: bytearray) -> bool:
    try:
        part = connection.recv(1 << 18)
    except ConnectionResetError:
        return False
    received += part
    return bool(part)
