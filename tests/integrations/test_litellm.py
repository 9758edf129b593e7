import json
import sys
from types import SimpleNamespace

import pytest

from inspector.integrations import litellm as integration
from inspector.integrations.patches import Patches
from instrument.testing import capture


def asked(event):
    return json.loads(bytes(event.input))[-1]["parts"][0]["content"]


def as_told(recorded, event):
    """What was recorded of a call, in the words of the program's ledger."""
    held = json.loads(bytes(event.attributes))
    is_told = event.status == "ok" and not event.name.startswith("embeddings")
    parts = json.loads(bytes(event.output))[0]["parts"] if is_told else []
    parent = recorded.parent(event)
    tokens = [held.get(f"gen_ai.usage.{each}_tokens") for each in ("input", "output")]
    return {
        "asked": asked(event),
        "text": "".join(part["content"] for part in parts) or None,
        "tokens": None if tokens == [None, None] else [tokens[0], tokens[1] or None],
        "status": event.status,
        "name": event.name,
        "parent": parent and parent.name,
        "provider": held["gen_ai.provider.name"],
    }


@pytest.fixture(scope="module")
def recorded(run_once):
    return run_once("litellm_calls.py", within="earlier")


def of_litellm(recorded):
    """Its own calls; those of the provider's SDK are below them."""
    return [
        event for event in recorded.of("llm") if (recorded.parent(event) or event).kind != "llm" or not event.parent_id
    ]


def test_every_call_is_recorded_once_and_as_the_program_saw_it(recorded):
    own = [event for event in of_litellm(recorded) if asked(event) != "lacking"]
    told = sorted((as_told(recorded, event) for event in own), key=lambda row: row["asked"])
    assert told == recorded.ledger["recorded"]


def test_the_call_of_the_sdk_below_is_nested_in_it(recorded):
    own = of_litellm(recorded)
    below = [event for event in recorded.of("llm") if event not in own]
    assert sorted(map(asked, below)) == sorted(asked(event) for event in own if "claude" not in event.name)
    for event in below:
        above = recorded.parent(event)
        assert (asked(event), event.name) == (asked(above), above.name)


def test_a_version_with_a_function_missing_is_told_of_once_and_recorded(recorded):
    (notice,) = recorded.stderr.strip().splitlines()
    assert "litellm " in notice and "not there: litellm.aembedding" in notice
    assert "lacking" in map(asked, recorded.of("llm"))


def test_no_key_is_recorded(recorded):
    assert not any(b"planted" in bytes(event.attributes) for event in recorded.events)


def test_the_program_sees_the_same_without_the_inspector(recorded):
    assert recorded.ledger["alone"] == recorded.ledger["recorded"]


def test_a_stream_that_cannot_be_referred_to_weakly_reaches_the_program(monkeypatch):
    package = SimpleNamespace(provider_list=[], model_cost={}, completion=lambda **_: iter(["chunk"]))
    monkeypatch.setitem(sys.modules, "litellm", package)
    patches = Patches("litellm")
    completion = integration._FUNCTIONS[0]
    patches.wrap(package, "completion", lambda original: integration._called(completion, original))
    with capture() as hooks:
        assert list(package.completion(model="m", messages=[])) == ["chunk"]
    assert [name for name, _ in hooks] == ["before_llm_generate", "after_llm_generate"]
    patches.undo()
