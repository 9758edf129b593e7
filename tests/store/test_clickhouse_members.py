from hypothesis import given
from hypothesis import strategies as st

from inspector.model import Span
from inspector.store.clickhouse.members import Member, Members, SessionNames, TraceCache
from inspector.store.clickhouse.prepared import Preparing
from inspector.store.values.sums import TraceSums

NAME = st.none() | st.tuples(st.integers(0, 3), st.sampled_from(["a", "b", "c"]))
NAMES = st.dictionaries(st.sampled_from("12345"), NAME)


def row(span_id="1", start_ns=1, session_id=None):
    (span,) = Preparing().of([Span("t", span_id, "n", "tool", "ok", start_ns)])
    return span.row._replace(session_id=session_id)


@given(batches=st.lists(NAMES, max_size=5))
def test_a_trace_is_of_the_session_that_its_first_span_names(batches):
    names, said = SessionNames(), {}
    for batch in batches:
        said |= batch
        found = [name for name in said.values() if name is not None]
        assert names.after(batch) == (min(found, default=None), len({session for _, session in found}) > 1)
        for span_id, name in batch.items():
            names.put(row(span_id, *(name or ())))


def test_the_traces_of_the_last_batch_are_remembered_however_long_they_are():
    # Without a database: nothing of them is read again.
    cache = TraceCache(None)
    kept = Member(row(), 0, 0)
    long, other = (Members(TraceSums(trace_id=name), {f"{at}": kept for at in range(60_000)}) for name in ("t", "u"))
    cache.keep([long])
    assert cache.load(["t"]) == {"t": long}
    cache.keep([long, other])
    assert list(cache.load(["t", "u"])) == ["t", "u"]
    short = Members(TraceSums(trace_id="v"), {"1": kept})
    cache.keep([short])
    assert list(cache._traces) == ["v"]
