import json

import pytest

from inspector.ingest import Owner
from inspector.integrations.plain_http.answers import CohereAnswer, GeminiAnswer, OllamaAnswer, without_embeddings
from inspector.integrations.plain_http.apis import recognised
from inspector.model import Filter
from inspector.reading.exchanges import read_exchanges
from inspector.reading.messages import output_messages
from inspector.settings import Settings


def attributes(event):
    return json.loads(bytes(event.attributes))


def asked(event):
    return json.loads(bytes(event.input))[-1]["parts"][0]["content"]


def as_recorded(recorded, event):
    held, parent, ending = attributes(event), recorded.parent(event), recorded.ending(event)
    messages = json.loads(bytes(event.output)) if event.output and ending == "ok" else []
    text = "".join(part["content"] for message in messages for part in message["parts"])
    return {
        "asked": asked(event),
        "text": text or None,
        "tokens": None if event.input_tokens is None else [event.input_tokens, event.output_tokens],
        "status": ending,
        "error": event.error and _error(event.error),
        "client": held["inspector.emitter"],
        "name": event.name,
        "parent": parent and parent.name,
        "streamed": held.get("gen_ai.request.stream"),
    }


def _error(error):
    """What the status said of a refusal, or the class of what the client raised."""
    return error.message if error.type.isdigit() else error.type.rpartition(".")[2]


@pytest.fixture(scope="module")
def recorded(run):
    return run("plain_http_calls.py", within="clients").parts["all"]


def test_every_call_is_recorded_once_and_as_the_program_saw_it(recorded):
    rows = sorted((as_recorded(recorded, event) for event in recorded.of("llm")), key=lambda row: row["asked"])
    assert rows == recorded.ledger
    assert len(recorded.events) == len(rows) + 1  # an agent


def test_the_type_of_a_refusal_is_its_status(recorded):
    types = {event.error.type for event in recorded.of("llm") if event.error and "refused\n" in asked(event)}
    assert types == {"429", "500", "400"}


def test_whose_model_is_called_follows_from_the_host_or_the_shape(recorded):
    providers = {asked(event): attributes(event)["gen_ai.provider.name"] for event in recorded.of("llm")}
    assert providers["httpx whole"] == "openai"
    assert providers["httpx2 message"] == "anthropic"
    assert providers["genai sdk stream"] == "gcp.gemini"
    assert providers["aiohttp pieces"] == "ollama"
    found = recognised("https://api.mistral.ai/v1/chat/completions", lambda: {"model": "m", "messages": []})
    assert found.model.provider == "mistral_ai"


def test_no_key_is_recorded(recorded):
    assert not any(b"planted" in bytes(event.attributes) for event in recorded.events)


@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("http://shop/chat/completions", {"items": []}),
        ("http://shop/v1/messages", {"messages": ["hello"]}),
        ("http://shop/embeddings", ["input"]),
        ("http://shop/api/chat", {"messages": []}),
        ("http://shop/chat/completions/3", {"messages": []}),
        ("http://shop/models/m:predict", {"contents": []}),
        ("http://shop/responses", None),
    ],
)
def test_what_only_looks_like_a_request_to_a_model_is_none(url, body):
    assert recognised(url, lambda: body) is None


def test_the_body_of_a_request_to_another_path_is_not_read():
    def read_body():
        raise AssertionError("read")

    assert recognised("http://shop/orders?next=/chat/completions", read_body) is None


def test_pieces_of_gemini_are_put_together_by_their_kind():
    answer = GeminiAnswer()
    assert answer.response() is None
    call = {"functionCall": {"name": "add", "args": {}}}
    thoughts = [[{"text": letter, "thought": True}] for letter in "hm"]
    for parts in (*thoughts, [{"text": "o"}, call, {"text": "k"}]):
        answer.add({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}], "modelVersion": "m"})
    answer.add({"candidates": [{"index": 0, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 1}})
    found = answer.response()
    (candidate,) = found["candidates"]
    assert candidate["content"]["parts"] == [{"thought": True, "text": "hm"}, {"text": "o"}, call, {"text": "k"}]
    assert (candidate["finishReason"], found["usageMetadata"]) == ("STOP", {"promptTokenCount": 1})


def test_lines_of_ollama_are_put_together():
    answer = OllamaAnswer()
    assert answer.response() is None
    calls = [{"function": {"name": "add", "arguments": {}}}]
    answer.add({"model": "m", "message": {"role": "assistant", "content": "", "thinking": "hm"}, "done": False})
    answer.add({"model": "m", "message": {"role": "assistant", "content": "o", "tool_calls": calls}, "done": False})
    answer.add({"model": "m", "message": {"role": "assistant", "content": "k"}, "done": True, "eval_count": 3})
    assert answer.response() == {
        "model": "m",
        "done": True,
        "eval_count": 3,
        "message": {"role": "assistant", "content": "ok", "thinking": "hm", "tool_calls": calls},
    }


def test_events_of_cohere_are_put_together():
    def event(kind, at=None, **message):
        return {"type": kind, "index": at, "delta": {"message": message}}

    answer = CohereAnswer()
    assert answer.response() is None
    asked = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": ""}}
    usage = {"tokens": {"input_tokens": 3, "output_tokens": 5}}
    for each in (
        event("message-start", role="assistant", content=[], citations=[]) | {"id": "m1"},
        event("tool-plan-delta", tool_plan="I will "),
        event("tool-plan-delta", tool_plan="add."),
        event("content-start", 0, content={"type": "text", "text": ""}),
        event("content-delta", 0, content={"text": "o"}),
        event("content-delta", 0, content={"text": "k"}),
        event("tool-call-start", 0, tool_calls=asked),
        event("tool-call-delta", 0, tool_calls={"function": {"arguments": '{"a":'}}),
        event("tool-call-delta", 0, tool_calls={"function": {"arguments": "1}"}}),
        event("citation-start", 0, citations={"start": 0}),
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL", "usage": usage}},
    ):
        answer.add(each)
    found = answer.response()
    assert (found["id"], found["usage"]) == ("m1", usage)
    (message,) = output_messages(found)
    assert message == {
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "content": "I will add."},
            {"type": "text", "content": "ok"},
            {"type": "tool_call", "id": "c1", "name": "add", "arguments": {"a": 1}},
        ],
        "finish_reason": "TOOL_CALL",
    }


def test_chats_and_vectors_of_cohere_are_recognised():
    def body():
        return {"model": "command-a", "messages": [], "input_type": "search_query"}

    for path, operation in (("chat", "chat"), ("embed", "embeddings")):
        found = recognised(f"https://proxy.example/v2/{path}", body)
        assert (found.model.provider, found.endpoint.operation) == ("cohere", operation)


def test_vectors_are_recorded_as_their_size():
    assert without_embeddings({"embeddings": [[0.5, 1.5], [2.5]], "model": "m"}) == {
        "embeddings": [{"dimensions": 2}, {"dimensions": 1}],
        "model": "m",
    }
    assert without_embeddings({"embedding": {"values": [0.5, 1]}}) == {"embedding": {"values": {"dimensions": 2}}}
    assert without_embeddings({"embeddings": {"float": [[1, 2]]}}) == {"embeddings": {"float": [{"dimensions": 2}]}}


def test_what_each_client_got_is_recorded_once(recorded):
    with Owner(Settings(home=recorded.home)) as owner:
        page = owner.store.events(Filter(kinds=("llm",)), order="asc", limit=500, full=True, raw=True)
    spans = {event.span_id for event in recorded.of("llm")}
    for event in (each for each in page.items if each.span_id in spans):
        (exchange,) = read_exchanges(attributes(event)["inspector.raw.exchanges"])
        if event.status == "ok" and recorded.ending(event) == "ok":
            assert (exchange.status, exchange.end) == (200, "whole"), asked(event)
            said = json.loads(bytes(event.output))[0]["parts"] if event.output else []
            got = b"".join(exchange.pieces).decode()
            assert all(word in got for part in said for word in part["content"].split()), asked(event)
        elif event.error and event.error.type.isdigit():
            assert exchange.status == int(event.error.type)
