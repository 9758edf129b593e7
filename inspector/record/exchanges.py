"""What a model's client got, written so that it can be given back to the letter, and costs little beside the answer.

The long texts of a body that is JSON stand apart from what is around them, as the answer that was read of it has them,
so that the file has each once. A stream, and what has no long texts, is compressed. `inspector.reading.exchanges` reads
both.
"""

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

import msgspec

from inspector.frames import LEAST_BYTES, Elements, cut_strings
from inspector.plain import Plain
from inspector.record.failures import error_text
from inspector.record.labels import label
from inspector.record.layouts import class_path
from inspector.redaction import Redactor

_MOST_BYTES: Final = 4 << 20
"""Of a body as it is written."""
_PACK_ABOVE: Final = 4096
"""Characters around the long texts of a body above which it is compressed as a whole."""
_PADDING: Final = re.compile(r'("obfuscation": ?")([A-Za-z0-9]+)(?=")')
"""What OpenAI fills the chunks of a stream up with: random letters, which say nothing and cannot be compressed."""
_EVENT_END: Final = b"\n\n"
_ENDS: Final = frozenset(("whole", "left", "failed"))
_encode = msgspec.json.Encoder().encode
_decode_text = msgspec.json.Decoder(str).decode


class Exchange(NamedTuple):
    """One attempt of a model call, as it was when the call's end was told."""

    status: int | None
    """None where there was no response."""
    headers: dict[str, Plain]
    pieces: tuple[bytes, ...] | None
    """The body; None where it was too long to be kept, or in an encoding that nobody here knows."""
    at_ns: tuple[int, ...]
    """When each piece came, since the request was sent; empty where the body came whole."""
    end: str
    error: dict[str, Plain] | None
    """What the client raised, by its class and message."""

    @property
    def weight(self) -> int:
        """How many bytes it holds on to."""
        return sum(map(len, self.pieces or ()))


def exchanges_of(values: Mapping[str, Any]) -> tuple[Exchange, ...]:
    """Return what a hook tells of the exchanges of its call; the bodies are shared, as nobody changes them."""
    told = values.get("exchanges")
    if type(told) is not list:
        return ()
    return tuple(_exchange(each) for each in cast("list[Any]", told) if type(each) is dict)


def _exchange(told: Any) -> Exchange:
    status, pieces, at_ns, exc = (told.get(name) for name in ("status", "pieces", "at_ns", "exc"))
    found = told.get("headers")
    headers = cast("dict[Any, Any]", found) if type(found) is dict else {}
    are_bytes = type(pieces) is list and all(type(each) is bytes for each in cast("list[Any]", pieces))
    are_times = type(at_ns) is list and all(type(each) is int for each in cast("list[Any]", at_ns))
    return Exchange(
        status if type(status) is int else None,
        {name: label(value) for name, value in headers.items() if type(name) is str},
        tuple(cast("list[bytes]", pieces)) if are_bytes else None,
        tuple(cast("list[int]", at_ns)) if are_times else (),
        end if (end := told.get("end")) in _ENDS else "left",
        {"class": class_path(type(exc)), "message": error_text(exc)} if isinstance(exc, BaseException) else None,
    )


def written(exchanges: Sequence[Exchange], redactor: Redactor, *, is_answer_clean: bool) -> list[Plain]:
    """Return exchanges as they are written, without secrets.

    Args:
        exchanges: Those of a call.
        redactor: What removes secrets.
        is_answer_clean: Whether there is no secret in what was read of a stream: in the stream itself it is in pieces.
    """
    return [_written(each, redactor, is_answer_clean=is_answer_clean) for each in exchanges]


def _written(exchange: Exchange, redactor: Redactor, *, is_answer_clean: bool) -> Plain:
    made: dict[str, Plain] = {}
    if exchange.status is not None:
        headers, _ = redactor.redact_value("headers", exchange.headers)
        made = {"status": exchange.status, "headers": headers}
        made |= _body(exchange, redactor, is_answer_clean=is_answer_clean)
    if exchange.end != "whole":
        made["end"] = exchange.end
    if exchange.error is not None:
        made["error"], _ = redactor.redact_value("error", exchange.error)
    return made


def _body(exchange: Exchange, redactor: Redactor, *, is_answer_clean: bool) -> dict[str, Plain]:
    if exchange.pieces is None:
        return {"left_out": "too long"}
    body = b"".join(exchange.pieces)
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return {"left_out": "not text"}
    if exchange.at_ns:
        if not (is_answer_clean and _is_clean(text, redactor)):
            return {"left_out": "a secret"}
        made = _packed(_PADDING.sub(_dots, text).encode(), _table(exchange))
    else:
        text = text if redactor.clean(text) else redactor.redact_text("body", text)
        made = _whole(text)
    return made if sum(map(len, map(str, made.values()))) <= _MOST_BYTES else {"left_out": "too long"}


def _is_clean(text: str, redactor: Redactor) -> bool:
    return redactor.clean(text) or redactor.redact_text("body", text) == text


def _dots(padding: re.Match[str]) -> str:
    return padding[1] + "." * len(padding[2])


def _whole(text: str) -> dict[str, Plain]:
    pieces: list[Plain] = [""]
    letters = "utf8"
    around = 0
    for piece in cut_strings(text.encode(), LEAST_BYTES) or (text.encode(),):
        if isinstance(piece, Elements):
            (string,) = map(bytes, piece.bodies)
            found = _string(string)
            if found is not None and (len(pieces) == 1 or found[1] in ("both", letters)):
                letters = letters if found[1] == "both" else found[1]
                pieces += (found[0], "")
                continue
        else:
            string = piece if isinstance(piece, bytes) else b""
        around += len(string)
        pieces[-1] = f"{pieces[-1]}{string.decode()}"
    if around > _PACK_ABOVE:
        return _packed(text.encode(), {})
    return {"text": pieces} if letters == "utf8" else {"text": pieces, "letters": letters}


def _string(quoted: bytes) -> tuple[str, str] | None:
    """Return a string of JSON and the letters that it is written with; None where nobody here writes it so."""
    try:
        text = _decode_text(quoted)
    except (msgspec.MsgspecError, UnicodeError):
        return None
    in_utf8, in_ascii = _encode(text) == quoted, json.dumps(text).encode() == quoted
    if in_utf8:
        return text, "both" if in_ascii else "utf8"
    return (text, "ascii") if in_ascii else None


def _packed(body: bytes, table: dict[str, Any]) -> dict[str, Plain]:
    return {"packed": b64encode(zlib.compress(_encode(table) + b"\n" + body, 6)).decode()}


def _table(exchange: Exchange) -> dict[str, Any]:
    """Return where the pieces of a stream end, as events where each holds whole ones, else as bytes; and when."""
    pieces = exchange.pieces or ()
    table: dict[str, Any] = {"ms": [at // 1_000_000 for at in exchange.at_ns]}
    if all(piece.endswith(_EVENT_END) and _EVENT_END + b"\n" not in piece for piece in pieces):
        return table | {"events": [piece.count(_EVENT_END) for piece in pieces]}
    return table | {"bytes": [len(piece) for piece in pieces]}
