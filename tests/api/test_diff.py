import json

import pytest

from inspector.api.routes import diff

MESSAGES, ANSWER, ARGUMENTS = "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.call.arguments"
START_NS = 1_800_000_000_000_000_000


def said(role, text):
    return {"role": role, "parts": [{"type": "text", "content": text}]}


@pytest.fixture
def trip(span):
    def build(letter, *, at_s, system="Be brief.", city="Oslo", service="travel"):
        place = {"trace_id": letter * 32, "run": f"run-{letter}", "service": service, "hook": None}
        begin = START_NS + at_s * 10**9
        asked = json.dumps([said("system", system), said("user", "Where is it warm?")])
        answered = json.dumps([said("assistant", f"weather of {city}")])
        return [
            span(
                1,
                kind="llm",
                name="chat gpt-4o",
                tool=None,
                start_ns=begin,
                end_ns=begin + 10,
                attributes={MESSAGES: asked, ANSWER: answered, "gen_ai.operation.name": "chat"},
                input_key=MESSAGES,
                output_key=ANSWER,
                **place,
            ),
            span(
                2,
                name="execute_tool weather",
                tool="weather",
                start_ns=begin + 20,
                end_ns=begin + 30,
                attributes={ARGUMENTS: json.dumps({"city": city})},
                input_key=ARGUMENTS,
                **place,
            ),
        ]

    return build


def test_two_runs_are_aligned_with_where_and_why_they_part(client, store, trip):
    store.write([*trip("a", at_s=1), *trip("b", at_s=2, system="Be long.", city="Rome")])
    found = client.get("/diff?a=run-a&b=run-b").json()
    assert [(found[side]["label"], found[side]["run_id"], found[side]["spans"]) for side in "ab"] == [
        ("a" * 32, "run-a", 2),
        ("b" * 32, "run-b", 2),
    ]
    sums = ("name", "errors", "input_tokens", "output_tokens", "cost_usd", "unpriced_calls")
    assert [[found[side][name] for name in sums] for side in "ab"] == [
        [run[name] for name in sums] for run in client.get("/runs?order=asc").json()["items"]
    ]
    assert (found["equal"], found["first"], found["ignored"]) == (False, 0, {})
    assert found["cause"]["sentence"] == "system text of chat gpt-4o changed"
    assert "Be brief." in found["cause"]["part"]["a"]
    assert "Be long." in found["cause"]["part"]["b"]
    assert [(step["name"], step["depth"], step["differences"]) for step in found["steps"]] == [
        ("chat gpt-4o", 0, ["input", "answer"]),
        ("weather", 0, ["input"]),
    ]
    assert found["steps"][1]["changed"] == [{"kind": "argument", "name": "city", "label": "argument city"}]
    assert found["steps"][1]["b"] == {
        "trace_id": "b" * 32,
        "span_id": f"{2:016x}",
        "name": "execute_tool weather",
        "status": "ok",
        "duration_ms": 1e-05,
    }


@pytest.mark.parametrize("query", ["", "?a=last", "?a=run-c", "?b=run-c", f"?a={'c' * 12}"])
def test_a_run_alone_is_compared_with_the_one_of_its_program_before_it(client, store, trip, query):
    store.write([*trip("a", at_s=1), *trip("b", at_s=2, service="other"), *trip("c", at_s=3)])
    found = client.get(f"/diff{query}").json()
    assert (found["a"]["run_id"], found["b"]["run_id"], found["equal"]) == ("run-a", "run-c", True)


def test_runs_are_named_by_how_late_they_came(client, store, trip):
    store.write([*trip("a", at_s=1), *trip("b", at_s=2), *trip("c", at_s=3)])
    found = client.get("/diff?a=last~2&b=last").json()
    assert (found["a"]["run_id"], found["b"]["run_id"]) == ("run-a", "run-c")


def test_a_run_that_is_not_there_is_not_found(client, store, trip, problem):
    assert problem(client.get("/diff"))["status"] == 404
    store.write(trip("a", at_s=1))
    for query, reason in (
        ("", "no run of travel before run-a"),
        ("?a=nothing&b=last", "no run or trace nothing is recorded"),
        ("?a=last&b=last~7", "there is no last~7: 1 run is recorded"),
    ):
        answer = problem(client.get(f"/diff{query}"))
        assert (answer["status"], reason in answer["detail"]) == (404, True)
    assert problem(client.get("/diff?a=../token&b=last"))["parameter"] == "a"


@pytest.mark.slow
def test_a_run_with_more_spans_than_are_compared_is_refused_before_it_is_read(client, store, span, trip, problem):
    many = {"trace_id": "b" * 32, "run": "run-b", "service": "travel"}
    store.write([*trip("a", at_s=1), *(span(number, **many) for number in range(1, diff.MOST_SPANS + 2))])
    answer = problem(client.get("/diff?a=run-a&b=run-b"))
    assert (answer["status"], answer["parameter"]) == (422, "b")
    assert "has 20,001 spans; up to 20,000 of each are compared here" in answer["detail"]


def test_calls_are_compared_with_the_texts_of_what_differs(client, store, trip):
    store.write([*trip("a", at_s=1), *trip("b", at_s=2, system="Be long.")])
    found = client.get(f"/diff/calls?a={'a' * 32}.{1:016x}&b={'b' * 32}.{1:016x}").json()
    (part,) = found["changed"]
    assert (part["label"], "Be brief." in part["a"], "Be long." in part["b"]) == ("system text", True, True)
    assert (found["equal"], found["more"], found["answers"]["equal"]) == (1, 0, True)
    assert "weather of Oslo" in found["answers"]["a"]


def test_a_call_alone_has_all_its_parts(client, store, trip):
    store.write(trip("a", at_s=1))
    found = client.get(f"/diff/calls?b={'a' * 32}.{2:016x}").json()
    assert found["changed"] == [{"kind": "argument", "name": "city", "label": "argument city", "a": None, "b": "Oslo"}]
    assert (found["a"], found["b"]["span_id"], found["equal"]) == (None, f"{2:016x}", 0)


def test_long_texts_are_cut_around_what_differs(client, store, trip):
    same = "word " * 40_000
    store.write([*trip("a", at_s=1, city=f"{same}Oslo {same}"), *trip("b", at_s=2, city=f"{same}Rome {same}")])
    found = client.get(f"/diff/calls?a={'a' * 32}.{2:016x}&b={'b' * 32}.{2:016x}").json()
    (part,) = found["changed"]
    assert [len(part[side]) for side in "ab"] == [diff.CALL_CHARACTERS + 2] * 2
    assert ["Oslo" in part["a"], "Rome" in part["b"]] == [True, True]
    assert len(client.get("/diff?a=run-a&b=run-b").content) < 10_000


def test_several_runs_are_compared_with_several(client, store, trip):
    for at_s, (letter, city) in enumerate(zip("abcdef", ["Oslo"] * 3 + ["Rome"] * 3, strict=True)):
        store.write(trip(letter, at_s=at_s, city=city))
    found = client.get("/diff/rates?a=run-a&a=run-b&a=run-c&b=run-d&b=run-e&b=last").json()
    assert [run["run_id"] for side in "ab" for run in found[side]] == [f"run-{letter}" for letter in "abcdef"]
    assert (found["verdict"], found["first"]) == ("inconclusive", 0)
    assert found["steps"][0]["rates"]["called"] == {"a": 3, "of_a": 3, "b": 3, "of_b": 3, "p": 1.0, "verdict": "same"}
    answer = found["steps"][0]["rates"]["answer"]
    assert (answer["a"], answer["of_a"], answer["b"], answer["of_b"], answer["p"]) == (0, 2, 3, 3, pytest.approx(0.1))
    names = {"a": ["run-a", "run-b"], "b": ["run-d"]}
    assert client.get("/diff/rates", params=names).json()["a"][1]["run_id"] == "run-b"


def test_several_runs_have_to_be_there_and_not_too_many(client, store, trip, span, problem):
    many = {"run": "run-b", "service": "travel"}
    store.write([*trip("a", at_s=1), *(span(number, trace_id="b" * 32, **many) for number in range(1, 20_001))])
    answer = problem(client.get("/diff/rates?a=run-a&b=nobody"))
    assert (answer["status"], "no run or trace nobody" in answer["detail"]) == (404, True)
    answer = problem(client.get("/diff/rates?a=run-b&b=run-b&b=run-a"))
    assert (answer["status"], "40,002 spans; up to 40,000 are compared here" in answer["detail"]) == (422, True)
    assert problem(client.get("/diff/rates?a=run-a"))["parameter"] == "b"
    assert problem(client.get("/diff/rates?b=run-a" + "&a=run-a" * 21))["parameter"] == "a"


def test_a_call_that_is_not_there_is_not_found(client, problem):
    answer = problem(client.get(f"/diff/calls?a={'a' * 32}.{1:016x}"))
    assert (answer["status"], "0000000000000001 of trace aaaa" in answer["detail"]) == (404, True)
