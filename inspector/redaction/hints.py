"""A cheap pre-check that clears most texts of secrets.

It looks for the parts that every rule needs: a token of a known format; the punctuation of URLs and headers; the name
of a secret with room for a value. The text is searched as Latin-1, one byte per character, at the speed of memory.
"""

import re
from itertools import islice
from typing import Final

from inspector.redaction.commands import LETTERS, commands
from inspector.redaction.credentials import credentials
from inspector.redaction.fields import WORDS, announces, has_word
from inspector.redaction.formats import JOINTS
from inspector.redaction.names import PERSONAL, REDIS
from inspector.redaction.percent import undone
from inspector.redaction.shapes import RULES, has_secret_parameter
from inspector.redaction.tokens import encoded_texts, has_runs, mapped_runs, tokens

BYTES_MARK: Final = '"$type":"bytes"'
"""How captured bytes appear in JSON; their content can only be searched after decoding."""
ESCAPED_LETTER: Final = re.compile(r"\\+u00(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|2[DdEe])")
"""A letter, a digit or a joint that is escaped without need."""

# They begin with a rare letter, since a search for one character is the fastest.
_BEARER: Final = re.compile(r"b(?:earer(?:\s|%20|\+|\\))")
_OPTION: Final = re.compile(
    r"-(?:[uU](?:ser)?[ =\"'\\%&]|[apPw][ =\"'\\%&]|[pu](?<=[ \t\"';27]-[pu])\w|-auth[ =\"'\\])"
)
_COMMON: Final = b'abcdefghijklmnopqrstuvwxyz "{}[],()'
_ANCHORS: Final = tuple(anchor for rule in RULES if not rule.fold for anchor in rule.anchors)


LARGE: Final = 1 << 20
"""The size from which a text is checked for density before it is searched."""
_MOST_NAMES: Final = 200_000
_MOST_JOINTS: Final = 4_000_000


def is_dense(text: str) -> bool:
    """Whether a large text has more names, options and joints than can be checked in seconds."""
    if len(text) < LARGE:
        return False
    lowered = text.lower()
    names = sum(map(lowered.count, (*WORDS, "://", "-u", "bearer", "basic", "eyj", "auth")))
    if names + sum(1 for _ in islice(LETTERS.finditer(text), _MOST_NAMES + 1)) > _MOST_NAMES:
        return True
    return sum(map(text.count, JOINTS)) > _MOST_JOINTS


def suspicious(text: str) -> bool:
    """Whether any rule could match a text, or a value with this JSON text."""
    if is_dense(text):
        return True
    raw = as_bytes(text)
    mapped = mapped_runs(raw)
    long = has_runs(mapped)
    lowered = in_lower_case(text, raw)
    rest = remains(raw)
    if (long and any(True for _ in tokens(text, raw, mapped))) or _has_mark(text, lowered, rest):
        return True
    auth = "auth" in lowered
    personal = PERSONAL in rest or REDIS in rest
    if (personal or has_word(lowered, auth=auth)) and (
        announces(text, lowered, personal=personal) or "sshpass" in lowered
    ):
        return True
    if auth and any(True for _ in credentials(text, lowered)):
        return True
    if "%" in rest and any(suspicious(part.plain) for part in undone(text)):
        return True
    return long and any(suspicious(decoded) for _, _, decoded in encoded_texts(text, raw))


def as_bytes(text: str) -> bytes:
    """Return the text with one byte per character; characters outside Latin-1 become question marks."""
    # Texts of Western Europe are copied, where their letters outside ASCII would be replaced one by one.
    return text.encode("latin-1", "replace")


def in_lower_case(text: str, raw: bytes) -> str:
    """Return the text in lower case, of the same length; ``raw`` is the text in Latin-1."""
    # A string knows whether it is ASCII, and most are: they need not be decoded again.
    return text.lower() if text.isascii() else raw.lower().decode("latin-1")


def remains(raw: bytes) -> str:
    """Return the text without lower-case letters and JSON's punctuation: a tenth of it, which is searched first."""
    # Decoded, because a search in bytes first tries its argument as a number, at five times the cost.
    return raw.translate(None, _COMMON).decode("latin-1")


def _has_mark(text: str, lowered: str, rest: str) -> bool:
    """Whether a text has the parts that rules for shapes, URLs with credentials, headers or bytes need."""
    if has_anchor(rest) and any(map(text.__contains__, _ANCHORS)):
        return True
    if "@" in rest and "://" in rest:
        return True
    if "=" in rest and ("?" in rest or "&" in rest or ";" in rest) and has_secret_parameter(lowered):
        return True
    if "-" in rest and _OPTION.search(text) and any(True for _ in commands(text)):
        return True
    if "\\00" in rest and ESCAPED_LETTER.search(text):
        return True
    return bool(_BEARER.search(lowered)) or ("B" in rest and "Basic" in text) or ("$:" in rest and BYTES_MARK in text)


def has_anchor(rest: str) -> bool:
    """Whether the rest of any rule's anchor is in the remains; written out, since a loop costs ten times as much."""
    return (
        "../" in rest
        or "///" in rest
        or ":AA" in rest
        or "Q~" in rest
        or "1//0" in rest
        or "!A" in rest
        or "-----BEGIN" in rest
    )
