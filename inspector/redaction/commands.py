"""Passwords of commands and of files that commands read: ``curl -u name:…``, ``sshpass -p …``, ``.netrc``."""

import re
from collections.abc import Iterator
from typing import Final

from inspector.redaction.quoting import COLON, COMMA, QUOTE, SPACE
from inspector.redaction.tokens import Found

_GAP: Final = rf"(?:[ =]|{QUOTE}{SPACE}{COMMA}){SPACE}(?:\$?{QUOTE})?"
_USER = re.compile(
    rf"-[uU](?:ser)?{_GAP}(?!\d+:\d+\b)[^\s:\"'\\,$%]{{1,64}}{COLON}(?P<secret>[^\s\"'\\,;<>%&]{{1,128}})"
)
_OPTION_BEFORE = re.compile(r"(?:\A|[^A-Za-z0-9]|--proxy|%(?:25){0,3}[0-9A-Fa-f]{2}|\\u00[0-9a-f]{2})\Z")
_SSHPASS = re.compile(rf"sshpass(?:{QUOTE})?[\s,]{{1,4}}(?:{QUOTE})?-p(?:{_GAP})?(?P<secret>[^\s\"'\\,;]{{1,128}})")
_MYSQL = re.compile(r"mysql(?:dump|admin)?[ \t][^\n|;\"']{0,128}?[ \t]-p(?P<secret>[^\s\"'\\,;]{4,128})")
_COMMANDS: Final = ("curl", "http", "wget", "://")
_NEAR: Final = 512
"""Characters around an option in which its command, or an address, is looked for."""
_NETRC_BEFORE = re.compile(
    r"(?:login|user|machine|account)(?:\s|\\{1,40}[nrt]){1,8}[^\s\\]{1,128}(?:\s|\\{1,40}[nrt]){1,8}\Z"
)
_NETRC_VALUE = re.compile(r"(?:[ \t\r\n]|\\{1,40}[nrt]){1,8}(?P<secret>[^\s\"'\\]{1,256})")


def commands(text: str) -> Iterator[Found]:
    """Passwords in options of commands."""
    position = text.find("-u")
    while position >= 0:
        match = _USER.match(text, position)
        if match and _is_option(text, position) and _has_command(text, position):
            yield Found(*match.span("secret"), "password")
        position = text.find("-u", match.end() if match else position + 2)
    for name, pattern in (("sshpass", _SSHPASS), ("mysql", _MYSQL)):
        position = text.find(name)
        while position >= 0:
            match = pattern.match(text, position)
            if match:
                yield Found(*match.span("secret"), "password")
            position = text.find(name, match.end() if match else position + len(name))


def _is_option(text: str, position: int) -> bool:
    """Whether an option begins here, and no word with a dash in it goes on."""
    return _OPTION_BEFORE.search(text[max(0, position - 12) : position]) is not None


def _has_command(text: str, position: int) -> bool:
    around = text[max(0, position - _NEAR) : position + _NEAR]
    return any(each in around for each in _COMMANDS)


def netrc_value(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the password of a ``.netrc`` entry is, behind the word ``password`` between two positions."""
    if not _NETRC_BEFORE.search(text[max(0, start - 192) : start]):
        return None
    match = _NETRC_VALUE.match(text, end)
    return match.span("secret") if match else None
