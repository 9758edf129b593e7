"""Pages of a list by their number, so that nobody has to copy a cursor."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import click

from inspector.cli.errors import CursorRefused
from inspector.cli.notices import notice
from inspector.model import Page
from inspector.store import CursorInvalid

_MOST_SKIPPED = 1000
"""Items read at a time from pages that are skipped."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The page to show: by its number, or after a cursor."""

    limit: int
    number: int | None = None
    """From 1; None for the first, or if there is a cursor."""
    cursor: str | None = None

    def __post_init__(self) -> None:
        if self.number is not None and self.cursor is not None:
            raise click.UsageError("--page and --cursor cannot be combined; leave one out")


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """A page, and how to get the next one."""

    page: Page[T]
    more: str | None
    """The option for the next page; None on the last page."""
    pages_before: int | None = None
    """The number of existing pages, if the requested one lies beyond them."""

    def say_more(self, *, nothing: str) -> None:
        """Say where the list continues, or that it is empty, and what of a search was not understood."""
        if isinstance(self.page.notice, str):
            notice(self.page.notice)
        if self.pages_before:
            notice(f"the list ends on page {self.pages_before}")
        elif not self.page.items:
            notice(nothing)
        elif self.more is not None:
            notice(f"more: {self.more}")


def read_page(wanted: Wanted, read: Callable[[str | None, int], Page[T]]) -> Listed[T]:
    """Read a page; pages before a numbered one are read and skipped, as they are by now.

    Args:
        wanted: Which page.
        read: Reads the page after a cursor, with at most this many items.

    Raises:
        CursorRefused: The cursor is not from a previous page.
    """
    number = 1 if wanted.number is None else wanted.number
    cursor, skipped = wanted.cursor, (number - 1) * wanted.limit
    try:
        while skipped:
            before = read(cursor, min(skipped, _MOST_SKIPPED))
            skipped -= len(before.items)
            cursor = before.next_cursor
            if cursor is None:
                there_are = (number - 1) * wanted.limit - skipped
                return Listed(Page(()), None, -(-there_are // wanted.limit))
        page = read(cursor, wanted.limit)
    except CursorInvalid as error:
        raise CursorRefused(error) from error
    return Listed(page, _more(wanted, page, number))


def _more(wanted: Wanted, page: Page[T], number: int) -> str | None:
    if page.next_cursor is None:
        return None
    # A page ends early where a search took its time, and the numbers count whole pages.
    is_whole = wanted.cursor is None and len(page.items) == wanted.limit
    return f"--page {number + 1}" if is_whole else f"--cursor {page.next_cursor}"
