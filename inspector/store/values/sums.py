"""Totals of traces, runs and sessions: what a row adds to them, and when they must be computed again.

A batch adds its new rows and exchanges the replaced ones, so its cost does not grow with the trace. If an old row
cannot be taken out of the totals (an earlier end, another model), the caller adds up all rows again.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

from inspector.model import Kind, RunOrigin
from inspector.spooling import is_run_id
from inspector.store.values.codes import HOOKS
from inspector.store.values.counting import is_unpriced
from inspector.store.values.rows import INT64_MAX, Row

WORST_FIRST = ("running", "error", "lost", "abandoned", "cancelled")
"""Statuses that make a whole have them, however many of its members are ok."""
_COUNTED = {"running": "running", "error": "failed", "lost": "lost", "abandoned": "abandoned", "cancelled": "cancelled"}

MESSAGE: Kind = "rpc"
"""The kind of a trace whose root is only an MCP message."""
_ORIGINS: dict[str | None, RunOrigin] = {"run": "block", "request": "request", "cell": "cell"}
"""The origin of a run, by the hook of its root."""


@dataclass(slots=True)
class Sums:
    """The totals that traces, runs and sessions have in common; all but ``spans`` leave out duplicates."""

    running: int = 0
    failed: int = 0
    lost: int = 0
    abandoned: int = 0
    cancelled: int = 0
    spans: int = 0
    calls: int = 0
    errors: int = 0
    llm_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    priced: int = 0
    unpriced_calls: int = 0
    cost_usd: float = 0.0

    def count(self, row: Row, by: int) -> None:
        """Add a span, or subtract it with ``by`` -1."""
        self.spans += by
        if row.folded_into is None:
            self._count_call(row, by)

    def _count_call(self, row: Row, by: int) -> None:
        self.calls += by
        if row.status != "ok":
            self.count_status(row.status, by)
            if row.status == "error":
                self.errors += by
        if row.kind == "llm":
            self.llm_calls += by
            if row.cost_usd is None and is_unpriced(row.status, row.input_tokens, row.output_tokens):
                self.unpriced_calls += by
        elif row.kind == "tool":
            self.tool_calls += by
        if row.input_tokens:
            self.input_tokens += by * row.input_tokens
        if row.output_tokens:
            self.output_tokens += by * row.output_tokens
        if row.cached_tokens:
            self.cached_tokens += by * row.cached_tokens
        if row.cost_usd is not None:
            self.priced += by
            self.cost_usd += by * row.cost_usd

    def include(self, other: "Sums", by: int = 1) -> None:
        """Add other totals, or subtract them with ``by`` -1, except for their statuses."""
        self.spans += by * other.spans
        self.calls += by * other.calls
        self.errors += by * other.errors
        self.llm_calls += by * other.llm_calls
        self.tool_calls += by * other.tool_calls
        self.input_tokens += by * other.input_tokens
        self.output_tokens += by * other.output_tokens
        self.cached_tokens += by * other.cached_tokens
        self.priced += by * other.priced
        self.unpriced_calls += by * other.unpriced_calls
        self.cost_usd += by * other.cost_usd

    def count_status(self, status: str, by: int) -> None:
        """Count one more or one fewer member with a status; denied ones are not counted."""
        name = _COUNTED.get(status)
        if name is not None:
            setattr(self, name, getattr(self, name) + by)

    def saturate(self) -> None:
        """Limit token totals to what the database can store."""
        for name in ("input_tokens", "output_tokens", "cached_tokens"):
            if not -INT64_MAX <= getattr(self, name) <= INT64_MAX:
                setattr(self, name, INT64_MAX if getattr(self, name) > 0 else -INT64_MAX)

    def worst(self) -> str:
        """Return the status of the whole: the first of the list that any member has."""
        return next((status for status in WORST_FIRST if getattr(self, _COUNTED[status])), "ok")


@dataclass(slots=True)
class TraceSums(Sums):
    """One row of ``traces``; without spans if the trace is not stored yet."""

    id: int = 0
    trace_id: str = ""
    session_id: str | None = None
    head_id: int = 0
    head_is_root: int = -1
    """-1 before the first span was added."""
    head_start_ns: int = 0
    name: str = ""
    kind: str = "other"
    status: str = "ok"
    service: str | None = None
    head_agent: str | None = None
    any_agent: str | None = None
    """The agent of the earliest span that has one, for a root without an agent."""
    any_agent_start_ns: int = 0
    start_ns: int = INT64_MAX
    end_ns: int | None = None
    duration_ms: float | None = None
    models: set[str] = field(default_factory=set[str])
    """The models of ended spans, by the names that they are counted under."""
    seq: int = 0
    session_start_ns: int = 0
    """The start of the span that names the session."""
    mixed: int = 0
    """1 if its spans belong to several sessions."""
    run_id: str = ""
    """The run that it belongs to: the one that its root names, or else that of its earliest span with one, of its
    session, or of itself alone."""
    run_origin: RunOrigin = "trace"
    named_run: str | None = None
    """The run named by one of its spans, which began at ``run_start_ns``."""
    run_noun: str | None = None
    """The hook of the span that names it."""
    run_is_of_root: int = 0
    run_start_ns: int = 0
    question: str | None = None
    """The beginning of the first input, that of the span that began at ``question_ns``."""
    question_ns: int = 0
    answer: str | None = None
    """The beginning of the last output, that of the span that ended at ``answer_ns``."""
    answer_ns: int = 0
    head_status: str = "ok"

    @property
    def is_uncaught(self) -> bool:
        """Whether these are of an exception that ended a program: in the trace of duplicates are calls."""
        return self.calls == 0 and self.head_status == "error"

    @property
    def is_message(self) -> bool:
        """Whether it is an MCP message without a recorded caller, such as a handshake with a server."""
        return self.kind == MESSAGE

    def add(self, row: Row) -> None:
        """Add a new span."""
        self.count(row, 1)
        self._span(row)

    def exchange(self, old: Row, new: Row) -> bool:
        """Replace a span's old row by its new one; False if all rows have to be added up again."""
        if not _grows(old, new):
            return False
        self.count(old, -1)
        self.count(new, 1)
        self._span(new)
        return True

    def finish(self) -> None:
        """Compute the fields that follow from the others."""
        # The exception that ended a program is no call, so the worst of the calls does not tell.
        self.status = self.head_status if self.head_is_root or self.is_uncaught else self.worst()
        # A trace has ended when its root has, or when none of its spans is running.
        open_ended = self.status == "running" or self.end_ns is None
        self.duration_ms = None if open_ended else ((self.end_ns or 0) - self.start_ns) / 1e6
        if self.named_run is not None:
            # The run of a request that another instrumentation recorded has the id of its trace.
            otherwise: RunOrigin = "request" if self.named_run == self.trace_id else "program"
            self.run_id, self.run_origin = self.named_run, _ORIGINS.get(self.run_noun, otherwise)
        elif self.session_id is not None:
            self.run_id, self.run_origin = run_of_session(self.session_id), "session"
        else:
            self.run_id, self.run_origin = self.trace_id, "trace"

    def take_excerpts(self, old: "TraceSums") -> None:
        """Take the question and the answer of earlier totals, so that their texts need not be read again."""
        self.question, self.question_ns = old.question, old.question_ns
        self.answer, self.answer_ns = old.answer, old.answer_ns

    def _span(self, row: Row) -> None:
        start_ns, end_ns, agent = row.start_ns, row.end_ns, row.agent
        if row.seq > self.seq:  # noqa: PLR1730  # called for each span, where max and min cost ten times as much
            self.seq = row.seq
        if start_ns < self.start_ns:  # noqa: PLR1730  # as above
            self.start_ns = start_ns
        if end_ns is not None and (self.end_ns is None or end_ns > self.end_ns):
            self.end_ns = end_ns
        # The model of a running span may still change.
        if row.status != "running" and (model := row.named_model) is not None:
            self.models.add(model)
        if agent is not None and (
            self.any_agent is None or (start_ns, agent) < (self.any_agent_start_ns, self.any_agent)
        ):
            self.any_agent, self.any_agent_start_ns = agent, start_ns
        is_root = int(row.parent_id is None)
        run = run_named_by(row)
        if run is not None and (
            self.named_run is None
            or (-is_root, start_ns, run) <= (-self.run_is_of_root, self.run_start_ns, self.named_run)
        ):
            self.named_run, self.run_is_of_root, self.run_start_ns = run, is_root, start_ns
            self.run_noun = HOOKS.name(row.hook)
        if is_root >= self.head_is_root and (
            is_root > self.head_is_root or (start_ns, row.id) <= (self.head_start_ns, self.head_id)
        ):
            self.head_id, self.head_is_root, self.head_start_ns = row.id, is_root, start_ns
            self.name, self.kind, self.head_status = row.name, row.kind, row.status
            self.service, self.head_agent = row.service, agent


@dataclass(slots=True)
class SessionSums(Sums):
    """One row of ``sessions``."""

    session_id: str = ""
    start_ns: int = INT64_MAX
    end_ns: int | None = None
    latest_ns: int = -INT64_MAX
    traces: int = 0
    seq: int = 0
    uncaught: int = 0
    """Exceptions that ended a program, each alone in its trace, which is not counted."""

    def add(self, trace: TraceSums, share: Sums, by: int = 1) -> None:
        """Add a trace, or subtract it with ``by`` -1; start and end are widened, never narrowed.

        Its share is the session's part of its totals: all of them, unless it is mixed.
        """
        if trace.is_uncaught:
            self.uncaught += by
        else:
            self.traces += by
            self.count_status(trace.status, by)
            self.include(share, by)
        self.seq = max(self.seq, trace.seq)
        self.start_ns = min(self.start_ns, trace.start_ns)
        if trace.end_ns is not None:
            self.end_ns = trace.end_ns if self.end_ns is None else max(self.end_ns, trace.end_ns)
        self.latest_ns = max(self.latest_ns, trace.start_ns, self.latest_ns if trace.end_ns is None else trace.end_ns)


@dataclass(slots=True)
class RunSums(Sums):
    """One row of ``runs``."""

    run_id: str = ""
    origin: RunOrigin = "trace"
    name: str = ""
    status: str = "ok"
    service: str | None = None
    agent: str | None = None
    trace_id: str = ""
    """The trace that gives it its name, with ``head`` as its row: the first one that is not only an MCP message."""
    head: int = 0
    head_is_message: bool = True
    head_ns: int = INT64_MAX
    start_ns: int = INT64_MAX
    end_ns: int | None = None
    duration_ms: float | None = None
    traces: int = 0
    open_calls: int = 0
    seq: int = 0
    uncaught: int = 0
    """As in `SessionSums`."""
    question: str | None = None
    question_ns: int = 0
    question_from: int = 0
    """The row id of the trace that has it."""
    answer: str | None = None
    answer_ns: int = 0
    answer_from: int = 0
    models: set[str] = field(default_factory=set[str])

    def discount(self, trace: TraceSums) -> None:
        """Subtract a trace that is about to be added again; start and end are not narrowed."""
        self._count(trace, -1)

    def add(self, trace: TraceSums) -> None:
        """Add a trace."""
        self._count(trace, 1)
        self.seq = max(self.seq, trace.seq)
        self.models |= trace.models
        self.start_ns = min(self.start_ns, trace.start_ns)
        own, known = (trace.is_message, trace.start_ns, trace.id), (self.head_is_message, self.head_ns, self.head)
        if not self.trace_id or own <= known:
            (self.head_is_message, self.head_ns, self.head), self.trace_id = own, trace.trace_id
            self.origin, self.service, self.agent = trace.run_origin, trace.service, trace.head_agent or trace.any_agent
            self.name = _name_of_run(trace)
        if trace.end_ns is not None:
            self.end_ns = trace.end_ns if self.end_ns is None else max(self.end_ns, trace.end_ns)
        if trace.question is not None and (
            self.question is None or (trace.question_ns, trace.id) <= (self.question_ns, self.question_from)
        ):
            self.question, self.question_ns, self.question_from = trace.question, trace.question_ns, trace.id
        if trace.answer is not None and (trace.answer_ns, trace.id) >= (self.answer_ns, self.answer_from):
            self.answer, self.answer_ns, self.answer_from = trace.answer, trace.answer_ns, trace.id

    def finish(self) -> None:
        """Compute the fields that follow from the others."""
        self.status = self.worst()
        if self.uncaught and self.status != "running":
            self.status = "error"
        open_ended = self.status == "running" or self.end_ns is None
        self.duration_ms = None if open_ended else ((self.end_ns or 0) - self.start_ns) / 1e6

    def _count(self, trace: TraceSums, by: int) -> None:
        if trace.is_uncaught:
            self.uncaught += by
            return
        self.traces += by
        self.open_calls += by * trace.running
        self.count_status(trace.status, by)
        self.include(trace, by)


def _name_of_run(trace: TraceSums) -> str:
    if trace.run_origin == "program":
        return trace.service or trace.name
    return trace.session_id or "" if trace.run_origin == "session" else trace.name


def run_named_by(row: Row) -> str | None:
    """Return the run that a row names: the recorder's, or else its process, as earlier recorders name no run."""
    if row.run is not None:
        return row.run
    return row.process if row.process is not None and _is_run_id(row.process) else None


_is_run_id = lru_cache(maxsize=1024)(is_run_id)


@lru_cache(maxsize=1024)
def run_of_session(session_id: str) -> str:
    """Return the id of the run that consists of a session's traces; it is short and needs no escaping in URLs."""
    return blake2b(session_id.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _grows(old: Row, new: Row) -> bool:
    return (
        new.start_ns == old.start_ns
        and (old.end_ns is None or (new.end_ns is not None and new.end_ns >= old.end_ns))
        and (old.parent_id is None) == (new.parent_id is None)
        and (old.status == "running" or old.named_model in (None, new.named_model))
        and old.agent in (None, new.agent)
        and run_named_by(old) in (None, run_named_by(new))
    )
