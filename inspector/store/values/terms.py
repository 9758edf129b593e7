"""Parses full-text queries: their terms, and notices about syntax that has no meaning."""

import re

_MOST_TERMS = 32
_LONGEST_TERM = 200
_TERM = re.compile(r'"([^"]*)"|(\S+)')
_TOKEN = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W_]")
_OPERATORS = ("AND", "OR", "NOT", "NEAR")


def expression(q: str) -> str | None:
    """Return a query in the syntax of FTS5, with all terms quoted and joined by AND; None if it has no word.

    ``"…"`` is a phrase, a trailing ``*`` makes a prefix, and nothing else has a meaning, not even an unpaired quotation
    mark (https://sqlite.org/fts5.html#full_text_query_syntax).
    """
    terms = ((term.rstrip("*").replace('"', '""').replace("\0", " "), is_prefix) for term, is_prefix in parsed_terms(q))
    return " AND ".join(f'"{term}"{"*" if is_prefix else ""}' for term, is_prefix in terms) or None


def parsed_terms(q: str) -> list[tuple[str, bool]]:
    """Return the terms of a query, and for each whether it is a prefix."""
    found = _TERM.findall(q[: _MOST_TERMS * _LONGEST_TERM])
    terms = [((phrase or word)[:_LONGEST_TERM], word.endswith("*")) for phrase, word in found]
    return [(term, is_prefix) for term, is_prefix in terms if _WORD.search(term)][:_MOST_TERMS]


def patterns(q: str) -> list[re.Pattern[str]]:
    """Return a pattern for each term of a query: its words in order, with anything but letters and digits between."""
    compiled: list[re.Pattern[str]] = []
    for phrase, word in _TERM.findall(q[: _MOST_TERMS * _LONGEST_TERM])[:_MOST_TERMS]:
        words = _TOKEN.findall((phrase or word)[:_LONGEST_TERM])
        if words:
            end = "" if word.endswith("*") else r"(?![^\W_])"
            compiled.append(re.compile(r"(?<![^\W_])" + r"[\W_]+".join(map(re.escape, words)) + end, re.IGNORECASE))
    return compiled


def notice_of(q: str | None) -> str | None:
    """Return which parts of a query have no meaning, and what they were taken for; None if there are none."""
    if q is None or not q.strip():
        return None
    terms: list[tuple[str, str]] = _TERM.findall(q)
    words = [word for _, word in terms if word]
    if expression(q) is None:
        return "the search has no word, so nothing matches: type letters or digits"
    notices: list[str] = []
    if q.count('"') % 2:
        notices.append('a quotation mark without its pair was left out: write a phrase as "two words"')
    operators = [word for word in words if word in _OPERATORS or word.startswith("NEAR(")]
    if operators:
        notices.append(f"{operators[0][:20]} was searched for as a word: all words must occur, in any order")
    without = next((word for word in words if re.match(r"-[^\W_]", word)), None)
    if without is not None:
        notices.append(f"{without[:40]} was searched for as {without[1:40]}: a word cannot be excluded")
    if any("*" in word.rstrip("*") for word in words):
        notices.append("a star means any ending at the end of a word, and elsewhere nothing")
    if sum(bool(_WORD.search(phrase or word)) for phrase, word in terms) > _MOST_TERMS:
        notices.append(f"only the first {_MOST_TERMS} words were searched for")
    return "; ".join(notices) or None
