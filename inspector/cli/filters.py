"""The options that narrow a list, one for each parameter of the API, and the filter that they make."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import click

from inspector.cli.options import OneOf, Text
from inspector.cli.output.moments import FORMS, parse_moment_ns, parse_stretch_ns, refusal
from inspector.model import (
    KINDS,
    PARAMETERS,
    STATUSES,
    Filter,
    FilterField,
    Form,
    LabelFilter,
    Level,
    parse_label_filter,
)
from inspector.spooling import is_run_id

C = TypeVar("C", bound=Callable[..., Any])
_HEX_DIGITS = frozenset("0123456789abcdef")


class Moment(click.ParamType[int, str]):
    """A point in time, as nanoseconds since the Unix epoch."""

    name = "time"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse how long ago, a day by its name, a date, an RFC 3339 time or nanoseconds."""
        count = parse_moment_ns(value, now_ns=time.time_ns())
        if count is None:
            self.fail(refusal(value), param, ctx)
        return count


class TimeRange(click.ParamType[tuple[int, int | None], str]):
    """A start time, or a start and an end with dots between them."""

    name = "time"

    def convert(
        self, value: str | tuple[int, int | None], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int | None]:
        """Parse ``FROM`` or ``FROM..TO``."""
        if isinstance(value, tuple):
            return value
        stretch = parse_stretch_ns(value, now_ns=time.time_ns())
        if stretch is None:
            self.fail(refusal(value), param, ctx)
        return stretch


class HexId(click.ParamType[str, str]):
    """The id of a trace or a span, as in the API."""

    name = "id"

    def __init__(self, digits: int, *, least: int | None = None) -> None:
        self._digits = digits
        self._least = digits if least is None else least

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Parse an id, or the beginning of one if that is enough; uppercase is converted to lowercase."""
        if not self._least <= len(value) <= self._digits or not set(value.lower()) <= _HEX_DIGITS:
            how_many = "all" if self._least == self._digits else f"{self._least} to"
            self.fail(f"{value!r} is not an id; give {how_many} {self._digits} hexadecimal digits", param, ctx)
        return value.lower()


class RunId(click.ParamType[str, str]):
    """The id of a run."""

    name = "id"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what cannot be one."""
        if not is_run_id(value):
            self.fail(f"{value!r} is not a run id; 'inspector runs' lists them", param, ctx)
        return value


class Words(click.ParamType[str, str]):
    """Text to search for."""

    name = "words"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse empty and blank text."""
        if not value.strip():
            self.fail("give at least one word to search for", param, ctx)
        return value


class Attribute(click.ParamType[tuple[str, str], str]):
    """A key, or a path into arguments or a result, with the text of the value there."""

    name = "key=value"

    def __init__(self, example: str) -> None:
        self._example = example

    def convert(
        self, value: str | tuple[str, str], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Split at the first equals sign."""
        if isinstance(value, tuple):
            return value
        key, equals, wanted = value.partition("=")
        if not key or not equals:
            self.fail(f"{value!r} is not KEY=VALUE; for example {self._example}", param, ctx)
        return key, wanted


class Labelled(click.ParamType[LabelFilter, str]):
    """A required label."""

    name = "label"

    def convert(
        self, value: str | LabelFilter, param: click.Parameter | None, ctx: click.Context | None
    ) -> LabelFilter:
        """Parse a name, alone or with the score or value it must have."""
        asked = parse_label_filter(value) if isinstance(value, str) else value
        if asked is None:
            self.fail(f"{value!r} is not a label; give its name, quality>0.8 or relevance=fair", param, ctx)
        return asked


class Amount(click.ParamType[float, str]):
    """A finite, non-negative number."""

    name = "number"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Parse a number; refuse ``nan``, ``inf`` and negative numbers."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < 0:
            self.fail(f"{value!r} is not a number of 0 or more", param, ctx)
        return number


_TYPES: Mapping[Form, click.ParamType[Any, Any]] = {
    "text": Text(),
    "words": Words(),
    "kind": OneOf(KINDS),
    "status": OneOf(STATUSES),
    "run id": RunId(),
    "trace id": HexId(32),
    "span id": HexId(16),
    "time": Moment(),
    "milliseconds": Amount(),
    "dollars": Amount(),
    "label": Labelled(),
}
_METAVARS: Mapping[Form, str] = {
    "text": "TEXT",
    "words": "WORDS",
    "run id": "ID",
    "trace id": "ID",
    "span id": "ID",
    "label": "LABEL",
}
"""The name of a value, if its type does not say it."""
_SPELLED = {"args": "arg"}
"""Options with another name than their parameter."""


def _option(name: str, row: FilterField, *, in_stats: bool) -> Callable[[Any], Any]:
    spelled = "--" + _SPELLED.get(name, name).replace("_", "-")
    text = row.help.replace("{times}", FORMS)
    if row.form == "flag":
        default = row.in_stats if in_stats else True
        return click.option(f"{spelled}/--no-{spelled[2:]}", name, default=default, help=text)
    return click.option(
        spelled,
        name,
        type=_type_of(row),
        multiple=row.form in ("kind", "status", "pairs", "label"),
        metavar=row.metavar or _METAVARS.get(row.form),
        help=text,
    )


def _type_of(row: FilterField) -> click.ParamType[Any, Any]:
    if row.form == "pairs":
        return Attribute(row.example)
    return TimeRange() if row.name == "since" else _TYPES[row.form]


def narrowed_by_options(level: Level, *, in_stats: bool = False) -> Callable[[C], C]:
    """Give a command every option that filters the lists of a level, or statistics."""

    def narrowed(command: C) -> C:
        for name, row in reversed(list(PARAMETERS.items())):
            if level in row.lists:
                command = _option(name, row, in_stats=in_stats)(command)
        return command

    return narrowed


def times_of(since: tuple[int, int | None] | None, until_ns: int | None) -> tuple[int | None, int | None]:
    """Return the start and the end of a time range, in nanoseconds.

    Raises:
        click.UsageError: The end is given twice, or lies before the start, so nothing could match.
    """
    since_ns, end_ns = since or (None, None)
    if end_ns is not None and until_ns is not None:
        raise click.UsageError("--since FROM..TO names the end already; leave out --until")
    end_ns = until_ns if end_ns is None else end_ns
    if since_ns is not None and end_ns is not None and since_ns > end_ns:
        raise click.UsageError("--since is later than --until, so nothing can match; swap the two")
    return since_ns, end_ns


def filter_of(options: Mapping[str, Any]) -> Filter:
    """Turn the options of a command into a filter for the store.

    Args:
        options: What click passes to a command with `narrowed_by_options`, and anything else it takes.

    Raises:
        click.UsageError: The options contradict each other.
    """
    since_ns, until_ns = times_of(options["since"], options["until"])
    values = {row.field: options[name] for name, row in PARAMETERS.items() if name in options}
    return replace(Filter(**values), since_ns=since_ns, until_ns=until_ns)
