"""Finds phrases with a full-text index that has no positions.

Such an index finds the texts with all words of a phrase; whether they are next to each other is then read from the
texts themselves. Both are done by a small index in memory with the same tokenizer, so that words are always the same.
Texts of ASCII do not need one, since their words are letters and digits.
"""

import re
import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection

from inspector.store.sqlite.database.engine import driver
from inspector.store.values.terms import expression, parsed_terms
from inspector.store.values.words import spaced


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that follow each other, for texts of ASCII as `spaced` returns them."""

    begin: bytes
    """The first word."""
    pattern: re.Pattern[bytes]

    def is_in(self, text: bytes) -> bool:
        """Tell whether a text has it."""
        # A search for the pattern takes several times as long as one for the word that it begins with.
        at = text.find(self.begin)
        while at >= 0 and not self.pattern.match(text, at):
            at = text.find(self.begin, at + 1)
        return at >= 0


@dataclass(frozen=True, slots=True)
class Phrases:
    """What texts that have all words must match too."""

    match: str
    """All of it, in the syntax of FTS5."""
    each: Sequence[Phrase]


@dataclass(frozen=True, slots=True)
class Query:
    """A query in the syntax of FTS5, as the full-text index of a database can answer it."""

    match: str
    """What the index finds."""
    phrases: Phrases | None
    """What the texts of those must match too; None if they do for certain."""


def query_of(connection: Connection, q: str) -> Query | None:
    """Return a query for the index of this database; None if it has no word."""
    match = expression(q)
    if match is None or _has_positions(connection):
        return None if match is None else Query(match, None)
    terms = parsed_terms(q)
    if all(term.rstrip("*").isalnum() and term.isascii() for term, _ in terms):
        return Query(match, None)
    words = _words([term for term, _ in terms])
    wanted: list[str] = []
    phrases: list[Phrase] = []
    for of_term, (_, is_prefix) in zip(words, terms, strict=True):
        # Letters that SQLite does not know yet make no word, which nothing matches.
        *others, last = of_term or [""]
        wanted += [f'"{word}"' for word in others]
        wanted.append(f'"{last}"*' if is_prefix else f'"{last}"')
        if others:
            phrases.append(_phrase([*others, last], is_prefix=is_prefix))
    return Query(" AND ".join(dict.fromkeys(wanted)), Phrases(match, phrases) if phrases else None)


def matching(documents: Iterable[tuple[int, str]], phrases: Phrases) -> set[int]:
    """Return the numbers of the documents, which have all words, that match some phrases."""
    found: set[int] = set()
    others: list[tuple[int, str]] = []
    for number, text in documents:
        if not text.isascii():
            others.append((number, text))
            continue
        words = spaced(text)
        if all(phrase.is_in(words) for phrase in phrases.each):
            found.add(number)
    return found | found_by_index(others, phrases.match) if others else found


def found_by_index(documents: Iterable[tuple[int, str]], match: str) -> set[int]:
    """Return the numbers of the documents that match a query in the syntax of FTS5."""
    with _index_in_memory() as index:
        index.executemany("INSERT INTO texts (rowid, body) VALUES (?, ?)", documents)
        return {row[0] for row in index.execute("SELECT rowid FROM texts WHERE texts MATCH ?", (match,))}


def _phrase(words: Sequence[str], *, is_prefix: bool) -> Phrase:
    first, *others = (re.escape(word.encode()) for word in words)
    end = b"" if is_prefix else b" "
    return Phrase(f" {words[0]} ".encode(), re.compile(b" " + b" +".join((first, *others)) + end))


def _has_positions(connection: Connection) -> bool:
    """Tell whether an earlier version created the index, which finds phrases by itself."""
    row = driver(connection).execute("SELECT sql FROM sqlite_master WHERE name = 'search'").fetchone()
    return row is not None and "detail=none" not in row[0]


def _words(terms: list[str]) -> list[list[str]]:
    """Return the words of each term, in order."""
    words = [list[str]() for _ in terms]
    with _index_in_memory() as index:
        # A null would end the text of a query, and is a space in documents.
        texts = enumerate(term.replace("\0", " ") for term in terms)
        index.executemany("INSERT INTO texts (rowid, body) VALUES (?, ?)", texts)
        index.execute("CREATE VIRTUAL TABLE words USING fts5vocab(texts, 'instance')")
        rows: list[tuple[int, str]] = index.execute("SELECT doc, term FROM words ORDER BY doc, offset").fetchall()
    for number, word in rows:
        words[number].append(word)
    return words


@contextmanager
def _index_in_memory() -> Generator[sqlite3.Connection]:
    index = sqlite3.connect(":memory:", isolation_level=None)
    try:
        index.execute("CREATE VIRTUAL TABLE texts USING fts5(body, content='', columnsize=0, tokenize='unicode61')")
        index.execute("BEGIN")
        yield index
    finally:
        index.close()
