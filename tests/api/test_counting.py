"""Every list, sum and line counts the same calls: all of them are compared over trees of any form."""

import io
import itertools
from collections import Counter
from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.drawing import trace_lines
from inspector.cli.rows import event_table, session_table
from inspector.cli.terminal import Terminal
from inspector.model import STATUSES, Filter, Span, SpanError
from inspector.store.stats import quantile

START_NS = 1_800_000_000_000_000_000
numbers = itertools.count(1)

RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "trace": st.integers(0, 2),
            "parent": st.integers(-2, 8),
            "kind": st.sampled_from(["llm", "llm", "tool", "tool", "agent", "workflow", "rpc", "other"]),
            "tool": st.sampled_from(["add", "desk_add", "pay"]),
            "agent": st.sampled_from([None, "planner", "guide"]),
            "asked": st.sampled_from([None, "stub", "stub-2026"]),
            "answered": st.sampled_from([None, "stub-2026"]),
            "status": st.sampled_from([*STATUSES, "ok", "error"]),
            "tokens": st.sampled_from([None, (7, 3, 2), (50, None, None), (None, 4, None)]),
            "cost_usd": st.sampled_from([None, 0.25, 0.5]),
            "took_ms": st.integers(0, 20),
            "process": st.sampled_from([None, "agent", "server"]),
            "dialect": st.sampled_from(["inspector/1", "gen_ai/1"]),
            "session": st.sampled_from([None, None, "s1", "s2"]),
            "announced": st.booleans(),
        }
    ),
    min_size=1,
    max_size=12,
)
SUMS = (
    "calls",
    "errors",
    "llm_calls",
    "tool_calls",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "unpriced_calls",
)


def spans_of(records):
    """Spans with ids of their own, so that examples can share one store; also their start records."""
    run = next(numbers)
    spans = []
    for at, record in enumerate(records):
        kind, status, parent = record["kind"], record["status"], record["parent"]
        is_llm = kind == "llm"
        tokens = (record["tokens"] if is_llm else None) or (None, None, None)
        start_ns = START_NS + (run * 1000 + at) * 1_000_000
        asked = record["asked"] if is_llm else None
        spans.append(
            Span(
                trace_id=f"{run * 10 + record['trace']:032x}",
                span_id=f"{run * 100 + at:016x}",
                parent_id=f"{run * 100 + parent:016x}" if -1 <= parent < at else None,
                name=f"{kind} {at}",
                kind=kind,
                status=status,
                start_ns=start_ns,
                end_ns=None if status in ("running", "lost") else start_ns + record["took_ms"] * 1_000_000,
                tool=record["tool"] if kind == "tool" else None,
                agent=record["agent"],
                model=(asked if status == "error" else record["answered"] or asked) if is_llm else None,
                attributes={} if asked is None else {"gen_ai.request.model": asked},
                input_tokens=tokens[0],
                output_tokens=tokens[1],
                cached_tokens=tokens[2],
                cost_usd=record["cost_usd"] if is_llm and record["tokens"] else None,
                error=SpanError("ValueError", "no") if status == "error" else None,
                dialect=record["dialect"],
                process=record["process"],
                session_id=record["session"] and f"{record['session']}-{run}",
            )
        )
    return spans


def summed(events):
    """What docs/api.md says that events add up to."""
    calls = [event for event in events if event["folded_into"] is None]
    models = [call for call in calls if call["kind"] == "llm"]
    costs = [call["cost_usd"] for call in calls if call["cost_usd"] is not None]
    unpriced = [
        call
        for call in models
        if call["cost_usd"] is None
        and (call["status"] == "ok" or (call["input_tokens"], call["output_tokens"]) != (None, None))
    ]
    return {
        "spans": len(events),
        "calls": len(calls),
        "errors": sum(call["status"] == "error" for call in calls),
        "llm_calls": len(models),
        "tool_calls": sum(call["kind"] == "tool" for call in calls),
        **{name: sum(call[name] or 0 for call in calls) for name in ("input_tokens", "output_tokens", "cached_tokens")},
        "cost_usd": round(sum(costs), 9) if costs else None,
        "unpriced_calls": len(unpriced),
    }


def part(sums, names=("spans", *SUMS, "cost_usd")):
    values = sums if isinstance(sums, dict) else asdict(sums)
    return {name: round(values[name], 9) if isinstance(values[name], float) else values[name] for name in names}


def everything(client, path, **query):
    items, cursor = [], None
    while True:
        answer = client.get(path, params={**query, "limit": 1000, **({"cursor": cursor} if cursor else {})})
        assert answer.status_code == 200, answer.text
        items += answer.json()["items"]
        cursor = answer.json()["next_cursor"]
        if cursor is None:
            return items


def figures(events):
    """What `/stats` says of a list of calls without duplicates."""
    sums = summed(events)
    assert sums["calls"] == len(events)
    lasted = sorted(event["duration_ms"] for event in events if event["duration_ms"] is not None)
    known = {name: sums[name] for name in ("errors", *SUMS[4:], "cost_usd")}
    return {"count": len(events), **known, **{f"p{at}_ms": quantile(lasted, at / 100) for at in (50, 95, 99)}}


def check_stats(client, **query):
    answer = client.get("/stats", params={**query, "buckets": 3}).json()
    calls = everything(client, "/events", **query, duplicates="false")
    assert part(answer["total"], figures(calls)) == figures(calls)
    assert sum(bucket["count"] for bucket in answer["buckets"]) == len(calls)
    for field in ("kind", "model", "tool", "agent", "name") if not query else ("model",):
        groups = client.get("/stats", params={**query, "by": field}).json()["groups"]
        by_value = Counter(call[field] for call in calls)
        assert {group["key"]: group["count"] for group in groups} == by_value
        for group in groups:
            if group["key"] is not None:
                behind = everything(client, "/events", **query, **{field: group["key"]}, duplicates="false")
                assert part(group, figures(behind)) == figures(behind), (field, group)


def check_lines(store, trace, events):
    """The command line says of a trace what the API does."""
    terminal = Terminal(io.StringIO(), width=None, unicode=True)
    head, *tree = trace_lines(store.trace(trace["trace_id"]), events, terminal)
    said = {
        "call": trace["calls"],
        "failed": trace["errors"],
        "duplicate": trace["spans"] - trace["calls"],
        "without a price": trace["unpriced_calls"],
    }
    for word, count in said.items():
        assert (f" · {count} {word}" in head) == (count > 0), head
    assert len(tree) == trace["spans"]
    marked = [line for line in tree if "duplicate" in line]
    assert len(marked) == trace["spans"] - trace["calls"]
    table = list(event_table(events, terminal))[1:]
    assert sum("duplicate" in line for line in table) == len(marked)


@given(records=RECORDS, random=st.randoms(use_true_random=False), size=st.integers(1, 6))
def test_every_list_sum_and_line_counts_the_same_calls(client, store, records, random, size):
    spans = spans_of(records)
    records_of = [
        (Span(**{**{name: getattr(span, name) for name in STARTED}, "status": "running"}), span)
        if record["announced"]
        else (span,)
        for record, span in zip(records, spans, strict=True)
    ]
    sent = [span for group in random.sample(records_of, len(records_of)) for span in group]
    for start in range(0, len(sent), size):
        store.write(sent[start : start + size])
    try:
        check(client, store, spans)
    finally:
        for trace_id in {span.trace_id for span in spans}:
            store.delete_trace(trace_id)


STARTED = ("trace_id", "span_id", "parent_id", "name", "kind", "start_ns", "tool", "agent", "dialect", "process")


def check(client, store, spans):
    events = everything(client, "/events")
    assert len(events) == len({span.span_id for span in spans})
    assert {event["span_id"]: event["session_id"] for event in events} == sessions_of(spans)
    assert f"inspector_spans {len(events)}\n" in client.get("/metrics").text
    check_stats(client)
    traces = everything(client, "/traces")
    for trace in traces:
        of_trace = [event for event in events if event["trace_id"] == trace["trace_id"]]
        assert part(trace) == summed(of_trace)
        assert everything(client, "/events", trace_id=trace["trace_id"]) == of_trace
        assert client.get(f"/traces/{trace['trace_id']}").json()["trace"] == trace
        named = {call["model"] for call in of_trace if call["status"] != "running"} - {None}
        assert set(trace["models"]) == named
        whole = store.events(Filter(trace_id=trace["trace_id"]), order="asc", limit=1000).items
        check_lines(store, trace, whole)
        outline = client.get(f"/traces/{trace['trace_id']}/outline").json()
        assert outline["trace"] == trace
        assert outline["columns"]["folded_into"] == [event.folded_into for event in whole]
    of_traces = client.get("/stats", params={"of": "traces"}).json()["total"]
    assert of_traces["count"] == len(traces)
    assert of_traces["errors"] == sum(trace["status"] == "error" for trace in traces)
    assert of_traces["unpriced_calls"] == summed(events)["unpriced_calls"]
    check_sessions(client, store, events, traces)


def sessions_of(spans):
    """Each span's own session, or the one that the earliest span of its trace with one names."""
    named = {}
    for span in sorted(spans, key=lambda span: span.start_ns, reverse=True):
        named[span.trace_id] = span.session_id or named.get(span.trace_id)
    return {span.span_id: span.session_id or named[span.trace_id] for span in spans}


def check_sessions(client, store, events, traces):
    sessions = everything(client, "/sessions")
    assert {session["session_id"] for session in sessions} == {event["session_id"] for event in events} - {None}
    terminal = Terminal(io.StringIO(), width=None, unicode=True)
    lines = list(session_table(store.sessions(limit=1000).items, terminal))[1:]
    for session, line in zip(sessions, lines, strict=True):
        session_id = session["session_id"]
        mine = [event for event in events if event["session_id"] == session_id]
        assert everything(client, "/events", session_id=session_id) == mine
        assert part(session) == summed(mine)
        assert f"{session['calls']}" in line.split()
        of_session = [trace for trace in traces if trace["trace_id"] in {event["trace_id"] for event in mine}]
        assert session["traces"] == len(of_session)
        assert session["failed_traces"] == sum(trace["status"] == "error" for trace in of_session)
        listed = client.get(f"/sessions/{session_id}", params={"limit": 1000}).json()
        assert listed["session"] == session
        assert [trace["trace_id"] for trace in listed["items"]] == [trace["trace_id"] for trace in of_session]
        check_stats(client, session_id=session_id)
