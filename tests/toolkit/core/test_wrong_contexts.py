import asyncio

import pytest

from toolkit.agents import Agent
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.functions import tool
from toolkit.node import ToolNode


@tool
async def pay(context: ToolContext) -> str:
    await context.ask("pay?")
    await context.send("paying")
    return "paid"


@pytest.mark.parametrize(
    "give",
    [
        lambda given: asyncio.run(pay({}, given)),
        lambda given: ToolNode([pay], context=given),
        lambda given: Agent("clerk", context=given),
        lambda given: asyncio.run(Agent("clerk", tools=[pay]).call("pay", {}, context=given)),
    ],
)
def test_what_is_no_context_is_refused(give):
    with pytest.raises(DefinitionInvalid, match=r"the context is of type dict; expected ToolContext\(…\)"):
        give({"user": "ann"})


@pytest.mark.parametrize("name", ["approver", "output"])
def test_who_is_asked_and_told_is_a_function(name):
    with pytest.raises(DefinitionInvalid, match=f"{name} is 'terminal'; expected a function that"):
        ToolContext(**{name: "terminal"})


def test_who_is_asked_and_told_may_be_a_plain_function():
    sent = []
    context = ToolContext(approver=lambda request: request.question == "pay?", output=sent.append)
    assert (asyncio.run(pay({}, context)).text, sent) == ("paid", ["paying"])


def test_one_middleware_or_one_tool_alone_is_a_list_of_it():
    async def noting(ctx, args, call_next):
        return call_next(args)  # not awaited, which does no harm

    context = ToolContext(tool_hooks=noting, approver=lambda request: True)
    [result] = asyncio.run(ToolNode(pay, tool_hooks=noting).invoke([{"name": "pay"}], context=context))
    assert result.text == "paid"


@pytest.mark.parametrize("wrong", [0, "3", True])
def test_how_many_calls_run_at_a_time_is_a_number_above_zero(wrong):
    with pytest.raises(DefinitionInvalid, match="expected at least 1, or None for no limit"):
        ToolNode([pay], max_parallel=wrong)
