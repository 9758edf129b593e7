import json

import pytest
from recorded_events import facts

from inspector.integrations.anthropic.answers import MessageAnswer


def text_of(parts):
    return "".join(json.dumps(part["arguments"]) if part["type"] == "tool_call" else part["content"] for part in parts)


def asked_of(recorded, event):
    held = json.loads(bytes(event.input))
    if event.kind == "tool":
        return json.dumps(held)
    if event.kind == "agent":
        return held[0]["content"]
    # A tool runner sends what was asked first again, or nothing of it, depending on its version.
    last = held[-1]["parts"][0]
    return last["content"] if last["type"] == "text" else ""


def result_of(recorded, event):
    # What came before a stream broke off or was left is there; the ledger holds whole answers.
    if not event.output or (event.kind == "llm" and recorded.ending(event) != "ok"):
        return None
    held = json.loads(bytes(event.output))
    if event.kind == "llm":
        return text_of(held[0]["parts"])
    if event.kind == "agent":
        return held["content"][0]["text"]
    content = held["content"]
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def parent_of(recorded, event):
    parent = recorded.parent(event)
    if parent is None or parent.name != "invoke_agent tool_runner":
        return parent and parent.name
    return f"tool_runner of {asked_of(recorded, parent)}"


def as_told(recorded, event):
    return {
        "name": event.name,
        "asked": asked_of(recorded, event),
        "result": result_of(recorded, event),
        "parent": parent_of(recorded, event),
        "status": recorded.ending(event),
        "error": event.error and event.error.type.rpartition(".")[2],
        "tokens": None if event.input_tokens is None else [event.input_tokens, event.output_tokens],
    }


@pytest.fixture(scope="module", params=["current", pytest.param("oldest", marks=pytest.mark.slow)])
def recorded(request, run):
    return run("anthropic_calls.py", within=request.param).parts["all"]


def test_every_call_is_recorded_once_and_as_the_program_saw_it(recorded):
    own = [event for event in recorded.events if event.name not in ("invoke_agent one", "invoke_agent two")]
    told = sorted((as_told(recorded, event) for event in own), key=json.dumps)
    assert told == recorded.ledger


def test_the_id_of_the_request_is_recorded_with_each_answer_whole_or_streamed(recorded):
    answered = [facts(event) for event in recorded.of("llm") if event.output]
    ids = {tuple(held.get("http.response.header.request-id", ())) for held in answered}
    assert len(ids) == len(answered)
    assert () not in ids
    assert any(held.get("gen_ai.request.stream") for held in answered)


def test_a_tool_says_which_call_of_the_model_it_answers(recorded):
    (crashed,) = (event for event in recorded.of("tool") if event.name == "execute_tool crash")
    held = facts(crashed)
    assert held["gen_ai.tool.call.id"] == "call_crash_1"
    assert crashed.error.message == "it broke"
    assert 'raise ValueError("it broke")' in crashed.error.traceback


def test_a_tool_call_names_the_function_behind_it(recorded):
    named = {event.tool: facts(event).get("code.function.name") for event in recorded.events}
    assert str(named["crash"]).endswith(".crash")


def test_no_key_is_recorded_and_nothing_is_printed(recorded):
    assert not any(b"planted" in bytes(event.attributes) for event in recorded.events)
    assert recorded.stderr == ""


def test_what_came_of_a_message_before_its_end_is_kept():
    answer = MessageAnswer()
    assert answer.response() is None
    answer.add({"type": "message_start", "message": {"id": "m", "content": [], "usage": {"input_tokens": 3}}})
    answer.add({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    answer.add({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "half"}})
    answer.add({"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": {"n": 1}}})
    answer.add(
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "input": {}}}
    )
    answer.add(
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a": '}}
    )
    answer.add({"type": "ping"})
    assert answer.response() == {
        "id": "m",
        "usage": {"input_tokens": 3},
        "content": [
            {"type": "text", "text": "half", "citations": [{"n": 1}]},
            {"type": "tool_use", "id": "t", "input": '{"a": '},
        ],
    }
