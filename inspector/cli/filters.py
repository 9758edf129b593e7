"""The options that narrow a list, and the filter they make; they mirror the API's parameters one to one."""

import math
import time
from collections.abc import Callable
from typing import Any, TypedDict, TypeVar

import click

from inspector.cli.moments import FORMS, parse_moment_ns, parse_stretch_ns, refusal
from inspector.cli.options import OneOf, Text
from inspector.model import KINDS, STATUSES, AskedLabel, Filter, Kind, Status, asked_label
from inspector.spooling import is_run_id

C = TypeVar("C", bound=Callable[..., Any])
_HEX_DIGITS = frozenset("0123456789abcdef")


class ListOptions(TypedDict):
    """What click hands to a command that took :func:`run_filter_options`."""

    kind: tuple[Kind, ...]
    status: tuple[Status, ...]
    run_id: str | None
    session_id: str | None
    name: str | None
    name_prefix: str | None
    agent: str | None
    model: str | None
    tool: str | None
    service: str | None
    error_type: str | None
    hook: str | None
    since: tuple[int, int | None] | None
    until: int | None
    min_duration_ms: float | None
    max_duration_ms: float | None
    min_cost_usd: float | None
    max_cost_usd: float | None
    attr: tuple[tuple[str, str], ...]
    args: tuple[tuple[str, str], ...]
    result: tuple[tuple[str, str], ...]
    label: tuple[AskedLabel, ...]
    q: str | None
    duplicates: bool


class FilterOptions(ListOptions):
    """What click hands to a command that took :func:`filter_options`."""

    trace_id: str | None
    parent_id: str | None


class Moment(click.ParamType[int, str]):
    """A point in time, as nanoseconds since the Unix epoch."""

    name = "time"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read how long ago, a day by its name, a date, an RFC 3339 time or nanoseconds."""
        count = parse_moment_ns(value, now_ns=time.time_ns())
        if count is None:
            self.fail(refusal(value), param, ctx)
        return count


class Stretch(click.ParamType[tuple[int, int | None], str]):
    """A point in time from which on, or two with dots between them."""

    name = "time"

    def convert(
        self, value: str | tuple[int, int | None], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int | None]:
        """Read ``FROM`` or ``FROM..TO``."""
        if isinstance(value, tuple):
            return value
        stretch = parse_stretch_ns(value, now_ns=time.time_ns())
        if stretch is None:
            self.fail(refusal(value), param, ctx)
        return stretch


class HexId(click.ParamType[str, str]):
    """The id of a trace or a span, as the API takes it."""

    name = "id"

    def __init__(self, digits: int, *, least: int | None = None) -> None:
        self._digits = digits
        self._least = digits if least is None else least

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read an id, or the beginning of one where that will do; capitals count as the small letters recorded."""
        if not self._least <= len(value) <= self._digits or not set(value.lower()) <= _HEX_DIGITS:
            how_many = "all" if self._least == self._digits else f"{self._least} to"
            self.fail(f"{value!r} is no id; give {how_many} {self._digits} hexadecimal digits", param, ctx)
        return value.lower()


class RunId(click.ParamType[str, str]):
    """The id of a run."""

    name = "id"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what can be none."""
        if not is_run_id(value):
            self.fail(f"{value!r} is no id of a run; 'inspector runs' lists them", param, ctx)
        return value


class Words(click.ParamType[str, str]):
    """Text to search for."""

    name = "words"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse nothing and blanks, which no text could be searched for."""
        if not value.strip():
            self.fail("give at least one word to search for", param, ctx)
        return value


class Attribute(click.ParamType[tuple[str, str], str]):
    """A key, or a path into arguments or a result, and the text of the value there."""

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


class Labelled(click.ParamType[AskedLabel, str]):
    """A label that something must have."""

    name = "label"

    def convert(self, value: str | AskedLabel, param: click.Parameter | None, ctx: click.Context | None) -> AskedLabel:
        """Read a name, alone or with what its score or value must be."""
        asked = asked_label(value) if isinstance(value, str) else value
        if asked is None:
            self.fail(f"{value!r} is no label; give its name, quality>0.8 or relevance=fair", param, ctx)
        return asked


class Amount(click.ParamType[float, str]):
    """A finite number that is not negative."""

    name = "number"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a number, and refuse ``nan``, ``inf`` and what is below zero."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < 0:
            self.fail(f"{value!r} is no number of 0 or more", param, ctx)
        return number


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("--kind", multiple=True, type=OneOf(KINDS), help="What the span stands for; repeatable."),
    click.option("--status", multiple=True, type=OneOf(STATUSES), help="How it stands; repeatable."),
    click.option("--run-id", type=RunId(), metavar="ID", help="Spans of one run; 'inspector runs' lists them."),
    click.option("--session-id", type=Text(), metavar="ID", help="Spans of one session."),
    click.option("--name", type=Text(), metavar="TEXT", help="The whole name, for example 'execute_tool weather'."),
    click.option("--name-prefix", type=Text(), metavar="TEXT", help="How the name begins."),
    click.option("--agent", type=Text(), metavar="NAME", help="Name of the agent."),
    click.option("--model", type=Text(), metavar="NAME", help="Name of the model."),
    click.option("--tool", type=Text(), metavar="NAME", help="Name of the tool."),
    click.option("--service", type=Text(), metavar="NAME", help="The recorded program's service name."),
    click.option(
        "--error-type", type=Text(), metavar="TYPE", help="Exception class, with or without its module, or error code."
    ),
    click.option("--hook", type=Text(), metavar="NOUN", help="What its hooks are about, for example tool_call."),
    click.option(
        "--since", type=Stretch(), help=f"Started at or after: {FORMS}; FROM..TO names both ends, a day begins at 0:00."
    ),
    click.option("--until", type=Moment(), help="Started before; as --since."),
    click.option("--min-duration-ms", type=Amount(), help="Took at least this long."),
    click.option("--max-duration-ms", type=Amount(), help="Took at most this long."),
    click.option("--min-cost-usd", type=Amount(), help="Cost at least this much."),
    click.option("--max-cost-usd", type=Amount(), help="Cost at most this much."),
    click.option(
        "--attr", multiple=True, type=Attribute("error.type=TimeoutError"), help="Has this attribute; repeatable."
    ),
    click.option(
        "--arg",
        "args",
        multiple=True,
        type=Attribute("invoice=INV-7"),
        help="Has this value in its arguments, for example invoice=INV-7 or 'rows[0].id=7'; repeatable.",
    ),
    click.option(
        "--result",
        multiple=True,
        type=Attribute("status=refused"),
        help="Has this value in its result, for example status=refused; repeatable.",
    ),
    click.option(
        "--label",
        multiple=True,
        type=Labelled(),
        metavar="LABEL",
        help="Has this label: good, quality>0.8, relevance=fair; of a run, on one of its spans too; repeatable.",
    ),
    click.option(
        "--q",
        type=Words(),
        metavar="WORDS",
        help='Words that all occur in prompt, answer, arguments, result or error; "a phrase", begin*.',
    ),
    click.option(
        "--duplicates/--no-duplicates",
        default=True,
        help="With spans that another span counts for (the default), or calls alone.",
    ),
)


_PLACES: tuple[Callable[[Any], Any], ...] = (
    click.option("--trace-id", type=HexId(32), metavar="ID", help="Spans of one trace (32 hexadecimal digits)."),
    click.option(
        "--parent-id", type=HexId(16), metavar="ID", help="Direct children of one span (16 hexadecimal digits)."
    ),
)


def filter_options(command: C) -> C:
    """Give a command every option that narrows a list of spans."""
    return _with(_PLACES + _OPTIONS, command)


def run_filter_options(command: C) -> C:
    """Give a command every option that narrows a list of runs."""
    return _with(_OPTIONS, command)


def _with(options: tuple[Callable[[Any], Any], ...], command: C) -> C:
    for option in reversed(options):
        command = option(command)
    return command


def times_of(since: tuple[int, int | None] | None, until_ns: int | None) -> tuple[int | None, int | None]:
    """Return the two ends of a time, in nanoseconds.

    Raises:
        click.UsageError: It has two ends of one kind, or begins after its end, so that nothing could match.
    """
    since_ns, end_ns = since or (None, None)
    if end_ns is not None and until_ns is not None:
        raise click.UsageError("--since FROM..TO names the end already; leave out --until")
    end_ns = until_ns if end_ns is None else end_ns
    if since_ns is not None and end_ns is not None and since_ns > end_ns:
        raise click.UsageError("--since is later than --until, so nothing can match; exchange the two")
    return since_ns, end_ns


def filter_of(options: ListOptions | FilterOptions) -> Filter:
    """Turn the options of a command into the filter that the store takes.

    Raises:
        click.UsageError: The options contradict each other.
    """
    since_ns, until_ns = times_of(options["since"], options["until"])
    return Filter(
        kinds=options["kind"],
        statuses=options["status"],
        run_id=options["run_id"],
        session_id=options["session_id"],
        trace_id=options.get("trace_id"),
        parent_id=options.get("parent_id"),
        name=options["name"],
        name_prefix=options["name_prefix"],
        agent=options["agent"],
        model=options["model"],
        tool=options["tool"],
        service=options["service"],
        error_type=options["error_type"],
        hook=options["hook"],
        since_ns=since_ns,
        until_ns=until_ns,
        min_duration_ms=options["min_duration_ms"],
        max_duration_ms=options["max_duration_ms"],
        min_cost_usd=options["min_cost_usd"],
        max_cost_usd=options["max_cost_usd"],
        attributes=options["attr"],
        arguments=options["args"],
        results=options["result"],
        labels=options["label"],
        q=options["q"],
        duplicates=options["duplicates"],
    )
