import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lists import walk

from inspector.model import Filter, Span, SpanError
from inspector.store import ReadLimits
from inspector.store.sqlite import SqliteStore

PICK = st.sampled_from(["x", "y", None])
SPANS = st.lists(
    st.builds(
        dict,
        trace_id=st.sampled_from(["t1", "t2", "t3", "t4"]),
        kind=st.sampled_from(["llm", "tool", "agent"]),
        name=st.sampled_from(["red", "red blue"]),
        start_ns=st.integers(0, 6),
        attribute=st.sampled_from([None, "x", 1]),
        error_type=PICK | st.sampled_from(["a.x", "a.zx"]),
        **dict.fromkeys(("parent_id", "model", "tool", "hook"), PICK),
    ),
    max_size=14,
)


def some(values):
    return st.none() | st.sampled_from(values)


FILTERS = st.builds(
    Filter,
    kinds=st.sampled_from([(), ("llm",), ("llm", "tool"), ("agent",), ("agent", "tool")]),
    trace_id=some(["t1", "t9"]),
    since_ns=some([0, 3]),
    q=some(["red", "blue", "green"]),
    attributes=st.sampled_from([(), (), (("key", "x"),), (("gen_ai.tool.name", "x"),)]),
    error_type=some(["x", "z", "a.x", "zx"]),
    **dict.fromkeys(("parent_id", "model", "tool", "hook"), some(["x", "z"])),
)


def build(at, fields):
    fields = dict(fields)
    error_type, attribute = fields.pop("error_type"), fields.pop("attribute")
    attributes = {} if attribute is None else {"key": attribute}
    if fields["tool"]:
        attributes["gen_ai.tool.name"] = fields["tool"]
    return Span(
        span_id=f"{at:016x}",
        status="ok",
        end_ns=10,
        error=SpanError(error_type, None) if error_type else None,
        attributes=attributes,
        **fields,
    )


def is_of_type(error_type, wanted):
    return error_type == wanted or ("." not in wanted and error_type.endswith(f".{wanted}"))


def meets(span, where):
    return all(
        (
            *(getattr(where, name) in (None, getattr(span, name)) for name in ("parent_id", "model", "tool", "hook")),
            not where.kinds or span.kind in where.kinds,
            where.error_type is None or (span.error is not None and is_of_type(span.error.type, where.error_type)),
            where.q is None or where.q in span.name.split(),
            *(span.attributes.get(key) == value for key, value in where.attributes),
        )
    )


def expected(spans, where):
    begun = {span.trace_id: min(other.start_ns for other in spans if other.trace_id == span.trace_id) for span in spans}
    found = {span.trace_id for span in spans if meets(span, where)}
    return {
        trace_id
        for trace_id in found
        if begun[trace_id] >= (where.since_ns or 0) and where.trace_id in (None, trace_id)
    }


@pytest.mark.sweep(1)
@pytest.mark.parametrize("few, matches", [(4000, 4000), (1, 1), (0, 0), (4000, 1)])
@given(recorded=SPANS, where=FILTERS, limit=st.integers(1, 3), hurried=st.booleans())
def test_a_trace_is_listed_when_one_of_its_spans_meets_the_filter(
    tmp_path_factory, recorded, where, limit, hurried, few, matches
):
    limits = ReadLimits(
        listed_spans=few, counted_spans=few, few_matches=matches, trace_steps=(2,), walk_s=-1.0 if hurried else 1.0
    )
    store = SqliteStore(tmp_path_factory.mktemp("member") / "inspector.db", limits=limits)
    spans = [build(at, fields) for at, fields in enumerate(recorded)]
    store.write(spans)
    while store.index():
        pass
    found = walk(store.traces, where, limit=limit)
    assert [trace.start_time_unix_nano for trace in found] == sorted(
        (trace.start_time_unix_nano for trace in found), reverse=True
    )
    assert sorted(trace.trace_id for trace in found) == sorted(expected(spans, where))
    counted = store.stats(where, of="traces").total.count
    assert counted == len(found)
    store.close()


def test_all_conditions_hold_for_one_and_the_same_span(store, make_span):
    store.write(
        [
            make_span(trace_id="t1", kind="llm", model="m", start_ns=1),
            make_span(trace_id="t1", kind="tool", tool="search", error=SpanError("E", None), start_ns=2),
            make_span(trace_id="t2", kind="tool", tool="search", start_ns=3, attributes={"k": json.dumps("v")}),
        ]
    )

    def found(**fields):
        return [trace.trace_id for trace in store.traces(Filter(**fields), order="asc").items]

    assert found(tool="search") == ["t1", "t2"]
    assert found(tool="search", error_type="E") == ["t1"]
    assert found(model="m") == found(kinds=("llm",)) == ["t1"]
    assert found(model="m", tool="search") == []
    assert found(kinds=("llm", "tool")) == ["t1", "t2"]
    assert found(attributes=(("k", '"v"'),)) == ["t2"]
    assert found(attributes=(("k", '"v"'),), tool="other") == []


def test_a_short_id_is_looked_up_in_the_index_of_the_ids(store, make_span):
    from sqlalchemy import event

    store.write([make_span(trace_id=f"{at:032x}", run=f"run-{at:08x}") for at in range(3)])
    plans = []

    @event.listens_for(store._readers.engine, "before_cursor_execute")
    def explain(connection, cursor, statement, parameters, context, many):
        plan = connection.connection.dbapi_connection.execute("EXPLAIN QUERY PLAN " + statement, parameters)
        plans.extend(row[-1] for row in plan)

    assert len(store.traces_like("0" * 31, limit=9)) == len(store.runs_like("run-", ends=False, limit=9)) == 3
    assert any("COVERING INDEX ux_traces_trace (trace_id>? AND trace_id<?)" in plan for plan in plans)
    assert any("COVERING INDEX ux_runs_run (run_id>? AND run_id<?)" in plan for plan in plans)
    assert [run.run_id for run in store.runs_like("00000002", ends=True, limit=9)] == ["run-00000002"]
    assert any("SCAN runs USING COVERING INDEX ux_runs_run" in plan for plan in plans)


def test_a_trace_is_tested_by_the_index_of_the_trace_alone(store, make_span):
    from sqlalchemy import event

    store.write([make_span(trace_id=f"t{at}", tool="x") for at in range(3)])
    plans = []

    @event.listens_for(store._readers.engine, "before_cursor_execute")
    def explain(connection, cursor, statement, parameters, context, many):
        if "EXISTS" in statement:
            plan = connection.connection.dbapi_connection.execute("EXPLAIN QUERY PLAN " + statement, parameters)
            plans.extend(row[-1] for row in plan if " spans " in row[-1])

    store.traces(Filter(tool="x", model="y", kinds=("tool",), attributes=(("k", "v"),)))
    assert plans
    assert all("(trace_id=?" in plan for plan in plans)
