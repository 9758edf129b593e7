import json

import pytest

from toolkit.definition import ToolDefinition
from toolkit.errors import ExtraMissing, ScriptInvalid, SpecInvalid
from toolkit.models.model import ModelRequest
from toolkit.models.named import models_named
from toolkit.models.openai import OpenAIModel
from toolkit.models.scripts import Script

PMO = """\
model: gpt-4.1-mini
provider: openai
turns:
  - text: Let me look.
    calls:
      - {name: add_one, arguments: {x: 3}}
      - {name: add_one}
    delay_s: 0
  - "You asked {message} and it is {results}."
agents:
  NY-Project-Manager:
    - "{message}: on track"
"""


def write(directory, text, name="script.yaml"):
    path = directory / name
    path.write_text(text)
    return path


def user(text):
    return {"role": "user", "content": text}


def test_a_file_has_answers_for_several_agents(run, tmp_path):
    script = Script.read(write(tmp_path, PMO))
    lead = script.model_for("PMO-orchestrator")
    assert (lead.name, lead.provider) == ("gpt-4.1-mini", "openai")

    tools = [ToolDefinition(name="add_one")]
    first = run(lead.generate(ModelRequest([user("3+1?")], tools))).message
    calls = [(each["function"]["name"], each["function"]["arguments"]) for each in first["tool_calls"]]
    assert (first["content"], calls) == ("Let me look.", [("add_one", '{"x": 3}'), ("add_one", "{}")])
    results = [{"role": "tool", "content": "4", "tool_call_id": "call_1_1"}]
    results += [{"role": "tool", "content": "{message}", "tool_call_id": "call_1_2"}]
    second = run(lead.generate(ModelRequest([user("3+1?"), first, *results], tools))).message
    assert second["content"] == "You asked 3+1? and it is 4; {message}."

    child = script.model_for("NY-Project-Manager")
    answers = [run(child.generate(ModelRequest([user(each)]))).message["content"] for each in ("OpenAI", "Anthropic")]
    assert answers == ["OpenAI: on track", "Anthropic: on track"]


def test_a_list_of_turns_is_for_any_agent_and_json_needs_no_extra(run, tmp_path, monkeypatch):
    import sys

    path = write(tmp_path, json.dumps(["one", {"text": "two"}]), "script.json")
    monkeypatch.setitem(sys.modules, "yaml", None)
    model = Script.read(path).model_for("anybody")
    assert run(model.generate(ModelRequest([user("?")]))).message["content"] == "one"
    with pytest.raises(ExtraMissing, match=r"reading .*script.yaml needs yaml"):
        Script.read(write(tmp_path, PMO))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("42", "expected a mapping, found a number"),
        ("model: m", "no turns in it; expected a list of turns, or a mapping with turns or agents"),
        (
            "turn: []",
            "unknown key 'turn'; did you mean 'turns'?; allowed: agents, chunk_delay_s, model, provider, turns",
        ),
        ("- {txt: hi}", "turns[0]: unknown key 'txt'; did you mean 'text'?; allowed: calls, delay_s, text"),
        ("- {text: 3}", "turns[0].text: expected text, found a number; put it into quotes"),
        ("- {calls: {add: 1}}", "turns[0].calls: expected a list, found a mapping"),
        ("- {calls: [{arguments: {}}]}", "turns[0].calls[0].name: is missing"),
        (
            "- {calls: [{name: a, arguments: 3}]}",
            "turns[0].calls[0].arguments: expected a mapping, or text that is sent ",
        ),
        ("- {delay_s: soon}", "turns[0].delay_s: expected seconds, 0 or more, found 'soon'"),
        ("- {delay_s: -1}", "turns[0].delay_s: expected seconds, 0 or more, found -1"),
        ("agents: {NY: hello}", "agents.NY: expected a list, found text"),
        ("{turns: [], model: 3}", "model: expected text, found a number; put it into quotes"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_place(tmp_path, text, said):
    path = write(tmp_path, text)
    with pytest.raises(ScriptInvalid) as caught:
        Script.read(path)
    assert str(caught.value).startswith(f"{path}: {said}")
    assert "\n" not in str(caught.value)


def test_what_is_no_yaml_is_told_with_its_line(tmp_path):
    path = write(tmp_path, "turns:\n  - [")
    with pytest.raises(ScriptInvalid) as caught:
        Script.read(path)
    assert str(caught.value).startswith(f"{path}:2: not valid YAML: expected the node content")


def test_a_file_that_cannot_be_read_or_has_nothing_for_an_agent_is_told(tmp_path):
    with pytest.raises(ScriptInvalid, match="gone.yaml: cannot be read: No such file"):
        Script.read(tmp_path / "gone.yaml")
    with pytest.raises(ScriptInvalid, match="not valid JSON"):
        Script.read(write(tmp_path, "{", "script.json"))
    script = Script.read(write(tmp_path, "agents: {NY: [hi]}"))
    with pytest.raises(ScriptInvalid, match="nothing for the agent 'LA'; it has NY"):
        script.model_for("LA")


def test_a_model_is_found_by_its_name(tmp_path):
    write(tmp_path, PMO)
    assert models_named("scripted:script.yaml", tmp_path)("NY-Project-Manager").name == "gpt-4.1-mini"
    assert models_named("gpt-4.1")("a").name == "gpt-4.1"
    models = models_named("openai:gpt-4.1")
    assert isinstance(models("a"), OpenAIModel)
    assert models("a") is models("b")
    assert (models("a").name, models("a").provider) == ("gpt-4.1", "openai")


@pytest.mark.parametrize("spec", ["openai:", "openai", "scripted:", "scripted", "other:x", ""])
def test_what_names_no_model_says_what_would(spec):
    with pytest.raises(SpecInvalid, match="names no model; expected openai:NAME, NAME alone, or scripted:FILE"):
        models_named(spec)
