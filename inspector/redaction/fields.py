"""Secrets recognized by the name before them: ``password=…``, ``"api_key": "…"``, ``Authorization: …``."""

import re
import string
from collections.abc import Iterator
from itertools import chain
from typing import Final

from inspector.redaction.columns import in_column
from inspector.redaction.commands import netrc_value
from inspector.redaction.names import PERSONAL, REDIS, Label, label_of
from inspector.redaction.pairs import is_pair, value_after, value_before
from inspector.redaction.plausible import keeps, keeps_bare, scheme_end
from inspector.redaction.quoting import COLON, COMMA, NEXT_ITEM, OPENING, QUOTE, SPACE, closing, compiled
from inspector.redaction.tokens import Found

WORDS: Final = ("pass", "pwd", "secret", "key", "token", "authorization", "cookie")
"""Most names that ``label_of`` knows hold one of these, in lower case; ``tokens``, as counts of them, are none."""

_WORDLESS: Final[tuple[tuple[str, Label], ...]] = ((PERSONAL, "personal_token"), (REDIS, "password"))
_RAREST: Final = tuple(
    map(re.compile, ("k(?:ey|(?<=tok)en(?!s)|(?<=cook)ie)", "p(?:ass|wd)", "secret", "z(?<=authoriz)ation"))
)
"""Find ``WORDS``, the most frequent ones first, from a rare letter on: a search for one character is the fastest."""
_BEFORE: Final = {"zation": len("authori"), "ken": len("to"), "kie": len("coo")}
"""How far a word begins before what was found of it."""
_NAME_CHARS: Final = string.ascii_letters + string.digits + "_-."

_NAME_END = re.compile(r"[A-Za-z_]{0,12}[0-9_]{0,3}(?![A-Za-z0-9_-])")
_NAME_GOES_ON = re.compile("[A-Za-z0-9_-]")
_ESCAPED = re.compile(r"%(?:25){0,3}[0-9A-Fa-f]{2}|\\u002[27]")
_ESCAPE: Final = {"%": 2, "\\": 5}
"""Letters of an escape, the sign that begins it aside."""
_SEPARATOR = re.compile(
    rf"(?:{QUOTE}|\*\*)?\]?\s{{0,64}}(?:=>|:=|={{1,3}}|:(?!//)|\uff1a|%(?:25){{0,3}}3[AaDd])(?:\*\*)?[ \t]{{0,64}}"
    r"(?:[|>][+-]?[ \t]{0,4}(?:\n|\\{1,40}n)[ \t]{1,16})?"
)
_IS = re.compile(r"[ \t](?:is|was)(?:[ \t]|:[ \t])\s{0,4}(?=[^\s]{0,64}[0-9])")
_OPTION = re.compile(rf"(?:[ \t]+|{QUOTE}\s{{1,8}}|{QUOTE}{SPACE}{COMMA}{SPACE}(?={QUOTE}))(?!-)")
_FOLLOWED = re.compile(
    rf"{QUOTE}|\]|\*\*|\s{{0,64}}[:=\uff1a]|%(?:25){{0,3}}3[AaDd]|[ \t](?:is|was)\b"
    r"|(?:\\{1,40}[nrt]|\s){1,200}+-?\s?(?:value|val|default)|\Z"
)
_TRAILED: Final = r"(?:[^A-Za-z0-9\"'\\]|\\{1,40}(?:u[0-9A-Fa-f]{4}|[nrtbf])){1,8}\\{0,40}[\"']"
"""Behind a name that ends a text with signs that no name has, and still is one (`label_of`)."""
# Without a separator a value counts that has small letters, capitals and digits; in a call, one between quotes.
_STRONG: Final = r"(?=[\w+/=.-]{0,64}[0-9])(?=[\w+/=.-]{0,64}[A-Z])(?=[\w+/=.-]{0,64}[a-z])[\w+/=-]{12,}(?![\w.(/])"
_LOOSE = re.compile(rf"(?:[ \t]{{1,4}}|[ \t]{{0,16}}\|[ \t]{{0,16}})(?={_STRONG})")
_CALL = re.compile(rf"\(\s{{0,4}}(?=[bB]?{QUOTE})")
# As http.cookiejar writes its own: <Cookie name=value for host>, and Cookie(version=0, name='sid', value='…').
_COOKIE: Final = (
    r"[ \t][^\s=<>;]{1,128}=(?P<value>[^\s<>]{1,4096}) for "
    rf"|\([^()<>\n]{{0,256}}?\bvalue={QUOTE}(?P<field>[^\"'\\\s]{{1,4096}})"
)
_TYPES: Final = ("SecretStr", "SecretBytes", "SecretString")
"""Types that hide what they are made of, but not in the code or the message that makes them."""
_BRACKET: Final = r"[\[(]|%(?:25){0,3}5[Bb]"
_MARKUP = re.compile(r"[^<>\"']{0,64}>")
_ELEMENT = re.compile(r"[^<]+(?=</)")
_INNER = re.compile(
    rf"{SPACE}(?:\{{|%(?:25){{0,3}}7[Bb]){SPACE}{QUOTE}(?P<field>[^\"'\\%&]{{0,64}}){QUOTE}{SPACE}{COLON}{SPACE}(?=[bB]?{QUOTE})"
)
_NEXT_FIELD = re.compile(rf"{SPACE}{COMMA}{SPACE}{QUOTE}[^\"'\\%&]{{0,64}}{QUOTE}{SPACE}{COLON}{SPACE}(?=[bB]?{QUOTE})")
# A value without quotes goes on over whatever cannot begin the next thing: brackets that close again, commas and
# semicolons with text behind them, backslashes that are no escape.
_BARE = re.compile(
    r"(?:[^\s\"'`,;&<>(){}\[\]\\]|[,;&](?=[^\s\"'`\]});&,\\])(?![\w.-]{1,40}[=:])"
    r"|<[^<>\n\"']{1,64}>|<(?![/\n])|>|\([^\s()]{0,64}\)|\[[^\s\[\]]{0,64}\]|\{[^\s{}]{0,64}\}|\\(?![nrtbfu\"'`/\\]))+"
)
_BARE_ENCODED = re.compile(r"(?:[^\s\"'`&%]|%(?!(?:25){0,3}(?:2[0267Cc]|7[Dd]|5[Dd]|0[AaDd])))+")
_LINE = re.compile(r"(?:[^\r\n\"'`\\<>]|\\(?![rn\"'`]))+")


def named(text: str, lowered: str) -> Iterator[Found]:
    """Every value in a text that follows a secret's name; ``lowered`` is the text in lower case, of the same length."""
    done = 0
    for start, end, label in sorted((*names_in(text, lowered), *wordless_names(text))):
        # A name inside a value that goes is gone with it; looking again would cost the square of the length.
        if start < done:
            continue
        for first, last in _values(text, start, end, label):
            value = text[first:last]
            if not keeps(label, value):
                skip = scheme_end(value) if label == "authorization" else 0
                yield Found(first + skip, last, label)
                done = max(done, last)


def has_word(lowered: str, *, auth: bool = True) -> bool:
    """Whether one of ``WORDS`` is in a text in lower case; ``auth`` is False where "auth" is known not to be in it."""
    # Where a text lacks it, `in` takes half the instructions of a search; the others are each more than one text.
    with_k, with_p = _RAREST[:2]
    if "secret" in lowered or with_k.search(lowered) or with_p.search(lowered):
        return True
    return auth and "authorization" in lowered


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


def wordless_names(text: str) -> Iterator[tuple[int, int, Label]]:
    """Return the names of personal access tokens, and of redis-cli's password, which hold none of ``WORDS``."""
    for name, label in _WORDLESS:
        position = text.find(name)
        while position >= 0:
            end = position + len(name)
            if not _NAME_GOES_ON.match(text, end):
                yield _name_start(text, position), end, label
            position = text.find(name, end)


def announces(text: str, lowered: str, *, personal: bool = True) -> bool:
    """Whether the name of a secret is where a value may follow: a separator, the end of a string, an option.

    ``personal`` is False where names that hold none of ``WORDS`` are known not to be there.
    """
    for start, end, label in chain(names_in(text, lowered), wordless_names(text) if personal else ()):
        if _FOLLOWED.match(text, end) or text.startswith("--", start) or (start and text[start - 1] == "<"):
            return True
        if compiled(_TRAILED).match(text, end):
            return True
        if _loose(text, end, "password") is not None or netrc_value(text, start, end):
            return True
        if (label == "cookie" and compiled(_COOKIE).match(text, end)) or any(
            True for _ in in_column(text, start, end, label)
        ):
            return True
    return False


def _name_start(text: str, position: int) -> int:
    before = text[max(0, position - 64) : position]
    kept = before.rstrip(_NAME_CHARS)
    while kept and (kept[-1].isalnum() or kept[-1] in _NAME_CHARS):
        kept = kept[:-1]
    start = position - len(before) + len(kept)
    if start and text[start - 1] == "\\" and text[start] in "nrtbf" and start < position:
        return start + 1
    if start and text[start - 1] in "%\\" and position - start >= _ESCAPE.get(text[start - 1], 0):
        match = _ESCAPED.match(text, start - 1)
        start = match.end() if match else start
    return start


def _values(text: str, start: int, end: int, label: Label) -> Iterator[tuple[int, int]]:
    if label == "cookie" and (cookie := compiled(_COOKIE).match(text, end)):
        yield cookie.span("value" if cookie["value"] else "field")
        return
    if start and text[start - 1] == "<" and (match := _MARKUP.match(text, end)):
        if value := _ELEMENT.match(text, match.end()):
            yield value.span()
        return
    position = _value_start(text, start, end, label)
    if position is not None:
        yield from _values_at(text, (start, end), position, label)
        return
    listed = value_after(text, start, end)
    if listed is not None:
        for first, last in _values_at(text, (start, end), listed, label):
            if is_pair(text, (start, end), (first, last)):
                yield first, last
    elif label == "password" and (span := netrc_value(text, start, end)):
        yield span
    else:
        yield from value_before(text, start)
        yield from in_column(text, start, end, label)


def _value_start(text: str, start: int, end: int, label: Label) -> int | None:
    match = _SEPARATOR.match(text, end)
    if match is None and label in ("password", "secret"):
        match = _IS.match(text, end)
    if match is None and text.startswith("--", start):
        match = _OPTION.match(text, end)
    return _loose(text, end, label) if match is None else match.end()


def _loose(text: str, end: int, label: Label) -> int | None:
    """Where a value begins behind no separator: after a space, in the next column, in a call that sets a password."""
    calls = label == "password" or text.endswith(_TYPES, 0, end)
    match = _LOOSE.match(text, end) or (_CALL.match(text, end) if calls else None)
    return match.end() if match else None


def _values_at(text: str, name: tuple[int, int], position: int, label: Label) -> Iterator[tuple[int, int]]:
    if inner := _INNER.match(text, position):
        yield from _in_object(text, inner, label)
        return
    quoted = OPENING.match(text, position)
    if not quoted:
        yield from _bare(text, name, position, label)
        return
    if _closes(text, name, position, quoted):
        return
    listed = compiled(_BRACKET).search(text, position, quoted.start(1))
    while quoted:
        end = closing(text, quoted.end(), quoted[2], len(quoted[1]))
        if quoted[2] != "`" or not re.search(r"\s", text[quoted.end() : end]):
            yield quoted.end(), end
        quoted = NEXT_ITEM.match(text, end + len(quoted[1]) + len(quoted[2])) if listed else None


def _closes(text: str, name: tuple[int, int], position: int, quoted: re.Match[str]) -> bool:
    """Whether a quotation mark ends what was opened before the name: ``getpass("Password: ")``."""
    if position != quoted.start(1) or quoted[1] or text[name[0] - 1 : name[0]] != quoted[2]:
        return False
    return quoted[2] not in text[name[1] : position]


def _in_object(text: str, inner: re.Match[str], label: Label) -> Iterator[tuple[int, int]]:
    """Return the values of an object under a secret's name: all cookies, else what is called its value."""
    if label != "cookie" and inner["field"].lower() not in ("value", "default"):
        return
    field: re.Match[str] | None = inner
    while field:
        quoted = OPENING.match(text, field.end())
        if not quoted:
            return
        end = closing(text, quoted.end(), quoted[2], len(quoted[1]))
        yield quoted.end(), end
        field = _NEXT_FIELD.match(text, end + len(quoted[1]) + len(quoted[2])) if label == "cookie" else None


def _bare(text: str, name: tuple[int, int], position: int, label: Label) -> Iterator[tuple[int, int]]:
    separator = text[name[1] : position]
    # Asked first: a value that is read, and then not taken, may be all of the text, again for each name in it.
    if separator.lstrip().startswith("=="):
        return
    pattern = _LINE if label in ("authorization", "cookie") else _BARE
    if "%" in separator:
        pattern = _BARE_ENCODED
    if bare := pattern.match(text, position):
        span = bare.start(), bare.start() + len(bare[0].rstrip())
        if not keeps_bare(text, name, span, label):
            yield span
