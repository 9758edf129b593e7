import asyncio
from dataclasses import replace

import pytest

from instrument.testing import capture
from toolkit.errors import ModelFailed, ToolkitError
from toolkit.middleware.models import generate
from toolkit.model import ModelRequest, ModelResponse


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


def run(model, request, *hooks):
    return asyncio.run(generate(model, request, agent_name="PMO", correlation_id="run-1", model_hooks=hooks))


async def shout(ctx, request, call_next):
    request.messages[-1]["content"] = request.messages[-1]["content"].upper()
    return await call_next(request)


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


def test_hooks_stand_around_the_model_and_the_bus_shows_what_was_asked_and_what_was_got():
    contexts = []

    async def trim(ctx, request, call_next):
        contexts.append(ctx)
        response = await call_next(request)
        return replace(response, message={**response.message, "content": response.message["content"] + "!"})

    request = asked()
    with capture() as emitted:
        response = run(Echo(), request, trim, shout)
    assert response.message["content"] == "HI!"
    assert request == asked()
    closing = emitted[-1][1]
    assert closing["prompt"]["messages"][0]["content"] == "hi"
    assert closing["response"]["choices"][0]["message"]["content"] == "HI!"
    trimmed, shouted = closing["middleware"]
    assert (trimmed["name"], trimmed["did"], "args" in trimmed) == ("trim", "changed", False)
    assert shouted["args"]["after"]["messages"][0]["content"] == "HI"
    (ctx,) = contexts
    assert (ctx.agent_name, ctx.model_name, ctx.provider, ctx.correlation_id) == ("PMO", "echo-1", "local", "run-1")
    assert ctx.call_id == closing["call_id"]


def test_a_hook_may_answer_instead_of_the_model():
    async def canned(ctx, request, call_next):
        return ModelResponse({"role": "assistant", "content": "canned"})

    model = Echo()
    with capture() as emitted:
        assert run(model, asked(), canned).message["content"] == "canned"
    assert model.requests == []
    assert [(each["name"], each["did"]) for each in emitted[-1][1]["middleware"]] == [("canned", "answered")]


def test_a_failure_of_the_model_is_told_with_what_middleware_did_and_goes_on():
    failure = ModelFailed("no answer")
    with capture() as emitted, pytest.raises(ModelFailed) as caught:
        run(Echo(fails=failure), asked(), shout)
    assert caught.value is failure
    name, closing = emitted[-1]
    assert (name, closing["exc"]) == ("error_llm_generate", failure)
    assert [(each["name"], each["did"]) for each in closing["middleware"]] == [("shout", "changed")]


def test_a_hook_has_to_return_a_response():
    async def text(ctx, request, call_next):
        return "hi"

    with pytest.raises(ToolkitError, match="middleware text returned str; .* or a ModelResponse"):
        run(Echo(), asked(), text)


def test_without_hooks_and_watchers_the_model_gets_the_very_request():
    model = Echo()
    request = asked()
    run(model, request)
    assert model.requests[0] is request
