"""What a file with a page holds of two runs compared, read as the page reads it."""

import base64
import gzip
import json
import re
from dataclasses import replace
from itertools import count

import pytest

from inspector.diff import ComparedRun, diff_run
from inspector.lookup import events_of
from inspector.model import Span
from inspector.page_file import FilePage, RunTooLarge, WebAppMissing, comparison, page_of_diff
from inspector.settings import Settings
from inspector.store import open_store

APP = FilePage(b"app()", b"a{}", "MIT")
ASKED = "Where is </script> it warm?"
KEY = "sk-proj-" + "Ab3dE6gH1jK4mN7pQ0sT" * 2
ARGUMENTS, RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"
START_NS = 1_795_000_000_000_000_000


def said(role, text):
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


@pytest.fixture
def compared(tmp_path):
    numbers = count(1)

    def build(answer, *, run_id="run-a", program=None):
        number = next(numbers)
        model = {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": said("user", ASKED),
            "gen_ai.output.messages": said("assistant", answer),
        }
        tool = {"gen_ai.operation.name": "execute_tool", ARGUMENTS: '{"city": "Rome"}', RESULT: json.dumps(answer)}
        place = {"trace_id": f"{number:032x}", "status": "ok", "run": "any"}
        spans = [
            Span(
                span_id="1" * 16,
                name="chat m1",
                kind="llm",
                model="m1",
                start_ns=START_NS,
                end_ns=START_NS + 1,
                attributes=model,
                input_key="gen_ai.input.messages",
                output_key="gen_ai.output.messages",
                **place,
            ),
            Span(
                span_id="2" * 16,
                name="execute_tool weather",
                kind="tool",
                tool="weather",
                start_ns=START_NS + 2,
                end_ns=START_NS + 3,
                attributes=tool,
                input_key=ARGUMENTS,
                output_key=RESULT,
                **place,
            ),
        ]
        store = open_store(Settings(home=tmp_path / str(number)))
        store.write(spans)
        events = list(events_of(store, f"{number:032x}", full=True))
        store.close()
        return ComparedRun(replace(diff_run("a label", None, len(events)), run_id=run_id), events, program)

    return build


def read(page):
    packed = re.findall(r'<script type="text/plain" id="part-\d+">([^<]*)</script>', page.body.decode())
    parts = [gzip.decompress(base64.b64decode(part)).decode().split("\n") for part in packed]
    head = json.loads(parts[0][0])
    first, second = head["runs"]
    calls = [json.loads(line) for part in parts[1:first] for line in part]
    return head, calls, [json.loads(parts[place][0]) for place in (first, second)]


def test_a_file_holds_the_comparison_each_pair_of_calls_and_both_runs(compared):
    page = page_of_diff(compared("In Rome."), compared("In Oslo.", run_id="run-b"), app=APP)
    head, calls, runs = read(page)
    assert [head["diff"][side]["run_id"] for side in "ab"] == ["run-a", "run-b"]
    assert head["diff"]["cause"]["sentence"] == "the model gave a different answer to the same input"
    assert [call["b"]["name"] for call in calls] == [step["b"]["name"] for step in head["diff"]["steps"]]
    assert "In Oslo." in calls[0]["answers"]["b"]
    assert [(each["run"]["run_id"], each["run"]["spans"]) for each in runs] == [("run-a", 2), ("run-b", 2)]
    assert (page.spans, page.traces, page.redacted) == (4, 2, 0)
    assert "</script> it warm" not in page.body.decode()


@pytest.mark.slow
def test_what_of_the_programs_differs_is_in_it(compared):
    versions = ({"packages": {"openai": version}} for version in ("3.53", "3.54"))
    first, second = (compared("In Rome.", run_id=name, program=each) for name, each in zip("ab", versions, strict=True))
    head, _, _ = read(page_of_diff(first, second, app=APP))
    assert head["diff"]["program"] == [{"kind": "package", "name": "openai", "a": "3.53", "b": "3.54"}]


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("ids", "named"), [(("r", "r"), ["r-first", "r-second"]), ((None, None), ["first", "second"])])
def test_runs_of_one_name_or_of_none_are_told_apart(compared, ids, named):
    first, second = (compared("In Rome.", run_id=each) for each in ids)
    head, _, runs = read(page_of_diff(first, second, app=APP))
    assert [head["diff"][side]["label"] for side in "ab"] == [each["run"]["run_id"] for each in runs] == named


def test_secrets_are_searched_for_once_more(compared):
    page = page_of_diff(compared(f"It is {KEY}."), compared("In Oslo.", run_id="run-b"), app=APP)
    head, calls, _ = read(page)
    assert KEY not in json.dumps([head, calls])
    assert "[redacted:" in calls[0]["answers"]["a"]
    assert page.redacted == 2


@pytest.mark.slow
def test_without_an_app_or_with_too_much_there_is_no_file(compared, monkeypatch):
    with pytest.raises(WebAppMissing):
        page_of_diff(compared("a"), compared("b"), app=None)
    monkeypatch.setattr(comparison, "MOST_SPANS", 3)
    with pytest.raises(RunTooLarge, match="the two runs are too large for one page: they have 4 spans"):
        page_of_diff(compared("a"), compared("b"), app=APP)
    monkeypatch.setattr(comparison, "MOST_SPANS", 4)
    monkeypatch.setattr(comparison, "MOST_PACKED_BYTES", 0)
    with pytest.raises(RunTooLarge, match="MiB, packed"):
        page_of_diff(compared("a"), compared("b"), app=APP)


def test_without_content_it_says_what_differs_and_nothing_of_what_was_said(compared):
    a, b = compared("It is warm in Rome."), compared("It is cold in Oslo.", run_id="run-b")
    page = page_of_diff(a, b, app=APP, content=False)
    head, calls, *_ = read(page)
    assert head["diff"]["cause"]["sentence"] == "the model gave a different answer to the same input"
    assert [step["differences"] for step in head["diff"]["steps"]] == [["answer"], ["answer"]]
    assert calls[0]["answers"] == {"a": "…", "b": "…", "equal": False}
    kept = json.dumps(read(page), ensure_ascii=False)
    assert not any(text in kept for text in ("warm", "cold", "Rome", "Oslo"))
