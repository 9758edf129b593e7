import asyncio
import json
import socket
import traceback

import pytest

from instrument.testing import capture
from toolkit.agents import Agent
from toolkit.content import ImageContent, TextContent
from toolkit.definition import ToolDefinition
from toolkit.errors import ExtraMissing, ModelFailed
from toolkit.models.model import ModelRequest, text_of
from toolkit.models.openai import OpenAIModel

KEY = "sk-secret-1234567890"
USAGE = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12, "prompt_tokens_details": {"cached_tokens": 4}}
HELLO = [{"role": "user", "content": "Hello"}]


def completion(message, finish="stop", **more):
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4.1-2025"}
    return head | {"choices": [choice], "usage": USAGE} | more


def chunk(delta=None, finish=None, **more):
    head = {"id": "chatcmpl-2", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4.1-2025"}
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return head | {"choices": choices} | more


def wanted(call_id, name, arguments, **more):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def ask(run, endpoint, request, **options):
    async def main():
        async with OpenAIModel("gpt-4.1", base_url=endpoint.url, api_key=KEY, **options) as model:
            return await model.generate(request)

    return run(main())


def test_an_answer_comes_back_with_usage_and_what_was_asked_is_what_was_sent(run, endpoint):
    endpoint.replies = [completion({"content": "Hi"})]
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    tools = [ToolDefinition(name="add_one", description="Adds", input_schema=schema)]
    request = ModelRequest(HELLO, tools, {"temperature": 0.5})

    response = ask(run, endpoint, request, settings={"temperature": 1, "top_k": 3})

    assert response.message == {"role": "assistant", "content": "Hi"}
    assert (response.finish_reason, response.model, response.id) == ("stop", "gpt-4.1-2025", "chatcmpl-1")
    assert response.usage == USAGE
    assert response.time_to_first_chunk_s is None
    assert endpoint.requests == [
        {
            "model": "gpt-4.1",
            "messages": HELLO,
            "tools": [
                {"type": "function", "function": {"name": "add_one", "description": "Adds", "parameters": schema}}
            ],
            "temperature": 0.5,
            "top_k": 3,
        }
    ]
    assert endpoint.keys == [f"Bearer {KEY}"]


def test_tool_calls_come_back_as_they_were_written(run, endpoint):
    calls = [wanted("call_a", "add_one", '{"x":3}'), wanted("call_b", "add_one", "{x")]
    endpoint.replies = [completion({"content": None, "tool_calls": calls}, "tool_calls")]
    response = ask(run, endpoint, ModelRequest(HELLO))
    assert response.message == {"role": "assistant", "content": None, "tool_calls": calls}
    assert response.finish_reason == "tool_calls"


def test_a_refusal_is_the_answer(run, endpoint):
    endpoint.replies = [completion({"content": None, "refusal": "I won't."})]
    assert ask(run, endpoint, ModelRequest(HELLO)).message["content"] == "I won't."


def test_a_streamed_answer_comes_in_pieces_and_whole_with_calls_and_usage(run, endpoint):
    endpoint.replies = [
        [
            chunk({"role": "assistant", "content": ""}),
            chunk({"content": "Let "}),
            chunk({"content": "me see."}),
            chunk({"tool_calls": [wanted("call_a", "add_one", "", index=0)]}),
            chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"x"'}}]}),
            chunk({"tool_calls": [{"index": 0, "function": {"arguments": ":3}"}}]}),
            chunk({"tool_calls": [wanted("call_b", "now", "{}", index=1)]}),
            chunk({}, "tool_calls"),
            chunk(usage=USAGE),
        ]
    ]
    pieces = []

    async def on_text(piece):
        pieces.append(piece)

    response = ask(run, endpoint, ModelRequest(HELLO, on_text=on_text))

    assert pieces == ["Let ", "me see."]
    assert response.message == {
        "role": "assistant",
        "content": "Let me see.",
        "tool_calls": [wanted("call_a", "add_one", '{"x":3}'), wanted("call_b", "now", "{}")],
    }
    assert (response.finish_reason, response.model, response.id) == ("tool_calls", "gpt-4.1-2025", "chatcmpl-2")
    assert response.usage == USAGE
    assert response.time_to_first_chunk_s > 0
    assert endpoint.requests[0]["stream"] is True
    assert endpoint.requests[0]["stream_options"] == {"include_usage": True}


def test_streamed_calls_without_a_count_are_kept_apart(run, endpoint):
    calls = [wanted("call_a", "one", "{}"), wanted("call_b", "two", "{}")]
    endpoint.replies = [[chunk({"tool_calls": [calls[0]]}), chunk({"tool_calls": [calls[1]]}, "tool_calls")]]

    async def on_text(piece):
        pass

    assert ask(run, endpoint, ModelRequest(HELLO, on_text=on_text)).message["tool_calls"] == calls


def test_whole_calls_that_are_all_counted_as_the_first_are_kept_apart(run, endpoint):
    calls = [wanted("call_a", "pay", '{"amount": 1}'), wanted("call_b", "pay", '{"amount": 2}')]
    deltas = [{**each, "index": 0} for each in calls]
    deltas.append({"index": 0, "id": "call_b", "function": {"arguments": " "}})
    endpoint.replies = [[chunk({"tool_calls": [each]}) for each in deltas] + [chunk({}, "tool_calls")]]

    async def on_text(piece):
        pass

    expected = [calls[0], wanted("call_b", "pay", '{"amount": 2} ')]
    assert ask(run, endpoint, ModelRequest(HELLO, on_text=on_text)).message["tool_calls"] == expected


@pytest.mark.parametrize(
    "deltas",
    [
        [{"content": "The amount is 1"}],
        [{"content": "Ok."}, {"tool_calls": [wanted("call_a", "pay", '{"amount":1', index=0)]}, {"content": "."}],
    ],
)
def test_a_streamed_answer_that_ends_in_the_middle_is_none(run, endpoint, deltas):
    endpoint.replies = [[chunk(each) for each in deltas]]

    async def on_text(piece):
        pass

    with pytest.raises(ModelFailed, match="stopped in the middle of an answer, after 15 characters"):
        ask(run, endpoint, ModelRequest(HELLO, on_text=on_text))


def test_a_stream_that_is_cut_says_after_how_much(run):
    async def main():
        async def cut(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            event = f"data: {json.dumps(chunk({'content': 'half an ans'}))}\n\n".encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n" + event)
            await writer.drain()
            writer.close()

        async def on_text(piece):
            pass

        server = await asyncio.start_server(cut, "127.0.0.1", 0)
        async with server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            async with OpenAIModel("m", base_url=url, api_key=KEY) as model:
                await model.generate(ModelRequest(HELLO, on_text=on_text))

    with pytest.raises(ModelFailed, match="the answer broke off after 11 characters") as caught:
        run(main())
    assert "is it running" not in str(caught.value)


def test_a_key_that_is_part_of_any_sentence_garbles_none(run, endpoint):
    async def main():
        async with OpenAIModel("gpt-4.1", base_url=endpoint.url, api_key="k") as model:
            await model.generate(ModelRequest(HELLO))

    endpoint.replies = [(401, {"error": {"message": "no key like that"}})]
    with pytest.raises(ModelFailed, match="answered 401: no key like that; check api_key or OPENAI_API_KEY"):
        run(main())


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (
            (401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}),
            "answered 401: Incorrect API key provided: …; check api_key or OPENAI_API_KEY",
        ),
        ((401, {"error": {"message": "Bad key sk-proj-***1234"}}), "answered 401: Bad key …; check"),
        ((404, {"error": {"message": "no such model"}}), "answered 404: no such model; check the model's name"),
        ((429, {"error": {"message": "slow down"}}), "answered 429: slow down"),
        ((500, "<h1>oops</h1>"), "answered 500"),
    ],
)
def test_what_an_endpoint_refuses_is_told_without_the_key(run, endpoint, reply, said, streamed):
    async def on_text(piece):
        pass

    endpoint.replies = [reply] * 3
    with pytest.raises(ModelFailed) as caught:
        ask(run, endpoint, ModelRequest(HELLO, on_text=on_text if streamed else None))
    assert str(caught.value).startswith(f"gpt-4.1 at {endpoint.url} {said}")
    assert "sk-" not in "".join(traceback.format_exception(caught.value))


def test_an_endpoint_that_is_not_there_is_told(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://user:password@127.0.0.1:{taken.getsockname()[1]}/v1"

        async def main():
            import openai

            async with openai.AsyncOpenAI(base_url=url, api_key=KEY, max_retries=0) as client:
                await OpenAIModel("m", client=client).generate(ModelRequest(HELLO))

        with pytest.raises(ModelFailed, match="is it running, and is base_url right") as caught:
            run(main())
    assert "password" not in str(caught.value)


@pytest.mark.parametrize("reply", ["<html>hello</html>", {"choices": []}, {"error": "none"}])
def test_what_is_no_chat_completion_is_told(run, endpoint, reply):
    endpoint.replies = [reply]
    with pytest.raises(ModelFailed, match="did not answer with a chat completion; base_url has to be the API's root"):
        ask(run, endpoint, ModelRequest(HELLO))


def test_an_error_in_a_stream_and_an_empty_stream_are_told(run, endpoint):
    async def on_text(piece):
        pass

    endpoint.replies = [[chunk({"content": "Hi"}), {"error": {"message": "lost it"}}], []]
    for said in ("failed: lost it", "sent a stream with nothing in it"):
        with pytest.raises(ModelFailed, match=said):
            ask(run, endpoint, ModelRequest(HELLO, on_text=on_text))


def test_without_a_key_it_says_where_to_put_one(run, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelFailed, match="gpt-4.1 needs a key: set OPENAI_API_KEY, or pass api_key"):
        run(OpenAIModel("gpt-4.1").generate(ModelRequest(HELLO)))


def test_without_the_package_it_says_what_to_install(run, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ExtraMissing, match=r"pip install 'mcp-agent-inspector\[openai\]'"):
        run(OpenAIModel("gpt-4.1", api_key=KEY).generate(ModelRequest(HELLO)))


def test_one_model_serves_several_event_loops_at_the_same_time(run, endpoint):
    model = OpenAIModel("gpt-4.1", base_url=endpoint.url, api_key=KEY)
    endpoint.replies = [completion({"content": text}) for text in ("one", "two", "three", "four")]

    async def say():
        return (await model.generate(ModelRequest(HELLO))).message["content"]

    async def in_its_own_loop():
        async with model:
            return await say()

    async def main():
        async with model:
            return [await say(), await asyncio.to_thread(run, in_its_own_loop()), await say()]

    assert [*run(main()), run(in_its_own_loop())] == ["one", "two", "three", "four"]


def test_a_cancelled_question_ends_at_once(run, endpoint):
    async def main():
        async with OpenAIModel("gpt-4.1", base_url="http://127.0.0.1:9/v1", api_key=KEY) as model:
            task = asyncio.create_task(model.generate(ModelRequest(HELLO)))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    run(main())


def test_an_agent_works_with_it_and_its_hooks_show_what_travelled(run, endpoint):
    def add_one(x: int) -> int:
        return x + 1

    endpoint.replies = [
        completion({"content": None, "tool_calls": [wanted("call_a", "add_one", '{"x":3}')]}, "tool_calls"),
        completion({"content": "It is 4."}),
    ]

    async def main():
        async with OpenAIModel("gpt-4.1", base_url=endpoint.url, api_key=KEY, settings={"temperature": 0}) as model:
            return await Agent("counter", model=model, tools=[add_one]).run("3?")

    with capture() as hooks:
        result = run(main())
    assert (result.text, result.usage["total_tokens"]) == ("It is 4.", 24)
    assert endpoint.requests[1]["messages"][1:] == [
        {"role": "assistant", "content": None, "tool_calls": [wanted("call_a", "add_one", '{"x":3}')]},
        {"role": "tool", "tool_call_id": "call_a", "content": "4"},
    ]
    prompts = [values["prompt"] for name, values in hooks if name == "before_llm_generate"]
    assert [each["temperature"] for each in prompts] == [0, 0]
    assert [each["messages"] for each in prompts] == [each["messages"] for each in endpoint.requests]


def test_a_picture_that_a_tool_returned_reaches_the_model(run, endpoint):
    def chart() -> list[TextContent | ImageContent]:
        return [TextContent("sales"), ImageContent("aGk=", "image/png")]

    endpoint.replies = [
        completion({"content": None, "tool_calls": [wanted("c1", "chart", "{}")]}, "tool_calls"),
        completion({"content": "They grow."}),
    ]

    async def main():
        async with OpenAIModel("gpt-4.1", base_url=endpoint.url, api_key=KEY) as model:
            return await Agent("analyst", model=model, tools=[chart]).run("How are sales?")

    assert run(main()).text == "They grow."
    [_, answer, pictures] = endpoint.requests[1]["messages"][1:]
    assert answer == {"role": "tool", "tool_call_id": "c1", "content": "sales\n[image, image/png]"}
    assert pictures["content"][1] == {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    assert [each["role"] for each in endpoint.requests[1]["messages"]] == ["user", "assistant", "tool", "user"]


def test_pictures_in_a_conversation_are_sent_as_they_are(run, endpoint):
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    message = {"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}
    endpoint.replies = [completion({"content": "A cat."})]
    ask(run, endpoint, ModelRequest([message]))
    assert endpoint.requests[0]["messages"] == [message]
    assert text_of(message) == "What is it?"
