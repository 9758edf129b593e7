"""Event streams of AWS as lines of text, so that they are recorded as other streams are, and back.

https://smithy.io/2.0/aws/amazon-eventstream.html
"""

import json
import struct
from base64 import b64encode
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, Final
from zlib import crc32

from inspector.integrations.exchanges import Exchange
from instrument.signals import is_of_signal

CONTENT_TYPE: Final = "application/vnd.amazon.eventstream"
_NOT_TEXT: Final = b"\xff"
"""What a replay cannot give back; the exchange then says so."""
_TEXT: Final = 7
"""The type of a header that is text."""


class FramedBody:
    """Observes a body of frames, and gives an exchange one line for each."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._frames: Any = import_module("botocore.eventstream").EventStreamBuffer()

    def received(self, data: bytes) -> None:
        """Add bytes of it."""
        if self._frames is None:
            return
        try:
            self._frames.add_data(data)
            for frame in self._frames:
                self._exchange.received(_line(frame.headers, frame.payload))
        # Damaged frames: the program gets its own exception.
        except Exception as error:
            self._frames = None
            self._exchange.received(_NOT_TEXT)
            if is_of_signal(error):
                raise

    def ended(self) -> None:
        """Note that all of it was read."""
        self._exchange.ended()

    def stopped(self, exc: BaseException) -> None:
        """Note an exception from reading it."""
        self._exchange.stopped(exc)

    def closed(self) -> None:
        """Note that the program closed it."""
        self._exchange.closed()


def streamed(answer: bytes, *, is_converse: bool) -> list[bytes]:
    """Return the lines of a stream that has a whole answer: for a controller that gives that."""
    if not is_converse:
        chunk = json.dumps({"bytes": b64encode(answer).decode()}).encode()
        return [_line(_headers("chunk"), chunk)]
    fields = json.loads(answer)
    message = fields["output"]["message"]
    events: list[tuple[str, Any]] = [("messageStart", {"role": message.get("role", "assistant")})]
    for at, block in enumerate(message["content"]):
        tool = block.get("toolUse")
        delta = block if tool is None else {"toolUse": {"input": json.dumps(tool.get("input", {}))}}
        if tool is not None:
            start = {"toolUse": {name: tool[name] for name in ("toolUseId", "name")}}
            events.append(("contentBlockStart", {"start": start, "contentBlockIndex": at}))
        events.append(("contentBlockDelta", {"delta": delta, "contentBlockIndex": at}))
        events.append(("contentBlockStop", {"contentBlockIndex": at}))
    events.append(("messageStop", {"stopReason": fields.get("stopReason", "end_turn")}))
    events.append(("metadata", {name: fields[name] for name in ("usage", "metrics") if name in fields}))
    return [_line(_headers(name), json.dumps(event).encode()) for name, event in events]


def _headers(event: str) -> dict[str, Any]:
    return {":event-type": event, ":content-type": "application/json", ":message-type": "event"}


class GivenFrames:
    """A body that was not sent for, in place of urllib3's.

    Args:
        lines: Its frames as they were recorded, in the pieces in which the program is to get them.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = lines

    def stream(self) -> Iterator[bytes]:
        """Yield the frames."""
        for piece in self._lines:
            yield b"".join(_frame(*line.split(b"\t", 1)) for line in piece.splitlines())

    def close(self) -> None:
        """Leave the rest."""


def _line(headers: dict[str, Any], payload: bytes) -> bytes:
    if b"\n" in payload or b"\r" in payload or not all(isinstance(value, str) for value in headers.values()):
        return _NOT_TEXT
    return json.dumps(headers).encode() + b"\t" + payload + b"\n"


def _frame(names: bytes, payload: bytes) -> bytes:
    headers = b"".join(
        struct.pack(">B", len(name)) + name + struct.pack(">BH", _TEXT, len(value)) + value
        for name, value in ((name.encode(), value.encode()) for name, value in json.loads(names).items())
    )
    # Two lengths, their checksum, and the checksum of all: 16 bytes.
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    frame = prelude + struct.pack(">I", crc32(prelude)) + headers + payload
    return frame + struct.pack(">I", crc32(frame))
