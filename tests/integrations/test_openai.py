import json

import pytest
from openai.types.chat import ChatCompletionMessage
from recorded_events import facts

from inspector.integrations.openai.answers import ChatAnswer, ResponsesAnswer
from inspector.integrations.openai.providers import provider_of, url_of
from inspector.record.values.snapshot import snapshot


def asked(event):
    """The last text of the user, which tells one call of a program from another."""
    (message,) = json.loads(bytes(event.input))
    (part,) = message["parts"]
    return part["content"]


def answered(event):
    """The text of an answer: what is thought, said and called in it, one after another."""
    messages = json.loads(bytes(event.output)) if event.output else []
    parts = [part for message in messages for part in message["parts"]]
    return "".join(
        f"{part['name']} {json.dumps(part['arguments'])}" if part["type"] == "tool_call" else part["content"]
        for part in parts
    )


def as_told(recorded, event):
    held = facts(event)
    events = json.loads(bytes(event.events or b"[]"))
    parent = recorded.parent(event)
    tokens = (
        None
        if event.input_tokens is None
        else [held["gen_ai.usage.input_tokens"], held.get("gen_ai.usage.output_tokens")]
    )
    return {
        "asked": asked(event),
        "text": (answered(event) or None)
        if recorded.ending(event) == "ok" and not event.name.startswith("emb")
        else None,
        "tokens": tokens,
        "status": recorded.ending(event),
        "error": event.error and event.error.type.rpartition(".")[2],
        "retries": sum(each["name"] == "progress_update" for each in events),
        "name": event.name,
        "parent": parent and parent.name,
        "streamed": held.get("gen_ai.request.stream", False),
    }


@pytest.fixture(
    scope="module", params=["current", *(pytest.param(each, marks=pytest.mark.slow) for each in ("earlier", "oldest"))]
)
def recorded(request, run):
    return run("openai_calls.py", within=request.param).parts["all"]


def test_every_call_is_recorded_once_and_as_the_program_saw_it(recorded):
    told = sorted((as_told(recorded, event) for event in recorded.of("llm")), key=lambda row: row["asked"])
    assert told == recorded.ledger
    assert len(recorded.events) == len(recorded.ledger) + 3  # an agent and its two tools


def test_a_stream_that_was_read_says_when_its_first_chunk_came(recorded):
    for event in recorded.of("llm"):
        held = facts(event)
        first_s = held.get("gen_ai.response.time_to_first_chunk")
        if held.get("gen_ai.request.stream") and event.status == "ok":
            assert 0 < first_s < event.duration_ms / 1e3
        elif recorded.ending(event) == "ok" and "late" not in asked(event):
            assert first_s is None


def test_an_answer_that_does_not_fit_the_programs_type_is_kept_with_the_failure(recorded):
    misfits = [event for event in recorded.of("llm") if "misfit" in asked(event)]
    assert [(event.status, answered(event)) for event in misfits] == [("error", '{"nom": "Ulm"}')] * 2


def test_what_a_response_said_before_it_failed_is_kept(recorded):
    (failed,) = (event for event in recorded.of("llm") if "respond fails" in asked(event))
    assert answered(failed) == "echo: s respond fails"


def test_the_id_of_the_request_is_recorded_with_each_answer_whole_or_streamed(recorded):
    answered = [facts(event) for event in recorded.of("llm") if event.output]
    ids = {tuple(held.get("http.response.header.x-request-id", ())) for held in answered}
    assert len(ids) == len(answered)
    assert () not in ids
    assert any(held.get("gen_ai.request.stream") for held in answered)


def test_an_answer_is_recorded_without_the_nulls_that_the_sdk_adds(recorded):
    (event,) = (event for event in recorded.of("llm") if asked(event) == "on azure")
    answer = json.loads(facts(event)["mcp.llm.response_json"])
    assert sorted(answer["choices"][0]["message"]) == ["content", "refusal", "role"]
    assert answer["choices"][0]["message"]["refusal"] is None
    assert "service_tier" not in answer


def test_a_null_that_the_server_sent_is_recorded_also_where_the_sdk_knows_no_such_field():
    sent = {"role": "assistant", "content": "Hello.", "reasoning": None}
    assert snapshot(ChatCompletionMessage.construct(**sent)) == sent


def test_the_provider_is_the_one_that_is_called(recorded):
    providers = {asked(event): facts(event)["gen_ai.provider.name"] for event in recorded.of("llm")}
    assert providers.pop("on azure") == "azure.ai.openai"
    assert set(providers.values()) == {"openai"}


def test_the_address_of_the_request_is_the_one_that_the_server_was_asked_at(recorded):
    for event in recorded.of("llm"):
        held = facts(event)
        base = f"http://{held['server.address']}:{held['server.port']}"
        where = {"on azure": "/openai/deployments/gpt-4o/chat/completions?api-version=2026-01-01"}
        assert held["url.full"].startswith(base + where.get(asked(event), "/v1/"))


def test_no_key_and_no_vector_is_recorded(recorded):
    held = b"".join(bytes(event.attributes) for event in recorded.events)
    assert b"planted" not in held
    (embedded, _) = (event for event in recorded.of("llm") if event.name.startswith("embeddings"))
    assert b"0.25" not in bytes(embedded.attributes)
    assert json.loads(json.loads(bytes(embedded.output))[0]["parts"][0]["content"])["data"] == [
        {"index": 0, "dimensions": 2}
    ]


def test_nothing_is_printed_beside_what_the_program_prints(recorded):
    assert recorded.stderr == ""


def test_deltas_of_any_kind_are_put_together_by_their_type():
    answer = ChatAnswer()
    for delta in (
        {"role": "assistant", "content": None, "reasoning_content": "hm"},
        {
            "reasoning_content": "m",
            "tool_calls": [{"index": 1, "id": "b", "function": {"name": "two", "arguments": ""}}],
        },
        {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "one", "arguments": "{"}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "}"}}], "content": "x"},
    ):
        answer.add({"id": "c", "model": "m", "choices": [{"index": 0, "delta": delta}]})
    answer.add({"id": "c", "choices": [], "usage": {"prompt_tokens": 1}})
    found = answer.response()
    message = found["choices"][0]["message"]
    assert (message["role"], message["content"], message["reasoning_content"]) == ("assistant", "x", "hmm")
    assert sorted(call["function"]["name"] + call["function"]["arguments"] for call in message["tool_calls"]) == [
        "one{}",
        "two",
    ]
    assert found["usage"] == {"prompt_tokens": 1}


def test_what_came_of_a_response_before_its_end_is_kept():
    answer = ResponsesAnswer()
    assert answer.response() is None
    answer.add({"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}})
    answer.add({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "content": []}})
    answer.add({"type": "response.output_text.delta", "output_index": 0, "delta": "half "})
    answer.add({"type": "response.output_text.delta", "output_index": 0, "delta": "way"})
    assert answer.response()["output"] == [
        {"type": "message", "content": [{"type": "output_text", "text": "half way"}]}
    ]


class Client:
    def __init__(self, host):
        self.base_url = type("URL", (), {"host": host})()


@pytest.mark.parametrize(
    ("host", "provider"),
    [
        ("api.openai.com", "openai"),
        ("127.0.0.1", "openai"),
        ("mine.openai.azure.com", "azure.ai.openai"),
        ("europe-west1-aiplatform.googleapis.com", "gcp.vertex_ai"),
        ("api.groq.com", "groq"),
        ("notapi.groq.com.example", "openai"),
    ],
)
def test_the_address_names_the_provider(host, provider):
    assert provider_of(Client(host)) == provider


@pytest.mark.parametrize(
    ("made", "path", "where"),
    [
        ({}, "/chat/completions", "/openai/deployments/gpt%2F4/chat/completions"),
        ({}, "/responses", "/openai/responses"),
        ({"azure_deployment": "mine"}, "/chat/completions", "/openai/deployments/mine/chat/completions"),
        ({"azure_deployment": "mine"}, "/responses", "/openai/responses"),
    ],
)
def test_azures_address_names_the_deployment_and_the_version(made, path, where):
    openai = pytest.importorskip("openai")
    client = openai.AzureOpenAI(azure_endpoint="https://mine.example", api_key="k", api_version="2026-01-01", **made)
    assert url_of(client, path, "gpt/4") == f"https://mine.example{where}?api-version=2026-01-01"
