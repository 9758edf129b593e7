"""Decodes the bytes of an HTTP answer."""

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from inspector.integrations.plain import is_fields, is_items

MOST_BODY_BYTES = 1 << 24
"""A body is kept until its end, both as it came and decoded; larger ones are not answers of models."""
_PIECE_BYTES = 512
"""How much is decoded at once: some encodings expand it a thousand times or more."""


def plain_body(body: bytes, headers: Any, kind: type) -> bytes:
    """Decode the body of an HTTP response.

    Args:
        body: All of it, or its beginning.
        headers: The response's.
        kind: The class of the response, whose HTTPX has the decoders.

    Raises:
        LookupError: An encoding has no decoder here.
        ValueError: It becomes larger than answers of models are.
        Exception: Any error of a decoder.
    """
    return b"".join(plain_pieces([body], headers, kind))


def plain_pieces(pieces: Sequence[bytes], headers: Any, kind: type) -> list[bytes]:
    """Decode a body that came in pieces, piece by piece; the rest is as for `plain_body`."""
    encodings = [each.strip().lower() for each in headers.get("content-encoding", "").split(",")]
    for encoding in reversed(encodings):
        if encoding in ("", "identity"):
            continue
        package = next(each.__module__.partition(".")[0] for each in kind.__mro__ if each.__name__ == "Response")
        decoder = sys.modules[f"{package}._decoders"].SUPPORTED_DECODERS[encoding]()
        left = MOST_BODY_BYTES
        plain: list[bytes] = []
        for piece in pieces:
            plain.append(_unpacked(piece, decoder, left))
            left -= len(plain[-1])
        pieces = plain
    return list(pieces)


def _unpacked(body: bytes, decoder: Any, most: int) -> bytes:
    plain = bytearray()
    for start in range(0, len(body), _PIECE_BYTES):
        decoded = decoder.decode(body[start : start + _PIECE_BYTES])
        # HTTPX returns it whole, HTTPX2 piece by piece.
        for piece in (decoded,) if isinstance(decoded, bytes) else decoded:
            plain += piece
            if len(plain) > most:
                raise ValueError(f"a body of {len(body)} bytes becomes more than {MOST_BODY_BYTES}")
    return bytes(plain)


def chunks_of(body: bytes, headers: Any) -> Iterator[dict[str, Any]] | None:
    """Read the objects of a body that is JSON, lines of JSON, or server-sent events that hold JSON; else None."""
    kind = headers.get("content-type", "").partition(";")[0].strip()
    if kind == "text/event-stream":
        return _events(body)
    if kind == "application/x-ndjson":
        return _lines(body)
    if kind.endswith("json"):
        decoded = json.loads(body)
        # Gemini's streams are an array unless events are asked for.
        objects = decoded if is_items(decoded) else [decoded]
        return iter(objects) if all(map(is_fields, objects)) else None
    return None


def with_request_id(body: Any, headers: Any) -> Any:
    """Return an answer with the id of its request, named as in the SDKs of OpenAI and Anthropic."""
    request_id = headers.get("x-request-id") or headers.get("request-id")
    return {**body, "_request_id": request_id} if request_id and is_fields(body) else body


def _lines(body: bytes) -> Iterator[dict[str, Any]]:
    for line in body.split(b"\n"):
        try:
            chunk = json.loads(line) if line.strip() else None
        except ValueError:
            # Cut off within a line.
            return
        if is_fields(chunk):
            yield chunk


def _events(body: bytes) -> Iterator[dict[str, Any]]:
    data: list[str] = []
    # Not splitlines(): it splits at characters that server-sent events may contain.
    for line in [*body.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        field, _, value = line.partition(":")
        if field == "data":
            data.append(value.removeprefix(" "))
        elif not line and data:
            text = "\n".join(data)
            data.clear()
            if text.startswith("{"):
                try:
                    chunk = json.loads(text)
                except ValueError:
                    # Cut off within an event.
                    return
                yield chunk
