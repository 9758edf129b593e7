import asyncio

import pytest

from toolkit.agents import Agent, AgentTool, Limits
from toolkit.errors import DefinitionInvalid, NoAnswer
from toolkit.functions import tool
from toolkit.models.scripted import ScriptedModel, Turn


def insistent(name):
    """A model that calls one tool for ever."""
    return lambda request: Turn(calls=[(name, {"message": "you do it"})])


class Stubborn(ScriptedModel):
    """Answers every request with the same turn."""

    def __init__(self, name):
        super().__init__([insistent(name)] * 100_000)


def two_that_have_each_other(**options):
    first = Agent("first", model=Stubborn("agent__second"), **options)
    second = Agent("second", model=Stubborn("agent__first"), tools=[first])
    first.node.register(AgentTool(second))
    return first, second


def asked(*agents):
    return sum(len(each.model.requests) for each in agents)


def test_two_agents_that_call_each_other_stop(run):
    first, second = two_that_have_each_other()
    result = run(first.run("go"))
    path = "first > second > first > … > second > first"
    assert result.problem == f"agents called agents 10 deep ({path}), and Limits(depth=10) allows no more"
    assert result.is_error
    assert asked(first, second) == 10
    with pytest.raises(NoAnswer, match="10 deep"):
        run(first("go"))


def test_agents_that_call_each_other_by_plain_functions_stop_as_well(run):
    @tool
    async def ask_other(message: str) -> str:
        return await other(message)

    first = Agent("first", model=Stubborn("ask_other"), tools=[ask_other])
    other = Agent("other", model=Stubborn("ask_first"))

    @tool
    def ask_first(message: str) -> str:
        return asyncio.run(first(message))

    other.node.register(ask_first)
    result = run(first.run("go"))
    assert "and Limits(depth=10) allows no more" in result.problem
    assert asked(first, other) == 10


def test_agents_that_call_each_other_end_at_once_when_they_are_cancelled(run):
    async def main():
        calls = 0

        class Hurried(Stubborn):
            async def generate(self, request):
                nonlocal calls
                calls += 1
                if calls == 100:
                    task.cancel()
                return await super().generate(request)

        unlimited = Limits(depth=None, turns=None, calls=None, tokens=None)
        first = Agent("first", model=Hurried("agent__second"), limits=unlimited)
        first.node.register(Agent("second", model=Hurried("agent__first"), tools=[first]))
        task = asyncio.create_task(first.run("go"))
        async with asyncio.timeout(60):
            with pytest.raises(asyncio.CancelledError):
                await task
        return calls

    assert run(main()) == 100


def test_a_run_that_begins_after_a_cancellation_goes_on(run):
    async def main():
        asyncio.current_task().cancel()
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            return await Agent("a", model=ScriptedModel(["cleaned up"]))("clean up")

    assert run(main()) == "cleaned up"


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(turns=3), "solo asked models 3 times, and Limits(turns=3) allows no more"),
        (Limits(calls=2), "solo wanted 3 tool calls, and Limits(calls=2) allows no more"),
        (Limits(cost=0.5, cost_of=lambda response: 0.25), "solo cost 0.5, and Limits(cost=0.5) allows no more"),
    ],
)
def test_a_run_ends_at_each_limit_with_a_result_that_says_so(run, limits, said):
    def look(message: str) -> str:
        return "nothing"

    result = run(Agent("solo", model=Stubborn("look"), tools=[look], limits=limits).run("go"))
    assert result.problem == said
    assert result.messages[-1]["role"] == "tool"


def test_tokens_are_counted_and_the_answer_that_reaches_the_limit_still_counts(run):
    tight = Limits(tokens=5)
    answer = run(Agent("a", model=ScriptedModel(["Here it is."]), limits=tight).run("go"))
    assert (answer.text, answer.problem) == ("Here it is.", None)

    def look(message: str) -> str:
        return "nothing"

    result = run(Agent("a", model=Stubborn("look"), tools=[look], limits=tight).run("go"))
    used = result.usage["total_tokens"]
    assert result.problem == f"a used {used} tokens, and Limits(tokens=5) allows no more"


def test_what_called_agents_spend_is_spent_by_the_run(run):
    child = Agent("child", model=ScriptedModel(["done"] * 9))
    parent = Agent("parent", model=Stubborn("agent__child"), tools=[child], limits=Limits(turns=4))
    result = run(parent.run("go"))
    assert result.problem == "parent asked models 4 times, and Limits(turns=4) allows no more"
    assert (asked(parent), asked(child)) == (2, 2)


def test_an_agents_own_limits_end_its_part_of_the_run_alone(run):
    def look(message: str) -> str:
        return "nothing"

    child = Agent("child", model=Stubborn("look"), tools=[look], limits=Limits(turns=2))
    turns = [Turn(calls=[("agent__child", {"message": "look"})]), "It did not find it."]
    parent = Agent("parent", model=ScriptedModel(turns), tools=[child])
    result = run(parent.run("go"))
    assert (result.text, result.problem) == ("It did not find it.", None)
    assert result.messages[2]["content"] == "child asked models 2 times, and Limits(turns=2) allows no more"


def test_each_run_begins_with_nothing_spent(run):
    agent = Agent("a", model=ScriptedModel(["one", "two"]), limits=Limits(turns=1))
    assert [run(agent.run("go")).text for _ in range(2)] == ["one", "two"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"turns": 0}, r"Limits\(turns=0\): expected a number above 0, or None for no limit"),
        ({"depth": "deep"}, r"Limits\(depth='deep'\)"),
        ({"calls": True}, r"Limits\(calls=True\)"),
        ({"cost": 1}, "needs cost_of"),
    ],
)
def test_limits_that_are_none_are_refused(options, said):
    with pytest.raises(DefinitionInvalid, match=said):
        Limits(**options)
