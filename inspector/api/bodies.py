"""JSON responses from the values of the model, encoded once and never parsed again."""

from typing import Any

import msgspec
from starlette.responses import Response


def encode(value: Any) -> bytes:
    """Encode ``value`` as JSON."""
    return msgspec.json.encode(value)


def encode_line(value: Any) -> bytes:
    """Encode ``value`` as JSON on a single line.

    Recorded JSON may have line breaks between its tokens, where a space means the same; in strings they are escaped.
    """
    return encode(value).replace(b"\r", b" ").replace(b"\n", b" ")


def json_response(value: Any) -> Response:
    """Answer with ``value``."""
    return Response(encode(value), media_type="application/json")
