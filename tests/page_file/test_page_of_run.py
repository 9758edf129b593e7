"""What a file with a page holds of a run, read as the page reads it."""

import base64
import gzip
import json
import re
from hashlib import sha256

import pytest

from inspector.model import NewLabel, Span, SpanError
from inspector.page_file import FilePage, RunTooLarge, WebAppMissing, page_of_run, writing
from inspector.redaction import Redactor
from inspector.settings import Settings
from inspector.store import open_store

APP = FilePage(b"app()", b"a{}", "MIT")
TRACE, OTHER = "a" * 32, "b" * 32
START_NS = 1_795_000_000_000_000_000
KEY = "sk-proj-" + "Ab3dE6gH1jK4mN7pQ0sT" * 2
ASKED = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Where is </script> Oslo?"}]}])
ANSWERED = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "In Norway."}]}])


def span_of(number, trace_id=TRACE, name=None, **changes):
    fields = {
        "kind": "tool",
        "status": "ok",
        "start_ns": START_NS + number * 1_000_000,
        "end_ns": START_NS + number * 1_000_000 + 500_000,
        "run": "run-1",
    }
    return Span(trace_id, f"{number:016x}", name or f"span {number}", **(fields | changes))


def call_of_a_model(number):
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m1",
        "gen_ai.input.messages": ASKED,
        "gen_ai.output.messages": ANSWERED,
    }
    keys = {"input_key": "gen_ai.input.messages", "output_key": "gen_ai.output.messages"}
    return span_of(number, kind="llm", model="m1", attributes=attributes, **keys)


@pytest.fixture
def store(tmp_path):
    opened = open_store(Settings(home=tmp_path / "home"))
    yield opened
    opened.close()


def read(page):
    packed = re.findall(r'<script type="text/plain" id="part-\d+">([^<]*)</script>', page.body.decode())
    head, *parts = [gzip.decompress(base64.b64decode(part)).decode().split("\n") for part in packed]
    lines = [json.loads(line) for part in parts for line in part]
    return json.loads(head[0]), lines[::2], lines[1::2]


def test_a_file_holds_what_the_api_answers_of_its_run_alone(store):
    store.write([call_of_a_model(1), span_of(2), span_of(3, OTHER), span_of(4, "c" * 32, run="run-2")])
    store.set_label(NewLabel(run_id="run-1", name="good", note="so it is", time_ns=START_NS))
    store.set_label(NewLabel(trace_id=TRACE, span_id=f"{2:016x}", name="slow", time_ns=START_NS))
    page = page_of_run(store, store.run("run-1"), app=APP)
    head, spans, previews = read(page)
    assert (page.traces, page.spans, page.redacted) == (2, 3, 0)
    assert head["run"]["run_id"] == "run-1"
    assert [trace["trace_id"] for trace in head["traces"]] == [TRACE, OTHER]
    assert [span["span_id"] for span in spans] == head["outline"]["columns"]["span_id"]
    assert [span["name"] for span in spans] == ["span 1", "span 2", "span 3"]
    assert spans[0]["messages"]["input"][0]["parts"][0]["content"] == "Where is </script> Oslo?"
    assert previews[0]["span_id"] == spans[0]["span_id"]
    assert {label["name"]: label["note"] for label in head["labels"]} == {"good": "so it is", "slow": None}
    assert len(head["turns"]) == 1


def test_one_trace_of_a_run_can_be_all_that_a_file_holds(store):
    store.write([span_of(1), span_of(2, OTHER)])
    head, spans, _ = read(page_of_run(store, store.trace(OTHER), app=APP))
    assert [trace["trace_id"] for trace in head["traces"]] == [OTHER]
    assert [span["span_id"] for span in spans] == [f"{2:016x}"]


def test_secrets_that_were_recorded_are_not_in_the_file(store):
    store.write([span_of(1, attributes={"app.note": f"use {KEY}"}), span_of(2, name=f"call {KEY}"), span_of(3)])
    page = page_of_run(store, store.run("run-1"), app=APP)
    assert page.redacted == 2
    assert KEY not in json.dumps(read(page))
    assert "[redacted:" in json.dumps(read(page))


@pytest.mark.parametrize("events", [[], [{"name": "retry", "time_unix_nano": str(START_NS), "attributes": {"n": 1}}]])
def test_a_span_that_only_looks_as_if_it_had_a_secret_is_not_counted(store, events):
    note = "-u user, password: see below"
    assert not Redactor().clean(note)
    assert Redactor().redact_text("app.note", note) == note
    store.write([span_of(1, attributes={"app.note": note}, events=events)])
    assert page_of_run(store, store.run("run-1"), app=APP).redacted == 0


def test_without_content_nothing_that_was_said_is_in_the_file(store):
    failed = SpanError("ValueError", "no such city: Oslo")
    event = {
        "name": "exception",
        "time_unix_nano": str(START_NS),
        "attributes": {"exception.type": "ValueError", "exception.message": "Oslo"},
    }
    arguments = {"gen_ai.tool.call.arguments": '{"city": "Oslo"}', "app.size": 3}
    store.write(
        [
            call_of_a_model(1),
            span_of(2, status="error", error=failed, events=[event]),
            span_of(3, attributes=arguments, input_key="gen_ai.tool.call.arguments"),
        ]
    )
    store.set_label(NewLabel(run_id="run-1", name="bad", note="not Oslo", time_ns=START_NS))
    document = read(page_of_run(store, store.run("run-1"), app=APP, content=False))
    head, spans, _ = document
    assert not re.search("Oslo|Norway", json.dumps(document))
    assert [label["name"] for label in head["labels"]] == ["bad"]
    assert spans[1]["error"]["type"] == "ValueError"
    assert spans[2]["attributes"]["app.size"] == 3
    assert spans[0]["model"] == "m1"


def test_many_spans_are_parts_that_the_head_tells_where_they_begin(store):
    store.write([span_of(number, attributes={"app.text": f"{number} " * 50_000}) for number in range(1, 9)])
    page = page_of_run(store, store.run("run-1"), app=APP)
    head, spans, _ = read(page)
    assert len(head["begins"]) == 2
    assert head["begins"][0] == 0
    assert [span["span_id"] for span in spans] == head["outline"]["columns"]["span_id"]


def test_the_same_run_makes_the_same_file(store):
    store.write([call_of_a_model(1), span_of(2)])
    first, second = (page_of_run(store, store.run("run-1"), app=APP).body for _ in range(2))
    assert first == second


def test_the_policy_names_the_scripts_and_the_style_by_their_hashes_and_lets_nothing_be_asked(store):
    store.write([span_of(1)])
    text = page_of_run(store, store.run("run-1"), app=APP).body.decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    (loader,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)

    def hashed(content):
        return f"'sha256-{base64.b64encode(sha256(content).digest()).decode()}'"

    assert rules["script-src"].split() == [hashed(loader.encode()), hashed(APP.script)]
    assert rules["style-src"] == hashed(APP.style)
    assert rules["default-src"] == rules["connect-src"] == "'none'"
    assert "unsafe" not in policy


def test_a_run_that_is_too_large_is_refused_with_what_it_has_and_the_way_out(store, monkeypatch):
    store.write([span_of(number) for number in range(1, 4)])
    monkeypatch.setattr(writing, "MOST_SPANS", 2)
    with pytest.raises(RunTooLarge, match=r"run-1 .*3 spans; a page holds 2.*\.jsonl\.gz"):
        page_of_run(store, store.run("run-1"), app=APP)
    monkeypatch.undo()
    monkeypatch.setattr(writing, "MOST_PACKED_BYTES", 100)
    with pytest.raises(RunTooLarge, match="packed"):
        page_of_run(store, store.run("run-1"), app=APP)


def test_without_a_built_web_app_there_is_no_page_and_a_line_says_how_to_get_it(store):
    store.write([span_of(1)])
    with pytest.raises(WebAppMissing, match="make web"):
        page_of_run(store, store.run("run-1"), app=None)
