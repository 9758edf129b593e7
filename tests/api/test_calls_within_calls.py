"""From hooks to figures: calls inside calls of the same kind all count, and what two recorders record counts once."""

from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

import inspector
from inspector.api import create_app
from instrument import around

PRICED = {"gpt-4o": 0.0000250, "gpt-4o-mini": 0.000150}
"""Dollars of 10 input tokens of one, 1,000 of the other, at 2.50 and 0.15 a million."""


def model(name):
    return SimpleNamespace(provider="openai", model=name)


@pytest.fixture
def recorded(owner, settings):
    """Records what a function emits, and returns the figures of all of it and its events."""

    def record(program):
        inspector.attach(home=settings.home, integrations=False)
        try:
            program()
        finally:
            inspector.detach()
        owner.ingest_spools()
        headers = {"Authorization": f"Bearer {settings.token.get_secret_value()}"}
        app = create_app(owner.store, settings=settings, owner=owner)
        with TestClient(app, base_url="http://127.0.0.1:7800", headers=headers) as client:
            return client.get("/stats").json()["total"], client.get("/events", params={"limit": 100}).json()["items"]

    return record


def walk(depth):
    with around("tool_call", tool_name="walk", args={"depth": depth}, context=None) as call:
        if depth == 2:
            with around("tool_call", tool_name="walk", args={"depth": "wrong"}, context=None) as wrong:
                wrong.fail(ValueError("no such place"))
        if depth < 2:
            walk(depth + 1)
        call.set(result=depth)


def test_calls_of_one_emitter_inside_each_other_all_count(recorded):
    def program():
        walk(0)
        with around("agent_call", agent="helper") as main:
            for number in range(6):
                with around("agent_call", agent="helper") as helper:
                    helper.set(result=number)
            main.set(result="done")
        with around("llm_generate", llm=model("gpt-4o"), prompt="Plan it") as outer:
            with around("llm_generate", llm=model("gpt-4o-mini"), prompt="Sum it up") as inner:
                inner.set(response="short", usage={"input_tokens": 1000, "output_tokens": 0})
            outer.set(response="planned", usage={"input_tokens": 10, "output_tokens": 0})

    total, events = recorded(program)
    assert len(events) == total["count"] == 13
    assert [event["folded_into"] for event in events] == [None] * 13
    assert (total["errors"], total["input_tokens"]) == (1, 1010)
    assert total["cost_usd"] == pytest.approx(sum(PRICED.values()))


def test_what_a_framework_and_its_sdk_record_counts_once_and_a_failed_attempt_by_itself(recorded):
    def program():
        prompt = [{"role": "user", "content": "Where to?"}]
        usage = {"input_tokens": 1000, "output_tokens": 0}
        with around("llm_generate", llm=model("gpt-4o-mini"), prompt=prompt, emitter="litellm") as outer:
            with around("llm_generate", llm=model("gpt-4o"), prompt=prompt, emitter="openai") as refused:
                refused.fail(ConnectionError("refused"))
            with around("llm_generate", llm=model("gpt-4o-mini"), prompt=prompt, emitter="openai") as answered:
                answered.set(response={"id": "chatcmpl-1"}, usage=usage)
            outer.set(response={"id": "chatcmpl-1"}, usage=usage)

    total, events = recorded(program)
    assert (total["count"], total["errors"], total["input_tokens"]) == (2, 1, 1000)
    assert total["cost_usd"] == pytest.approx(PRICED["gpt-4o-mini"])
    last, refused, outer = events
    assert [event["folded_into"] for event in (last, refused, outer)] == [outer["span_id"], None, None]
