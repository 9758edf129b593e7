import asyncio
from dataclasses import replace

import pytest

from instrument.testing import capture
from toolkit.errors import ModelFailed
from toolkit.models.asking import generate
from toolkit.models.model import ModelRequest, ModelResponse


class Echo:
    name = "echo-1"
    provider = "local"

    def __init__(self, fails=None):
        self.requests = []
        self.fails = fails

    async def generate(self, request):
        self.requests.append(request)
        if self.fails is not None:
            raise self.fails
        said = {"role": "assistant", "content": request.messages[-1]["content"]}
        usage = {"prompt_tokens": 1, "completion_tokens": 2}
        return ModelResponse(said, usage=usage, finish_reason="stop", model="echo-1", time_to_first_chunk_s=0.5)


def asked(text="hi"):
    return ModelRequest([{"role": "user", "content": text}], settings={"temperature": 0})


def run(model, request):
    return asyncio.run(generate(model, request, agent_name="PMO"))


def test_a_model_call_passes_the_bus_once_with_the_bodies_as_they_travel():
    model = Echo()
    with capture() as emitted:
        response = run(model, asked())
    (before, opening), (after, closing) = emitted
    assert (before, after) == ("before_llm_generate", "after_llm_generate")
    prompt = {"model": "echo-1", "messages": [{"role": "user", "content": "hi"}], "temperature": 0}
    assert opening == {"llm": model, "prompt": prompt, "call_id": opening["call_id"], "emitter": "toolkit"}
    assert closing == {
        **opening,
        "response": response.body(),
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
        "time_to_first_chunk": 0.5,
    }


class Polite:
    """Middleware around a model is a model with another one inside."""

    def __init__(self, inner):
        self.inner, self.name, self.provider = inner, inner.name, inner.provider

    async def generate(self, request):
        *earlier, last = request.messages
        asked = replace(request, messages=[*earlier, {**last, "content": last["content"] + ", please"}])
        response = await self.inner.generate(asked)
        return replace(response, message={**response.message, "content": response.message["content"].upper()})


def test_a_model_around_a_model_changes_both_ways_and_is_one_call():
    model = Echo()
    with capture() as emitted:
        response = run(Polite(model), asked())
    assert response.message["content"] == "HI, PLEASE"
    assert [name for name, _ in emitted] == ["before_llm_generate", "after_llm_generate"]
    assert emitted[-1][1]["prompt"]["messages"] == [{"role": "user", "content": "hi"}]
    assert [each.messages[-1]["content"] for each in model.requests] == ["hi, please"]


def test_a_failure_of_the_model_is_told_and_goes_on():
    failure = ModelFailed("no answer")
    with capture() as emitted, pytest.raises(ModelFailed) as caught:
        run(Echo(fails=failure), asked())
    assert caught.value is failure
    name, closing = emitted[-1]
    assert (name, closing["exc"]) == ("error_llm_generate", failure)


def test_without_watchers_the_model_gets_the_very_request():
    model = Echo()
    request = asked()
    run(model, request)
    assert model.requests[0] is request
