import json

import anyio
import pytest

from inspector.demo.model import ScriptedModel, Turn
from instrument.testing import capture

HELLO = [{"role": "user", "content": "Hello, is anybody there?"}]


def test_a_streamed_answer_is_the_text_of_its_turn():
    text = "one two three four five six seven eight nine"
    model = ScriptedModel("gpt-4.1", iter([Turn(text, delay_s=0)]))
    with capture() as hooks:
        message = anyio.run(model.generate, HELLO, [])
    (_, before), (name, after) = hooks
    assert message == {"role": "assistant", "content": text}
    assert before["prompt"]["messages"] == HELLO
    assert name == "after_llm_generate"
    assert after["time_to_first_chunk"] > 0
    assert after["response"]["choices"][0]["finish_reason"] == "stop"


def test_wanted_tools_have_ids_and_arguments_as_json_text():
    model = ScriptedModel("gpt-4.1", iter([Turn(calls=(("add", {"a": 1}), ("add", {"a": 2})), delay_s=0)]))
    message = anyio.run(model.generate, HELLO, [])
    assert [call["id"] for call in message["tool_calls"]] == ["call_1a", "call_1b"]
    assert [json.loads(call["function"]["arguments"]) for call in message["tool_calls"]] == [{"a": 1}, {"a": 2}]


def test_what_was_sent_before_counts_as_cached():
    model = ScriptedModel("gpt-4.1", iter([Turn("yes", delay_s=0), Turn("still", delay_s=0)]))
    longer = [*HELLO, {"role": "assistant", "content": "yes"}, {"role": "user", "content": "And now?"}]
    with capture() as hooks:
        anyio.run(model.generate, HELLO, [])
        anyio.run(model.generate, longer, [])
    first, second = [values["usage"] for name, values in hooks if name == "after_llm_generate"]
    assert first["prompt_tokens_details"]["cached_tokens"] == 0
    assert second["prompt_tokens_details"]["cached_tokens"] == first["prompt_tokens"] < second["prompt_tokens"]


def test_a_script_that_is_over_says_so_and_ends_the_call_with_its_error():
    model = ScriptedModel("gpt-4.1", iter([]))
    with capture() as hooks, pytest.raises(LookupError, match="gpt-4.1 is over after 0 answers"):
        anyio.run(model.generate, HELLO, [])
    assert [name for name, _ in hooks] == ["before_llm_generate", "error_llm_generate"]
