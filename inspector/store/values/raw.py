"""The attributes that a replay returns are stored with the others, and read only on request."""

from typing import Any

import msgspec

from inspector.semconv import RAW_PREFIX

_MARK = f'"{RAW_PREFIX}'.encode()
_ATTRIBUTES = msgspec.json.Decoder(dict[str, msgspec.Raw])


def is_raw(key: str) -> bool:
    """Return whether an attribute is one that a replay returns."""
    return key.startswith(RAW_PREFIX)


def without_raw(attributes: bytes) -> bytes:
    """Return the JSON of a span's attributes without those that a replay returns."""
    if _MARK not in attributes:
        return attributes
    kept: dict[str, Any] = {key: raw for key, raw in _ATTRIBUTES.decode(attributes).items() if not is_raw(key)}
    return msgspec.json.encode(kept)
