"""Characters that a reader does not see and a terminal may obey: one table for whatever shows what others wrote."""

import re

RANGES: tuple[tuple[int, int], ...] = (
    (0x00, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xD800, 0xDFFF),
    (0xFDD0, 0xFDEF),
    (0xFE00, 0xFE0D),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""C0, DEL and C1; line separators; bidirectional controls; lone surrogates and noncharacters; and every character of
Unicode's property Default_Ignorable_Code_Point (DerivedCoreProperties.txt), tags and variation selectors among them,
except U+FE0E and U+FE0F, which choose how the character before them is drawn."""

INVISIBLE = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in RANGES) + "]")
"""Finds each of them."""


def shown(text: str, *, line_ends: bool = False) -> str:
    """Return ``text`` with symbols for them: ``␛``, ``⟨U+202E⟩``.

    Args:
        text: What somebody else wrote.
        line_ends: Whether line feeds stay as they are.
    """
    if text.isascii() and text.isprintable():
        return text
    return INVISIBLE.sub(_symbol_or_line_end if line_ends else _symbol, text)


def _symbol_or_line_end(match: re.Match[str]) -> str:
    return "\n" if match[0] == "\n" else _symbol(match)


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"
