"""Tokens of known formats, searched only where they can occur.

A token is a long run of letters, digits and a few signs, so a text without such runs has none, which two passes in C
show. Most runs are names, numbers, hashes and UUIDs, recognised by the letters that they lack. The others are searched
for prefixes by one regular expression, and the rest of each token is matched once.
"""

import base64
import binascii
import re
import string
from collections.abc import Iterator
from typing import Final, NamedTuple

from inspector.redaction.formats import BY_TAIL, HEAD, JOINTS, START, UNJOINTED, pattern_of, service_of
from inspector.redaction.quoting import compiled

SHORTEST: Final = 16
"""Length of the shortest token, including its prefix."""
_SIGNS: Final = b"_-.~$"
_LOWER: Final = b"abcdefghijklmnopqrstuvwxyz"
_UPPER: Final = _LOWER.upper()
_DIGITS: Final = b"0123456789"
_NAMES: Final = _LOWER + _SIGNS
_NUMBERS: Final = _DIGITS + b"abcdef-."
_OF_NUMBERS: Final = b"fc-"
"""The only prefix that consists of hexadecimal digits and dashes."""
_ENCODED_TEXT: Final = _UPPER + b"abcdef"
"""Possible first letters of each group of four in the base64 of ASCII text."""
_SHORTEST_ENCODED: Final = 24


def _classes(members: bytes) -> bytes:
    return bytes(ord("a") if code in members else ord(" ") for code in range(256))


_TOKEN: Final = _classes(_LOWER + _UPPER + _DIGITS + _SIGNS)
_BASE64: Final = _classes(_LOWER + _UPPER + _DIGITS + b"+/_-")
_WANTED: Final = b"a" * SHORTEST
_FARTHEST: Final = 160
"""How many characters before a run to search for the start of base64."""
_BASE64_LETTERS: Final = string.ascii_letters + string.digits + "+/_-"
_BASE64_SIGNS: Final = (b"+", b"/")
_DATA: Final = re.compile("[A-Za-z0-9+/]{1024,}+")
"""Base64 of data, such as a picture, in which a token can begin only at the start."""
_JOINT: Final = re.compile(f"[{re.escape(JOINTS)}]")
_DISCORD: Final = re.compile(START + r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}")
"""The bot token of Discord has no prefix: trufflehog, ``discordbottoken``."""
_DISCORD_DOTS: Final = 2
_MARKED: Final = (
    # Keys of Azure's services, Azure OpenAI and DevOps among them: noseyparker, azure.yml; how others look, observed.
    ("azure", b"JQQJ99", re.compile(r"[A-Za-z0-9]{40,60}JQQJ99[A-Za-z0-9]{20,30}")),
    ("azure", b"AZDO", re.compile(r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}")),
    ("mailchimp", b"-us", re.compile(r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])")),
    ("new_relic", b"NRAL", re.compile(r"[0-9a-zA-Z_-]{36}NRAL(?![A-Za-z0-9])")),
)
"""Tokens with their mark in the middle or at the end: trufflehog, ``mailchimp`` and ``newreliclicensekey``."""
_SHORTEST_MARKED: Final = 36


class Found(NamedTuple):
    """The position of a secret in a text, and the rule that found it."""

    start: int
    end: int
    rule: str


def tokens(text: str, raw: bytes, mapped: bytes) -> Iterator[Found]:
    """Every token of a known format; ``raw`` is the text in Latin-1, ``mapped`` what ``mapped_runs`` returns for it."""
    start = mapped.find(_WANTED)
    while start >= 0:
        end = mapped.find(b" ", start)
        end = end if end >= 0 else len(mapped)
        run = raw[start:end]
        if run.translate(None, _NAMES) and (run.translate(None, _NUMBERS) or _OF_NUMBERS in run):
            yield from _in_run(text, start, end)
            if run.count(b".") == _DISCORD_DOTS and (match := _DISCORD.search(text, start, end)):
                yield Found(*match.span(), "discord")
            if len(run) >= _SHORTEST_MARKED:
                yield from _marked(text, run, start)
        if raw[end : end + 1] in _BASE64_SIGNS and (data := _DATA.match(text, start)):
            end = data.end()
        start = mapped.find(_WANTED, end)


def mapped_runs(raw: bytes) -> bytes:
    """Return the text with one letter for every character of tokens, and spaces for the rest."""
    return raw.translate(_TOKEN)


def has_runs(mapped: bytes) -> bool:
    """Whether there is a run of letters as long as a token, or as the base64 between two of its signs."""
    return _WANTED in mapped


def encoded_texts(text: str, raw: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield every part that is the base64 of a text, decoded; also over many lines, as mail and ``base64`` write it."""
    done = tried = 0
    for start, end in _runs(raw, _BASE64, _SHORTEST_ENCODED):
        if start < done:
            continue
        if raw[start - 1 : start] == b"\\" and raw[start] in _ESCAPES:
            start += 1  # noqa: PLW2901 - its first letter belongs to an escape of JSON
        if end - start >= _SHORTEST_LINE and start >= tried and _may_be_text(raw, start, end):
            # Lines that are not a text together are not tried again from each line.
            tried, done, decoded = _on_lines(text, start, end)
            if decoded:
                yield start, done, decoded
                continue
        yield from _in_one_run(text, raw, start, end)


def _in_one_run(text: str, raw: bytes, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    if _may_be_text(raw, start, end) and (decoded := decoded_text(text[start:end])):
        yield start, end, decoded
    elif raw.find(_ENCODED_OBJECT, start, end) >= 0:
        # URLs carry settings like this, between two slashes.
        for name in compiled(_PATH_NAME).finditer(text, start, end):
            if _may_be_text(raw, *name.span()) and (decoded := decoded_text(name[0])):
                yield *name.span(), decoded


def _may_be_text(raw: bytes, start: int, end: int) -> bool:
    """Whether base64 begins or ends with ASCII; a text of other letters may have its secret at either end.

    Of random letters, one run in fifty passes this; of names and paths, one in five hundred.
    """
    if not raw[start : start + _SHORTEST_ENCODED : 4].translate(None, _ENCODED_TEXT):
        return True
    last = end - (end - start) % 4 - _SHORTEST_ENCODED
    return last > start and not raw[last : last + _SHORTEST_ENCODED : 4].translate(None, _ENCODED_TEXT)


def _on_lines(text: str, start: int, end: int) -> tuple[int, int, str]:
    """Decode base64 whose first line is between two positions, with the following lines of the same length.

    Returns:
        The end of the lines, the end of those that are a text together, and the text; empty if there is none.
    """
    width, lines, ends = end - start, [text[start:end]], [end]
    while len(lines[-1]) == width and (line := compiled(_NEXT_LINE).match(text, ends[-1])):
        if len(line["data"]) > width:
            break
        lines.append(line["data"])
        ends.append(line.end("data"))
    # The shorter line may be a word of the following text.
    for count in (len(lines), len(lines) - 1):
        if count > 1 and (decoded := decoded_text("".join(lines[:count]))):
            return ends[-1], ends[count - 1], decoded
    return ends[-1], start, ""


def decoded_text(encoded: str) -> str:
    """Decode base64 in either alphabet, padded or not; empty if the result is not a text."""
    if len(encoded) % 4 == 1:
        return ""
    try:
        data = base64.b64decode(encoded.translate(_PLAIN_ALPHABET) + "=" * (-len(encoded) % 4), validate=True)
        decoded = data.decode()
    except (binascii.Error, ValueError):
        return ""
    return decoded if "\0" not in decoded else ""


_PATH_NAME: Final = rf"[A-Za-z0-9+_-]{{{_SHORTEST_ENCODED},}}+"
_ENCODED_OBJECT: Final = b"eyJ"
_SHORTEST_LINE: Final = 48
_ESCAPES: Final = b"nrt"
_NEXT_LINE: Final = r"(?:\r?\n|(?:\\{1,40}r)?\\{1,40}n)(?P<data>[A-Za-z0-9+/]{1,256}+)"
_PLAIN_ALPHABET: Final = str.maketrans("-_", "+/")


def _runs(raw: bytes, classes: bytes, shortest: int) -> Iterator[tuple[int, int]]:
    mapped = raw.translate(classes)
    run = b"a" * shortest
    start = mapped.find(run)
    while start >= 0:
        end = mapped.find(b" ", start)
        end = end if end >= 0 else len(mapped)
        yield start, end
        start = mapped.find(run, end)


def _marked(text: str, run: bytes, start: int) -> Iterator[Found]:
    for service, mark, pattern in _MARKED:
        if mark in run:
            for match in pattern.finditer(text, start, start + len(run)):
                yield Found(*match.span(), service)


def _in_run(text: str, start: int, end: int) -> Iterator[Found]:
    done = 0
    for position in _beginnings(text, start, end):
        pattern = pattern_of(text[position : position + HEAD]) if position >= done else None
        if pattern and (match := pattern.match(text, position)):
            done = match.end()
            yield Found(position, done, service_of(match))


def _beginnings(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where a token may begin in a run: at its start, at a joint, at a prefix that occurs in no word."""
    if start and text[start - 1] in "+/":
        # Base64 continues over signs that end a run: its prefix may be in a shorter run before.
        before = text[max(0, start - _FARTHEST) : start]
        yield start - len(before) + len(before.rstrip(_BASE64_LETTERS))
    yield start
    if start and text[start - 1] in "\\%":
        # After an escape of JSON or of a URL, whose last letters do not belong to the token.
        yield start + (2 if text[start - 1] == "%" else 5 if text[start] == "u" else 1)
    for joint in _JOINT.finditer(text, start, end):
        at = joint.start()
        for before in BY_TAIL.get(text[at - 2 : at + 1], ()):
            if at - before > start:
                yield at - before
        yield at + 1
    for match in UNJOINTED.finditer(text, start, end):
        yield match.start()
