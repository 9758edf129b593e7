"""The filters of lists and figures, in one table: each field of `Filter` has a row with everything about it.

The parameters of the API, the options of the command line, the conditions on the rows of a database and the fields of
the page are read from these rows. A test checks all four for every row.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Literal

from inspector.model.labels import LabelFilter
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
"""The syntax of a value; ``kind``, ``status``, ``pairs`` and ``label`` may be repeated."""
Level = Literal["span", "trace", "run"]
_EVERY: tuple[Level, ...] = ("span", "trace", "run")
Match = Literal["is", "is one of", "begins with", "at least", "at most", "before"]
"""How a column is compared with the value."""


@dataclass(frozen=True, slots=True)
class FilterField:
    """A row of the table: everything about one field of `Filter`."""

    name: str | None
    """The parameter in the API and in the page's URL; None for a field that is only derived from others."""
    form: Form = "text"
    help: str = ""
    """The help of its option on the command line."""
    of: Level = "span"
    """The highest level that has the property itself. Above it, a run has what one of its traces has, and a trace what
    one of its spans has."""
    column: str | None = None
    """The column of spans, and of traces and runs if they have it; None if a column is not enough."""
    match: Match = "is"
    indexed: tuple[Level, ...] = ()
    """The lists in which an index finds its rows."""
    lists: tuple[Level, ...] = _EVERY
    """The lists that accept it."""
    metavar: str | None = None
    """The name of the value on the command line; None for the one of its form."""
    key: str = "path"
    """The name of the first part of a pair, ``key`` or ``path``."""
    example: str = ""
    """An example of a pair."""
    since: str = "0.1.0"
    """The version that introduced it."""
    in_stats: bool = True
    """The default of a flag in statistics; in lists it is True."""
    field: str = ""
    """The name of its field in `Filter`."""


def _row(row: FilterField, default: Any = None) -> Any:
    """Declare a field of `Filter` with its row."""
    return field(default=default, metadata={"row": row})


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A filter of lists and figures.

    All fields that are set must match: one of ``kinds`` and of ``statuses``, and every pair and label.
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
        FilterField("run_id", "run id", "Spans of one run; 'inspector runs' lists the ids.", of="run", indexed=_EVERY)
    )
    """The run of their trace."""
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
    """The model that calls are counted under. If none has this name, ``answered_model`` is used instead."""
    answered_model: str | None = _row(FilterField(None, column="model"))
    """The model that answered."""
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
    """The tool's own name. If no call is recorded under it, ``known_tool`` is used instead."""
    known_tool: str | None = _row(FilterField(None))
    """The name under which models know the tool, with its server or ``agent`` in front."""
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
    """With or without the module. Without ``duplicates``: the calls of exactly this type; if there are none, those
    whose class has this name in any module; if there are none either, those with such a duplicate."""
    error_class: str | None = _row(FilterField(None))
    """The name of the class, in any module, or the error code."""
    known_error_type: str | None = _row(FilterField(None))
    """The type of the span or of one of its duplicates."""
    hook: str | None = _row(
        FilterField(
            "hook", "text", "Noun of the hooks that made it, for example tool_call.", column="hook", metavar="NOUN"
        )
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
            "until",
            "time",
            "Started before; like --since.",
            of="run",
            column="start_ns",
            match="before",
            indexed=_EVERY,
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
    """Attribute keys, each with the text of its value."""
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
    """The same for the result."""
    labels: tuple[LabelFilter, ...] = _row(
        FilterField(
            "label",
            "label",
            "Has this label: good, quality>0.8, relevance=fair; for a run, also on one of its spans; repeatable.",
            of="run",
            indexed=_EVERY,
        ),
        (),
    )
    """An event has its own labels, a run also those of its spans, a trace those of its spans and of its run."""
    q: str | None = _row(
        FilterField(
            "q",
            "words",
            'Words that must all occur in prompt, answer, arguments, result, error or events; "a phrase", begin*.',
        )
    )
    """Words that must all occur in the prompt, answer, arguments, result, error or events.

    ``"…"`` is a phrase, and a trailing ``*`` matches any ending.
    """
    duplicates: bool = _row(
        FilterField(
            "duplicates",
            "flag",
            "Include duplicates (the default), or list each call once.",
            indexed=_EVERY,
        ),
        True,
    )
    """Whether to include duplicates; figures never count them."""
    replays: bool = _row(
        FilterField(
            "replays",
            "flag",
            "Include replays (the default of lists), or leave them out (the default of figures).",
            of="run",
            indexed=_EVERY,
            in_stats=False,
        ),
        True,
    )
    """Whether to include runs that are replays; of their spans, those that were made live are always included."""

    def only(self, names: Iterable[str]) -> "Filter":
        """Return a filter with only these fields."""
        return Filter(**{name: getattr(self, name) for name in names})

    def rows(self) -> tuple[FilterField, ...]:
        """Return the rows of the fields that are set."""
        return tuple(row for row in FILTER_FIELDS if getattr(self, row.field) != _DEFAULTS[row.field])


FILTER_FIELDS: tuple[FilterField, ...] = tuple(
    replace(member.metadata["row"], field=member.name) for member in fields(Filter)
)
"""The table, in the order of the options of the command line."""
PARAMETERS: Mapping[str, FilterField] = MappingProxyType(
    {row.name: row for row in FILTER_FIELDS if row.name is not None}
)
"""The rows with a parameter, by its name."""
_DEFAULTS = {member.name: member.default for member in fields(Filter)}


def filter_fields_of(*levels: Level) -> tuple[str, ...]:
    """Return the fields of `Filter` whose highest level is one of these."""
    return tuple(row.field for row in FILTER_FIELDS if row.of in levels)
