"""Pages of a list by their number, so that nobody has to copy a cursor."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import click

from inspector.cli.errors import CursorRefused
from inspector.cli.home import settings_of
from inspector.cli.opening import opened
from inspector.cli.options import ListOptions
from inspector.cli.output.documents import page_document, write_json
from inspector.cli.output.notices import notice
from inspector.cli.output.terminal import Terminal, standard_output
from inspector.model import Page
from inspector.store import CursorInvalid, Store

_MOST_SKIPPED = 1000
"""Items read at a time from pages that are skipped."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PageChoice:
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

    def show(
        self, names: Sequence[str] | None, table: Callable[[Sequence[T], Terminal], Iterable[str]], *, nothing: str
    ) -> None:
        """Write the page as JSON, or as a table that is followed by where the list continues.

        Args:
            names: The fields of each item in JSON, where none means all; None for a table.
            table: Lays out the items.
            nothing: What to say of an empty list.
        """
        terminal = standard_output()
        if names is not None:
            write_json(page_document(self.page, names), terminal)
            return
        if self.page.items:
            terminal.write(table(self.page.items, terminal))
        self.say_more(nothing=nothing)

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


def read_list(
    options: ListOptions,
    read: Callable[[Store, str | None, int], Page[T]],
    *,
    shown: Callable[[Store, Sequence[T]], Sequence[T]] | None = None,
) -> Listed[T]:
    """Read the page that the options of a list ask for.

    Raises:
        CursorRefused: The cursor is not from a previous page.
    """
    choice = PageChoice(options["limit"], options["page"], options["cursor"])
    with opened(settings_of(options["home"])) as store:
        listed = read_page(choice, lambda cursor, limit: read(store, cursor, limit))
        if shown is None:
            return listed
        return replace(listed, page=replace(listed.page, items=tuple(shown(store, listed.page.items))))


def read_page(choice: PageChoice, read: Callable[[str | None, int], Page[T]]) -> Listed[T]:
    """Read a page; pages before a numbered one are read and skipped, as they are by now.

    Raises:
        CursorRefused: The cursor is not from a previous page.
    """
    number = 1 if choice.number is None else choice.number
    cursor, skipped = choice.cursor, (number - 1) * choice.limit
    try:
        while skipped:
            before = read(cursor, min(skipped, _MOST_SKIPPED))
            skipped -= len(before.items)
            cursor = before.next_cursor
            if cursor is None:
                there_are = (number - 1) * choice.limit - skipped
                return Listed(Page(()), None, -(-there_are // choice.limit))
        page = read(cursor, choice.limit)
    except CursorInvalid as error:
        raise CursorRefused(error) from error
    return Listed(page, _more(choice, page, number))


def _more(choice: PageChoice, page: Page[T], number: int) -> str | None:
    if page.next_cursor is None:
        return None
    # A page ends early where a search took its time, and the numbers count whole pages.
    is_whole = choice.cursor is None and len(page.items) == choice.limit
    return f"--page {number + 1}" if is_whole else f"--cursor {page.next_cursor}"
