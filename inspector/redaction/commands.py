"""Passwords in commands and in files that commands read: ``curl -u name:…``, ``redis-cli -a …``, ``.netrc``."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from inspector.redaction.quoting import COLON, COMMA, QUOTE, SPACE, anchored, compiled
from inspector.redaction.tokens import Found

_GAP: Final = rf"(?:[ =]|{QUOTE}{SPACE}{COMMA}){SPACE}(?:\$?{QUOTE})?"
_USER = re.compile(
    rf"-[uU](?:ser)?{_GAP}(?!\d+:\d+\b)[^\s:\"'\\,$%]{{1,64}}{COLON}(?P<secret>[^\s\"'\\,;<>%&]{{1,128}})"
)
_USER_AT_ONCE = re.compile(
    rf"(?<=[\s\"';27])-u(?:{QUOTE})?(?!\d+:\d+\b)[^\s:=\"'\\,$%/-][^\s:=\"'\\,$%/]{{0,63}}:"
    r"(?P<secret>(?!\[redacted:)[^\s\"'\\,;<>%&$]{1,128})"
)
"""The same without a blank, as curl takes it."""
_OPTION_BEFORE = re.compile(r"(?:\A|[^A-Za-z0-9]|--proxy|%(?:25){0,3}[0-9A-Fa-f]{2}|\\u00[0-9a-f]{2})\Z")
_AUTH: Final = (
    rf"(?:-a|--auth){_GAP}(?!\d+:\d+\b)[^\s:\"'\\,$%/]{{1,64}}{COLON}"
    r"(?P<secret>(?!\[redacted:)[^\s\"'\\,;<>%&]{1,128})"
)
_OTHERS: Final = rf"-[apPw]{_GAP}(?P<secret>(?![-$<{{]|\[redacted:|\d{{1,5}}(?:[\s\"'\\:]|\Z))[^\s\"'\\,;|&%]{{3,128}})"
"""Values that other commands take after the same letter; a short number is a port."""
TAKES: Final = {
    "a": ("redis-cli", "valkey-cli"),
    "p": ("docker login", "podman login", "mongosh", "mongodump", "mongorestore", "mongo ", "cqlsh", "registry login"),
    "P": ("sqlcmd",),
    "w": ("ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami"),
}
"""Commands by the letter of their password option."""
_HTTPIE: Final = ("http ", "https ", "xh ", "httpie ")
_NAMES: Final = {
    letter: tuple({each.split()[0] for each in (*names, *(_HTTPIE if letter == "a" else ()))})
    for letter, names in TAKES.items()
}
"""The first word of each command, which precedes its option however the rest is written."""
LETTERS: Final = re.compile(r"-(?P<letter>[apPw]|-auth)(?=[ =\"'\\%&]|\Z)")
_BETWEEN: Final = r"(?:[\\\"',\s+]|%(?:25){0,3}2[027Cc]|&quot;|&#(?:3[49]|[xX]2[27]);|(?<=\\)u002[27])+"
_CONTINUED: Final = r",(?:\s|\\{1,40}[nrt])+"
"""Separators of list items, each on its own line or not."""
_ARGUMENTS: Final = rf"{QUOTE}{SPACE}{COMMA}{SPACE}{QUOTE}\w{{1,16}}{QUOTE}{SPACE}{COLON}{SPACE}[\[(]{SPACE}"
"""Between a command and a list of its arguments, in the next field."""
_SSHPASS = re.compile(
    rf"sshpass(?:(?:{QUOTE})?(?:[\s,]{{1,4}}|{SPACE}{COMMA}{SPACE})|{_ARGUMENTS})(?:{QUOTE})?"
    rf"-p(?:{_GAP}|{QUOTE})?(?P<secret>[^\s\"'\\,;]{{1,128}})"
)
_MYSQL_NAMES: Final = frozenset(
    [
        "mysql",
        "mysqldump",
        "mysqladmin",
        "mysqlimport",
        "mysqlsh",
        "mariadb",
        "mariadb-dump",
        "mariadb-admin",
        "mariadb-import",
    ]
)
_LOGINS: Final = ("docker login", "podman login")
_AT_ONCE: Final = re.compile(
    rf"(?<![\w.-])(?:(?:{'|'.join(sorted(_MYSQL_NAMES, reverse=True))})(?:\.exe)?|{'|'.join(_LOGINS)})(?=\s)"
)
_MARKS: Final = ("mysql", "mariadb", "docker", "podman")
"""Each of these commands has one in its name."""
_NAMED_BEHIND: Final = re.compile(
    rf"[Cc]ommand{QUOTE}{SPACE}{COLON}{SPACE}{QUOTE}(?P<name>[^\s\"'\\,;]{{1,256}}){QUOTE}"
)
"""A command behind the list of its arguments, in the same object."""
_OPTION_AT_ONCE: Final = re.compile(
    rf"(?<!-)-p(?:(?<=\s-p){QUOTE})?"
    r"(?P<secret>(?!\[redacted:|`|\$(?:[A-Z_]{3}|[{(])|(?:assword|ort|rotocol|ublish)\b)"
    r"(?:(?<=[\"'])[^\s\"'\\][^\"'\\\n]{3,127}(?=\\{0,40}[\"'])|[^\s\"'\\,;|<>%&]{4,128}))"
)
"""Commands whose password follows the letter without a space."""
_OF_PROSE: Final = re.compile("an?|and|are|for|has|in|is|of|on|or|the|then|to|was|with")
"""Words that stand behind a command's name in a sentence, and not as its operands."""
_BETWEEN_COMMANDS: Final = re.compile("[|;]|&&")
_COMMANDS: Final = ("curl", "http", "wget", "://")
_NEAR: Final = 512
"""How many characters around an option to search for its command, or an address."""
_MOST_BEFORE: Final = 16
"""How many arguments before an option to search for its command."""
_NETRC_BEFORE = re.compile(
    r"(?:login|user|machine|account)(?:\s|\\{1,40}[nrt]){1,8}[^\s\\|]{1,128}(?:\s|\\{1,40}[nrt]){1,8}\Z"
)
_ESCAPED_BLANKS: Final = ("n", "r", "t")
# The rest tells it from two lines of a log, "… of user 42" and "password reset requested".
_NETRC_VALUE = re.compile(
    r"(?:[ \t\r\n]|\\{1,40}[nrt]){1,8}(?P<secret>[^\s\"'\\]{1,256}+)"
    r"(?=[ \t]*+(?:\Z|[\r\n\"'\\#&<,]|(?:machine|default|login|user|account|macdef|port|protocol)\b))"
)


def commands(text: str) -> Iterator[Found]:
    """Find passwords in options of commands."""
    for match in anchored(text, text, "-u", _USER):
        if _is_option(text, match.start()) and _has_command(text, match.start()):
            yield Found(*match.span("secret"), "password")
    for match in anchored(text, text, "-u", _USER_AT_ONCE):
        if "curl" in _BETWEEN_COMMANDS.split(_plain(text[max(0, match.start() - _NEAR) : match.start()]))[-1]:
            yield Found(*match.span("secret"), "password")
    yield from _of_letters(text)
    for match in anchored(text, text, "sshpass", _SSHPASS):
        yield Found(*match.span("secret"), "password")
    yield from _at_once(text)


def _at_once(text: str) -> Iterator[Found]:
    """Find passwords directly after their option, the first one of each command."""
    if not any(mark in text for mark in _MARKS):
        return
    for option in _OPTION_AT_ONCE.finditer(text):
        position = option.start()
        if any(map(_is_taken, _befores(text, position))) and _is_option(text, position):
            yield Found(*option.span("secret"), "password")


def _is_taken(before: str) -> bool:
    """Whether a command in front of an option takes it as its first password; its host may have such a name too."""
    if not any(mark in before for mark in _MARKS):
        return False
    line = _BETWEEN_COMMANDS.split(_plain(before))[-1]
    *_, given = _AT_ONCE.split(line)
    words = given.split()
    operands = takewhile(lambda word: not word.startswith("-"), words)
    is_sentence = any(map(_OF_PROSE.fullmatch, operands))
    return given != line and not is_sentence and not any(map(_OPTION_AT_ONCE.match, words))


def _befores(text: str, position: int) -> Iterator[str]:
    """Yield what stands in front of an option, and what would if a command behind the arguments stood there."""
    before = text[max(0, position - _NEAR) : position]
    behind = text[position : position + _NEAR]
    yield before
    if "ommand" in behind and (named := _NAMED_BEHIND.search(behind.partition("}")[0])):
        yield f"{_name(named['name'])} {before.rpartition('[')[2]}"


def _of_letters(text: str) -> Iterator[Found]:
    """Find passwords after letters that mean one only in some commands, which have to precede them on the line."""
    done = 0
    for option in LETTERS.finditer(text):
        position = option.start()
        if position >= done and (match := _behind(text, option["letter"], position)) and _is_option(text, position):
            done = match.end()
            yield Found(*match.span("secret"), "password")


def _behind(text: str, letter: str, position: int) -> re.Match[str] | None:
    if letter == "-auth":
        return compiled(_AUTH).match(text, position)
    for before in _befores(text, position):
        # Most options belong to other commands, and reading a line as a shell does takes a hundred times as long.
        if not any(name in before for name in _NAMES[letter]):
            continue
        line = _plain(before)
        if letter == "a" and any(each in line for each in _HTTPIE) and (match := compiled(_AUTH).match(text, position)):
            return match
        if any(each in line for each in TAKES[letter]):
            return compiled(_OTHERS).match(text, position)
    return None


def behind_option(earlier: Sequence[str], option: str, value: str) -> int | None:
    """Find where a password begins in the argument after an option; None if there is none.

    Args:
        earlier: The command and the arguments before the option.
        option: The argument before; empty for the first one.
        value: The argument.
    """
    if value.startswith("-p"):
        return 2 if _is_at_once([*earlier[-_MOST_BEFORE:], option], value) else None
    if value.startswith("-u") and "curl" in map(_name, [*earlier[-_MOST_BEFORE:], option]):
        user = _USER_AT_ONCE.match(f" {value}", 1)
        return None if user is None else user.start("secret") - 1
    if not LETTERS.fullmatch(option) or value.startswith("[redacted:"):
        return None
    words = list(filter(None, earlier[-_MOST_BEFORE:]))
    if option == "-p" and words and _name(words[-1]) == "sshpass":
        return 0
    before = " ".join(each[-_NEAR:] for each in words) + " "
    match = _behind(f"{before}{option} {value}", option[1:], len(before))
    return None if match is None else match.start("secret") - len(before) - len(option) - 1


def _is_at_once(words: Sequence[str], value: str) -> bool:
    """Whether an argument behind some words is ``-p`` with a password right behind it."""
    names = [_name(each) for each in words if each]
    if names and names[-1] == "sshpass":
        return value != "-p" and not value.startswith("-p[redacted:")
    is_taken = not _MYSQL_NAMES.isdisjoint(names) or any(each in " ".join(names) for each in _LOGINS)
    return is_taken and _OPTION_AT_ONCE.match(value) is not None


def _name(argument: str) -> str:
    return re.split(r"[/\\]", argument[-_NEAR:])[-1].removesuffix(".exe")


def _plain(text: str) -> str:
    """Return the last line of a text as a shell reads it, also if it is a list of arguments."""
    listed = compiled(_ARGUMENTS).sub(" ", text)
    last = compiled(_CONTINUED).sub(" ", listed).rpartition("\n")[2]
    return compiled(_BETWEEN).sub(" ", last)


def _is_option(text: str, position: int) -> bool:
    """Whether an option begins here, and not the middle of a word with a dash."""
    return _OPTION_BEFORE.search(text[max(0, position - 12) : position]) is not None


def _has_command(text: str, position: int) -> bool:
    around = text[max(0, position - _NEAR) : position + _NEAR]
    return any(each in around for each in _COMMANDS)


def netrc_value(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Find the password of a ``.netrc`` entry, after the word ``password`` between two positions."""
    before = text[max(0, start - 192) : start]
    # Checked first: it is rarely true, and the search takes twenty times as long.
    if not (before[-1:].isspace() or before[-1:] in _ESCAPED_BLANKS) or not _NETRC_BEFORE.search(before):
        return None
    match = _NETRC_VALUE.match(text, end)
    return match.span("secret") if match else None
