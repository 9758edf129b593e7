"""The options that several commands share."""

import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import click

if TYPE_CHECKING:
    from inspector.model import Order

C = TypeVar("C", bound=Callable[..., Any])
ChoiceT = TypeVar("ChoiceT", bound=str)
_ID = re.compile(r"[0-9a-fA-F-]+|last(~\d+)?")


def meant(word: str, words: Iterable[str]) -> str:
    """Suggest the closest word at the end of an error message; nothing if none is close."""
    near = get_close_matches(word, list(words), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


class WholeNumber(click.IntRange):
    """A whole number within a range, and an error message that says so."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse a number and check the range."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"takes a whole number from {self.min} to {self.max}, not {value!r}", param, ctx)


class Text(click.ParamType[str, str]):
    """An id, a name or the like; an empty text, such as an unset shell variable, is invalid."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse an empty text."""
        if not value:
            self.fail("is empty; say which, or leave it out", param, ctx)
        return value


class OneOf(click.Choice[ChoiceT]):
    """One of a few words, and an error message that suggests the closest one."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Name the words, after the closest one."""
        words = [self.normalize_choice(choice, ctx) for choice in self.choices]
        return f"{value!r} is not one of {', '.join(words)}{meant(str(value).lower(), words)}"


class HomeDirectory(click.Path):
    """A directory; an empty text, such as an unset variable, would be the current one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an empty text."""
        if value in ("", b""):
            self.fail("is empty; name a directory, or leave the option out", param, ctx)
        return super().convert(value, param, ctx)


def home_option(command: C) -> C:
    """Add the option for another data directory."""
    return click.option(
        "--home",
        type=HomeDirectory(path_type=Path),
        metavar="DIR",
        help="Data directory instead of $INSPECTOR_HOME or ~/.inspector.",
    )(command)


def json_option(command: C) -> C:
    """Add the option to write one JSON document."""
    return click.option("--json", "as_json", is_flag=True, help="Write JSON.")(command)


class Fields(click.ParamType[tuple[str, ...], str]):
    """Names of fields, separated by commas; empty for ``--json`` without any."""

    name = "fields"

    def __init__(self, of: type[Any]) -> None:
        self._known = tuple(field.name for field in fields(of))

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Refuse unknown names, and list the known ones."""
        if isinstance(value, tuple):
            return value
        names = tuple(filter(None, (name.strip() for name in value.split(","))))
        for name in names:
            if name not in self._known:
                way_on = meant(name, self._known) or "."
                self.fail(f"no field {name!r}{way_on} There are {', '.join(self._known)}", param, ctx)
        return names


def fields_option(of: type[Any]) -> Callable[[C], C]:
    """Add the option to write what the API returns, or only the named fields of each item."""
    return click.option(
        "--json",
        "as_json",
        is_flag=False,
        flag_value="",
        type=Fields(of),
        metavar="[FIELD,...]",
        help="Write JSON as the API returns it; with names of fields, only these.",
    )


class WithId(click.Command):
    """A command whose id may follow ``--json``, which also takes names of fields: an id is hexadecimal or ``last``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave an id after ``--json`` to the argument."""
        apart = list(args)
        for at, word in enumerate(args[:-1]):
            if word == "--json" and _ID.fullmatch(args[at + 1]):
                apart[at] = "--json="
        return super().parse_args(ctx, apart)


def no_pager_option(command: C) -> C:
    """Add the option to write long output directly to the terminal."""
    return click.option("--no-pager", is_flag=True, help="Write directly to the terminal, however long the output is.")(
        command
    )


def open_option(command: C) -> C:
    """Add the option to start a server without a browser."""
    return click.option("--no-open", is_flag=True, help="Do not open the page in a browser.")(command)


class ListOptions(TypedDict):
    """The options of every list: those of `list_options` and `home_option`."""

    order: "Order"
    limit: int
    page: int | None
    cursor: str | None
    home: Path | None


def list_options(command: C) -> C:
    """Add the order of a list, and the options to continue it after an earlier page."""
    command = click.option(
        "--cursor", type=Text(), metavar="CURSOR", help="Continue after the page that returned this next_cursor."
    )(command)
    command = click.option("--page", type=WholeNumber(1, 100_000), metavar="N", help="Page number, from 1.")(command)
    command = click.option(
        "--limit",
        type=WholeNumber(1, 1000),
        default=50,
        show_default=True,
        metavar="N",
        help="Maximum number of items, up to 1000.",
    )(command)
    return click.option("--order", type=OneOf(["desc", "asc"]), default="desc", show_default=True)(command)
