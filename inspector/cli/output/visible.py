"""Recorded text made safe for a terminal, and measured in its columns.

Tool results, prompts and names are hostile input: an escape sequence can rewrite the screen or the clipboard, a
bidirectional override can reverse what is read, an invisible character can hide an instruction. None of them is
dropped; each is shown as what it is.
"""

import re

from instrument.invisible import INVISIBLE, shown

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_LINE_ENDS = re.compile(r"\r\n|\r")
_NARROW = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u22ff\u2400-\u2426\u2440-\u244a\u2460-\u25fc\u2713\u2717]*"
)
"""Letters, signs and lines that are one column each; most text is, and need not be looked at letter by letter."""
_CHARACTERS_A_COLUMN = 4
"""How many characters a column may hold; accents beyond that are an attempt to spill over other lines."""


def is_safe(text: str) -> bool:
    """Whether a terminal shows every character of ``text`` and obeys none of them."""
    return INVISIBLE.search(text) is None


def visible(text: str, *, unicode: bool = True) -> str:
    """Show control, bidirectional and invisible characters as symbols (``␛``, ``⟨U+202E⟩``), line ends included.

    Without ``unicode``, all is ASCII: ``^[``, ``<U+202E>``, and other characters as backslash escapes.
    """
    if text.isascii() and text.isprintable():
        return text
    if unicode:
        return shown(text)
    return INVISIBLE.sub(_ascii_symbol, text).encode("ascii", "backslashreplace").decode("ascii")


def visible_lines(text: str, *, unicode: bool = True) -> list[str]:
    """Split recorded text into lines, each made :func:`visible`; tabs become spaces."""
    lines = _LINE_ENDS.sub("\n", text).expandtabs(4).split("\n")
    return [visible(line, unicode=unicode) for line in lines]


def json_text(encoded: bytes, *, unicode: bool = True) -> str:
    r"""Write invisible characters of a JSON document as ``\u`` escapes, and the document on one line.

    Valid JSON has such characters in strings alone, except for line ends and tabs between tokens, which become spaces.
    """
    text = encoded.decode("utf-8")
    if not is_safe(text):
        text = INVISIBLE.sub(_json_escape, text)
    return text if unicode else _NOT_ASCII.sub(_json_escape, text)


def width(text: str) -> int:
    """Count the columns that a terminal gives to text that is already :func:`visible`."""
    if _NARROW.fullmatch(text):
        return len(text)
    # Here and below, since it takes as long to load as the rest of the command line.
    from wcwidth import width as columns_of

    return columns_of(text)


def cut(text: str, columns: int, *, mark: str = "…") -> str:
    """Shorten visible text to at most ``columns``, its last column then being ``mark``."""
    if len(text) <= columns * _CHARACTERS_A_COLUMN and width(text) <= columns:
        return text
    room = columns - width(mark)
    if room < 0:
        return ""
    return _fitting(text[: columns * _CHARACTERS_A_COLUMN], room) + mark


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """Fill visible text up to ``columns`` with spaces, on the left if it is to stand on the right."""
    space = " " * max(0, columns - width(text))
    return space + text if right else text + space


def _fitting(text: str, room: int) -> str:
    if _NARROW.fullmatch(text):
        return text[:room]
    from wcwidth import iter_graphemes

    end = used = 0
    for letter in iter_graphemes(text):
        used += width(letter)
        if used > room:
            break
        end += len(letter)
    return text[:end]


def _ascii_symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20 or code == 0x7F:
        return f"^{chr(code ^ 0x40)}"
    return f"<U+{code:04X}>"


def _json_escape(match: re.Match[str]) -> str:
    character = match[0]
    if character in "\n\r\t":
        return " "
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
