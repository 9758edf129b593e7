import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import quote

import pytest
from anyio import to_thread
from lists import walk_served
from msgspec import structs
from starlette.testclient import TestClient

from inspector.api import create_app
from inspector.ingest import Owner
from inspector.model import Loss, SpanError
from inspector.refusals import note_refused
from inspector.settings import Settings
from inspector.spooling import make_private
from inspector.store import StoreBusy
from inspector.store.values.sums import run_of_session

BASE = "http://127.0.0.1:7800"
BEARER = {"Authorization": "Bearer a-secret-of-the-tests-only"}
ONE, TWO = f"{1:032x}", f"{2:032x}"
BERLIN = run_of_session("berlin/1")


def test_an_empty_store_answers_empty_pages(client):
    for path in ("/events", "/traces", "/runs", "/sessions"):
        assert client.get(path).json() == {"items": [], "next_cursor": None}
    assert client.get("/stats").json()["total"]["count"] == 0


def test_a_list_of_events_leaves_the_large_fields_out(client, store, run):
    store.write(run)
    page = client.get("/events").json()
    assert [event["span_id"] for event in page["items"]] == [f"{n:016x}" for n in (5, 4, 3, 2, 1)]
    for event in page["items"]:
        assert not {"input", "output", "attributes", "events", "links"} & set(event)
    failed = page["items"][2]
    assert failed["error"] == {
        "type": "TimeoutError",
        "message": "no answer from <b>hotel</b>",
        "traceback": "Traceback …\n  File x",
    }
    assert failed["start_time_unix_nano"] == "1800000000003000000"
    assert failed["duration_ms"] == 0.25


def test_a_full_list_has_everything_as_it_was_recorded(client, store, run):
    store.write(run)
    items = client.get("/events", params={"full": "true", "kind": ["tool", "llm"]}).json()["items"]
    failed = items[1]
    assert failed["input"] == {"hotel": "Zoo"}
    assert failed["output"] is None
    assert failed["attributes"]["__proto__"] == "x"
    assert failed["attributes"]["weight"] == 1.5
    assert failed["events"][0]["name"] == "exception"
    assert failed["links"][0]["trace_id"] == f"{9:032x}"
    assert items[2]["input"][0]["parts"][0]["content"] == "find a zebra hotel"


def test_text_that_looks_like_left_out_fields_is_left_alone(client, store, span):
    trick = '","input":null,"output":null,"attributes":null,"events":null,"links":null}'
    store.write([span(1, name=trick, error=SpanError(trick, trick))])
    event = client.get("/events").json()["items"][0]
    assert event["name"] == trick
    assert event["error"]["message"] == trick


@pytest.mark.parametrize(
    "query, expected",
    [
        ({"kind": ["tool", "agent"]}, [5, 4, 3]),
        ({"since": "1800000000003000000"}, [5, 4, 3]),
        ({"attr.__proto__": "x"}, [3]),
        ({"args.hotel": "Zoo", "kind": "llm"}, []),
        ({"q": '"zebra hotel"'}, [2]),
        ({"sort": "duration", "order": "desc", "limit": 1}, [1]),
        ({"order": "asc", "limit": 2}, [1, 2]),
    ],
)
def test_events_are_narrowed_and_ordered(client, store, run, query, expected):
    store.write(run)
    while store.index():
        pass
    items = client.get("/events", params=query).json()["items"]
    assert [int(event["span_id"], 16) for event in items] == expected


def test_following_the_cursor_visits_every_event_once(client, store, span):
    store.write([span(number) for number in range(1, 26)])
    events = walk_served(lambda path: client.get(path).json(), "/events?limit=10")
    assert [int(event["span_id"], 16) for event in events] == list(range(25, 0, -1))


def test_a_cursor_of_another_list_is_refused_by_name(client, store, span, problem):
    store.write([span(number) for number in range(1, 4)])
    cursor = client.get("/events", params={"limit": 1}).json()["next_cursor"]
    foreign = ("0", "AAAA", cursor + "A", cursor + "AAAA", cursor[:-1], cursor.swapcase(), "x" * 1024)
    of_others = ({"cursor": cursor, "kind": "tool"}, {"cursor": cursor, "order": "asc"})
    for query in (*of_others, *({"cursor": text} for text in foreign)):
        answer = client.get("/events", params=query)
        assert answer.status_code == 404
        assert problem(answer)["parameter"] == "cursor"
        why = "this cursor belongs to another filter or order" if query in of_others else "this is not a cursor"
        assert why in problem(answer)["detail"]


@pytest.mark.parametrize(
    "path",
    [
        *("/events", "/traces", "/runs", "/sessions"),
        *(f"/traces/{ONE}", f"/traces/{ONE}/outline", f"/runs/{BERLIN}", "/sessions/berlin/1"),
    ],
)
def test_a_cursor_that_is_not_ours_is_not_found_by_any_list(client, store, run, problem, path):
    store.write(run)
    answer = client.get(path, params={"cursor": "bm90LW91cnM"})
    assert answer.status_code == 404
    assert problem(answer)["parameter"] == "cursor"


def test_one_event_comes_in_full(client, store, run):
    store.write(run)
    event = client.get(f"/events/{3:016x}").json()
    assert event["input"] == {"hotel": "Zoo"}
    assert client.get(f"/events/{3:016x}", params={"trace_id": ONE}).json() == event


def test_a_trace_comes_in_windows_in_the_order_its_events_began(client, store, run):
    store.write(run)
    first = client.get(f"/traces/{ONE}", params={"limit": 3}).json()
    assert first["trace"]["spans"] == 4
    assert first["trace"]["name"] == "invoke_workflow trip"
    assert [int(event["span_id"], 16) for event in first["items"]] == [1, 2, 3]
    assert "attributes" not in first["items"][0]
    rest = client.get(f"/traces/{ONE}", params={"limit": 3, "cursor": first["next_cursor"], "full": "true"})
    assert rest.status_code == 422 or [int(event["span_id"], 16) for event in rest.json()["items"]] == [4]


def test_traces_are_listed_and_narrowed(client, store, run):
    store.write(run)
    assert [trace["trace_id"] for trace in client.get("/traces").json()["items"]] == [TWO, ONE]
    narrowed = client.get("/traces", params={"name_prefix": "invoke_workflow"}).json()["items"]
    assert [trace["trace_id"] for trace in narrowed] == [ONE]


def test_runs_are_listed_narrowed_and_opened_with_their_traces_in_order(client, store, run, span):
    store.write([*run, *(structs.replace(span(40 + at, trace_id=f"{40 + at:032x}"), run="job-17") for at in range(3))])
    assert [each["run_id"] for each in client.get("/runs").json()["items"]] == ["job-17", BERLIN]
    assert [each["run_id"] for each in client.get("/runs", params={"session_id": "berlin/1"}).json()["items"]] == [
        BERLIN
    ]
    first = client.get("/runs/job-17", params={"limit": 2, "timeline": "true"}).json()
    assert (first["run"]["traces"], first["run"]["origin"]) == (3, "program")
    assert all(trace["run_id"] == "job-17" and trace["timeline"] for trace in first["items"])
    rest = client.get("/runs/job-17", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [int(trace["trace_id"], 16) for trace in first["items"] + rest["items"]] == [40, 41, 42]
    for path in ("/events", "/traces"):
        assert len(client.get(path, params={"run_id": "job-17"}).json()["items"]) == 3
    assert client.get("/stats", params={"run_id": "job-17"}).json()["total"]["count"] == 3


def test_the_outline_of_a_run_has_the_spans_of_all_its_traces_in_order(client, store, span, problem):
    store.write([structs.replace(span(at, trace_id=f"{at % 2 + 1:032x}"), run="job-17") for at in range(1, 6)])
    outline = client.get("/runs/job-17/outline", params={"limit": 3}).json()
    rest = client.get("/runs/job-17/outline", params={"limit": 3, "cursor": outline["next_cursor"]}).json()
    assert outline["run"]["traces"] == 2
    spans = [int(each, 16) for page in (outline, rest) for each in page["columns"]["span_id"]]
    assert spans == [1, 2, 3, 4, 5]
    assert [int(page["traces"][at], 16) for page in (outline, rest) for at in page["trace"]] == [2, 1, 2, 1, 2]
    assert rest["next_cursor"] is None
    offsets = outline["columns"]["offset_ms"]
    assert offsets == sorted(offsets) and offsets[0] == 0
    assert "there is no run" in problem(client.get("/runs/none/outline"))["detail"]


def test_the_model_calls_of_a_run_are_turns_of_conversations(client, store, span, problem):
    asked = [{"role": "user", "parts": [{"type": "text", "content": "Weather?"}]}]
    wants = {"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "look", "arguments": {}}]}
    given = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": "rain"}]}
    key, answer = "gen_ai.input.messages", "gen_ai.output.messages"
    for at, messages in ((1, asked), (2, [*asked, wants, given])):
        attributes = {key: json.dumps(messages), answer: json.dumps([wants])}
        call = span(at, kind="llm", trace_id=f"{at:032x}", attributes=attributes)
        store.write([structs.replace(call, run="job-17")])
    first, then = client.get("/runs/job-17/turns").json()["items"]
    assert then["previous"] == {"trace_id": f"{1:032x}", "span_id": f"{1:016x}"}
    assert (then["link"], then["new_from"], then["conversation"]) == ("continues", 2, first["conversation"])
    assert [(tool["name"], tool["result"]) for tool in first["tools"]] == [("look", "rain")]
    narrowed = client.get("/runs/job-17/turns", params={"trace_id": f"{2:032x}"}).json()["items"]
    assert narrowed == [then]
    assert "there is no run" in problem(client.get("/runs/none/turns"))["detail"]


def test_a_run_that_is_deleted_is_gone_with_its_traces(client, store, run, problem):
    store.write(run)
    assert client.delete(f"/runs/{BERLIN}").json() == {"spans": 5}
    assert "there is no run" in problem(client.get(f"/runs/{BERLIN}"))["detail"]
    assert client.delete(f"/runs/{BERLIN}").status_code == 404
    assert client.get("/events").json()["items"] == []


def test_a_session_is_found_by_an_id_with_a_slash_however_it_is_written(client, store, run):
    store.write(run)
    assert [each["session_id"] for each in client.get("/sessions").json()["items"]] == ["berlin/1"]
    plain, encoded = client.get("/sessions/berlin/1"), client.get("/sessions/berlin%2F1")
    assert plain.json() == encoded.json()
    assert plain.json()["session"]["traces"] == 2
    assert [trace["trace_id"] for trace in plain.json()["items"]] == [TWO, ONE]
    page = client.get("/sessions/berlin/1", params={"limit": 1}).json()
    rest = client.get("/sessions/berlin/1", params={"limit": 1, "cursor": page["next_cursor"]}).json()
    assert [trace["trace_id"] for trace in page["items"] + rest["items"]] == [TWO, ONE]


def test_figures_are_grouped_and_sliced(client, store, run):
    store.write(run)
    stats = client.get("/stats", params={"by": "kind", "buckets": 4}).json()
    assert stats["total"]["count"] == 5
    assert {group["key"]: group["count"] for group in stats["groups"]} == {
        "workflow": 1,
        "llm": 1,
        "tool": 2,
        "agent": 1,
    }
    assert len(stats["buckets"]) == 4
    assert sum(bucket["count"] for bucket in stats["buckets"]) == 5


def test_what_is_deleted_is_gone(client, store, run, problem):
    store.write(run)
    assert client.delete(f"/traces/{ONE}").json() == {"spans": 4}
    assert client.get(f"/traces/{ONE}").status_code == 404
    assert client.delete(f"/traces/{ONE}").status_code == 404
    assert client.delete("/sessions/berlin/1").json() == {"spans": 1}
    assert "there is no session" in problem(client.get("/sessions/berlin/1"))["detail"]
    assert client.get("/events").json()["items"] == []


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "odd", ["a\nb", "a/b/", "/", "a/../b", "%", "a b", "ä\u202e", "x" * 1024, "\\", "?#&=", "\ud800", "\r\n"]
)
def test_a_session_of_any_name_that_is_listed_is_opened_filtered_and_deleted(client, store, span, odd):
    store.write([span(1, session_id=odd)])
    (listed,) = [each["session_id"] for each in client.get("/sessions").json()["items"]]
    address = f"/sessions/{quote(listed, safe='')}"
    assert client.get(address).json()["session"]["session_id"] == listed
    assert len(client.get("/events", params={"session_id": listed}).json()["items"]) == 1
    assert client.delete(address).json() == {"spans": 1}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("odd", [".", "..", "../..", "/", "-", "a\nb", "%2e", "🦊", "'\"<>", "x" * 1024])
def test_a_session_is_opened_and_deleted_by_a_parameter_whatever_its_id(client, store, span, odd):
    store.write([span(1, session_id=odd), span(2, trace_id=f"{2:032x}", session_id="other")])
    named = {"session_id": odd}
    opened = client.get("/session", params={**named, "limit": 1}).json()
    assert (opened["session"]["session_id"], len(opened["items"]), opened["next_cursor"]) == (odd, 1, None)
    assert client.delete("/session", params=named).json() == {"spans": 1}
    assert client.get("/session", params=named).status_code == 404
    assert client.delete("/session", params=named).status_code == 404
    assert [each["session_id"] for each in client.get("/sessions").json()["items"]] == ["other"]


def test_a_session_that_is_not_named_is_asked_for(client, problem):
    for method in ("GET", "DELETE"):
        answer = client.request(method, "/session")
        assert answer.status_code == 422
        assert "session_id" in problem(answer)["detail"]


@pytest.mark.parametrize(
    "path",
    [
        f"/events/{7:016x}",
        f"/traces/{7:032x}",
        "/sessions/none",
        "/sessions/a%00b",
        "/nothing",
        "/events/",
        "/%2e%2e/etc/passwd",
        "/events%2f",
        "/static/app.js",
        "/docs",
        "/redoc",
    ],
)
def test_what_is_not_there_is_a_problem(client, problem, path):
    answer = client.get(path)
    assert answer.status_code in (404, 422)
    assert problem(answer)["instance"].startswith("/")


@pytest.mark.parametrize(
    "path",
    [
        "/events/x",
        "/events/" + "A" * 16,
        "/traces/1",
        f"/events/{7:016x}?trace_id=1",
        f"/traces/{7:032x}?limit=0",
        "/readyz?x=1",
        "/healthz?x=1",
        "/metrics?x",
        "/openapi.json?x=1",
        "/?x=1",
        "/sessions/" + "x" * 1025,
        "/runs/" + "x" * 65,
        "/runs/a.b",
    ],
)
def test_a_value_of_another_form_names_its_parameter(client, problem, path):
    assert problem(client.get(path))["parameter"]
    assert client.get(path).status_code == 422


def test_an_id_of_another_form_is_told_how_it_is_written(client, problem):
    path = "/events/" + "A" * 16
    assert problem(client.get(path))["detail"] == "span_id takes 16 lowercase hexadecimal digits"
    trace_id = "trace_id takes 32 lowercase hexadecimal digits"
    for path in ("/traces/1", "/traces/1/outline", "/events?trace_id=1"):
        assert problem(client.get(path))["detail"] == trace_id


@pytest.mark.parametrize(
    "path, allowed",
    [
        ("/events", "GET, HEAD, OPTIONS"),
        (f"/traces/{1:032x}", "DELETE, GET, HEAD, OPTIONS"),
        ("/", "GET, HEAD, OPTIONS"),
        ("/sessions/x", "DELETE, GET, HEAD, OPTIONS"),
    ],
)
def test_other_methods_are_told_which_there_are(client, problem, path, allowed):
    for method in ("POST", "PUT", "PATCH", "TRACE", "PROPFIND"):
        answer = client.request(method, path)
        assert answer.status_code == 405
        assert answer.headers["allow"] == allowed
        assert problem(answer)["detail"].endswith(allowed)
    options = client.options(path)
    assert (options.status_code, options.headers["allow"], options.content) == (204, allowed, b"")


def test_deletions_that_wait_for_the_writer_leave_the_threads_to_others(client, store, run, most_threads):
    store.write(run)
    with ThreadPoolExecutor(2 * most_threads) as asking:
        with store._write():
            gone = [asking.submit(client.delete, f"/traces/{at:032x}") for at in range(1, 2 * most_threads)]
            for _ in range(5):
                assert asking.submit(client.get, "/events").result(10).status_code == 200
        assert sorted(answer.result(10).status_code for answer in gone) == [200, 200] + [404] * (2 * most_threads - 3)


@pytest.fixture
def most_threads(client):
    """How many threads the server has for what waits; few, so that few requests fill them."""

    async def limit():
        to_thread.current_default_thread_limiter().total_tokens = 4

    client.portal.call(limit)
    return 4


def test_a_busy_store_asks_to_come_back(client, problem, monkeypatch):
    from inspector.store import QueryTooSlow, StoreDamaged, StoreReadOnly
    from inspector.store.sqlite import SqliteStore

    for error, status in (
        (StoreBusy("locked"), 503),
        (QueryTooSlow("2 s"), 503),
        (StoreDamaged("page 4"), 503),
        (StoreReadOnly("no"), 409),
    ):

        def fail(*_, error=error, **__):
            raise error

        monkeypatch.setattr(SqliteStore, "events", fail)
        answer = client.get("/events")
        assert answer.status_code == status
        assert str(error) in problem(answer)["detail"]
        assert ("retry-after" in answer.headers) == (status == 503)


def test_readiness_tells_figures(client, store, run):
    store.write(run)
    ready = client.get("/readyz").json()
    assert ready["spans"] == 5
    assert ready["seq"] == store.last_seq()
    assert ready["owner"] is False
    assert ready["ready"] is True
    assert ready["problems"] == []


def test_readiness_tells_of_files_in_a_home_whose_name_is_no_text(tmp_path):
    settings = Settings(home=tmp_path / "\udcff", token="a-secret-of-the-tests-only", port=7800)
    settings.spool.mkdir(parents=True, mode=0o700)
    settings.home.chmod(0o700)
    (settings.spool / "link.jsonl").symlink_to("/dev/null")
    with Owner(settings) as owner:
        owner.ingest_spools()
        headers = {"Authorization": "Bearer a-secret-of-the-tests-only"}
        with TestClient(
            create_app(owner.store, settings=settings, owner=owner), base_url="http://127.0.0.1:7800"
        ) as client:
            [problem] = client.get("/readyz", headers=headers).json()["problems"]
    assert problem.endswith("/\\udcff/spool/link.jsonl is a symbolic link")


def test_what_was_not_recorded_is_said_of_its_traces_and_of_all(client, store, run):
    began_ns = min(span.start_ns for span in run)
    lost = Loss("p1", "run-1", "planner", "dropped", 7, began_ns, began_ns)
    store.write([structs.replace(span, process="p1") for span in run], losses=[lost, replace(lost, reason="unmatched")])
    losses = dict.fromkeys(("unwritten", "unencodable", "undecodable", "dropped_segments"), 0)
    losses |= {"dropped": 7, "unmatched": 7}
    trace_id = run[0].trace_id
    assert client.get(f"/traces/{trace_id}").json()["trace"]["losses"] == losses
    assert client.get(f"/traces/{trace_id}/outline").json()["trace"]["losses"] == losses
    assert "losses" not in client.get("/traces").json()["items"][0]
    ready = client.get("/readyz").json()
    assert (ready["dropped"], ready["losses"]) == (7, losses)
    assert 'inspector_not_recorded_total{reason="dropped"} 7\n' in client.get("/metrics").text


def test_what_an_endpoint_refused_is_said_as_long_as_spans_are_kept(client, settings):
    outbox = settings.outbox / "0123456789abcdef"
    make_private(outbox)
    for reason in ("HTTP 400", "HTTP 413"):
        note_refused(outbox, "https://elsewhere/v1/traces", 2, reason)
    os.utime(outbox / "refused.json", ns=(0, (now_ns := time.time_ns())))
    expected = {"endpoint": "https://elsewhere/v1/traces", "spans": 4, "reason": "HTTP 413"}
    assert client.get("/readyz").json()["refused"] == [expected | {"last_time_unix_nano": str(now_ns)}]
    os.utime(outbox / "refused.json", ns=(0, now_ns - int(settings.retention_days * 86_400e9)))
    assert client.get("/readyz").json()["refused"] == []


@pytest.mark.parametrize("path", ["/readyz", "/metrics"])
def test_probes_sum_the_store_up_once(client, store, monkeypatch, path):
    asked = []
    health, spools = store.health, store.spools
    monkeypatch.setattr(store, "health", lambda: asked.append("health") or health())
    monkeypatch.setattr(store, "spools", lambda: asked.append("spools") or spools())
    assert client.get(path).status_code == 200
    assert asked == ["health", "spools"]


def test_an_ignored_file_is_told_and_leaves_the_server_ready(owner, settings):
    settings.spool.mkdir(exist_ok=True)
    (settings.spool / "odd.jsonl").symlink_to("nowhere")
    owner.ingest_spools()
    app = create_app(owner.store, settings=settings, owner=owner)
    with TestClient(app, base_url=BASE, headers=BEARER) as client:
        answer = client.get("/readyz")
        assert answer.status_code == 200
        assert answer.json()["ready"] is True
        assert "symbolic link" in answer.json()["problems"][0]
        assert "inspector_ready 1" in client.get("/metrics").text


def test_an_owner_that_fails_is_not_ready(owner, settings, until, monkeypatch):
    def fail(**_):
        raise StoreBusy("locked")

    settings.spool.mkdir(exist_ok=True)
    (settings.spool / "odd.jsonl").symlink_to("nowhere")
    owner.ingest_spools()
    monkeypatch.setattr(owner, "ingest_spools", fail)
    owner.start()
    until(lambda: owner.failing)
    app = create_app(owner.store, settings=settings, owner=owner)
    with TestClient(app, base_url=BASE, headers=BEARER) as client:
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["ready"] is False
        failing, ignored = answer.json()["problems"]
        assert "locked" in failing
        assert "symbolic link" in ignored
        assert "inspector_ready 0" in client.get("/metrics").text


def test_metrics_count_calls_and_errors_once_and_keep_those_that_were_deleted(client, store, span):
    error = {"status": "error", "error": SpanError("ToolError", "no")}
    call = span(1, tool="pay", **error)
    store.write([call, span(2, tool="pay", parent_id=call.span_id, process="server", **error)])
    store.write([span(3, kind="llm", tool=None, trace_id=f"{2:032x}", status="running", end_ns=None)])
    for _ in range(2):
        text = client.get("/metrics").text
        assert 'inspector_calls_total{kind="tool"} 1\n' in text
        assert 'inspector_errors_total{kind="tool"} 1\n' in text
        assert 'inspector_calls_total{kind="llm"} 1\n' in text
        assert 'inspector_errors_total{kind="llm"} 0\n' in text
        store.delete("trace", call.trace_id)


def test_a_counter_of_calls_never_shrinks_when_calls_turn_out_to_be_duplicates(client, store, span):
    chain = {
        number: span(number, tool="pay", parent_id=parent, attributes={"otel.scope.name": f"scope {number}"})
        for number, parent in ((1, None), (2, f"{1:016x}"), (3, f"{2:016x}"))
    }
    calls = [[chain[1], chain[3]], [chain[2]], [span(4)], [span(5)]]
    counted, stored = [], []
    for batch in calls:
        store.write(batch)
        counts = re.search(r'^inspector_calls_total\{kind="tool"\} (\d+)$', client.get("/metrics").text, re.MULTILINE)
        counted.append(int(counts[1]))
        stored.append(client.get("/stats").json()["total"]["count"])
    assert stored == [2, 1, 2, 3]
    assert counted == [2, 2, 2, 3]


def test_metrics_count_requests_by_route_and_status(client, stranger):
    client.get("/events")
    client.get("/events?limit=0")
    client.get("/nothing/" + "x" * 50)
    stranger.get(f"/traces/{1:032x}")
    text = client.get("/metrics").text
    assert 'inspector_http_requests_total{method="GET",route="/events",status="200"} 1' in text
    assert 'inspector_http_requests_total{method="GET",route="/events",status="422"} 1' in text
    assert 'inspector_http_requests_total{method="GET",route="none",status="404"} 1' in text
    assert "inspector_spans 0" in text
    assert "xxx" not in text


def test_the_inspector_never_traces_itself():
    import subprocess
    import sys

    program = """
import tempfile, pathlib
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
spans = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(provider)
from fastapi import FastAPI
from starlette.testclient import TestClient
import inspector.api
from inspector.settings import Settings
from inspector.store.sqlite import SqliteStore
home = pathlib.Path(tempfile.mkdtemp())
settings = Settings(home=home, token="a-secret-of-the-tests-only")
head = {"Authorization": "Bearer a-secret-of-the-tests-only"}
alone = TestClient(inspector.api.create_app(SqliteStore(home / "inspector.db"), settings=settings), base_url="http://127.0.0.1:7800")
assert alone.get("/events", headers=head).status_code == 200
outer = FastAPI()
@outer.get("/mine")
def mine() -> dict[str, int]:
    return {}
inspector.api.mount(outer, settings=settings)
user = TestClient(outer, base_url="http://127.0.0.1:7800")
assert user.get("/inspector/events", headers=head).status_code == 200
assert spans.get_finished_spans() == (), spans.get_finished_spans()
assert user.get("/mine").status_code == 200
assert spans.get_finished_spans()
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
