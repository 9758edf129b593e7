import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from replaying import PROGRAMS, runs_of

from inspector.integrations.botocore.answers import ConverseAnswer, InvokedAnswer, with_counted_usage

STUB = Path(__file__).parent / "stubs" / "bedrock.py"
PROGRAM = PROGRAMS / "replayed_bedrock.py"
AWS = {
    "AWS_ACCESS_KEY_ID": "AKIAPLANTED000000000",
    "AWS_SECRET_ACCESS_KEY": "planted",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "http://127.0.0.1:9",
}


@pytest.fixture(scope="module")
def recorded(run):
    return run("bedrock_calls.py", within="clients")


def attributes(event):
    return json.loads(bytes(event.attributes))


def text_of(event):
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
    assert held["url.full"].endswith("/model/anthropic.claude-sonnet-4-20250514-v1%3A0/converse")
    assert first.cost_usd


def test_the_program_gets_its_exception_without_a_frame_of_the_recorder(recorded):
    seen = recorded.ledger["traceback"]
    assert "ThrottlingException" in seen
    assert "/inspector/" not in seen


def test_a_controller_changes_answers_and_refuses_calls(recorded):
    changed, invoked, answered, denied = recorded.ledger["calls"][-4:]
    assert (changed["result"], invoked["result"]) == ("echo: changed", "echo: changed")
    assert (answered["result"], answered["tokens"]) == ("by hand", [1, 2])
    assert denied["status"] == "denied"


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


@pytest.fixture(scope="module")
def replayable(tmp_path_factory, make_bench, framework_python):
    """The program, recorded once; the server is gone."""
    bench, python = make_bench(tmp_path_factory.mktemp("bedrock")), framework_python("clients")
    with subprocess.Popen([sys.executable, STUB], stdout=subprocess.PIPE, text=True) as stub:
        url = stub.stdout.readline().strip()
        out = bench.record(PROGRAM, python=python, **(AWS | {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": url}))
        stub.kill()
    (run,) = {each.run_id for each in runs_of(bench)}
    return bench, python, run, out


@pytest.mark.slow
def test_a_replay_gives_back_whole_answers_streams_and_refusals(replayable):
    bench, python, run, out = replayable
    done = bench.inspector("replay", run, "--", python, PROGRAM, **AWS)
    assert (done.code, done.out, bench.connected) == (0, out, []), done.err
    assert "replay: 9 of 9 calls" in done.err
    assert "ThrottlingException" in out
    assert "the stub breaks" in out


def test_a_replay_stops_where_the_program_asks_something_else(replayable):
    bench, python, run, _ = replayable
    done = bench.inspector("replay", run, "--", python, PROGRAM, ASKED="What else?", **AWS)
    assert done.code == 3
    assert "message 1 differs" in done.err
    assert "What else?" in done.err


@pytest.mark.slow
def test_a_whole_answer_that_a_person_gives_stands_in_for_a_stream_too(replayable):
    bench, python, run, _ = replayable
    stream = next(event for event in bench.events() if b"in pieces" in bytes(event.input))
    call = {"toolUse": {"toolUseId": "t", "name": "add", "input": {"a": 1}}}
    message = {"role": "assistant", "content": [{"text": "By hand."}, call]}
    answer = bench.directory / "answer.json"
    answer.write_text(json.dumps({"output": {"message": message}, "stopReason": "tool_use"}))
    given = f"{stream.span_id}={answer}"
    done = bench.inspector("replay", run, "--set", given, "--", python, PROGRAM, **AWS)
    assert done.code == 0, done.err
    text = bench.directory / "answer.txt"
    text.write_text("By a person.")
    said = bench.inspector("replay", run, "--set", f"{stream.span_id}={text}", "--", python, PROGRAM, **AWS)
    assert "{'contentBlockDelta': {'delta': {'text': 'By a person.'}, 'contentBlockIndex': 0}}" in said.out, said.err
    assert "'inputTokens': 2" in said.out
    assert "{'contentBlockDelta': {'delta': {'text': 'By hand.'}, 'contentBlockIndex': 0}}" in done.out
    assert "{'toolUse': {'input': '{\"a\": 1}'}}" in done.out


def test_a_cassette_has_request_ids_of_its_own_so_that_recording_again_changes_nothing(replayable):
    bench, _, run, _ = replayable
    done = bench.inspector("test", run, **AWS)
    assert done.code == 0, done.err
    (cassette,) = bench.directory.rglob("*.jsonl")
    text = cassette.read_text()
    ids = re.findall(r'x-amzn-requestid[\\"]+:[\\"]+([^\\"]+)', text)
    assert len(set(ids)) == len(ids) > 1
    assert all(re.fullmatch("req_[0-9a-f]{17}", each) for each in ids)
    assert "x-amzn-errortype" in text
