"""Traces, runs and sessions with their totals, the outline of a trace, and the turns of conversations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec import UNSET, UnsetType

from inspector.model.labels import Label
from inspector.model.spans import Losses, Status
from inspector.nouns import Kind


@dataclass(frozen=True, slots=True)
class TimelineBar:
    """One bar of a timeline."""

    offset_ms: float
    """Milliseconds since the start of the trace or run."""
    duration_ms: float | None
    kind: Kind
    status: Status


@dataclass(frozen=True, slots=True)
class Trace:
    """The totals of one tree of spans. They leave out unknown values. ``status`` is the root's, or else the worst."""

    trace_id: str
    run_id: str
    session_id: str | None
    name: str
    kind: Kind
    status: Status
    service: str | None
    agent: str | None
    question: str | None
    """The beginning of the first input of a model, agent or workflow, on one line."""
    answer: str | None
    """The beginning of the last output of a model, agent or workflow, on one line."""
    start_time_unix_nano: str
    end_time_unix_nano: str | None
    duration_ms: float | None
    spans: int
    """All spans, including duplicates; all other figures count calls and leave duplicates out."""
    calls: int
    errors: int
    """Failed calls of any kind."""
    llm_calls: int
    tool_calls: int
    models: tuple[str, ...]
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    """The cost of the calls with a known price; None if there are none."""
    unpriced_calls: int
    """Model calls that answered or used tokens but have no known cost."""
    seq: int
    """The largest ``seq`` of its spans."""
    timeline: tuple[TimelineBar, ...] | UnsetType = UNSET
    """Where the time went; absent unless requested."""
    losses: Losses | UnsetType = UNSET
    """What its processes failed to record while it ran; absent in lists, and if nothing is missing."""


@dataclass(frozen=True, slots=True)
class OutlineTables:
    """The distinct values on one page of an outline, to which its columns refer."""

    kind: tuple[Kind, ...]
    status: tuple[Status, ...]
    name: tuple[str, ...]
    agent: tuple[str, ...]
    model: tuple[str, ...]
    tool: tuple[str, ...]
    error_type: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OutlineColumns:
    """One value per event in each column; columns named like a table contain indexes into it, or -1 for none."""

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
    """The summary of a trace, and one page of its structure in the order its events began."""

    trace: Trace
    seq: int
    """The last change that it includes."""
    start_time_unix_nano: str
    """The earliest start in the trace; offsets count from it."""
    tables: OutlineTables
    columns: OutlineColumns
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Preview:
    """The input, output and error of a call, one line each; None if not recorded or not known."""

    trace_id: str
    span_id: str
    input: str | None
    """The beginning of its input; for a model call, what the user or a tool said last."""
    output: str | None
    """The beginning of its output; for a model call, the text of its answer, or else the tools that it requests."""
    error: str | None


@dataclass(frozen=True, slots=True)
class Session:
    """The totals of the traces with one session id."""

    session_id: str
    status: Status
    start_time_unix_nano: str
    end_time_unix_nano: str | None
    traces: int
    failed_traces: int
    """Traces whose status is ``error``."""
    spans: int
    """All spans, including duplicates; all other figures count calls and leave duplicates out."""
    calls: int
    errors: int
    """Failed calls of any kind."""
    llm_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    """The cost of the calls with a known price; None if there are none."""
    unpriced_calls: int
    """Model calls that answered or used tokens but have no known cost."""
    seq: int


RunOrigin = Literal["program", "block", "request", "cell", "session", "trace"]
"""What the traces of a run have in common: one execution of a program, a marked block, a request to a server, a
notebook cell, or else a session. ``trace`` is a run of one trace that has none of these."""


@dataclass(frozen=True, slots=True)
class Run:
    """What somebody started, with the totals of its traces. They leave out unknown values."""

    run_id: str
    origin: RunOrigin
    name: str
    """The service of a program, the id of a session, or else the name of the first trace."""
    status: Status
    """The worst status of its traces; ``running`` while one of them is."""
    service: str | None
    """The service of the first trace; ``agent`` is its agent."""
    agent: str | None
    question: str | None
    """The beginning of the first input of a model, agent or workflow, on one line."""
    answer: str | None
    """The beginning of the last output of a model, agent or workflow, on one line."""
    trace_id: str
    """The trace that names the run: the one that began first, leaving out MCP messages whose sender was not
    recorded."""
    trace_name: str
    """The name of that trace."""
    start_time_unix_nano: str
    end_time_unix_nano: str | None
    duration_ms: float | None
    traces: int
    failed_traces: int
    """Traces whose status is ``error``."""
    open_calls: int
    """Calls that have not ended."""
    spans: int
    """All spans, including duplicates; all other figures count calls and leave duplicates out."""
    calls: int
    errors: int
    """Failed calls of any kind."""
    llm_calls: int
    tool_calls: int
    models: tuple[str, ...]
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    """The cost of the calls with a known price; None if there are none."""
    unpriced_calls: int
    """Model calls that answered or used tokens but have no known cost."""
    seq: int
    """The largest ``seq`` of its spans."""
    labels: tuple[Label, ...] = ()
    """The latest labels of the run and of its spans; its own come first."""
    replay_of: str | UnsetType = UNSET
    """The run that this one replays; absent if its first calls name none."""
    timeline: tuple[TimelineBar, ...] | UnsetType = UNSET
    """Where the time went; absent unless requested."""
    losses: Losses | UnsetType = UNSET
    """What its processes failed to record while it ran; absent in lists, and if nothing is missing."""


@dataclass(frozen=True, slots=True)
class RunOutline:
    """The summary of a run, and one page of the structure of all its traces in the order their events began."""

    run: Run
    seq: int
    """The last change that it includes."""
    start_time_unix_nano: str
    """The earliest start in the run; offsets count from it."""
    tables: OutlineTables
    columns: OutlineColumns
    traces: tuple[str, ...]
    """The ids of the traces on this page."""
    trace: Sequence[int]
    """The trace of each event, as an index into ``traces``."""
    next_cursor: str | None


TurnLink = Literal["begins", "continues", "retry", "unclear"]
"""How a model call relates to earlier ones: it begins a conversation; its prompt begins with the prompt and answer of
an earlier call; it has the prompt of one that failed; or it may continue any of several equal calls."""


@dataclass(frozen=True, slots=True)
class SpanPlace:
    """The ids of a span and of its trace."""

    trace_id: str
    span_id: str


@dataclass(frozen=True, slots=True)
class InferredTool:
    """A tool call that an answer requests, with its result from a later prompt."""

    id: str | None
    name: str
    arguments: str
    """The beginning of the arguments, as JSON."""
    result: str | None
    """The beginning of the result, as text or JSON; None if no later prompt contains it."""
    failed: bool
    """Whether its span failed, or, if it has none, whether the result says so."""
    start_time_unix_nano: str | None
    """When the answer that requests it arrived; it ran after this time."""
    end_time_unix_nano: str | None
    """When the prompt that contains its result was sent; it ran before this time."""
    recorded: bool
    """Whether the call also has a span of its own."""
    span: SpanPlace | None
    """The span of the call; None if it has none."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A model call as a turn of a conversation. Inferred from its messages; no figure counts it."""

    conversation: str
    """An opaque id, the same for all turns of one conversation of the run."""
    trace_id: str
    span_id: str
    link: TurnLink
    previous: SpanPlace | None
    """The call that it continues or retries."""
    candidates: int
    """If the link is ``unclear``, the number of calls that it may continue."""
    messages: int
    """The number of messages in its prompt."""
    new_from: int
    """The number of these messages that were in the previous prompt or its answer."""
    sizes: Mapping[str, int]
    """The characters of its prompt by type: ``system``, ``tools``, ``user``, ``assistant``, ``tool``, ``file``; an
    image counts as 4,000."""
    tools: tuple[InferredTool, ...]
    """The tool calls that its answer requests."""
