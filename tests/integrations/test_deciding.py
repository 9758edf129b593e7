"""Model calls over HTTP that a controller decides about, through the real clients and a server on the loopback."""

import asyncio
import json
from contextlib import contextmanager

import httpx
import httpx2
import openai
import pytest
import requests
from loopback import Quiet, serving_http

from inspector.integrations.enabling import Enabled, chosen
from instrument import control
from instrument.control import Answer, Denied, HttpAnswer, Proceed
from instrument.testing import capture

URL = "/v1/chat/completions"


def completion(text, **more):
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m-1", "choices": [choice], **more}


def chunk(text):
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    body = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m-1", "choices": [choice]}
    return f"data: {json.dumps(body)}\n\n".encode()


STREAM = (chunk("one "), chunk("two"), b"data: [DONE]\n\n")


def asked(text="hi", **more):
    return {"model": "m-1", "messages": [{"role": "user", "content": text}], **more}


@pytest.fixture
def server():
    """Echoes the last message of a chat completion; `server.bodies` are the requests that came."""

    class Handler(Quiet):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self.server.bodies.append(body)
            answer = json.dumps(completion(body["messages"][-1]["content"])).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    with serving_http(Handler) as running:
        running.bodies = []
        running.base = f"http://127.0.0.1:{running.server_port}"
        yield running


@pytest.fixture(autouse=True)
def watched():
    enabled = Enabled()
    enabled.enable(chosen(("httpx", "httpx2", "requests", "openai")))
    yield
    enabled.disable()


def by_httpx(base, body):
    with httpx.Client() as client:
        return client.post(base + URL, json=body).raise_for_status().json()


def by_httpx_async(base, body):
    async def post():
        async with httpx.AsyncClient() as client:
            return (await client.post(base + URL, json=body)).raise_for_status().json()

    return asyncio.run(post())


def by_httpx2(base, body):
    with httpx2.Client() as client:
        return client.post(base + URL, json=body).raise_for_status().json()


def by_httpx2_async(base, body):
    async def post():
        async with httpx2.AsyncClient() as client:
            return (await client.post(base + URL, json=body)).raise_for_status().json()

    return asyncio.run(post())


def by_requests(base, body):
    with requests.Session() as session:
        answered = session.post(base + URL, json=body)
        answered.raise_for_status()
        return answered.json()


def by_openai(base, body):
    with openai.OpenAI(base_url=base + "/v1", api_key="k", max_retries=2) as client:
        return client.chat.completions.create(**body).to_dict()


def by_openai_async(base, body):
    async def create():
        async with openai.AsyncOpenAI(base_url=base + "/v1", api_key="k", max_retries=2) as client:
            return (await client.chat.completions.create(**body)).to_dict()

    return asyncio.run(create())


CLIENTS = (by_httpx, by_httpx_async, by_httpx2, by_httpx2_async, by_requests, by_openai, by_openai_async)
every = pytest.mark.parametrize("call", CLIENTS, ids=lambda call: call.__name__)
of_openai = pytest.mark.parametrize("call", [by_openai, by_openai_async], ids=["sync", "async"])


def said(answer):
    return answer["choices"][0]["message"]["content"]


@contextmanager
def controlled(decide):
    with control.install(decide, name="gate"), capture() as emitted:
        yield emitted


def ending(emitted):
    """The one call that was recorded: by which hook it ended, and what the controller did."""
    (_, _), (hook, values) = emitted
    return hook, values["controlled"]


def decided_later(decide):
    async def decide_later(call):
        await asyncio.sleep(0)
        return decide(call)

    return decide_later


@every
@pytest.mark.parametrize("made", [lambda decide: decide, decided_later], ids=["function", "coroutine function"])
def test_a_call_that_goes_on_is_made_and_says_who_let_it(call, made, server):
    with controlled(made(lambda _: Proceed(by="ada"))) as emitted:
        assert said(call(server.base, asked())) == "hi"
    hook, did = ending(emitted)
    assert (hook, did["did"], did["by"]) == ("after_llm_generate", "passed", "ada")
    assert len(server.bodies) == 1


@every
def test_a_call_is_made_with_the_body_that_the_controller_gives_it(call, server):
    with controlled(lambda proposal: Proceed({**proposal.args, "temperature": 0, **asked("bye")})) as emitted:
        assert said(call(server.base, asked())) == "bye"
    (body,) = server.bodies
    assert body == {**asked("bye"), "temperature": 0}
    _, did = ending(emitted)
    assert did["args"]["before"]["messages"][0]["content"] == "hi"
    assert did["args"]["after"]["messages"][0]["content"] == "bye"
    assert emitted[0][1]["prompt"]["messages"][0]["content"] == "hi"


@every
def test_a_call_that_is_answered_reaches_nobody_and_its_client_parses_the_answer(call, server):
    with controlled(lambda _: Answer(completion("planned"))) as emitted:
        assert said(call("http://127.0.0.1:9", asked())) == "planned"
    hook, did = ending(emitted)
    assert (hook, did["did"]) == ("after_llm_generate", "answered")
    assert server.bodies == []


@every
def test_a_refused_call_raises_the_refusal_itself_and_reaches_nobody(call, server):
    asks = []

    def deny(proposal):
        asks.append(proposal.name)
        raise Denied("the budget is spent")

    with controlled(deny) as emitted, pytest.raises(Denied, match="the budget is spent"):
        call(server.base, asked())
    hook, did = ending(emitted)
    assert (hook, did["did"]) == ("error_llm_generate", "denied")
    assert (asks, server.bodies) == (["m-1"], [])


@of_openai
def test_an_sdk_retries_what_it_is_answered_and_the_controller_is_asked_once(call):
    busy = HttpAnswer(b'{"error": {"message": "busy"}}', status=429, headers={"retry-after-ms": "1"})
    asks = []

    def decide(proposal):
        asks.append(proposal)
        return Answer([busy, httpx2.ConnectError("no network"), completion("at last")])

    with controlled(decide) as emitted:
        assert said(call("http://127.0.0.1:9", asked())) == "at last"
    assert len(asks) == 1
    assert emitted[-1][0] == "after_llm_generate"
    assert [each.get("status") for each in emitted[-1][1]["exchanges"]] == [429, None, 200]


@of_openai
def test_an_sdk_raises_the_error_that_it_is_answered_with(call):
    refusal = HttpAnswer(b'{"error": {"message": "no such model"}}', status=404)
    with controlled(lambda _: Answer(refusal)), pytest.raises(openai.NotFoundError, match="no such model"):
        call("http://127.0.0.1:9", asked())


def test_an_answer_may_be_a_stream_in_pieces_for_a_plain_client_and_for_an_sdk():
    with controlled(lambda _: Answer(HttpAnswer(STREAM))):
        with httpx.Client() as client, client.stream("POST", "http://127.0.0.1:9" + URL, json=asked()) as response:
            assert tuple(response.iter_raw()) == STREAM
        streamed = requests.post("http://127.0.0.1:9" + URL, json=asked(), stream=True, timeout=20)
        assert b"".join(streamed.iter_content(None)) == b"".join(STREAM)
        client = openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="k")
        chunks = list(client.chat.completions.create(**asked(), stream=True))
        client.close()
    assert [each.choices[0].delta.content for each in chunks] == ["one ", "two"]


def test_an_asynchronous_stream_may_be_left_early():
    async def main():
        client = openai.AsyncOpenAI(base_url="http://127.0.0.1:9/v1", api_key="k")
        async with await client.chat.completions.create(**asked(), stream=True) as stream:
            first = await anext(aiter(stream))
            await client.close()
            return first.choices[0].delta.content

    with controlled(lambda _: Answer(HttpAnswer(STREAM))) as emitted:
        assert asyncio.run(main()) == "one "
    assert emitted[-1][1]["response"]["choices"][0]["message"]["content"] == "one "


def test_more_attempts_than_there_are_answers_for_fail_and_say_so():
    busy = HttpAnswer(b"{}", status=500, headers={"retry-after-ms": "1"})
    with (
        controlled(lambda _: Answer([busy])),
        pytest.raises(RuntimeError, match="the controller's answer has fewer attempts than the client makes"),
    ):
        by_openai("http://127.0.0.1:9", asked())


@pytest.mark.parametrize("call", [by_httpx, by_requests, by_openai], ids=lambda call: call.__name__)
def test_what_is_no_answer_of_an_endpoint_fails_the_call_and_says_what_is_one(call):
    with (
        controlled(lambda _: Answer("words")),
        pytest.raises(TypeError, match="answered a model call with str; pass the body as a dict, or an HttpAnswer"),
    ):
        call("http://127.0.0.1:9", asked())


def test_the_response_hooks_of_a_client_see_an_answer_too():
    seen = []
    with (
        controlled(lambda _: Answer(completion("planned"))),
        httpx.Client(event_hooks={"response": [lambda response: seen.append(response.status_code)]}) as client,
    ):
        client.post("http://127.0.0.1:9" + URL, json=asked())
    assert seen == [200]


def test_requests_that_call_no_model_are_asked_about_by_nobody(server):
    with controlled(lambda _: pytest.fail("asked")), httpx.Client() as client:
        client.post(server.base + "/notes", json=asked())
    assert len(server.bodies) == 1
