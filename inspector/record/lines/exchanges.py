"""Writes the HTTP exchanges of a model's client, so that a replay can return them byte for byte, at little cost.

In a JSON body, long texts are separate from the text around them, in the same form as in the recorded answer, so the
file stores each text once. Streams, and bodies without long texts, are compressed. `inspector.reading.exchanges` reads
both.
"""

import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final

import msgspec

from inspector.frames import LEAST_BYTES, Elements, Piece, cut_strings
from inspector.plain import Plain
from inspector.reading.columns import EVENT_END, Letters, columns_of, unquoted
from inspector.record.capture.exchanges import Exchange
from inspector.record.lines.parts import WrittenParts
from inspector.redaction import Redactor

_MOST_CHARS: Final = 3 << 20
"""The most characters of a written body: less than a value may have, since quotation marks are added."""
_PACK_ABOVE: Final = 4096
"""If a body has more characters around its long texts, it is compressed as a whole."""
_PADDING: Final = re.compile(r'("obfuscation": ?")([^"\\\n]+)(?=")')
"""The padding in OpenAI's stream chunks: random letters, which cannot be compressed."""
_EVENT_END: Final = EVENT_END.encode()
_encode = msgspec.json.Encoder().encode


def written(
    exchanges: Sequence[Exchange], redactor: Redactor, answer: Callable[[], str], parts: WrittenParts | None = None
) -> list[Plain]:
    """Return exchanges in the form that is written, without secrets.

    Args:
        exchanges: The exchanges of one call.
        redactor: Removes secrets.
        answer: Returns the answer assembled from a stream: in the stream itself, a secret is split into pieces.
        parts: The texts that the file already has, which are not searched again.
    """
    return [_written(each, redactor, answer, parts) for each in exchanges]


def _written(exchange: Exchange, redactor: Redactor, answer: Callable[[], str], parts: WrittenParts | None) -> Plain:
    written: dict[str, Plain] = {}
    if exchange.status is not None:
        written = {"status": exchange.status, **_response(exchange, redactor, answer, parts)}
    if exchange.end != "whole":
        written["end"] = exchange.end
    if exchange.error is not None:
        written["error"], _ = redactor.redact_value("error", exchange.error)
    return written


def _response(
    exchange: Exchange, redactor: Redactor, answer: Callable[[], str], parts: WrittenParts | None
) -> dict[str, Plain]:
    headers, text = exchange.headers, _text_of(exchange)
    pieces = [] if text is None or exchange.at_ns else _cut(text)
    unsearched = parts.unsearched(pieces).decode() if parts is not None and pieces else text or ""
    # One search for both, since each search has a fixed cost.
    is_clean = redactor.clean(f"{_encode(headers).decode()}\n{unsearched}")
    response: dict[str, Plain] = {"headers": headers if is_clean else redactor.redact_value("headers", headers)[0]}
    if text is None:
        return response | {"left_out": "too long" if exchange.pieces is None else "not text"}
    if not exchange.at_ns:
        shown = text if is_clean else redactor.redact_text("body", text)
        return response | _whole(shown, pieces if is_clean else _cut(shown))
    split = columns_of(_PADDING.sub(_dots, text))
    if split is None:
        return response | {"left_out": "not text"}
    # If `is_clean`, the text was already searched.
    if not _is_clean((*([] if is_clean else [text]), answer(), *split.joined), redactor):
        return response | {"left_out": "a secret"}
    response["texts"] = [*split.texts]
    return response | _packed(_encode(_table(exchange) | {"columns": split.columns}), text)


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
    """Return the times of the pieces of a stream, and their lengths: in events if possible, otherwise in bytes."""
    pieces = exchange.pieces or ()
    ms = [at // 1_000_000 for at in exchange.at_ns]
    table: dict[str, Any] = {"ms": [after - before for before, after in pairwise((0, *ms))]}
    if all(piece.endswith(_EVENT_END) and _EVENT_END + b"\n" not in piece for piece in pieces):
        return table | {"events": [piece.count(_EVENT_END) for piece in pieces]}
    return table | {"bytes": [len(piece) for piece in pieces]}
