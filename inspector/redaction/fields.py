"""Secrets that are known by the name before them: ``password=…``, ``"api_key": "…"``, ``Authorization: …``."""

import re
import string
from collections.abc import Iterator
from typing import Final

from inspector.redaction.names import Label, label_of
from inspector.redaction.tokens import Found

WORDS: Final = ("pass", "pwd", "secret", "key", "token", "authorization", "cookie")
"""Every name that ``label_of`` knows holds one of these, in lower case."""

_RAREST: Final = tuple(
    map(re.compile, ("secret", "z(?<=authoriz)ation", "k(?:ey|(?<=tok)en|(?<=cook)ie)", "p(?:ass|wd)"))
)
"""Find ``WORDS``, from a rare letter of theirs on: a search for one character is the fastest there is."""
_BEFORE: Final = {"zation": len("authori"), "ken": len("to"), "kie": len("coo")}
"""How far a word begins before what was found of it."""
_NAME_CHARS: Final = string.ascii_letters + string.digits + "_-."

_NAME_END = re.compile(r"[A-Za-z_]{0,12}[0-9_]{0,3}(?![A-Za-z0-9_-])")
_SEPARATOR = re.compile(r"(?:\\*[\"'`])?\]?\s{0,8}(?:=>|:=|={1,3}|:(?!//)|%3[AaDd])\s{0,8}")
_IS = re.compile(r"[ \t](?:is|was)(?:[ \t]|:[ \t])\s{0,4}(?=[^\s]{0,64}[0-9])")
_OPTION = re.compile(r"(?:[ \t]+|\\*[\"'],?\s{1,8})(?!-)")
_FOLLOWED = re.compile(r"\\*[\"'`\]]|\s{0,8}[:=]|%3[AaDd]|[ \t](?:is|was)\b|\Z")
_MARKUP = re.compile(r"[^<>\"']{0,64}>")
_OPENING = re.compile(r"[\[({\s]{0,8}[bBrRuUfF]{0,2}(\\*)([\"'`])")
_NEXT_ITEM = re.compile(r"\s{0,8},\s{0,8}(\\*)([\"'`])")
# A value without quotes goes on over whatever cannot begin the next thing: brackets that close again, commas and
# semicolons with text behind them, backslashes that are no escape.
_BARE = re.compile(
    r"(?:[^\s\"'`,;&<>(){}\[\]\\]|[,;&](?=[^\s\"'`\]});&,])(?![\w.-]{1,40}[=:])"
    r"|<[^<>\n\"']{1,64}>|<(?![/\n])|>|\([^\s()]{0,64}\)|\[[^\s\[\]]{0,64}\]|\{[^\s{}]{0,64}\}|\\(?![nrtbfu\"'`/\\]))+"
)
_LINE = re.compile(r"(?:[^\r\n\"'`\\<>]|\\(?![rn\"'`]))+")
_ELEMENT = re.compile(r"[^<]+")
_SCHEME = re.compile(r"(?:bearer|basic|digest|token|apikey|negotiate|aws4-hmac-sha256|bot)\s+", re.IGNORECASE)

_LONGEST_KEPT = 128
_WORD_VALUES: Final = frozenset(
    {
        "any",
        "bool",
        "boolean",
        "bytes",
        "char",
        "cls",
        "false",
        "float",
        "hidden",
        "int",
        "integer",
        "masked",
        "nil",
        "none",
    }
    | {"null", "number", "object", "optional", "password", "redacted", "required", "secret", "secretstr", "self", "str"}
    | {"string", "text", "token", "true", "undefined", "varchar"}
)
# Variables, templates, placeholders, and attributes of what programs keep their settings in.
_REFERENCE = re.compile(
    r"(?:\$[A-Z_][A-Z0-9_]*|\$\{[^{}]*\}|\$\([^()]*\)|\{\{[^{}]*\}\}|<[^<>]*>|%(?:\(\w+\))?s|\[redacted:[^\[\]]*\]"
    r"|(?:os|self|settings|config|env|process|args|request)\.[A-Za-z_.]+(?:\[[^\[\]]*\]|\([^()]*\))?)\Z"
)
_CALL = re.compile(
    r"[A-Za-z_.]*(?:get|env|load|read|input|prompt|generate|create|make|field|hash|config|settings)[A-Za-z_]*(?:[(\[].*)?\Z",
    re.IGNORECASE | re.DOTALL,
)
_MASK = re.compile(r"([*•x.…#-])\1{2,}\Z", re.IGNORECASE)


def keeps(label: Label, value: str) -> bool:
    """Whether a value is no secret in spite of its name: empty, masked, the name of a type or of a variable."""
    if len(value) > _LONGEST_KEPT:
        return False
    text = value[scheme_end(value) if label == "authorization" else 0 :].strip()
    if not text or text.lower() in _WORD_VALUES or _REFERENCE.match(text) or _MASK.match(text):
        return True
    if label == "token":
        return text.isdecimal() and len(text) < 8
    return label == "password" and text[0] in "/~" and "/" in text[1:]


def scheme_end(value: str) -> int:
    """Where the credentials of an ``Authorization`` value begin: its scheme stays readable."""
    match = _SCHEME.match(value)
    return match.end() if match else 0


def named(text: str, lowered: str) -> Iterator[Found]:
    """Every value in a text that follows a secret's name; ``lowered`` is the text in lower case, of the same length."""
    done = 0
    for start, end, label in sorted(names_in(text, lowered)):
        # A name inside a value that goes is gone with it; looking again would cost the square of the length.
        if start < done:
            continue
        for first, last in _values(text, start, end, label):
            value = text[first:last]
            if not keeps(label, value) and not _is_call(text, last, value):
                skip = scheme_end(value) if label == "authorization" else 0
                yield Found(first + skip, last, label)
                done = last


def has_word(lowered: str) -> bool:
    """Whether one of ``WORDS`` is in a text in lower case."""
    secret, authorization, with_k, with_p = _RAREST
    return bool(
        secret.search(lowered) or authorization.search(lowered) or with_k.search(lowered) or with_p.search(lowered)
    )


def words_in(lowered: str) -> Iterator[tuple[int, int]]:
    """Every one of ``WORDS`` in a text in lower case: where it begins and where it ends."""
    for pattern in _RAREST:
        for found in pattern.finditer(lowered):
            yield found.start() - _BEFORE.get(found[0], 0), found.end()


def names_in(text: str, lowered: str) -> Iterator[tuple[int, int, Label]]:
    """Every complete name of a secret in a text: where it begins, where it ends, what it announces."""
    for position, end in words_in(lowered):
        match = _NAME_END.match(text, end)
        if match and (label := label_of(text[(start := _name_start(text, position)) : match.end()])):
            yield start, match.end(), label


def announces(text: str, lowered: str) -> bool:
    """Whether the name of a secret is where a value may follow: a separator, the end of a string, an option."""
    for start, end, _ in names_in(text, lowered):
        if _FOLLOWED.match(text, end) or text.startswith("--", start) or (start and text[start - 1] == "<"):
            return True
    return False


def _name_start(text: str, position: int) -> int:
    before = text[max(0, position - 64) : position]
    kept = before.rstrip(_NAME_CHARS)
    while kept and (kept[-1].isalnum() or kept[-1] in _NAME_CHARS):
        kept = kept[:-1]
    start = position - len(before) + len(kept)
    if start and text[start - 1] == "\\" and text[start] in "nrtbf" and start < position:
        start += 1
    return start


def _values(text: str, start: int, end: int, label: Label) -> Iterator[tuple[int, int]]:
    if start and text[start - 1] == "<" and (match := _MARKUP.match(text, end)):
        if value := _ELEMENT.match(text, match.end()):
            yield value.span()
        return
    match = _SEPARATOR.match(text, end)
    if match is None and label in ("password", "secret"):
        match = _IS.match(text, end)
    if match is None and text.startswith("--", start):
        match = _OPTION.match(text, end)
    if match:
        yield from _values_at(text, match.end(), label)


def _values_at(text: str, position: int, label: Label) -> Iterator[tuple[int, int]]:
    quoted = _OPENING.match(text, position)
    if not quoted:
        bare = (_LINE if label in ("authorization", "cookie") else _BARE).match(text, position)
        if bare:
            yield bare.start(), bare.start() + len(bare[0].rstrip())
        return
    listed = "[" in quoted[0] or "(" in quoted[0]
    while quoted:
        end = _closing(text, quoted.end(), quoted[2], len(quoted[1]))
        yield quoted.end(), end
        quoted = _NEXT_ITEM.match(text, end + len(quoted[1]) + 1) if listed else None


def _closing(text: str, position: int, quote: str, depth: int) -> int:
    """Where a quoted value ends: at a quote behind as many backslashes as the opening one had, or fewer.

    JSON in a string doubles its backslashes with every level: at a level whose quotes have ``depth`` of them, one of
    the value itself is ``2 * (depth + 1)`` of them, so the remainder tells a closing quote from an escaped one.
    """
    start, end = position, text.find(quote, position)
    while end >= 0:
        run = end
        while run > start and text[run - 1] == "\\":
            run -= 1
        slashes = end - run
        if slashes < depth or slashes % (2 * (depth + 1)) == depth:
            return max(start, end - min(slashes, depth))
        position = end + 1
        end = text.find(quote, position)
    return len(text)


def _is_call(text: str, end: int, value: str) -> bool:
    return (text[end : end + 1] in ("(", "[") or value.endswith((")", "]"))) and _CALL.match(value) is not None
