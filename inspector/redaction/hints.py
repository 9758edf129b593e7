"""Tells quickly that a text holds no secret, which is what nearly every recorded text comes down to.

A pass of ``bytes.translate`` leaves short remains of the text, what is no lower-case letter, in which the marks of the
rules are looked for: the prefixes of keys, the punctuation of URLs and headers. A search in the remains costs a tenth
of one in the text. The few words that fields with secrets are called by are searched in the text itself.
"""

import re
from typing import Final

from inspector.redaction.fields import WORDS, announces
from inspector.redaction.shapes import QUERY_ANCHORS, RULES

_COMMON: Final = b'abcdefghijklmnopqrstuvwxyz "{}[],()'

BYTES_MARK: Final = '"$type":"bytes"'
"""How a snapshot of bytes shows in JSON: what it holds is seen only once decoded."""


def remains(text: bytes) -> str:
    """What is left of a text without lower-case letters and the punctuation of JSON."""
    # Decoded, because a search in bytes first tries its argument as a number, which costs five times the search.
    return text.translate(None, _COMMON).decode("latin-1")


_ANCHORS: Final = tuple(anchor for rule in RULES if not rule.fold for anchor in rule.anchors)
_JOINTS: Final = ("-", "_")


def _behind_prefix(joint: str) -> re.Pattern[str]:
    """A pattern for a joint behind the two letters that come before the first one in some prefix, as in ``sk-``.

    It begins with the joint and looks back, since a search for one character is the fastest there is.
    """
    before = {anchor.partition(joint)[0][-2:] for anchor in _ANCHORS if anchor.find(joint) > 1}
    return re.compile(f"{joint}(?<={'|'.join(re.escape(two + joint) for two in sorted(before))})")


_WORD_WITH_K: Final = re.compile("k(?:ey|(?<=tok)en|(?<=cook)ie)")
_WORD_WITH_P: Final = re.compile("p(?:ass|wd)")
_JOINED: Final = {joint: _behind_prefix(joint) for joint in _JOINTS}
MARKS: Final = tuple(
    {
        mark
        for anchor in _ANCHORS
        if (mark := remains(anchor.encode())) and anchor.find("-") < 1 and anchor.find("_") < 1
    }
)


def suspicious(text: str) -> bool:
    """Whether any rule could match in a text, or in a value of which this is the JSON text."""
    raw = text.encode("utf-8", "replace")
    rest = remains(raw)
    if rest and (_in_remains(text, rest) or _in_punctuation(text, rest)):
        return True
    if "earer" in text:
        return True
    # As Latin-1, in which every byte is a character: positions do not matter here, and ASCII lowers fastest.
    lowered = raw.lower().decode("latin-1")
    return has_word(lowered) and announces(text, [word for word in WORDS if word in lowered])


def has_word(lowered: str) -> bool:
    """Whether one of ``WORDS`` is in a text in lower case; two searches for one rare letter take the place of five."""
    return (
        "secret" in lowered
        or "authorization" in lowered
        or _WORD_WITH_K.search(lowered) is not None
        or _WORD_WITH_P.search(lowered) is not None
    )


def _in_remains(text: str, rest: str) -> bool:
    if has_mark(rest) and any(map(text.__contains__, _ANCHORS)):
        return True
    for joint in _JOINTS:
        if joint in rest and _JOINED[joint].search(text) and any(map(text.__contains__, _ANCHORS)):
            return True
    return False


def has_mark(rest: str) -> bool:
    """Whether one of ``MARKS`` is in the remains; written out, since a loop over them costs ten times as much."""
    return (
        ("A" in rest and ("AI" in rest or "AKIA" in rest or "ASIA" in rest or "ABIA" in rest or ":AA" in rest))
        or ("S" in rest and ("SG." in rest or "SK" in rest))
        or "J" in rest
        or "29." in rest
        or "../" in rest
        or "1//0" in rest
        or "-----BEGIN" in rest
    )


def _in_punctuation(text: str, rest: str) -> bool:
    """Whether a text has what URLs with credentials, basic authentication or bytes cannot do without."""
    if "@" in rest and "://" in rest:
        return True
    if "=" in rest and ("?" in rest or "&" in rest) and any(map(text.lower().__contains__, QUERY_ANCHORS)):
        return True
    return ("B" in rest and "Basic" in text) or ("$:" in rest and BYTES_MARK in text)
