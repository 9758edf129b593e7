import json

import pytest

from toolkit.definition import ToolDefinition
from toolkit.errors import ModelFailed
from toolkit.models.model import ModelRequest
from toolkit.models.scripted import ScriptedModel, Turn

HELLO = [{"role": "user", "content": "Hello, is anybody there?"}]
ADD = ToolDefinition(name="add")


def test_answers_are_given_one_after_the_other(run):
    model = ScriptedModel(["one", Turn("two"), lambda request: f"{len(request.messages)} messages"])

    async def main():
        return [await model.generate(ModelRequest(HELLO)) for _ in range(3)]

    responses = run(main())
    assert [each.message for each in responses] == [
        {"role": "assistant", "content": text} for text in ("one", "two", "1 messages")
    ]
    assert [each.id for each in responses] == ["scripted-1", "scripted-2", "scripted-3"]
    assert (responses[0].model, responses[0].finish_reason) == ("scripted", "stop")


def test_wanted_tools_have_ids_and_arguments_as_json_text(run):
    calls = [("add", {"a": 1}), ("add", "{not json")]
    model = ScriptedModel([Turn("adding", calls=calls)], name="gpt-4.1", provider="openai")
    response = run(model.generate(ModelRequest(HELLO, [ADD])))
    assert response.message == {
        "role": "assistant",
        "content": "adding",
        "tool_calls": [
            {"id": "call_1_1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}},
            {"id": "call_1_2", "type": "function", "function": {"name": "add", "arguments": "{not json"}},
        ],
    }
    assert (response.finish_reason, response.model) == ("tool_calls", "gpt-4.1")


def test_a_script_that_is_over_says_after_how_many_answers(run):
    model = ScriptedModel(["one"], name="gpt-4.1")

    async def main():
        await model.generate(ModelRequest(HELLO))
        await model.generate(ModelRequest(HELLO))

    with pytest.raises(ModelFailed, match=r"the script of gpt-4\.1 is over after 1 answers"):
        run(main())


def test_a_call_of_a_tool_that_is_not_offered_is_a_mistake_in_the_script_unless_it_is_wanted(run):
    turns = [Turn(calls=[("subtract", {})])]
    with pytest.raises(ModelFailed, match="answer 1 of scripted's script calls 'subtract'; offered: 'add'"):
        run(ScriptedModel(turns).generate(ModelRequest(HELLO, [ADD])))
    with pytest.raises(ModelFailed, match="offered: nothing"):
        run(ScriptedModel(turns).generate(ModelRequest(HELLO)))
    assert run(ScriptedModel(turns, only_offered=False).generate(ModelRequest(HELLO))).message["tool_calls"]


def test_a_tool_is_called_by_its_own_name_or_by_the_one_that_providers_take(run):
    dotted = ToolDefinition(name="shell.execute")
    for name in ("shell.execute", dotted.model_name):
        run(ScriptedModel([Turn(calls=[(name, {})])]).generate(ModelRequest(HELLO, [dotted])))


def test_an_exception_in_the_script_is_what_the_model_fails_with(run):
    model = ScriptedModel([OSError("line cut"), "back"])
    with pytest.raises(OSError, match="line cut"):
        run(model.generate(ModelRequest(HELLO)))
    assert run(model.generate(ModelRequest(HELLO))).message["content"] == "back"


def test_a_streamed_answer_comes_in_pieces_that_make_the_whole(run):
    pieces = []

    async def on_text(piece):
        pieces.append(piece)

    text = "one two three four five six seven eight nine"
    response = run(ScriptedModel([text]).generate(ModelRequest(HELLO, on_text=on_text)))
    assert pieces == ["one two three four", " five six seven eight", " nine"]
    assert response.message["content"] == text
    assert response.time_to_first_chunk_s > 0


def test_tokens_follow_from_what_is_sent_and_earlier_requests_count_as_cached(run):
    model = ScriptedModel(["yes", "still"])
    longer = [*HELLO, {"role": "assistant", "content": "yes"}, {"role": "user", "content": "And now, my friend?"}]
    first = run(model.generate(ModelRequest(HELLO))).usage
    second = run(model.generate(ModelRequest(longer))).usage
    assert first["prompt_tokens"] == len(json.dumps({"model": "scripted", "messages": HELLO})) // 4
    assert first["total_tokens"] == first["prompt_tokens"] + first["completion_tokens"]
    assert first["prompt_tokens_details"]["cached_tokens"] == 0
    assert second["prompt_tokens_details"]["cached_tokens"] == first["prompt_tokens"] < second["prompt_tokens"]


def test_each_conversation_can_have_the_script_from_its_beginning(run):
    model = ScriptedModel(["one", "two"], each_conversation=True)
    longer = [*HELLO, {"role": "assistant", "content": "one"}, {"role": "user", "content": "and?"}]
    asked = [HELLO, HELLO, longer, HELLO]
    assert [run(model.generate(ModelRequest(each))).message["content"] for each in asked] == [
        "one",
        "one",
        "two",
        "one",
    ]


def test_what_it_was_asked_is_kept_as_it_was(run):
    model = ScriptedModel(["one"])
    messages = list(HELLO)
    run(model.generate(ModelRequest(messages)))
    messages.append({"role": "assistant", "content": "one"})
    assert model.requests[0].messages == HELLO
