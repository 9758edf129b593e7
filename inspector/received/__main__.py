"""The second process, which interprets requests. Its standard input is a socket to the first one."""

import gc
import pickle
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from inspector.model import Span
from inspector.otlp import Decoded, DecodedSpan
from inspector.reading import cost
from inspector.reading.dialects import read_span
from inspector.received.redacting import redacting
from inspector.received.request import receive
from inspector.received.second_process import SIZE, receive_message

_NEW_OBJECTS = 50_000
"""A request consists of many lists and dicts, and none of them is garbage before it is answered."""


def main(home: str, mode: str) -> None:
    """Answer each request with its interpretation, or with nothing if that fails; the first process then tries."""
    # The signal of Ctrl-C goes to all processes of a terminal; this one ends when the first one does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    redact = redacting(Path(home), on=mode == "redact")
    cost.warm()
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
    with socket.socket(fileno=0) as other:
        answer = b""
        while True:
            try:
                other.sendall(SIZE.pack(len(answer)))
                other.sendall(answer)
                request = receive_message(other)
            except (OSError, EOFError):
                return
            answer = _answer(request, redact)


def _answer(request: bytes, redact: Callable[[Decoded], Decoded]) -> bytes:
    try:
        # Both ends are the same program; data from senders is bytes in one pickle and texts in the other.
        return pickle.dumps(receive(pickle.loads(request), redact, _read), protocol=5)  # noqa: S301
    except Exception:  # noqa: BLE001 - the first process meets it again, and reports it
        return b""


def _read(spans: Sequence[DecodedSpan]) -> tuple[list[Span], int]:
    return [read_span(span) for span in spans], 0


if __name__ == "__main__":
    main(*sys.argv[1:])
