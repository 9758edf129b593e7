"""Every list, sum and line counts the same calls: all of them are compared over trees of any form."""

import io
import itertools
import json
import os
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.drawing.trace import trace_lines
from inspector.cli.output.rows import event_table, session_table
from inspector.cli.output.terminal import Terminal
from inspector.model import STATUSES, Filter, Span, SpanError
from inspector.store.values.counting import quantile

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
            "error_type": st.sampled_from(["ToolError", "mcp.ToolError", "tool_error"]),
            "tokens": st.sampled_from([None, (7, 3, 2), (50, None, None), (None, 4, None)]),
            "cost_usd": st.sampled_from([None, 0.25, 0.5]),
            "took_ms": st.integers(0, 20),
            "process": st.sampled_from([None, "agent", "server"]),
            "scope": st.sampled_from([None, "sdk"]),
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
        attributes = {"gen_ai.request.model": asked} if asked else {}
        if record["scope"] is not None:
            attributes["otel.scope.name"] = record["scope"]
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
                attributes=attributes,
                input_tokens=tokens[0],
                output_tokens=tokens[1],
                cached_tokens=tokens[2],
                cost_usd=record["cost_usd"] if is_llm and record["tokens"] else None,
                error=SpanError(record["error_type"], "no") if status == "error" else None,
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


def type_of(event):
    return event["error"] and event["error"]["type"]


def check_error_types(client, events):
    """One error is found by the type of any of its spans, and listed with the call that counts."""
    for error_type in {type_of(event) for event in events} - {None}:
        listed = everything(client, "/events", error_type=error_type)
        of_type = [event for event in events if type_of(event) and f".{type_of(event)}".endswith(f".{error_type}")]
        ids = {(event["trace_id"], event["span_id"]) for event in of_type}
        ids |= {(event["trace_id"], event["folded_into"]) for event in of_type if event["folded_into"] is not None}
        assert {(event["trace_id"], event["span_id"]) for event in listed} == ids
        assert everything(client, "/events", error_type=error_type, duplicates="false") != []


def check_stats(client, **query):
    answer = client.get("/stats", params={**query, "buckets": 3}).json()
    calls = everything(client, "/events", **query, duplicates="false")
    assert part(answer["total"], figures(calls)) == figures(calls)
    assert sum(bucket["count"] for bucket in answer["buckets"]) == len(calls)
    for field in ("kind", "model", "tool", "agent", "name", "error_type") if not query else ("model",):
        groups = client.get("/stats", params={**query, "by": field}).json()["groups"]
        by_value = Counter(type_of(call) if field == "error_type" else call[field] for call in calls)
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


@pytest.mark.slow
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
            store.delete("trace", trace_id)


STARTED = ("trace_id", "span_id", "parent_id", "name", "kind", "start_ns", "tool", "agent", "attributes", "process")


def check(client, store, spans):
    events = everything(client, "/events")
    assert len(events) == len({span.span_id for span in spans})
    assert {event["span_id"]: event["session_id"] for event in events} == sessions_of(spans)
    assert f"inspector_spans {len(events)}\n" in client.get("/metrics").text
    check_stats(client)
    check_error_types(client, events)
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


SDK = {"otel.scope.name": "sdk"}


def fixture_spans(span):
    """A run of every kind of figure: duplicates, failures on their way up, a call without a price, one that runs."""
    root = span(1, kind="workflow", name="invoke_workflow trip", tool=None, status="error", error=SpanError("E", "no"))
    agent = span(2, kind="agent", name="invoke_agent planner", tool=None, agent="planner", parent_id=root.span_id)
    used = {"kind": "llm", "tool": None, "parent_id": agent.span_id, "input_tokens": 120, "output_tokens": 30}
    priced = span(3, **used, model="stub-2026", attributes={"gen_ai.request.model": "stub"}, cost_usd=0.25)
    again = span(4, **{**used, "parent_id": priced.span_id}, model="stub-2026", attributes=SDK)
    failed = span(5, **{**used, "input_tokens": None, "output_tokens": None}, status="error", model="stub")
    unpriced = span(6, **used, model="stub-2026", attributes={"gen_ai.request.model": "stub"})
    tool = span(7, tool="add", parent_id=agent.span_id, status="error", error=SpanError("ToolError", "no"))
    request = span(8, kind="rpc", tool="add", parent_id=tool.span_id, process="server", service="desk")
    server = span(9, tool="add", parent_id=request.span_id, process="server", service="desk", dialect="gen_ai/1")
    return [
        root,
        agent,
        priced,
        again,
        failed,
        unpriced,
        tool,
        request,
        server,
        span(10, status="running", end_ns=None),
    ]


def test_the_web_is_tested_with_what_the_api_answers(client, store, span):
    store.write(fixture_spans(span))
    answer = client.get(f"/traces/{1:032x}/outline").json()
    path = Path(__file__).parents[2] / "web" / "src" / "lib" / "counted.test-data.json"
    if "INSPECTOR_WRITE_FIXTURES" in os.environ:
        path.write_text(json.dumps(answer, indent=2) + "\n", encoding="utf-8")
    assert json.loads(path.read_text(encoding="utf-8")) == answer
    assert answer["trace"]["spans"] > answer["trace"]["calls"]
    assert answer["trace"]["unpriced_calls"] == 1


def test_a_model_is_one_row_whether_it_answered_or_failed_and_is_found_by_both_names(client, store, span):
    store.write(fixture_spans(span))
    (stub,) = (
        group
        for group in client.get("/stats", params={"by": "model", "kind": "llm"}).json()["groups"]
        if group["key"] == "stub"
    )
    calls = everything(client, "/events", model="stub", duplicates="false")
    assert (stub["count"], stub["errors"]) == (len(calls), 1)
    assert {call["status"] for call in calls} == {"ok", "error"}
    assert {call["model"] for call in calls} == {"stub"}
    assert client.get(f"/events/{3:016x}").json()["attributes"] == {"gen_ai.request.model": "stub"}


def test_a_name_that_no_call_is_counted_under_is_looked_for_among_the_models_that_answered(client, store, span):
    asked = {"kind": "llm", "tool": None, "attributes": {"gen_ai.request.model": "stub"}}
    store.write([span(1, **asked, model="stub-2026"), span(2, **asked, model="stub", status="error")])
    assert [call["span_id"] for call in everything(client, "/events", model="stub-2026")] == [f"{1:016x}"]
    assert len(everything(client, "/events", model="stub")) == 2
    assert len(everything(client, "/traces", model="stub-2026")) == 1


def test_an_error_is_found_by_the_type_that_only_a_duplicate_of_its_call_has(client, store, span):
    """A client knows that the tool failed, the server which exception it was."""
    call = span(1, tool="pay", status="error", error=SpanError("tool_error", "no"))
    request = span(2, tool="pay", kind="rpc", parent_id=call.span_id, process="server", service="desk")
    error = SpanError("mcp.exceptions.ToolError", "no")
    server = span(3, tool="pay", parent_id=request.span_id, process="server", status="error", error=error)
    store.write([call, request, server])

    for error_type in ("ToolError", "mcp.exceptions.ToolError"):
        found = everything(client, "/events", error_type=error_type)
        assert [event["span_id"] for event in found] == [server.span_id, call.span_id]
        (counted,) = everything(client, "/events", error_type=error_type, duplicates="false")
        assert counted["span_id"] == call.span_id
        total = client.get("/stats", params={"error_type": error_type}).json()["total"]
        assert (total["count"], total["errors"]) == (1, 1)
        assert len(everything(client, "/traces", error_type=error_type, duplicates="false")) == 1


def test_calls_of_an_error_type_are_those_of_that_very_type_where_there_are_any(client, store, span):
    """A class is named without its module by one recorder and with it by another: two rows of figures, two lists."""
    for number, name in enumerate(["BadRequestError", "openai.BadRequestError", "openai.ConflictError"], 1):
        store.write([span(number, status="error", error=SpanError(name, "no"))])

    groups = client.get("/stats", params={"by": "error_type"}).json()["groups"]
    for group in groups:
        listed = everything(client, "/events", error_type=group["key"], duplicates="false")
        assert len(listed) == group["count"] == 1
    assert len(everything(client, "/events", error_type="ConflictError", duplicates="false")) == 1
    assert len(everything(client, "/events", error_type="BadRequestError")) == 2


def test_calls_of_an_error_type_are_those_that_have_it_themselves_where_there_are_any(client, store, span):
    """So that the list behind a row of figures has as many as the row says."""
    error = SpanError("mcp.exceptions.ToolError", "no")
    call = span(1, tool="pay", status="error", error=SpanError("tool_error", "no"))
    server = span(2, tool="pay", parent_id=call.span_id, process="server", status="error", error=error)
    other = span(3, trace_id=f"{2:032x}", status="error", error=error)
    store.write([call, server, other])

    (counted,) = everything(client, "/events", error_type="ToolError", duplicates="false")
    assert counted["span_id"] == other.span_id
    assert len(everything(client, "/events", error_type="ToolError")) == 3
