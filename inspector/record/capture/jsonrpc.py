"""Reads JSON-RPC messages: requests, notifications and responses, as objects or as text.

The rules are those of JSON-RPC 2.0 (https://www.jsonrpc.org/specification): a request without an id is a notification,
which has no response; a response has a result or an error.
"""

from typing import Any, Final

import msgspec

from inspector.plain import Plain
from inspector.record.values.short_text import short_text
from inspector.record.values.snapshot import snapshot

_LONGEST_TEXT: Final = 1 << 20
"""Maximum size of a text that is parsed in the agent's thread; a longer one stays text, and its id is unknown."""
_MOST_PARTS: Final = 50_000
"""Maximum number of values in such a text; if it has more, its long members stay text."""
_SHORT_PART: Final = 4096

TRANSPORTS: Final = {
    "stdio": "stdio",
    "pipe": "stdio",
    "sse": "sse",
    "http": "http",
    "https": "http",
    "streamablehttp": "http",
    "websocket": "websocket",
    "ws": "websocket",
    "wss": "websocket",
    "memory": "memory",
    "inmemory": "memory",
}
"""The contract's transports by the emitters' names for them, in lower case and without separators."""


def read_envelope(value: object) -> Plain:
    """Return a copy of a message in any form; never raises."""
    if isinstance(value, str | bytes | bytearray):
        return _parsed(value)
    plain = snapshot(value)
    if isinstance(plain, dict) and "method" not in plain and isinstance(plain.get("root"), dict):
        return plain["root"]
    return plain


def _parsed(text: str | bytes | bytearray) -> Plain:
    if len(text) <= _LONGEST_TEXT:
        try:
            return snapshot(msgspec.json.decode(text) if _parts(text) <= _MOST_PARTS else _outline(text))
        except (msgspec.DecodeError, UnicodeError, RecursionError, TypeError):
            pass
    return snapshot(text)


def _parts(text: Any) -> int:
    """Estimate the number of values in a JSON text; never too low."""
    signs: Any = ",[{" if isinstance(text, str) else (b",", b"[", b"{")
    return sum(map(text.count, signs))


class _Message(msgspec.Struct):
    """The members of a message, undecoded; unknown ones are skipped."""

    jsonrpc: msgspec.Raw = msgspec.Raw()
    id: msgspec.Raw = msgspec.Raw()
    method: msgspec.Raw = msgspec.Raw()
    params: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


def _outline(text: str | bytes | bytearray) -> dict[str, object]:
    message = msgspec.json.decode(text, type=_Message)
    parts = {name: bytes(getattr(message, name)) for name in message.__struct_fields__}
    return {
        name: msgspec.json.decode(part) if len(part) <= _SHORT_PART else part.decode()
        for name, part in parts.items()
        if part
    }


def is_notification(envelope: Plain) -> bool:
    """Tell whether a message is a notification, which has no response."""
    return isinstance(envelope, dict) and isinstance(envelope.get("method"), str) and envelope.get("id") is None


def is_request(envelope: Plain) -> bool:
    """Tell whether a message is a request or notification, rather than a response."""
    is_answer = isinstance(envelope, dict) and ("result" in envelope or "error" in envelope)
    return isinstance(envelope, dict) and "method" in envelope and not is_answer


def is_same_message(one: Plain, other: Plain) -> bool:
    """Tell whether two envelopes are the same request, by id and method."""
    keys = ("id", "method")
    return isinstance(one, dict) and isinstance(other, dict) and all(one.get(key) == other.get(key) for key in keys)


def transport_of(value: object) -> str | None:
    """Return the contract's name of a transport; None if it has none."""
    text = short_text(value)
    if text is None:
        return None
    return TRANSPORTS.get(text) or TRANSPORTS.get("".join(filter(str.isalnum, text[:32])).lower())


def identity(envelope: Plain, transport: object, direction: object) -> tuple[object, ...] | None:
    """Return the key that pairs a request with its response; None if the message has none."""
    if not isinstance(envelope, dict):
        return None
    message_id = envelope.get("id")
    if not isinstance(message_id, str | int | float):
        message_id = envelope.get("method") if is_notification(envelope) else None
        if message_id is None:
            return None
    way = short_text(transport) or (None if transport is None else id(transport))
    return way, "inbound" if direction == "inbound" else "outbound", type(message_id), message_id
