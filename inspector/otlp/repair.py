"""Repairs invalid JSON, so that a careless sender loses a few characters, not the request."""

import re
from codecs import getincrementaldecoder

_SURROGATE = re.compile(rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|[89a-fA-F][0-9a-fA-F]{2})")
_CHUNK = 1 << 20
_ESCAPE = 6
"""Length of a numeric escape."""
_MOST_SURROGATES = 1_000_000


def repaired(payload: bytes) -> bytes:
    """Return the payload in valid UTF-8 without a byte order mark; unpaired surrogates become U+FFFD."""
    text = payload.removeprefix(b"\xef\xbb\xbf")
    if not text.isascii():
        reader = getincrementaldecoder("utf-8")("replace")
        # As one text, it would take four bytes a character.
        parts = (reader.decode(text[at : at + _CHUNK]) for at in range(0, len(text), _CHUNK))
        text = b"".join([*(part.encode() for part in parts), reader.decode(b"", final=True).encode()])
    return _SURROGATE.sub(_without_half, text, _MOST_SURROGATES)


def _without_half(match: "re.Match[bytes]") -> bytes:
    text, start = match.string, match.start()
    begin = start
    while begin and text[begin - 1] == ord("\\"):
        begin -= 1
    if (start - begin) % 2:
        # The backslash itself is escaped, so an escape can begin only after it.
        return match[0][:_ESCAPE] + _SURROGATE.sub(_without_half, match[0][_ESCAPE:])
    return match[0] if len(match[0]) > _ESCAPE else rb"\ufffd"
