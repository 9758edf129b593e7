import json
import sys
from functools import partial
from types import SimpleNamespace

import pytest
from recorded_events import facts

from inspector.integrations import litellm as integration
from inspector.integrations.patches import Patches, wrapping
from instrument.testing import capture

pytestmark = pytest.mark.slow


def asked(event):
    return json.loads(bytes(event.input))[-1]["parts"][0]["content"]


def as_told(recorded, event):
    held = facts(event)
    is_told = recorded.ending(event) == "ok" and not event.name.startswith("embeddings")
    parts = json.loads(bytes(event.output))[0]["parts"] if is_told else []
    parent = recorded.parent(event)
    tokens = [held.get(f"gen_ai.usage.{each}_tokens") for each in ("input", "output")]
    return {
        "asked": asked(event),
        "text": "".join(part["content"] for part in parts) or None,
        "tokens": None if tokens == [None, None] else [tokens[0], tokens[1] or None],
        "status": recorded.ending(event),
        "name": event.name,
        "parent": parent and parent.name,
        "provider": held["gen_ai.provider.name"],
    }


@pytest.fixture(scope="module")
def recorded(run):
    return run("litellm_calls.py", within="earlier").parts["all"]


def of_litellm(recorded):
    """Its own calls; those of the provider's SDK are below them."""
    return [
        event for event in recorded.of("llm") if (recorded.parent(event) or event).kind != "llm" or not event.parent_id
    ]


def test_every_call_is_recorded_once_and_as_the_program_saw_it(recorded):
    told = sorted((as_told(recorded, event) for event in of_litellm(recorded)), key=lambda row: row["asked"])
    assert told == recorded.ledger


def test_the_call_of_the_sdk_below_is_nested_in_it(recorded):
    own = of_litellm(recorded)
    below = [event for event in recorded.of("llm") if event not in own]
    assert sorted(map(asked, below)) == sorted(asked(event) for event in own if "claude" not in event.name)
    for event in below:
        above = recorded.parent(event)
        assert (asked(event), event.name) == (asked(above), above.name)


@pytest.mark.parametrize("text", ["s falls back", "a falls back", "a routed on", "a blocking"])
def test_each_attempt_is_a_call_by_the_name_of_the_model_that_it_asked(recorded, text):
    attempts = [event for event in of_litellm(recorded) if asked(event).startswith(text)]
    assert [(event.name, event.status, event.folded_into) for event in attempts] == [
        ("chat gpt-4o", "error", None),
        ("chat gpt-4o-mini", "ok", None),
    ]
    answered = facts(attempts[1])
    assert answered["gen_ai.response.model"].startswith("gpt-4o-mini")
    for above in attempts:
        (below,) = (event for event in recorded.of("llm") if event.parent_id == above.span_id)
        assert (below.name, below.status, below.folded_into) == (above.name, above.status, above.span_id)
        its = facts(below)
        if above.status == "ok":
            assert its["gen_ai.response.id"] == answered["gen_ai.response.id"]


def test_a_stream_that_cannot_be_referred_to_weakly_reaches_the_program(monkeypatch):
    package = SimpleNamespace(provider_list=[], model_cost={}, completion=lambda **_: iter(["chunk"]))
    monkeypatch.setitem(sys.modules, "litellm", package)
    patches = Patches("litellm")
    completion = integration._FUNCTIONS[0]
    patches.wrap(package, "completion", wrapping(partial(integration._called, completion)))
    with capture() as hooks:
        assert list(package.completion(model="m", messages=[])) == ["chunk"]
    assert [name for name, _ in hooks] == ["before_llm_generate", "after_llm_generate"]
    patches.undo()
