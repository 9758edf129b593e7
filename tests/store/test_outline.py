import pytest
from hypothesis import given
from hypothesis import strategies as st
from lists import pages

from inspector.model import KINDS, STATUSES, Filter, Span, SpanError
from inspector.store import CursorInvalid
from inspector.store.sqlite import SqliteStore

TRACE = "a" * 32
PICK = st.sampled_from(["x", "y", None])
NUMBERED = ("kind", "status", "name", "agent", "model", "tool")
PLAIN = ("input_tokens", "output_tokens", "cached_tokens", "cost_usd")

NODES = st.lists(
    st.builds(
        dict,
        parent=st.none() | st.integers(0, 20),
        kind=st.sampled_from(KINDS),
        status=st.sampled_from(STATUSES),
        name=st.sampled_from(["a", "b", "é"]),
        start_ns=st.integers(1_790_000_000_000_000_000, 1_790_000_000_000_000_004)
        | st.sampled_from([1_790_000_009_123_456_789, 2**63, 2**64 - 1]),
        length_ns=st.integers(0, 3) | st.just(987_654_321),
        error_type=PICK,
        input_tokens=st.sampled_from([None, 0, 7]),
        output_tokens=st.sampled_from([None, 3]),
        cached_tokens=st.sampled_from([None, 1]),
        cost_usd=st.sampled_from([None, 0.0, 0.1]),
        **dict.fromkeys(("agent", "model", "tool"), PICK),
    ),
    min_size=1,
    max_size=12,
)


def build(at, fields):
    fields = dict(fields)
    parent, length_ns, error_type = (fields.pop(name) for name in ("parent", "length_ns", "error_type"))
    ended = fields["status"] not in ("running", "lost")
    return Span(
        trace_id=TRACE,
        span_id=f"{at:016x}",
        parent_id=None if parent is None else f"{parent:016x}",
        end_ns=min(fields["start_ns"] + length_ns, 2**64 - 1) if ended else None,
        error=SpanError(error_type, None) if error_type else None,
        **fields,
    )


def values_of(page, column):
    table, numbers = getattr(page.tables, column), getattr(page.columns, column)
    assert len(set(table)) == len(table)
    return [None if number == -1 else table[number] for number in numbers]


@given(nodes=NODES, limit=st.integers(1, 5))
def test_the_columns_of_an_outline_are_the_events_of_its_trace(tmp_path_factory, nodes, limit):
    store = SqliteStore(tmp_path_factory.mktemp("outline") / "inspector.db")
    store.write([build(at, fields) for at, fields in enumerate(nodes)])
    store.write([Span(trace_id="b" * 32, span_id="f" * 16, name="other", kind="tool", status="ok", start_ns=0)])
    events = store.events(Filter(trace_id=TRACE), order="asc", limit=50).items
    listed = list(pages(store.outline, TRACE, limit=limit))
    found = {name: [] for name in ("span_id", "parent_id", "duration_ms", "error_type", *NUMBERED, *PLAIN)}
    offsets = []
    for page in listed:
        assert (page.trace, page.seq) == (store.trace(TRACE), store.last_seq())
        assert page.start_time_unix_nano == page.trace.start_time_unix_nano
        offsets += page.columns.offset_ms
        for name in found:
            numbered = name in NUMBERED or name == "error_type"
            found[name] += values_of(page, name) if numbered else getattr(page.columns, name)
    assert all(len(page.columns.span_id) == limit for page in listed[:-1])
    for name in ("span_id", "parent_id", "duration_ms", *NUMBERED, *PLAIN):
        assert found[name] == [getattr(event, name) for event in events]
    assert found["error_type"] == [event.error.type if event.error else None for event in events]
    starts = [min(int(event.start_time_unix_nano), 2**63 - 1) for event in events]
    assert offsets == [(start - starts[0]) / 1e6 for start in starts]
    store.close()


def test_offsets_keep_nanoseconds_over_a_day(store, make_span):
    first, day_ns = 1_790_000_000_123_456_789, 86_400 * 10**9
    store.write([make_span(start_ns=first), make_span(start_ns=first + day_ns + 1)])
    assert store.outline(TRACE).columns.offset_ms[1] == 86_400_000.000001


def test_an_outline_of_nothing_is_none(store):
    assert store.outline(TRACE) is None


def test_a_cursor_of_another_trace_is_refused(store, make_span):
    store.write([make_span(), make_span(), make_span(trace_id="b" * 32)])
    cursor = store.outline(TRACE, limit=1).next_cursor
    with pytest.raises(CursorInvalid):
        store.outline("b" * 32, cursor=cursor)


def test_a_span_that_ends_after_the_outline_was_read_has_a_later_number(store, make_span):
    running = make_span(status="running", span_id="1" * 16)
    store.write([running])
    outline = store.outline(TRACE)
    store.write([make_span(span_id="1" * 16, start_ns=running.start_ns)])
    assert [event.status for event in store.after(outline.seq, Filter(trace_id=TRACE))] == ["ok"]


def test_an_outline_reads_by_the_index_of_the_trace(store):
    from inspector.store.sqlite.rows import outline

    with store._read() as connection:
        plan = connection.exec_driver_sql("EXPLAIN QUERY PLAN " + outline._SELECT, (0, TRACE, 0, 0, 0, 9)).all()
    assert [row[-1] for row in plan] == ["SEARCH spans USING INDEX ix_spans_trace (trace_id=? AND start_ns>?)"]
