"""All rules applied to one text, and to its decoded escapes, URL escapes and base64."""

import re
from typing import Final

from inspector.redaction.commands import commands
from inspector.redaction.credentials import credentials
from inspector.redaction.fields import named
from inspector.redaction.hints import ESCAPED_LETTER, as_bytes, in_lower_case, is_dense, suspicious
from inspector.redaction.percent import undone
from inspector.redaction.shapes import in_urls, shaped
from inspector.redaction.tokens import Found, encoded_texts, mapped_runs, tokens

_DEEPEST: Final = 3
"""How many nested encodings are decoded."""


class TooDense(Exception):
    """A text of many megabytes is full of names or joints; searching it would take minutes."""


def search(text: str, depth: int = 0) -> tuple[str, list[Found]]:
    """Return the secrets of a text, and the text that they were found in: the same, or with needless escapes undone.

    Raises:
        TooDense: It has too much to search.
    """
    if is_dense(text):
        raise TooDense
    found = _found(text, depth)
    plain = ESCAPED_LETTER.sub(_letter, text) if "\\u00" in text else text
    if plain == text:
        return text, found
    again = _found(plain, depth)
    return (plain, again) if again else (text, found)


def _letter(escape: re.Match[str]) -> str:
    return chr(int(escape[0][-2:], 16))


def _found(text: str, depth: int) -> list[Found]:
    raw = as_bytes(text)
    lowered = in_lower_case(text, raw)
    found = [
        *tokens(text, raw, mapped_runs(raw)),
        *shaped(text, lowered),
        *named(text, lowered),
        *in_urls(text, lowered),
        *commands(text),
        *credentials(text, lowered),
    ]
    if depth < _DEEPEST and "%" in text:
        for part in undone(text):
            found += (Found(*part.source(start, end), rule) for start, end, rule in _found(part.plain, depth + 1))
    if depth < _DEEPEST:
        found += (Found(start, end, "base64") for start, end, inner in encoded_texts(text, raw) if _holds(inner, depth))
    return found


def _holds(text: str, depth: int) -> bool:
    return suspicious(text) and bool(search(text, depth + 1)[1])
