"""Words for databases without a tokenizer of their own: lower case, with a space around each."""

import re
import unicodedata

from inspector.store.values.terms import parsed_terms

_WORD = re.compile(r"[^\W_]+")
_ASCII = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 32 for code in range(256))
"""A translation table for ASCII: letters become lower case, everything between words a space."""
_SPAN_ID = re.compile("[0-9a-f]{16}")
_START_OF_ID = re.compile("[0-9a-f]{1,16}")


def words_of(text: str) -> str:
    """Return the words of a text, in order, without accents."""
    if text.isascii():
        # Most texts are ASCII; without a string object per word, this takes a tenth of the time.
        words = spaced(text)
        while b"  " in words:
            words = words.replace(b"  ", b" ")
        return _spaced(words.strip().decode())
    return _spaced(" ".join(_WORD.findall(_folded(text))))


def spaced(text: str) -> bytes:
    """Return the words of a text of ASCII, in order, in lower case, with one or more spaces around each."""
    return f" {text} ".encode().translate(_ASCII)


def _spaced(words: str) -> str:
    return f" {words} " if words else ""


def required_strings(q: str) -> list[str] | None:
    """Return the strings that must all occur in `words_of` a text for a query to match; None if it has no word.

    Each has a space before every word, and after the last one unless that is a prefix.
    """
    terms = [(" ".join(_WORD.findall(_folded(term))), is_prefix) for term, is_prefix in parsed_terms(q)]
    found = [f" {term}{'' if is_prefix else ' '}" for term, is_prefix in terms if term]
    return found or None


def is_span_id(text: str) -> bool:
    """Return whether a text is the id of a span, as OpenTelemetry has them."""
    return _SPAN_ID.fullmatch(text) is not None


def begins_span_id(text: str) -> bool:
    """Return whether a text may be the beginning of the id of a span."""
    return _START_OF_ID.fullmatch(text) is not None


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFKC", "".join(each for each in apart if not unicodedata.combining(each)))
