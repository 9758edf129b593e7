import asyncio
import json

import pytest

from instrument import around, control
from instrument.control import Answer, Denied, Proceed, Proposal

NOUNS = {
    "tool_call": {"tool_name": "search", "args": {"q": "a"}, "context": None},
    "llm_generate": {"llm": "m-1", "prompt": {"model": "m-1", "messages": []}},
    "resource_fetch": {"uri": "file:///a", "context": None},
    "prompt_apply": {"template_id": "t", "parameters": {}, "context": None},
    "rpc_request": {"envelope": {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}, "transport": "stdio"},
}


def called(recording, decide, noun="tool_call", *, args=None):
    with control.install(decide, name="gate"):
        try:
            with around(noun, **NOUNS[noun]) as call:
                ruling = control.ask_sync(Proposal(noun, "search", {"q": "a"} if args is None else args), call.set)
                if ruling.answer is not None:
                    call.set(result=ruling.answer.value)
        except Exception:  # noqa: BLE001 - the span is what the test is about
            pass
    return recording.spans()[-1]


def controlled(span):
    return json.loads(span["attributes"]["inspector.controlled_json"])


def deny(_call):
    raise Denied("not on a Sunday", by="ada")


@pytest.mark.parametrize("noun", NOUNS)
def test_a_call_of_any_noun_says_what_its_controller_did(record, noun):
    span = called(record(), lambda call: Proceed({**call.args, "limit": 3}, by="ada"), noun)
    said = controlled(span)
    assert said.pop("waited_ms") >= 0
    assert said == {
        "controller": "gate",
        "did": "changed",
        "by": "ada",
        "args": {"before": {"q": "a"}, "after": {"q": "a", "limit": 3}},
    }
    assert span["attributes"]["inspector.status"] == "ok"


@pytest.mark.parametrize("noun", NOUNS)
def test_a_refused_call_has_its_span_with_the_status_denied_and_the_reason(record, noun):
    span = called(record(), deny, noun)
    attributes = span["attributes"]
    assert attributes["inspector.status"] == "denied"
    assert attributes["error.type"] == "instrument.control.Denied"
    assert attributes["mcp.error.message"] == "not on a Sunday"
    assert "status" not in span
    assert [event["name"] for event in span["events"]] == ["exception"]
    assert controlled(span)["reason"] == "not on a Sunday"


def test_a_refusal_that_the_emitter_makes_a_result_of_is_one_all_the_same(record):
    recording = record()
    with around("tool_call", **NOUNS["tool_call"]) as call:
        call.set(result="the tool was refused", controlled={"controller": "gate", "did": "denied", "waited_ms": 1.0})
    assert recording.spans()[-1]["attributes"]["inspector.status"] == "denied"


def test_whatever_else_a_controller_raises_is_an_error_of_the_call(record):
    def fail(_call):
        raise TimeoutError("as planned")

    attributes = called(record(), fail)["attributes"]
    assert (attributes["inspector.status"], attributes["error.type"]) == ("error", "TimeoutError")


def test_the_outcome_of_a_tool_that_was_answered_or_denied_for_says_so(record):
    answered = called(record(), lambda _: Answer("42"))["attributes"]
    assert answered["inspector.tool.outcome"] == "short_circuited"
    assert answered["gen_ai.tool.call.result"] == '"42"'
    assert called(record(), deny)["attributes"]["inspector.tool.outcome"] == "denied"


def test_secrets_in_changed_arguments_are_removed(record):
    planted = "sk-proj-" + "A1b2C3d4" * 6
    span = called(record(), lambda _: Proceed({"q": planted}))
    assert planted not in json.dumps(span)
    assert controlled(span)["did"] == "changed"


def test_without_content_who_did_what_is_kept_and_neither_arguments_nor_reasons(record):
    span = called(record(content=False), deny)
    assert set(controlled(span)) == {"controller", "did", "waited_ms", "by"}
    span = called(record(content=False), lambda _: Proceed({"q": "changed"}))
    assert set(controlled(span)) == {"controller", "did", "waited_ms"}


def test_a_call_that_waits_for_its_controller_is_there_and_runs(record):
    recording = record()

    async def main():
        asked, decided = asyncio.Event(), asyncio.Event()

        async def decide(_call):
            asked.set()
            await decided.wait()

        async def call():
            async with around("tool_call", **NOUNS["tool_call"]) as call:
                await control.ask(Proposal("tool_call", "search", {}), call.set)

        with control.install(decide):
            task = asyncio.create_task(call())
            await asked.wait()
            (span,) = recording.spans()
            assert "endTimeUnixNano" not in span
            decided.set()
            await task

    asyncio.run(main())
    assert recording.spans()[-1]["attributes"]["inspector.status"] == "ok"
