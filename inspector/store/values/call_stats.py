"""Statistics of many calls, which can be added and subtracted."""

from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from inspector.store.values.counting import is_unpriced, rounded_usd
from inspector.store.values.rows import INT64_MAX, Row
from inspector.store.values.sketch import bucket_of, quantile_of


class Call(NamedTuple):
    """What statistics need of a span."""

    start_ns: int
    kind: str
    status: str
    service: str | None
    agent: str | None
    model: str | None
    """The model that it is counted under."""
    tool: str | None
    server: str | None
    error_type: str | None
    name: str
    duration_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None


_of_row = attrgetter(*("named_model" if name == "model" else name for name in Call._fields))


def call_of(row: Row) -> Call:
    """Return what statistics need of a row."""
    return Call._make(_of_row(row))


@dataclass(slots=True)
class CallStats:
    """Some calls, added up."""

    count: int = 0
    errors: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    priced: int = 0
    unpriced_calls: int = 0
    cost_usd: float = 0.0
    durations: dict[int, int] = field(default_factory=dict[int, int])
    """Numbers of durations by bucket (`inspector.store.values.sketch`); 0 if all were subtracted again."""

    def add(self, call: Call, by: int = 1) -> None:
        """Add a call, or subtract it with ``by`` -1."""
        self.count += by
        if call.status == "error":
            self.errors += by
        self.input_tokens += by * (call.input_tokens or 0)
        self.output_tokens += by * (call.output_tokens or 0)
        self.cached_tokens += by * (call.cached_tokens or 0)
        if call.cost_usd is not None:
            self.priced += by
            self.cost_usd += by * call.cost_usd
        elif call.kind == "llm":
            self.unpriced_calls += by * is_unpriced(call.status, call.input_tokens, call.output_tokens)
        if call.duration_ms is not None:
            bucket = bucket_of(call.duration_ms)
            self.durations[bucket] = self.durations.get(bucket, 0) + by

    def include(self, other: "CallStats") -> None:
        """Add the statistics of other calls."""
        self.count += other.count
        self.errors += other.errors
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.cached_tokens += other.cached_tokens
        self.priced += other.priced
        self.unpriced_calls += other.unpriced_calls
        self.cost_usd += other.cost_usd
        durations = self.durations
        known = durations.get
        for bucket, count in other.durations.items():
            durations[bucket] = known(bucket, 0) + count

    def values(self) -> tuple[Any, ...]:
        """Return the fields that groups and time slices have in common, in their order."""
        tokens = (self.input_tokens, self.output_tokens, self.cached_tokens)
        return (
            self.count,
            self.errors,
            *(quantile_of(self.durations, share) for share in (0.5, 0.95, 0.99)),
            *(min(INT64_MAX, each) for each in tokens),
            rounded_usd(self.cost_usd, self.priced),
            self.unpriced_calls,
        )
