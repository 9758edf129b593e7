"""Values of the model as JSON answers, encoded once and never parsed on the way."""

from typing import Any

import msgspec
from starlette.responses import Response

_LEFT_OUT = b',"input":null,"output":null,"attributes":null,"events":null,"links":null}'
"""How the large fields of an event that was not read in full end its JSON."""


def encode(value: Any, *, full: bool = True) -> bytes:
    """Write ``value`` as JSON; without ``full`` the large fields that were not read are left out of events.

    They always end an event and are unescaped here, which no recorded text can be inside a JSON string, so cutting the
    bytes is exact and costs a fraction of rebuilding every event.
    """
    encoded = msgspec.json.encode(value)
    return encoded if full else encoded.replace(_LEFT_OUT, b"}")


def encode_line(value: Any, *, full: bool = True) -> bytes:
    """Write ``value`` as JSON on a single line.

    Recorded JSON may hold line breaks between its tokens, where a space means the same; in strings they are escaped.
    """
    return encode(value, full=full).replace(b"\r", b" ").replace(b"\n", b" ")


def json_response(value: Any, *, full: bool = True) -> Response:
    """Answer with ``value``."""
    return Response(encode(value, full=full), media_type="application/json")
