"""Sums of traces and sessions as values: what a row adds to them, and when they must be summed again.

A batch adds its new rows and exchanges the replaced ones, so that its cost does not grow with the trace. Where an
exchange cannot be undone from the sums alone (an earlier end, another model), the caller sums all rows again.
"""

from dataclasses import dataclass, field

from inspector.store.counting import is_unpriced
from inspector.store.rows import INT64_MAX, Row

_WORST_FIRST = ("running", "error", "lost", "abandoned", "cancelled")
_COUNTED = {"running": "running", "error": "failed", "lost": "lost", "abandoned": "abandoned", "cancelled": "cancelled"}


@dataclass(slots=True)
class Sums:
    """What traces and sessions count alike; everything but ``spans`` leaves duplicates out."""

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
        """Counts a span in, or out with ``by`` -1."""
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
            tokens = row.output_tokens if row.input_tokens is None else row.input_tokens
            if row.cost_usd is None and is_unpriced("llm", row.status, tokens, None):
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

    def count_status(self, status: str, by: int) -> None:
        """Counts one more or one fewer member of that status."""
        if status != "ok":
            name = _COUNTED[status]
            setattr(self, name, getattr(self, name) + by)

    def saturate(self) -> None:
        """Keeps sums of tokens within what the database can hold."""
        for name in ("input_tokens", "output_tokens", "cached_tokens"):
            if not -INT64_MAX <= getattr(self, name) <= INT64_MAX:
                setattr(self, name, INT64_MAX if getattr(self, name) > 0 else -INT64_MAX)

    def worst(self) -> str:
        """Returns the status that stands for all members; what still runs comes first."""
        return next((status for status in _WORST_FIRST if getattr(self, _COUNTED[status])), "ok")


@dataclass(slots=True)
class TraceSums(Sums):
    """One row of ``traces``; without spans for a trace that is not stored yet."""

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
    """The agent of the earliest span that has one: the outermost, where the root has none."""
    any_agent_start_ns: int = 0
    start_ns: int = INT64_MAX
    end_ns: int | None = None
    duration_ms: float | None = None
    models: set[str] = field(default_factory=set[str])
    """Those of spans that no longer run, by the names that they are counted under."""
    seq: int = 0
    session_start_ns: int = 0
    """When the span began that names the session."""
    mixed: int = 0
    """1 where its spans belong to several sessions."""
    head_status: str = "ok"

    def add(self, row: Row) -> None:
        """Takes in a span that was not counted yet."""
        self.count(row, 1)
        self._span(row)

    def exchange(self, old: Row, new: Row) -> bool:
        """Takes in a span's new row for its old one; False when only a new sum over all rows is right."""
        if not _grows(old, new):
            return False
        self.count(old, -1)
        self.count(new, 1)
        self._span(new)
        return True

    def finish(self) -> None:
        """Settles what follows from the rest."""
        self.status = self.head_status if self.head_is_root else self.worst()
        # A trace is over when its root is, or when nothing of it runs.
        open_ended = self.status == "running" or self.end_ns is None
        self.duration_ms = None if open_ended else ((self.end_ns or 0) - self.start_ns) / 1e6

    def _span(self, row: Row) -> None:
        start_ns, end_ns, agent = row.start_ns, row.end_ns, row.agent
        if row.seq > self.seq:  # noqa: PLR1730  # called for each span, where max and min cost ten times as much
            self.seq = row.seq
        if start_ns < self.start_ns:  # noqa: PLR1730  # as above
            self.start_ns = start_ns
        if end_ns is not None and (self.end_ns is None or end_ns > self.end_ns):
            self.end_ns = end_ns
        # A span that still runs may not know its model yet.
        if row.status != "running" and (model := row.named_model) is not None:
            self.models.add(model)
        if agent is not None and (
            self.any_agent is None or (start_ns, agent) < (self.any_agent_start_ns, self.any_agent)
        ):
            self.any_agent, self.any_agent_start_ns = agent, start_ns
        is_root = int(row.parent_id is None)
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

    def add(self, trace: TraceSums, share: Sums, by: int = 1) -> None:
        """Counts a trace in, or out with ``by`` -1; bounds in time are widened, never narrowed.

        Args:
            trace: The trace.
            share: What of it belongs to the session: all of it, unless it is mixed.
            by: 1 or -1.
        """
        self.traces += by
        self.count_status(trace.status, by)
        self._add_share(share, by)
        self.seq = max(self.seq, trace.seq)
        self.start_ns = min(self.start_ns, trace.start_ns)
        if trace.end_ns is not None:
            self.end_ns = trace.end_ns if self.end_ns is None else max(self.end_ns, trace.end_ns)
        self.latest_ns = max(self.latest_ns, trace.start_ns, self.latest_ns if trace.end_ns is None else trace.end_ns)

    def _add_share(self, share: Sums, by: int) -> None:
        self.spans += by * share.spans
        self.calls += by * share.calls
        self.errors += by * share.errors
        self.llm_calls += by * share.llm_calls
        self.tool_calls += by * share.tool_calls
        self.input_tokens += by * share.input_tokens
        self.output_tokens += by * share.output_tokens
        self.cached_tokens += by * share.cached_tokens
        self.priced += by * share.priced
        self.unpriced_calls += by * share.unpriced_calls
        self.cost_usd += by * share.cost_usd


def _grows(old: Row, new: Row) -> bool:
    return (
        new.start_ns == old.start_ns
        and (old.end_ns is None or (new.end_ns is not None and new.end_ns >= old.end_ns))
        and (old.parent_id is None) == (new.parent_id is None)
        and (old.status == "running" or old.named_model in (None, new.named_model))
        and old.agent in (None, new.agent)
    )
