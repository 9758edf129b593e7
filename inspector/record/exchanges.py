"""What a model's client got, written so that it can be replayed to the letter, and costs little beside the answer.

The long texts of a body that is JSON stand apart from what is around them, as the answer that was read of it has them,
so that the file has each once. A stream, and what has no long texts, is compressed. `inspector.reading.exchanges` reads
both.
"""

import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, cast

import msgspec

from inspector.frames import LEAST_BYTES, Elements, Piece, cut_strings
from inspector.plain import Plain
from inspector.reading.columns import EVENT_END, Letters, columns_of, unquoted
from inspector.record.failures import error_text
from inspector.record.labels import label
from inspector.record.layouts import class_path
from inspector.record.parts import WrittenParts
from inspector.redaction import Redactor

_MOST_CHARS: Final = 3 << 20
"""Of a body as it is written, which is then shorter than a value may be, quotation marks and all."""
_PACK_ABOVE: Final = 4096
"""Characters around the long texts of a body above which it is compressed as a whole."""
_PADDING: Final = re.compile(r'("obfuscation": ?")([^"\\\n]+)(?=")')
"""What OpenAI fills the chunks of a stream up with: random letters, which say nothing and cannot be compressed."""
_EVENT_END: Final = EVENT_END.encode()
_ENDS: Final = frozenset(("whole", "left", "failed"))
_encode = msgspec.json.Encoder().encode


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
    status, pieces, at_ns, exc, said = (told.get(name) for name in ("status", "pieces", "at_ns", "exc", "said"))
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
        _error(exc, said) if isinstance(exc, BaseException) else None,
    )


def _error(exc: BaseException, said: Any) -> dict[str, Plain]:
    return {"class": class_path(type(exc)), "message": said if type(said) is str else error_text(exc)}


def written(
    exchanges: Sequence[Exchange], redactor: Redactor, answer: Callable[[], str], parts: WrittenParts | None = None
) -> list[Plain]:
    """Return exchanges as they are written, without secrets.

    Args:
        exchanges: Those of a call.
        redactor: What removes secrets.
        answer: Returns what was read of a stream: in the stream itself a secret is in pieces.
        parts: What the file has already, which is not searched again.
    """
    return [_written(each, redactor, answer, parts) for each in exchanges]


def _written(exchange: Exchange, redactor: Redactor, answer: Callable[[], str], parts: WrittenParts | None) -> Plain:
    made: dict[str, Plain] = {}
    if exchange.status is not None:
        made = {"status": exchange.status, **_response(exchange, redactor, answer, parts)}
    if exchange.end != "whole":
        made["end"] = exchange.end
    if exchange.error is not None:
        made["error"], _ = redactor.redact_value("error", exchange.error)
    return made


def _response(
    exchange: Exchange, redactor: Redactor, answer: Callable[[], str], parts: WrittenParts | None
) -> dict[str, Plain]:
    headers, text = exchange.headers, _text_of(exchange)
    pieces = [] if text is None or exchange.at_ns else _cut(text)
    unsearched = parts.unsearched(pieces).decode() if parts is not None and pieces else text or ""
    # Together: a search has a cost of its own.
    is_clean = redactor.clean(f"{_encode(headers).decode()}\n{unsearched}")
    made: dict[str, Plain] = {"headers": headers if is_clean else redactor.redact_value("headers", headers)[0]}
    if text is None:
        return made | {"left_out": "too long" if exchange.pieces is None else "not text"}
    if not exchange.at_ns:
        shown = text if is_clean else redactor.redact_text("body", text)
        return made | _whole(shown, pieces if is_clean else _cut(shown))
    told = columns_of(_PADDING.sub(_dots, text))
    if told is None:
        return made | {"left_out": "not text"}
    # What is clean was searched just now.
    if not _is_clean((*([] if is_clean else [text]), answer(), *told.said), redactor):
        return made | {"left_out": "a secret"}
    made["texts"] = [*told.texts]
    return made | _packed(_encode(_table(exchange) | {"columns": told.columns}), text)


def _is_clean(texts: Sequence[str], redactor: Redactor) -> bool:
    return redactor.clean("\n".join(texts)) or all(redactor.redact_text("body", each) == each for each in texts)


def _text_of(exchange: Exchange) -> str | None:
    try:
        return None if exchange.pieces is None else b"".join(exchange.pieces).decode()
    except UnicodeDecodeError:
        return None


def _dots(padding: re.Match[str]) -> str:
    return padding[1] + "." * len(padding[2])


def _cut(text: str) -> list[Piece]:
    return cut_strings(text.encode(), LEAST_BYTES) or [text.encode()]


def _whole(text: str, body: Sequence[Piece]) -> dict[str, Plain]:
    pieces: list[Plain] = [""]
    letters: Letters | None = None
    around = 0
    for piece in body:
        if isinstance(piece, Elements):
            (string,) = map(bytes, piece.bodies)
            found = unquoted(string.decode(), letters)
            if found is not None:
                pieces += (found.text, "")
                letters = found.letters or letters
                continue
        else:
            string = piece if isinstance(piece, bytes) else b""
        around += len(string)
        pieces[-1] = f"{pieces[-1]}{string.decode()}"
    if around > _PACK_ABOVE or len(text) > _MOST_CHARS:
        return _packed(b"{}\n" + text.encode(), text)
    return {"text": pieces, "letters": letters} if letters == "ascii" else {"text": pieces}


def _packed(body: bytes, text: str) -> dict[str, Plain]:
    if len(text) > _MOST_CHARS:
        return {"left_out": "too long"}
    return {"packed": b64encode(zlib.compress(body)).decode()}


def _table(exchange: Exchange) -> dict[str, Any]:
    """Return where the pieces of a stream end, as events where each holds whole ones, else as bytes; and when."""
    pieces = exchange.pieces or ()
    ms = [at // 1_000_000 for at in exchange.at_ns]
    table: dict[str, Any] = {"ms": [after - before for before, after in pairwise((0, *ms))]}
    if all(piece.endswith(_EVENT_END) and _EVENT_END + b"\n" not in piece for piece in pieces):
        return table | {"events": [piece.count(_EVENT_END) for piece in pieces]}
    return table | {"bytes": [len(piece) for piece in pieces]}
