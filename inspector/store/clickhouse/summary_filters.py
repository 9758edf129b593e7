"""A `Filter` as the conditions on traces and runs, and on the rows by which those that may meet it are found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from inspector.model import Filter, LabelFilter, filter_fields_of
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import REPLAYED, Conditions, compared, labelled, named, narrow_spans
from inspector.store.clickhouse.turns import inferring
from inspector.store.values.inferred_tools import InferredTools

Own: TypeAlias = Literal["trace_id", "run_id"]
"""The column of the ids: that of traces or that of runs."""
_OF_SPANS: Final = frozenset(("trace_id", *filter_fields_of("span"), "answered_model", "known_tool", "error_class"))
_OF_ROW: Final = tuple(
    name for name in filter_fields_of("trace", "run") if name not in ("since_ns", "until_ns", "replays")
)
"""The fields that rows of traces are looked for by; those of time and replays leave most of them."""


@dataclass(frozen=True, slots=True)
class SummaryFilter:
    """A filter on traces or runs, with what had to be looked up for it."""

    own: Own
    where: Filter
    of_span: Filter | None
    """What one of their spans must meet, with the names that spans have; None if anything will do."""
    inferring: Sequence[str] = ()
    """Runs that have an inferred tool call in place of such a span."""

    def conditions(
        self, values: Values | None = None, *, spans_in: str = "true", traces_in: str = "true"
    ) -> Conditions:
        """Return the conditions."""
        conditions = Conditions(values=values or Values())
        if self.own == "run_id":
            self._narrow_runs(conditions, spans_in, traces_in)
        else:
            _narrow_traces(conditions, self.where)
            self._narrow_by_span(conditions, spans_in)
        return conditions

    def matching(self, values: Values, *, roughly: bool = False) -> str | None:
        """Return a condition on spans that each trace or run has one of; None if any span will do."""
        if self.of_span is None:
            return None
        conditions = Conditions(values=values)
        narrow_spans(conditions, self.of_span, roughly=roughly)
        return " AND ".join(conditions.all) or "true"

    def signs(self, values: Values) -> list[str]:
        """Return conditions on traces: each trace meets all of them, and each run has one for each of them."""
        conditions = Conditions(values=values)
        if self.own == "trace_id":
            _narrow_traces(conditions, self.where.only(_OF_ROW))
            return [" AND ".join(conditions.all)] if conditions.all else []
        if self.where.statuses:
            conditions.add(f"status IN {values.texts(self.where.statuses)}")
        _narrow_traces(conditions, self.where.only(filter_fields_of("trace")))
        return conditions.all

    def _narrow_by_span(self, conditions: Conditions, spans_in: str) -> None:
        matching = self.matching(conditions.values)
        if matching is not None:
            conditions.add(f"trace_id IN (SELECT trace_id FROM spans FINAL WHERE {matching} AND {spans_in})")

    def _narrow_runs(self, conditions: Conditions, spans_in: str, traces_in: str) -> None:
        where, values = self.where, conditions.values
        if where.run_id is not None:
            conditions.add(f"run_id = {values.text(where.run_id)}")
        if not where.replays:
            conditions.add(f"run_id NOT IN (SELECT run_id FROM traces FINAL WHERE trace_id IN ({REPLAYED}))")
        conditions.add(*(f"run_id IN ({_runs_labelled(label, values)})" for label in where.labels))
        _narrow_own(conditions, where)
        of_trace = Conditions(values=values)
        _narrow_traces(of_trace, where.only(filter_fields_of("trace")))
        self._narrow_by_span(of_trace, spans_in)
        if of_trace.all:
            of_trace.add(traces_in)
            met = f"run_id IN (SELECT run_id FROM traces FINAL {of_trace.where})"
            conditions.add(f"({met} OR run_id IN {values.texts(self.inferring)})" if self.inferring else met)


def summary_filter(database: Database, own: Own, where: Filter) -> SummaryFilter | None:
    """Return a filter on traces or runs; None if none can meet it."""
    of_span = named(database, where).only(_OF_SPANS)
    if not any(row.of == "span" and row.field != "duplicates" for row in of_span.rows()):
        return SummaryFilter(own, where, None)
    if not narrow_spans(Conditions(), of_span):
        return None
    inferred = InferredTools.of(where) if own == "run_id" else None
    return SummaryFilter(own, where, of_span, () if inferred is None else inferring(database, inferred))


def _narrow_traces(conditions: Conditions, where: Filter) -> None:
    """Add the conditions of a filter on the rows of traces."""
    values = conditions.values
    if where.session_id is not None:
        conditions.add(f"has(shares.session_id, {values.text(where.session_id)})")
    if where.agent is not None:
        conditions.add(f"ifNull(head_agent, agent) = {values.text(where.agent)}")
    if where.trace_id is not None:
        conditions.add(f"trace_id = {values.text(where.trace_id)}")
    if where.run_id is not None:
        conditions.add(f"run_id = {values.text(where.run_id)}")
    if not where.replays:
        conditions.add(f"trace_id NOT IN ({REPLAYED})")
    for label in where.labels:
        met = labelled(label, values)
        conditions.add(
            f"(trace_id IN (SELECT trace_id FROM labels FINAL WHERE {met} AND trace_id <> '') "
            f"OR run_id IN (SELECT run_id FROM labels FINAL WHERE {met} AND run_id <> ''))"
        )
    _narrow_own(conditions, where)


def _narrow_own(conditions: Conditions, where: Filter) -> None:
    """Add the conditions on the columns that runs and traces have in common."""
    for row in where.rows():
        if row.of == "run" and row.column is not None:
            conditions.add(*compared(row, getattr(where, row.field), row.column, conditions.values))
    if where.min_cost_usd is not None or where.max_cost_usd is not None:
        # The sum of costs is 0 where none is known.
        conditions.add("priced > 0")


def _runs_labelled(label: LabelFilter, values: Values) -> str:
    met = labelled(label, values)
    of_spans = f"SELECT trace_id FROM labels FINAL WHERE {met} AND trace_id <> ''"
    return (
        f"SELECT run_id FROM labels FINAL WHERE {met} AND run_id <> '' "
        f"UNION ALL SELECT run_id FROM traces FINAL WHERE trace_id IN ({of_spans})"
    )
