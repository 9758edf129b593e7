"""Traces and sessions summed up, and the structure of a trace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec import UNSET, UnsetType

from inspector.model.labels import Label
from inspector.model.spans import Losses, Status
from inspector.nouns import Kind


@dataclass(frozen=True, slots=True)
class TimelineBar:
    """One event in the sketch of a trace."""

    offset_ms: float
    """Counted from the start of the trace."""
    duration_ms: float | None
    kind: Kind
    status: Status


@dataclass(frozen=True, slots=True)
class Trace:
    """One tree of spans, summed up. Sums leave out what is unknown; ``status`` is the root's, else the worst."""

    trace_id: str
    run_id: str
    session_id: str | None
    name: str
    kind: Kind
    status: Status
    service: str | None
    agent: str | None
    question: str | None
    """The beginning of what was first asked, on one line; of a model, agent or workflow."""
    answer: str | None
    """The beginning of what was last answered."""
    start_time_unix_nano: str
    end_time_unix_nano: str | None
    duration_ms: float | None
    spans: int
    """All of them, duplicates included; everything else counts calls, each once."""
    calls: int
    errors: int
    """Calls that failed."""
    llm_calls: int
    tool_calls: int
    models: tuple[str, ...]
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    """What the priced calls cost; None where none is."""
    unpriced_calls: int
    """Model calls that answered or used tokens, and whose cost is not known."""
    seq: int
    """The largest ``seq`` of its spans."""
    timeline: tuple[TimelineBar, ...] | UnsetType = UNSET
    """Where its time went; absent unless asked for."""
    losses: Losses | UnsetType = UNSET
    """What its processes did not record in its time; absent from lists, and where nothing is missing."""


@dataclass(frozen=True, slots=True)
class OutlineTables:
    """The different values of one page of an outline, for its columns to point at."""

    kind: tuple[Kind, ...]
    status: tuple[Status, ...]
    name: tuple[str, ...]
    agent: tuple[str, ...]
    model: tuple[str, ...]
    tool: tuple[str, ...]
    error_type: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OutlineColumns:
    """A value for each event in each column; those named like a table hold positions in it, -1 for none."""

    span_id: Sequence[str]
    parent_id: Sequence[str | None]
    offset_ms: Sequence[float]
    duration_ms: Sequence[float | None]
    kind: Sequence[int]
    status: Sequence[int]
    name: Sequence[int]
    agent: Sequence[int]
    model: Sequence[int]
    tool: Sequence[int]
    error_type: Sequence[int]
    input_tokens: Sequence[int | None]
    output_tokens: Sequence[int | None]
    cached_tokens: Sequence[int | None]
    cost_usd: Sequence[float | None]
    folded_into: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class TraceOutline:
    """A trace summed up, and one page of its structure in the order its events began."""

    trace: Trace
    seq: int
    """The change that all of this is as of."""
    start_time_unix_nano: str
    """What offsets count from: the earliest start of the trace."""
    tables: OutlineTables
    columns: OutlineColumns
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Preview:
    """What a call was about, in a line each; None where nothing is recorded or known of it."""

    trace_id: str
    span_id: str
    input: str | None
    """The beginning of what it was given; of a model the first question of its prompt."""
    output: str | None
    """The beginning of what it gave; of a model the text of its answer, else which tools it asks for."""
    error: str | None


@dataclass(frozen=True, slots=True)
class Session:
    """The traces that share a session id, summed up."""

    session_id: str
    status: Status
    start_time_unix_nano: str
    end_time_unix_nano: str | None
    traces: int
    failed_traces: int
    """Those whose status is ``error``."""
    spans: int
    """All of them, duplicates included; everything else counts calls, each once."""
    calls: int
    errors: int
    """Calls that failed."""
    llm_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    """What the priced calls cost; None where none is."""
    unpriced_calls: int
    """Model calls that answered or used tokens, and whose cost is not known."""
    seq: int


RunOrigin = Literal["program", "block", "request", "cell", "session", "trace"]
"""What makes the traces of a run one: the execution of a program, a block that the program named, a request of a
server, a cell of a notebook; else their session, or nothing, so that each is a run."""


@dataclass(frozen=True, slots=True)
class Run:
    """What somebody started, summed from its traces. Sums leave out what is unknown."""

    run_id: str
    origin: RunOrigin
    name: str
    """Of a program its service, of a session its id, else what its first trace is called."""
    status: Status
    """The worst of its traces; running while one of them is."""
    service: str | None
    """Of the first trace, as is the agent."""
    agent: str | None
    question: str | None
    """The beginning of what was first asked, on one line; of a model, agent or workflow."""
    answer: str | None
    """The beginning of what was last answered."""
    trace_id: str
    """The trace that names it: the one that began first, messages of MCP aside."""
    trace_name: str
    """What that trace is called."""
    start_time_unix_nano: str
    end_time_unix_nano: str | None
    duration_ms: float | None
    traces: int
    failed_traces: int
    """Those whose status is ``error``."""
    open_calls: int
    """Calls that have begun and not ended."""
    spans: int
    """All of them, duplicates included; everything else counts calls, each once."""
    calls: int
    errors: int
    """Calls that failed."""
    llm_calls: int
    tool_calls: int
    models: tuple[str, ...]
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    """What the priced calls cost; None where none is."""
    unpriced_calls: int
    """Model calls that answered or used tokens, and whose cost is not known."""
    seq: int
    """The largest ``seq`` of its spans."""
    labels: tuple[Label, ...] = ()
    """The latest of those on it and on its spans, its own first."""
    replay_of: str | UnsetType = UNSET
    """The run that it replays; absent where its first calls name none."""
    timeline: tuple[TimelineBar, ...] | UnsetType = UNSET
    """Where its time went; absent unless asked for."""
    losses: Losses | UnsetType = UNSET
    """What its processes did not record in its time; absent from lists, and where nothing is missing."""


@dataclass(frozen=True, slots=True)
class RunOutline:
    """A run summed up, and one page of the structure of all its traces in the order their events began."""

    run: Run
    seq: int
    """The change that all of this is as of."""
    start_time_unix_nano: str
    """What offsets count from: the earliest start of the run."""
    tables: OutlineTables
    columns: OutlineColumns
    traces: tuple[str, ...]
    """The ids of the traces of this page."""
    trace: Sequence[int]
    """The trace of each event: a position in ``traces``."""
    next_cursor: str | None


TurnLink = Literal["begins", "continues", "retry", "unclear"]
"""How a model call follows another: not at all, its prompt begins with that one's prompt and answer, it has the prompt
of one that failed, or it may continue several equal ones."""


@dataclass(frozen=True, slots=True)
class SpanPlace:
    """Where a span is."""

    trace_id: str
    span_id: str


@dataclass(frozen=True, slots=True)
class InferredTool:
    """A call of a tool that an answer asks for, and what the next prompt says that it gave."""

    id: str | None
    name: str
    arguments: str
    """The beginning of their JSON."""
    result: str | None
    """The beginning of its text or JSON; None where no later prompt has it."""
    failed: bool
    """Whether its span failed; without one, whether the result says so."""
    start_time_unix_nano: str | None
    """When the answer had come that asks for it."""
    end_time_unix_nano: str | None
    """When the prompt was sent that has its result: it ran between the two."""
    recorded: bool
    """Whether it has a span of its own, so that nothing has to be inferred."""
    span: SpanPlace | None
    """That span."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A model call as part of a conversation; inferred from its messages, and never counted."""

    conversation: str
    """Equal for the turns of one conversation of a run; opaque."""
    trace_id: str
    span_id: str
    link: TurnLink
    previous: SpanPlace | None
    """The call that it continues, or tries again."""
    candidates: int
    """How many calls it may continue, where that is unclear."""
    messages: int
    """Of its prompt."""
    new_from: int
    """How many of them were in the previous prompt or its answer."""
    sizes: Mapping[str, int]
    """Characters of its prompt by what they are: ``system``, ``tools``, ``user``, ``assistant``, ``tool``, ``file``."""
    tools: tuple[InferredTool, ...]
    """What its answer asks for."""
