"""Bloom filters over the attributes of some rows."""

from collections.abc import Collection
from functools import lru_cache
from zlib import crc32

_BITS = 12
"""Per text, for 0.3 % false positives."""
_PROBES = 6
_EACH_PROBE = range(_PROBES)
_SET = ord("1")
_MIXER = 0x9E3779B97F4A7C15
"""The golden ratio in 64 bits: spreads a checksum over all of them."""
_ALL = 2**64 - 1


def mark_of(key: str, text: bytes) -> int:
    """Return the checksum of an attribute and its value."""
    return crc32(text, _checksum_of_key(key))


@lru_cache(maxsize=1_024)
def _checksum_of_key(key: str) -> int:
    return crc32(f"{key}\0".encode("utf-8", "surrogatepass"))


def bits_of(marks: Collection[int]) -> bytes:
    """Return the Bloom filter of some marks."""
    size = (len(marks) * _BITS + 7) // 8 * 8
    # One character per bit, the highest first, so that `int` can parse them as a binary number.
    digits = bytearray(b"0" * size)
    for mark in marks:
        mixed = mark * _MIXER & _ALL
        at, step = mixed & 0xFFFFFFFF, mixed >> 32 | 1
        for _ in _EACH_PROBE:
            digits[~(at % size)] = _SET
            at += step
    return int(digits or b"0", 2).to_bytes(size // 8, "little")


def may_hold(bits: bytes, mark: int) -> bool:
    """Tell whether a mark may be in a filter; False is certain."""
    size = len(bits) * 8
    mixed = mark * _MIXER & _ALL
    at, step = mixed & 0xFFFFFFFF, mixed >> 32 | 1
    for _ in range(_PROBES if size else 0):
        place = at % size
        if not bits[place >> 3] >> (place & 7) & 1:
            return False
        at += step
    return size > 0
