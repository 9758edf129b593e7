"""Updates ``folded_into`` as spans arrive, in any order."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.writing.sessions import Fetch
from inspector.store.sqlite.writing.totals import Change
from inspector.store.values.folding import MOST_SPANS, Family, node_of
from inspector.store.values.same_call import Node
from inspector.store.values.sums import TraceSums

MOST_REMEMBERED = 30_000
"""Spans of recent traces to keep in memory, so that a growing trace is not read again with each batch; about 0.5 kB
each."""

_LOAD = (
    "SELECT span_id, parent_id, kind, status, CASE kind WHEN 'tool' THEN tool WHEN 'agent' THEN agent END, start_ns, "
    "end_ns, input_tokens, output_tokens, cost_usd IS NOT NULL, identity, folded_into FROM spans WHERE trace_id = ?"
)
"""The fields of a `Node`, and the span that counts for it."""


class Families:
    """The families of traces with recent arrivals."""

    def __init__(self) -> None:
        self._families: OrderedDict[int, Family] = OrderedDict()
        self._remembered = 0

    def forget(self) -> None:
        """Drop everything, as after a failed transaction or after rows were deleted."""
        self._families.clear()
        self._remembered = 0

    def fold(
        self, connection: Connection, changes: Sequence[Change], traces: Mapping[int, TraceSums], fetch: Fetch
    ) -> list[Change]:
        """Return the changes with ``folded_into`` set, and those of affected stored rows, which need a new ``seq``."""
        families: dict[int, Family | None] = {}
        stirred: set[int] = set()
        for _, row in changes:
            trace = row.trace_id
            if trace not in families:
                families[trace] = self._family(connection, traces[trace])
            family = families[trace]
            if family is None:
                continue
            known = len(family.nodes)
            if family.add(node_of(row)):
                stirred.add(trace)
            self._remembered += len(family.nodes) - known
        unwritten: dict[tuple[int, str], str | None] = {}
        for trace in stirred:
            family = families[trace]
            assert family is not None
            unwritten |= {(trace, span_id): into for span_id, into in family.refold().items()}
        if any(family is None or family.folded for family in families.values()):
            folded = [self._with_folding(change, families[change[1].trace_id]) for change in changes]
        else:
            folded = list(changes)
        for _, row in changes:
            unwritten.pop((row.trace_id, row.span_id), None)
        for key, stored in fetch(list(unwritten)).items() if unwritten else ():
            folded.append((stored, stored._replace(folded_into=unwritten[key])))
        self._shrink()
        return folded

    def _with_folding(self, change: Change, family: Family | None) -> Change:
        old, row = change
        into = family.folded.get(row.span_id) if family is not None else old and old.folded_into
        return change if into is None else (old, row._replace(folded_into=into))

    def _family(self, connection: Connection, trace: TraceSums) -> Family | None:
        if trace.spans > MOST_SPANS:
            self._drop(self._families.pop(trace.id, None))
            return None
        family = self._families.get(trace.id)
        if family is None:
            stored = driver(connection).execute(_LOAD, (trace.id,)) if trace.spans else ()
            family = self._families[trace.id] = Family.of_stored((Node(*values), into) for *values, into in stored)
            self._remembered += _weight(family)
        self._families.move_to_end(trace.id)
        return family

    def _shrink(self) -> None:
        while self._remembered > MOST_REMEMBERED:
            self._drop(self._families.popitem(last=False)[1])

    def _drop(self, family: Family | None) -> None:
        self._remembered -= 0 if family is None else _weight(family)


def _weight(family: Family) -> int:
    # Traces without calls, which are the most, count too.
    return 1 + len(family.nodes)
