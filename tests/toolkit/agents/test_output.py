import json
from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from toolkit.agents import Agent
from toolkit.errors import DefinitionInvalid, NoAnswer
from toolkit.models.scripted import ScriptedModel, Turn


class Booking(BaseModel):
    hotel: str
    nights: int


@dataclass
class Place:
    city: str


def test_an_answer_is_a_checked_value_of_the_type(run):
    model = ScriptedModel([Turn(calls=[("look", {})]), '{"hotel": "Casa", "nights": 2}'])

    def look() -> str:
        return "Casa"

    agent = Agent("clerk", instruction="You book.", model=model, tools=[look], output=Booking)
    result = run(agent.run("Book it"))
    assert result.output == Booking(hotel="Casa", nights=2)
    assert (result.text, result.problem, result.turns) == ('{"hotel": "Casa", "nights": 2}', None, 2)
    said = model.requests[0].messages[0]["content"]
    assert said.startswith("You book.\n\nWhen you are done, answer with JSON alone")
    assert json.loads(said.partition("Schema:\n")[2])["required"] == ["hotel", "nights"]


@pytest.mark.parametrize(
    ("kind", "answer", "value"),
    [
        (Place, '```json\n{"city": "Oslo"}\n```', Place("Oslo")),
        (list[int], "[1, 2]", [1, 2]),
        (bool, "true", True),
    ],
)
def test_any_type_will_do_and_a_fence_around_the_answer_does_not_matter(run, kind, answer, value):
    assert run(Agent("a", model=ScriptedModel([answer]), output=kind).run("go")).output == value


def test_what_does_not_fit_is_told_to_the_model(run):
    answers = ["Two nights at Casa", '{"hotel": "Casa", "nights": "two"}', '{"hotel": "Casa", "nights": 2}']
    model = ScriptedModel(answers)
    result = run(Agent("clerk", model=model, output=Booking).run("Book it"))
    assert result.output == Booking(hotel="Casa", nights=2)
    first, second = (each.messages[-1]["content"] for each in model.requests[1:])
    assert first.startswith("the answer is not JSON alone: ")
    assert second.startswith("the answer does not fit its schema: nights: ")


def test_what_does_not_fit_is_told_in_the_words_of_the_schema_that_the_model_was_told(run):
    model = ScriptedModel(['{"hotel": 3, "stars": 2}', '{"hotel": "Casa", "nights": 2}'])
    run(Agent("clerk", model=model, output=Booking).run("Book it"))
    assert model.requests[1].messages[-1]["content"] == (
        "the answer does not fit its schema: hotel: expected a string, found the number 3; "
        "missing 'nights', which is an integer; answer again"
    )


def test_answers_that_never_fit_are_no_answer(run):
    agent = Agent("clerk", model=ScriptedModel(["no idea"] * 6), output=Booking)
    result = run(agent.run("Book it"))
    assert result.problem.startswith("clerk gave no answer of its type in 3 attempts: the answer is not JSON alone")
    assert (result.output, result.turns) == (None, 3)
    with pytest.raises(NoAnswer):
        run(agent("Book it"))


def test_the_value_is_what_a_caller_of_the_agent_as_a_tool_gets(run):
    clerk = Agent("clerk", model=ScriptedModel(['{"hotel": "Casa", "nights": 2}']), output=Booking)
    result = run(clerk.as_tool()({"message": "Book it"}))
    assert result.structured == {"hotel": "Casa", "nights": 2}


def test_a_task_may_be_messages_with_pictures(run):
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    asked = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture]},
    ]
    model = ScriptedModel(["A cat."])
    result = run(Agent("a", model=model).run(asked))
    assert model.requests[0].messages == asked
    assert result.messages == [*asked, {"role": "assistant", "content": "A cat."}]


@pytest.mark.parametrize("task", [[], 42, [{"content": "no role"}], {"role": "user"}])
def test_a_task_that_is_neither_text_nor_messages_is_refused(run, task):
    with pytest.raises(DefinitionInvalid, match="a task is text, or a list of messages with a role and content, not"):
        run(Agent("a", model=ScriptedModel(["x"])).run(task))


@pytest.mark.parametrize(
    ("kind", "said"), [(memoryview, "no JSON stands for memoryview"), (3, "output: expected a type")]
)
def test_what_no_answer_can_be_is_refused_when_the_agent_is_made(kind, said):
    with pytest.raises(DefinitionInvalid, match=said):
        Agent("a", output=kind)
