import json

import pytest

from inspector.integrations.botocore.answers import ConverseAnswer, InvokedAnswer, with_counted_usage


@pytest.fixture(scope="module")
def recorded(run):
    return run("bedrock_calls.py", within="clients")


def attributes(event):
    return json.loads(bytes(event.attributes))


def text_of(event):
    """What was answered, as text; None of an embedding."""
    if not event.output:
        return None
    messages = json.loads(bytes(event.output))
    texts = [part["content"] for message in messages for part in message["parts"] if part["type"] == "text"]
    return None if attributes(event)["gen_ai.operation.name"] == "embeddings" else "".join(texts)


def test_every_call_is_recorded_once_and_as_the_program_saw_it(recorded):
    found = [
        {
            "kind": event.kind,
            "name": event.model,
            "status": recorded.ending(event),
            "result": text_of(event),
            "error": event.error and event.error.message,
            "tokens": None if event.input_tokens is None else [event.input_tokens, event.output_tokens],
        }
        for event in recorded.events
    ]
    assert found == recorded.ledger["calls"]


def test_a_request_and_its_answer_are_read_in_full(recorded):
    first = recorded.events[0]
    (asked,) = json.loads(bytes(first.input))
    picture = {"type": "blob", "modality": "image", "mime_type": "image/png"}
    assert {key: asked["parts"][1][key] for key in picture} == picture
    (answer,) = json.loads(bytes(first.output))
    call = {"type": "tool_call", "id": "call_add_0", "name": "add", "arguments": {"a": 1, "b": 2}}
    assert (answer["parts"], answer["finish_reason"]) == ([call], "tool_use")
    held = attributes(first)
    assert json.loads(held["gen_ai.system_instructions"]) == [{"type": "text", "content": "Be short."}]
    assert [tool["toolSpec"]["name"] for tool in json.loads(held["gen_ai.tool.definitions"])] == ["add"]
    assert (held["gen_ai.request.max_tokens"], held["gen_ai.request.temperature"]) == (50, 0.5)
    assert (held["gen_ai.provider.name"], held["inspector.emitter"]) == ("aws.bedrock", "botocore")
    assert held["http.response.header.x-request-id"]
    assert first.cost_usd


def test_the_program_gets_its_exception_without_a_frame_of_the_recorder(recorded):
    seen = recorded.ledger["traceback"]
    assert "ThrottlingException" in seen
    assert "/inspector/" not in seen


def test_pieces_of_a_streamed_answer_are_put_together_by_their_kind():
    answer = ConverseAnswer()
    assert answer.response() is None
    events = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"delta": {"reasoningContent": {"text": "h"}}, "contentBlockIndex": 0}},
        {"contentBlockDelta": {"delta": {"reasoningContent": {"text": "m"}}, "contentBlockIndex": 0}},
        {"contentBlockDelta": {"delta": {"reasoningContent": {"signature": "s"}}, "contentBlockIndex": 0}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"contentBlockDelta": {"delta": {"text": "o"}, "contentBlockIndex": 1}},
        {"contentBlockDelta": {"delta": {"text": "k"}, "contentBlockIndex": 1}},
        {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t", "name": "add"}}, "contentBlockIndex": 2}},
        {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"a":'}}, "contentBlockIndex": 2}},
    ]
    for event in events:
        answer.add(event)
    tool = {"toolUseId": "t", "name": "add"}
    thought = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
    assert answer.response()["output"]["message"]["content"] == [
        thought,
        {"text": "ok"},
        {"toolUse": {**tool, "input": '{"a":'}},
    ]
    answer.add({"contentBlockDelta": {"delta": {"toolUse": {"input": "1}"}}, "contentBlockIndex": 2}})
    answer.add({"messageStop": {"stopReason": "tool_use"}})
    found = answer.response()
    assert found["output"]["message"]["content"][2] == {"toolUse": {**tool, "input": {"a": 1}}}
    assert found["stopReason"] == "tool_use"


def test_events_of_an_invoked_model_are_read_in_the_form_of_its_maker():
    def put_together(*chunks):
        answer = InvokedAnswer()
        for chunk in chunks:
            answer.add({"chunk": {"bytes": json.dumps(chunk).encode()}})
        return answer.response()

    nova = {"contentBlockDelta": {"delta": {"text": "hi"}, "contentBlockIndex": 0}}
    assert put_together({"messageStart": {"role": "assistant"}}, nova)["output"]["message"]["content"] == [
        {"text": "hi"}
    ]
    counts = {"inputTokenCount": 3, "outputTokenCount": 2}
    llama = put_together({"generation": "h"}, {"generation": "i", "amazon-bedrock-invocationMetrics": counts})
    assert (llama["generation"], llama["usage"]) == ("hi", {"inputTokens": 3, "outputTokens": 2})
    assert InvokedAnswer().response() is None


def test_tokens_of_the_headers_count_where_the_answer_has_none():
    headers = {"x-amzn-bedrock-input-token-count": "3"}
    assert with_counted_usage({"generation": "hi"}, headers)["usage"] == {"inputTokens": 3, "outputTokens": 0}
    assert with_counted_usage({"usage": {"input_tokens": 1}}, headers)["usage"] == {"input_tokens": 1}
    assert with_counted_usage({"generation": "hi"}, {}) == {"generation": "hi"}
