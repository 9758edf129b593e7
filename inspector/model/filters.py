"""What lists and figures are narrowed by: a field of `Filter` is a row of one table, with all that is known of it.

The API's parameters, the options of the command line, the conditions on the rows of a database and the fields of the
page are read from these rows. A test asks all of them for every row.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Literal

from inspector.model.labels import AskedLabel
from inspector.model.spans import Status
from inspector.nouns import Kind

Form = Literal[
    "text",
    "words",
    "kind",
    "status",
    "run id",
    "trace id",
    "span id",
    "time",
    "milliseconds",
    "dollars",
    "pairs",
    "label",
    "flag",
]
"""How a value is spelled; ``kind``, ``status``, ``pairs`` and ``label`` may be repeated."""
Level = Literal["span", "trace", "run"]
_EVERY: tuple[Level, ...] = ("span", "trace", "run")
Match = Literal["is", "is one of", "begins with", "at least", "at most", "before"]
"""How a column compares with the value."""


@dataclass(frozen=True, slots=True)
class FilterField:
    """A row of the table: what there is to know of one field of `Filter`."""

    name: str | None
    """That of the API's parameter and of the address of the page; None for what nobody asks for by itself."""
    form: Form = "text"
    help: str = ""
    """What it keeps, for the command line."""
    of: Level = "span"
    """The widest level that has it itself: a run has what is of a trace by one of its traces, and what is of a span by
    one of their spans."""
    column: str | None = None
    """The column that has it, of spans and, where it is of them, of traces and runs; None where it takes more."""
    match: Match = "is"
    indexed: tuple[Level, ...] = ()
    """The lists in which few rows are looked at for it."""
    lists: tuple[Level, ...] = _EVERY
    """The lists that take it."""
    metavar: str | None = None
    """What a value is called on the command line; None for the word of its form."""
    key: str = "path"
    """What stands before the value of pairs, ``key`` or ``path``."""
    example: str = ""
    """A pair."""
    since: str = "0.1.0"
    """The version that brought it."""
    field: str = ""
    """Its name in `Filter`."""


def _row(row: FilterField, default: Any = None) -> Any:
    """Declare a field of `Filter` with its row."""
    return field(default=default, metadata={"row": row})


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a list of events is narrowed to.

    Empty fields do not narrow; alternatives inside one field are joined by or.
    """

    trace_id: str | None = _row(
        FilterField(
            "trace_id",
            "trace id",
            "Spans of one trace (32 hexadecimal digits).",
            of="trace",
            indexed=_EVERY,
            lists=("span",),
        )
    )
    parent_id: str | None = _row(
        FilterField(
            "parent_id",
            "span id",
            "Direct children of one span (16 hexadecimal digits).",
            column="parent_id",
            lists=("span",),
        )
    )
    kinds: tuple[Kind, ...] = _row(
        FilterField("kind", "kind", "Kind of span; repeatable.", column="kind", match="is one of"), ()
    )
    statuses: tuple[Status, ...] = _row(
        FilterField(
            "status",
            "status",
            "Status; repeatable.",
            of="run",
            column="status",
            match="is one of",
            indexed=("span",),
        ),
        (),
    )
    run_id: str | None = _row(
        FilterField("run_id", "run id", "Spans of one run; 'inspector runs' lists them.", of="run", indexed=_EVERY)
    )
    """Belong to a trace of this run."""
    session_id: str | None = _row(
        FilterField(
            "session_id",
            "text",
            "Spans of one session.",
            of="trace",
            column="session_id",
            indexed=("span", "trace"),
            metavar="ID",
        )
    )
    name: str | None = _row(
        FilterField("name", "text", "Full name, for example 'execute_tool weather'.", of="run", column="name")
    )
    name_prefix: str | None = _row(
        FilterField("name_prefix", "text", "Beginning of the name.", of="run", column="name", match="begins with")
    )
    agent: str | None = _row(
        FilterField("agent", "text", "Name of the agent.", of="trace", column="agent", metavar="NAME")
    )
    model: str | None = _row(
        FilterField("model", "text", "Name of the model.", column="named_model", indexed=("span",), metavar="NAME")
    )
    """What calls are counted under; a name that no call is counted under is looked for among those that answered."""
    answered_model: str | None = _row(FilterField(None, column="model"))
    """The one that answered."""
    tool: str | None = _row(
        FilterField(
            "tool",
            "text",
            "Name of the tool, its own or the one that models see: get_time, a__get_time.",
            column="tool",
            indexed=("span",),
            metavar="NAME",
        )
    )
    """Its own name; one that no call is recorded under is looked for among those that models know tools by."""
    known_tool: str | None = _row(FilterField(None))
    """As models know it, with the name of its server or ``agent`` before its own."""
    service: str | None = _row(
        FilterField(
            "service", "text", "The recorded program's service name.", of="run", column="service", metavar="NAME"
        )
    )
    error_type: str | None = _row(
        FilterField(
            "error_type",
            "text",
            "Exception class, with or without its module, or error code.",
            column="error_type",
            indexed=("span",),
            metavar="TYPE",
        )
    )
    """Whole, or the class's own name alone; of calls alone (no ``duplicates``) those that have just this, else those
    whose class has the name in some module, else those with such a duplicate."""
    error_class: str | None = _row(FilterField(None))
    """The class's own name, or the error code, in whatever module."""
    known_error_type: str | None = _row(FilterField(None))
    """Of the span, or of a duplicate of it."""
    hook: str | None = _row(
        FilterField("hook", "text", "Noun of its hooks, for example tool_call.", column="hook", metavar="NOUN")
    )
    """The noun of the hooks that made the span."""
    since_ns: int | None = _row(
        FilterField(
            "since",
            "time",
            "Started at or after: {times}; FROM..TO sets both ends; a day starts at 0:00.",
            of="run",
            column="start_ns",
            match="at least",
            indexed=_EVERY,
        )
    )
    """Started at or after."""
    until_ns: int | None = _row(
        FilterField(
            "until", "time", "Started before; as --since.", of="run", column="start_ns", match="before", indexed=_EVERY
        )
    )
    """Started before."""
    min_duration_ms: float | None = _row(
        FilterField(
            "min_duration_ms",
            "milliseconds",
            "Took at least this long.",
            of="run",
            column="duration_ms",
            match="at least",
        )
    )
    max_duration_ms: float | None = _row(
        FilterField(
            "max_duration_ms",
            "milliseconds",
            "Took at most this long.",
            of="run",
            column="duration_ms",
            match="at most",
        )
    )
    min_cost_usd: float | None = _row(
        FilterField(
            "min_cost_usd", "dollars", "Cost at least this much.", of="run", column="cost_usd", match="at least"
        )
    )
    max_cost_usd: float | None = _row(
        FilterField("max_cost_usd", "dollars", "Cost at most this much.", of="run", column="cost_usd", match="at most")
    )
    attributes: tuple[tuple[str, str], ...] = _row(
        FilterField("attr", "pairs", "Has this attribute; repeatable.", key="key", example="error.type=TimeoutError"),
        (),
    )
    """Attribute keys and the text of the value that each must have."""
    arguments: tuple[tuple[str, str], ...] = _row(
        FilterField(
            "args",
            "pairs",
            "Has this value in its arguments, for example invoice=INV-7 or 'rows[0].id=7'; repeatable.",
            example="invoice=INV-7",
        ),
        (),
    )
    """Paths into the arguments, such as ``invoice.number`` or ``rows[0].id``, and the text of the value at each."""
    results: tuple[tuple[str, str], ...] = _row(
        FilterField(
            "result",
            "pairs",
            "Has this value in its result, for example status=refused; repeatable.",
            example="status=refused",
        ),
        (),
    )
    """The same of the result."""
    labels: tuple[AskedLabel, ...] = _row(
        FilterField(
            "label",
            "label",
            "Has this label: good, quality>0.8, relevance=fair; for a run, also on one of its spans; repeatable.",
            of="run",
            indexed=_EVERY,
        ),
        (),
    )
    """Those that each must have: an event itself, a trace or run also on one of its spans, a trace also on its run."""
    q: str | None = _row(
        FilterField(
            "q", "words", 'Words that must all occur in prompt, answer, arguments, result or error; "a phrase", begin*.'
        )
    )
    """Words that must all occur in the prompt, answer, arguments, result or error.

    ``"…"`` makes a phrase, a trailing ``*`` a prefix.
    """
    duplicates: bool = _row(
        FilterField(
            "duplicates",
            "flag",
            "With duplicates (the default), or each call once.",
            indexed=_EVERY,
        ),
        True,
    )
    """Whether spans belong to it that are duplicates of a call; figures count calls in any case."""

    def only(self, names: Iterable[str]) -> "Filter":
        """Returns a filter with these fields of it, and no others."""
        return Filter(**{name: getattr(self, name) for name in names})

    def rows(self) -> tuple[FilterField, ...]:
        """Returns the rows of the fields that narrow it."""
        return tuple(row for row in FILTER_FIELDS if getattr(self, row.field) != _DEFAULTS[row.field])


FILTER_FIELDS: tuple[FilterField, ...] = tuple(
    replace(member.metadata["row"], field=member.name) for member in fields(Filter)
)
"""The table, in the order of the options of the command line."""
PARAMETERS: Mapping[str, FilterField] = MappingProxyType(
    {row.name: row for row in FILTER_FIELDS if row.name is not None}
)
"""The rows that can be asked for, by the names of the API's parameters."""
_DEFAULTS = {member.name: member.default for member in fields(Filter)}


def filter_fields_of(*levels: Level) -> tuple[str, ...]:
    """Returns the fields of `Filter` whose widest level is one of these."""
    return tuple(row.field for row in FILTER_FIELDS if row.of in levels)
