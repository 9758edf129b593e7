import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lists import pages, walk

from inspector.model import KINDS, STATUSES, Filter, Span, SpanError
from inspector.store import CursorInvalid, QueryTooSlow, ReadLimits, stopped_when
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.database.engine import limited, reader_engine, translated
from inspector.store.sqlite.upkeep.health import read_health

NAMES = ["a", "ab", "abc", "b%", "b_", "é", "A", "a\U0010ffff", "\U0010ffff"]
PICK = st.sampled_from(["x", "y", None])
INT64_MAX = 2**63 - 1
LONG = "n" * 1500


def spans(count):
    return st.lists(
        st.builds(
            dict,
            kind=st.sampled_from(KINDS),
            status=st.sampled_from(STATUSES),
            name=st.sampled_from(NAMES),
            start_ns=st.integers(0, 6) | st.sampled_from([2**63 - 1, 2**63, 2**64 - 1]),
            length_ns=st.integers(0, 3).map(lambda ms: ms * 1_000_000),
            cost_usd=st.sampled_from([None, 0.0, 0.1, 0.2]),
            input_tokens=st.sampled_from([None, 0, 3, 5]),
            output_tokens=st.sampled_from([None, 2]),
            # A span without one gets that of its trace, also when it is named later: see tests/api/test_counting.py.
            session_id=st.sampled_from(["x", "y"]),
            **dict.fromkeys(("parent_id", "agent", "model", "tool", "service", "hook"), PICK),
            trace_id=st.sampled_from(["t1", "t2"]),
            error_type=PICK | st.sampled_from(["a.x", "a.zx"]),
            attribute=st.sampled_from([None, "x", 1, True, 1.5, ["x"]]),
        ),
        max_size=count,
    )


def build(at, fields):
    fields = dict(fields)
    length_ns, error_type, attribute = (fields.pop(name) for name in ("length_ns", "error_type", "attribute"))
    ended = fields["status"] not in ("running", "lost")
    return Span(
        span_id=f"{at:016x}",
        end_ns=min(fields["start_ns"] + length_ns, 2**64 - 1) if ended else None,
        error=SpanError(error_type, None) if error_type else None,
        attributes={} if attribute is None else {"key": attribute},
        **fields,
    )


def some(values):
    return st.none() | st.sampled_from(values)


FILTERS = st.builds(
    Filter,
    kinds=st.lists(st.sampled_from(KINDS), max_size=2).map(tuple),
    statuses=st.lists(st.sampled_from(STATUSES), max_size=3).map(tuple),
    trace_id=some(["t1", "t2", "t3"]),
    name=some(NAMES),
    name_prefix=some([*NAMES, ""]),
    since_ns=some([0, 2, 4, 2**63, 2**64 - 1]),
    until_ns=some([0, 3, 5, 2**63 - 1, 2**64 - 1]),
    min_duration_ms=some([0, 1.0, 2]),
    max_duration_ms=some([0, 1.0, 2]),
    min_cost_usd=some([0, 0.1]),
    max_cost_usd=some([0, 0.1]),
    attributes=st.sampled_from([(), (), (("key", "x"),), (("key", "1"),), (("key", "true"),), (("key", '["x"]'),)]),
    error_type=some(["x", "z", "a.x", "zx"]),
    **dict.fromkeys(("session_id", "parent_id", "agent", "model", "tool", "service", "hook"), some(["x", "z"])),
)


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value)


def is_of_type(error_type, wanted):
    return error_type == wanted or ("." not in wanted and error_type.endswith(f".{wanted}"))


def matches(span, where):
    start, duration_ms = (
        min(span.start_ns, INT64_MAX),
        None if span.end_ns is None else (span.end_ns - span.start_ns) / 1e6,
    )
    plain = ("session_id", "trace_id", "parent_id", "name", "agent", "model", "tool", "service", "hook")
    return all(
        (
            *(getattr(where, name) in (None, getattr(span, name)) for name in plain),
            not where.kinds or span.kind in where.kinds,
            not where.statuses or span.status in where.statuses,
            where.error_type is None or (span.error is not None and is_of_type(span.error.type, where.error_type)),
            where.name_prefix is None or span.name.startswith(where.name_prefix),
            where.since_ns is None or start >= min(where.since_ns, INT64_MAX),
            where.until_ns is None or where.until_ns > INT64_MAX or start < where.until_ns,
            where.min_duration_ms is None or (duration_ms is not None and duration_ms >= where.min_duration_ms),
            where.max_duration_ms is None or (duration_ms is not None and duration_ms <= where.max_duration_ms),
            where.min_cost_usd is None or (span.cost_usd is not None and span.cost_usd >= where.min_cost_usd),
            where.max_cost_usd is None or (span.cost_usd is not None and span.cost_usd <= where.max_cost_usd),
            *(key in span.attributes and as_text(span.attributes[key]) == text for key, text in where.attributes),
        )
    )


def rank(sort, order):
    """Rows without a value come last in either order; ties go by age."""
    sign = -1 if order == "desc" else 1

    def key(pair):
        at, span = pair
        ended_ms = None if span.end_ns is None else (span.end_ns - span.start_ns) / 1e6
        known = [tokens for tokens in (span.input_tokens, span.output_tokens) if tokens is not None]
        values = {"time": min(span.start_ns, INT64_MAX), "duration": ended_ms, "cost": span.cost_usd}
        value = {**values, "tokens": sum(known) if known else None}[sort]
        return (value is None, 0 if value is None else sign * value, sign * at)

    return key


@given(
    recorded=spans(14),
    late=spans(4),
    where=FILTERS | st.just(Filter()),
    sort=st.sampled_from(["time", "duration", "cost", "tokens"]),
    order=st.sampled_from(["asc", "desc"]),
    limit=st.integers(1, 5),
)
def test_paging_gives_every_match_once_and_in_order_while_others_are_written(
    tmp_path_factory, recorded, late, where, sort, order, limit
):
    store = SqliteStore(tmp_path_factory.mktemp("paging") / "inspector.db")
    present = [build(at, fields) for at, fields in enumerate(recorded)]
    store.write(present)
    coming = [build(100 + at, fields) for at, fields in enumerate(late)]
    found = []
    for page in pages(store.events, where, sort=sort, order=order, limit=limit):
        assert len(page.items) <= limit
        found += [event.span_id for event in page.items]
        if coming:
            store.write([coming.pop()])
    expected = [span.span_id for _, span in sorted(enumerate(present), key=rank(sort, order)) if matches(span, where)]
    assert [span_id for span_id in found if int(span_id, 16) < 100] == expected
    assert len(found) == len(set(found))
    changed = [event.span_id for event in store.after(0, where) if int(event.span_id, 16) < 100]
    assert changed == [span.span_id for span in present if matches(span, where)]
    store.close()


@given(
    recorded=spans(12),
    where=FILTERS,
    sort=st.sampled_from(["time", "duration", "cost", "tokens"]),
    order=st.sampled_from(["asc", "desc"]),
    limit=st.integers(1, 3),
    q=st.sampled_from([None, "red", "blue"]),
)
def test_a_walk_that_runs_out_of_time_goes_on_where_it_stopped(
    tmp_path_factory, recorded, where, sort, order, limit, q
):
    limits = ReadLimits(walk_s=-1.0, span_steps=(2,), sorted_steps=(2,), few_matches=2)
    store = SqliteStore(tmp_path_factory.mktemp("walk") / "inspector.db", limits=limits)
    present = [
        build(at, {**fields, "name": "red" if at % 2 else "red blue", "status": "ok"})
        for at, fields in enumerate(recorded)
    ]
    store.write(present)
    while store.index():
        pass
    where = replace(where, q=q, name=None, name_prefix=None)
    found = [page.items for page in pages(store.events, where, sort=sort, order=order, limit=limit)]
    ranked = sorted(enumerate(present), key=rank(sort, order))
    expected = [span.span_id for _, span in ranked if matches(span, where) and (q or "") in span.name]
    assert [event.span_id for items in found for event in items] == expected
    assert len(found) <= len(present) + 2
    store.close()


def test_sessions_come_by_latest_activity_and_within_a_time_range(store, make_span):
    store.write(
        [
            make_span(trace_id="t1", session_id="long", start_ns=10, end_ns=100),
            make_span(trace_id="t2", session_id="short", start_ns=20, end_ns=30),
            make_span(trace_id="t3", session_id="open", start_ns=40, status="running"),
        ]
    )
    assert [session.session_id for session in store.sessions().items] == ["long", "open", "short"]
    assert [session.session_id for session in store.sessions(since_ns=35).items] == ["long", "open"]
    assert [session.session_id for session in store.sessions(until_ns=20).items] == ["long"]


def test_sessions_are_sorted_by_what_they_cost_and_how_long_they_took(store, make_span):
    for at, tokens in enumerate((30, 10, 20)):
        times = {"start_ns": 10 * at, "end_ns": 10 * at + tokens}
        store.write([make_span(trace_id=f"t{at}", session_id=f"s{at}", kind="llm", input_tokens=tokens, **times)])
    store.write([make_span(trace_id="t3", session_id="open", start_ns=40, status="running")])

    def listed(**by):
        return [session.session_id for session in walk(store.sessions, limit=1, **by)]

    assert listed(sort="tokens") == ["s0", "s2", "s1", "open"]
    assert listed(sort="tokens", order="asc") == ["open", "s1", "s2", "s0"]
    assert listed(sort="duration") == ["s0", "s2", "s1", "open"]


@pytest.mark.parametrize(
    "cursor", ["", "x", "é", "\ud800", "AAAA", "W10", "A" * 100_000, "WyJ4IiwxZTk5OTksMV0", "null"]
)
def test_what_is_no_cursor_is_refused_in_words(store, cursor):
    for ask in (store.events, store.traces):
        with pytest.raises(CursorInvalid, match="next_cursor"):
            ask(Filter(), cursor=cursor)
    with pytest.raises(CursorInvalid):
        store.sessions(cursor=cursor)


def test_a_cursor_belongs_to_its_filter_sort_and_order(store, make_span):
    store.write([make_span(), make_span()])
    cursor = store.events(Filter(), limit=1).next_cursor
    assert cursor.replace("-", "").replace("_", "").isalnum()
    for options in ({"sort": "cost"}, {"order": "asc"}):
        with pytest.raises(CursorInvalid, match="another filter or order"):
            store.events(Filter(), cursor=cursor, **options)
    with pytest.raises(CursorInvalid):
        store.events(Filter(kinds=("tool",)), cursor=cursor)
    with pytest.raises(CursorInvalid):
        store.traces(Filter(), cursor=cursor)
    assert len(store.events(Filter(), cursor=cursor, limit=1, full=True).items) == 1


def test_an_attribute_is_answered_by_its_own_value_alone(store, make_span):
    answered = {"gen_ai.request.model": "m", "gen_ai.response.model": "m-2026", "session.id": "s1"}
    called = {"gen_ai.tool.name": "search", "mcp.tool.name": "web__search", "error.type": "E", "session.id": 7}
    played = {"gen_ai.agent.name": "critic", "mcp.agent.name": "Critic", "inspector.hook": "agent_call"}
    store.write(
        [
            make_span(kind="llm", model="m-2026", session_id="s1", attributes=answered),
            make_span(kind="llm", model="m", session_id="s2", attributes={"gen_ai.request.model": "m"}),
            make_span(tool="search", session_id="7", attributes=called),
            make_span(session_id="s2", attributes={"session.id": True, "gen_ai.conversation.id": "s2"}),
            make_span(service="web", agent="critic", hook="agent_call", attributes=played),
            make_span(service="web", agent="n" * 1024, attributes={"service.name": "own", "gen_ai.agent.name": LONG}),
        ]
    )

    def count(key, value):
        return len(store.events(Filter(attributes=((key, value),))).items)

    expected = {
        ("gen_ai.request.model", "m"): 2,
        ("gen_ai.request.model", "m-2026"): 0,
        ("gen_ai.response.model", "m-2026"): 1,
        ("gen_ai.response.model", "m"): 0,
        ("gen_ai.tool.name", "search"): 1,
        ("mcp.tool.name", "web__search"): 1,
        ("mcp.tool.name", "search"): 0,
        ("session.id", "s1"): 1,
        ("session.id", "s2"): 0,
        ("session.id", "7"): 1,
        ("session.id", "true"): 1,
        ("gen_ai.conversation.id", "s2"): 1,
        ("gen_ai.agent.name", "critic"): 1,
        ("gen_ai.agent.name", LONG): 1,
        ("mcp.agent.name", "Critic"): 1,
        ("mcp.agent.name", "critic"): 0,
        ("inspector.hook", "agent_call"): 1,
        ("error.type", "E"): 1,
        ("service.name", "web"): 2,
        ("service.name", "own"): 1,
    }
    assert {pair: count(*pair) for pair in expected} == expected


def test_attributes_are_found_however_they_rest(store, make_span):
    arguments = json.dumps({"text": "word " * 1000})
    store.write([make_span(attributes={"first": arguments, "second": arguments, "small": 7, "nothing": None})])
    for key, value in (("first", arguments), ("second", arguments), ("small", "7"), ("nothing", "null")):
        assert len(store.events(Filter(attributes=((key, value),))).items) == 1
    for key, value in (("small", "8"), ("smal", "7"), ("nothing", ""), ('sm"all', "7")):
        assert store.events(Filter(attributes=((key, value),))).items == ()


def test_a_read_that_takes_too_long_is_stopped_in_words(store, make_span, open_store, path):
    store.write([make_span(attributes={"a": at}) for at in range(3000)])
    hurried = open_store(path, read_only=True, limits=ReadLimits(read_s=0.0))
    with pytest.raises(QueryTooSlow, match="stopped after 0 s; narrow the filter"):
        hurried.events(Filter(attributes=(("a", "no"),)))
    assert len(store.events(Filter(attributes=(("a", "7"),))).items) == 1


def test_ctrl_c_during_a_read_is_no_damage_and_no_slow_query(store, make_span):
    store.write([make_span(name=str(number)) for number in range(2000)])

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), stopped_when(interrupted):
        store.events(Filter(attributes=(("none", "such"),)))
    assert store.last_seq() == 2000


def test_ctrl_c_that_closes_a_connection_is_no_damage(path):
    SqliteStore(path).close()
    engine = reader_engine(path)
    with pytest.raises(KeyboardInterrupt), translated(path), engine.begin() as connection, limited(connection, 1.0):
        # What SQLAlchemy does where a statement is interrupted.
        connection.invalidate()
        raise KeyboardInterrupt
    engine.dispose()


INDEXED = {
    "latest": (Filter(), {}),
    "errors": (Filter(statuses=("error",)), {}),
    "kind and status": (Filter(kinds=("tool",), statuses=("error",)), {}),
    "tool": (Filter(tool="x"), {}),
    "model": (Filter(model="x"), {}),
    "name": (Filter(name="x"), {}),
    "session": (Filter(session_id="x"), {}),
    "trace": (Filter(trace_id="x"), {}),
    "by duration": (Filter(), {"sort": "duration"}),
    "by cost": (Filter(), {"sort": "cost"}),
    "known attribute": (Filter(attributes=(("gen_ai.request.model", "x"),)), {}),
}


@pytest.mark.parametrize("question", INDEXED)
def test_common_questions_use_an_index(store, question):
    from sqlalchemy import event

    where, options = INDEXED[question]
    plans = []

    @event.listens_for(store._readers.engine, "before_cursor_execute")
    def explain(connection, cursor, statement, parameters, context, many):
        if "FROM spans" in statement:
            plan = connection.connection.dbapi_connection.execute("EXPLAIN QUERY PLAN " + statement, parameters)
            plans.append(" / ".join(row[-1] for row in plan))

    store.events(where, **options)
    store.events(where, **{**options, "order": "asc"})
    assert plans
    for plan in plans:
        if "sort" in options:
            # No index is kept in these orders: the narrow copy that the one over time is gets read and sorted.
            assert "COVERING INDEX ix_spans_time" in plan or "SCAN spans" not in plan
        else:
            assert "TEMP B-TREE FOR ORDER BY" not in plan
        assert "USING" in plan


def test_a_reader_does_not_hold_up_the_writer(store, make_span):
    store.write([make_span() for _ in range(100)])
    with store._read() as connection:
        connection.exec_driver_sql("SELECT * FROM spans").fetchmany(2)
        # One that were held up would wait for this very thread, and fail.
        store.write([make_span()])
    assert store.last_seq() == 101


def test_a_reader_cannot_write(store, make_span):
    from inspector.store import StoreReadOnly

    with pytest.raises(StoreReadOnly), store._read() as connection:
        connection.exec_driver_sql("DELETE FROM spans")
    assert replace(store.health(), bytes=0).spans == 0


def test_the_figures_of_the_whole_cost_the_same_however_much_there_is(store, make_span, path, steps):
    def figures():
        with store._write() as connection:
            read_health(connection, path)

    store.write([make_span(trace_id=f"few{at}") for at in range(50)])
    few = steps(figures)
    store.write([make_span(trace_id=f"many{at}") for at in range(1000)])
    assert steps(figures) <= few + 1
    store.delete("trace", "few0")
    store.write([make_span(trace_id="few1", span_id="1" * 16) for _ in range(2)])
    assert store.health().spans == 1050
