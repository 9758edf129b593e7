import json
from pathlib import Path

import pytest
from msgspec import structs

from inspector.model import Loss
from inspector.replayable import MOST_SPANS
from inspector.settings import Settings

BODY = {"model": "m-1", "messages": [{"role": "user", "content": "hi"}]}
EXCHANGE = {"status": 200, "headers": {"content-type": "application/json"}, "text": ["{}"]}
START_NS = 1_800_000_000_000_000_000


@pytest.fixture
def call(span):
    def build(number, run, *, trace=1, at_s=0, **more):
        attributes = {
            "inspector.emitter": "openai",
            "mcp.llm.prompt_json": json.dumps(BODY),
            "inspector.raw.exchanges": json.dumps([EXCHANGE]),
            **more.pop("attributes", {}),
        }
        begin = START_NS + at_s * 10**9 + number
        made = {"kind": "llm", "name": "chat m-1", "hook": "llm_generate", "tool": None, "service": "travel"}
        times = {"start_ns": begin, "end_ns": begin + 1}
        kept = {key: value for key, value in attributes.items() if value is not None}
        return span(number, trace_id=f"{trace:032x}", run=run, attributes=kept, **made | times | more)

    return build


def program(*words, directory="/work"):
    return {"inspector.raw.program": json.dumps({"argv": list(words), "directory": directory})}


def test_a_run_that_can_be_replayed_comes_with_the_command(client, store, call, settings):
    store.write([call(1, "run-a", attributes=program("app.py", "Oslo")), call(2, "run-a")])
    found = client.get("/runs/run-a/replay").json()
    assert found == {
        "run_id": "run-a",
        "replayable": "yes",
        "reason": None,
        "calls": 2,
        "obstacles": [],
        "obstacle_count": 0,
        "command": f"inspector replay --home {settings.home} run-a",
        "names_program": False,
        "original": None,
        "replays": [],
        "more_replays": False,
    }


def test_a_run_of_which_calls_are_missing_may_not_be_replayable_but_what_prevents_it_is_said_first(client, store, call):
    for number, (run, status) in enumerate((("run-a", "ok"), ("run-b", "cancelled")), 1):
        made = structs.replace(call(number, run, trace=number, status=status), process=run)
        lost = Loss(run, run, "travel", "dropped", 2, made.start_ns, made.start_ns)
        store.write([made], losses=[lost])
    found, other = (client.get(f"/runs/{run}/replay").json() for run in ("run-a", "run-b"))
    assert (found["replayable"], found["reason"]) == ("unknown", "not all of its calls were recorded in full")
    assert found["command"].endswith(" run-a -- PROGRAM")
    assert (other["replayable"], other["obstacle_count"]) == ("no", 1)


def test_a_program_that_is_not_recorded_is_to_be_named_in_the_command(client, store, call):
    store.write([call(1, "run-a"), call(2, "run-b", trace=2, attributes=program("-c"))])
    for run in ("run-a", "run-b"):
        found = client.get(f"/runs/{run}/replay").json()
        assert found["names_program"] is True
        assert found["command"].endswith(f" {run} -- PROGRAM")


def test_the_calls_that_are_in_the_way_are_named_in_their_order_and_counted(client, store, call):
    cut = {"inspector.raw.exchanges": json.dumps([{"status": 200, "left_out": "a secret"}])}
    foreign = {"kind": "tool", "hook": "tool_call", "name": "execute_tool wipe", "tool": "wipe"}
    late = [call(number, "run-a", attributes=cut) for number in range(10, 22)]
    store.write([call(1, "run-a"), call(2, "run-a", status="cancelled"), call(3, "run-a", **foreign), *late])
    found = client.get("/runs/run-a/replay").json()
    assert (found["replayable"], found["command"], found["reason"]) == ("no", None, None)
    assert found["obstacle_count"] == 14
    assert [(each["span_id"], each["name"]) for each in found["obstacles"][:3]] == [
        (f"{2:016x}", "chat m-1"),
        (f"{3:016x}", "execute_tool wipe"),
        (f"{10:016x}", "chat m-1"),
    ]
    assert len(found["obstacles"]) == 10
    assert found["obstacles"][0] == {
        "trace_id": f"{1:032x}",
        "span_id": f"{2:016x}",
        "name": "chat m-1",
        "reason": "it did not end",
        "sentence": "the call chat m-1 (00000000) cannot be replayed: it did not end",
    }
    assert "does not withhold tool calls" in found["obstacles"][1]["reason"]
    assert found["obstacles"][2]["reason"] == "its answer was not recorded (a secret)"


def test_calls_of_two_processes_are_a_reason_of_the_whole_run(client, store, call):
    store.write([call(number, "run-a", attributes={"process.pid": number}) for number in (1, 2)])
    found = client.get("/runs/run-a/replay").json()
    assert (found["replayable"], found["obstacles"]) == ("no", [])
    assert found["reason"].startswith("calls of 2 processes, such as chat m-1")


@pytest.mark.parametrize(
    ("spans", "replayable", "reason"),
    [
        ({"hook": None}, "no", "the run was recorded by another recorder"),
        ({"kind": "other", "hook": "run", "name": "block"}, "no", "has no call of a model or a tool"),
        ({"status": "running", "end_ns": None}, "unknown", "the run has not ended"),
    ],
)
def test_a_run_of_which_nothing_can_be_given_back_says_why(client, store, call, spans, replayable, reason):
    store.write([call(1, "run-a", **spans)])
    found = client.get("/runs/run-a/replay").json()
    assert (found["replayable"], found["command"], found["obstacles"]) == (replayable, None, [])
    assert reason in found["reason"]


def test_a_large_run_is_not_looked_through_and_left_to_the_command(client, store, call):
    store.write([call(number, "run-a") for number in range(1, MOST_SPANS + 2)])
    found = client.get("/runs/run-a/replay").json()
    assert (found["replayable"], found["calls"]) == ("unknown", None)
    assert found["reason"] == "the run has 2,001 spans, and up to 2,000 are looked through"
    assert found["command"].endswith(" run-a -- PROGRAM")


@pytest.mark.slow
def test_a_run_that_holds_much_is_not_looked_through_either(client, store, call):
    answer = json.dumps([{**EXCHANGE, "text": ["x" * (10 << 20)]}])
    store.write([call(number, "run-a", attributes={"inspector.raw.exchanges": answer}) for number in range(1, 8)])
    found = client.get("/runs/run-a/replay").json()
    assert (found["replayable"], found["reason"]) == (
        "unknown",
        "the run holds more than 64 MB, and up to so many are looked through",
    )


def replays(call, count, of, *, begin=2):
    return [
        call(1, f"again-{number}", trace=number, at_s=number, attributes={"inspector.replay.run": of})
        for number in range(begin, begin + count)
    ]


def test_a_run_and_its_replays_are_linked_from_either_side(client, store, call):
    store.write([call(1, "run-a"), *replays(call, 2, "run-a")])
    found = client.get("/runs/run-a/replay").json()
    assert [each["run_id"] for each in found["replays"]] == ["again-3", "again-2"]
    assert (found["original"], found["more_replays"]) == (None, False)
    again = client.get("/runs/again-2/replay").json()
    assert again["original"] == {
        "run_id": "run-a",
        "name": "travel",
        "question": None,
        "status": "ok",
        "start_time_unix_nano": str(START_NS + 1),
    }
    assert (again["replays"], again["replayable"]) == ([], "yes")


def test_a_run_of_one_trace_is_found_by_the_id_of_the_trace_as_replay_names_it(client, store, call):
    store.write([call(1, "run-a"), *replays(call, 1, f"{1:032x}")])
    (again,) = client.get("/runs/run-a/replay").json()["replays"]
    assert client.get(f"/runs/{again['run_id']}/replay").json()["original"]["run_id"] == "run-a"


def test_a_replay_is_known_by_a_call_that_is_not_its_first(client, store, call):
    of = {"inspector.replay.run": "run-a"}
    around = call(1, "again", kind="agent", hook="agent_call")
    own = call(2, "again", attributes={"inspector.raw.result": "x" * 100_000})
    store.write([around, own, call(3, "again", attributes=of)])
    assert client.get("/runs/again").json()["run"]["replay_of"] == "run-a"


def test_of_many_replays_the_latest_ten_are_named(client, store, call):
    store.write([call(1, "run-a"), *replays(call, 12, "run-a")])
    found = client.get("/runs/run-a/replay").json()
    assert [each["run_id"] for each in found["replays"]] == [f"again-{number}" for number in range(13, 3, -1)]
    assert found["more_replays"] is True


@pytest.mark.slow
def test_a_replay_of_many_calls_hides_no_other(client, store, call):
    of = {"attributes": {"inspector.replay.run": "run-a"}}
    store.write([call(1, "run-a"), *replays(call, 2, "run-a")])
    store.write([call(number, "again-many", trace=9, at_s=9, **of) for number in range(3_000)])
    found = client.get("/runs/run-a/replay").json()
    assert [each["run_id"] for each in found["replays"]] == ["again-many", "again-3", "again-2"]
    assert found["more_replays"] is False
    store.write(replays(call, 12, "run-a", begin=10))
    store.write([call(number, "again-more", trace=30, at_s=30, **of) for number in range(3_000)])
    found = client.get("/runs/run-a/replay").json()
    assert [each["run_id"] for each in found["replays"]] == [
        "again-more",
        *(f"again-{number}" for number in range(21, 12, -1)),
    ]
    assert found["more_replays"] is True


def test_an_original_that_is_gone_is_named_and_what_is_no_id_is_not(client, store, call):
    store.write([*replays(call, 1, "run-gone"), *replays(call, 1, "no id <b>", begin=3)])
    gone = client.get("/runs/again-2/replay").json()["original"]
    assert gone == {"run_id": "run-gone", "name": None, "question": None, "status": None, "start_time_unix_nano": None}
    assert client.get("/runs/again-3/replay").json()["original"] is None


def test_the_links_come_without_a_look_at_the_calls_where_that_is_not_asked_for(client, store, call):
    store.write([call(1, "run-a", status="cancelled"), *replays(call, 1, "run-a")])
    found = client.get("/runs/run-a/replay?judge=false").json()
    assert (found["replayable"], found["calls"], found["obstacle_count"]) == ("unknown", None, 0)
    assert [each["run_id"] for each in found["replays"]] == ["again-2"]


def test_a_run_that_is_not_recorded_is_not_found(client):
    assert client.get("/runs/run-x/replay").status_code == 404


def test_the_default_home_is_not_named():
    assert Settings(home=Path.home() / ".inspector").home_elsewhere is None
    assert Settings(home=Path("elsewhere")).home_elsewhere == Path.cwd() / "elsewhere"
