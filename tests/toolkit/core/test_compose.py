import asyncio

import pytest

from instrument.testing import capture
from toolkit.agents import Agent
from toolkit.compose import chain, together
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.functions import tool
from toolkit.models.scripted import ScriptedModel
from toolkit.result import ToolResult
from toolkit.workflows import sequence


@tool
async def search(query: str, limit: int = 3) -> dict:
    """Search documents."""
    return {"text": f"{limit} about {query}"}


@tool
async def summarize(text: str, words: int = 5) -> str:
    """Make a text short."""
    return f"short: {text}"


@tool
async def shout(text: str) -> str:
    return text.upper()


@tool
async def fail(text: str) -> str:
    raise ValueError("no")


def test_what_one_tool_returns_becomes_the_arguments_of_the_next(call):
    made = chain(search, summarize, shout, name="brief")
    assert made.description == "Search documents.; then: Make a text short.; then: shout"
    assert made.input_schema == search.input_schema
    assert call(made, query="tools").text == "SHORT: 3 ABOUT TOOLS"


def test_a_function_between_two_tools_makes_the_arguments(call):
    made = chain(
        search, lambda result: {"text": result.structured["text"][:7]}, summarize, name="brief", description="Brief."
    )
    assert made.description == "Brief."
    assert call(made, query="tools").text == "short: 3 about"


def test_each_part_of_a_chain_is_a_call_of_its_own_with_the_same_middleware(call):
    seen = []

    async def audit(ctx, args, call_next):
        seen.append(ctx.tool_name)
        return await call_next(args)

    with capture() as emitted:
        call(chain(search, shout, name="brief"), ToolContext(tool_hooks=(audit,)), query="x")
    assert [(name.split("_")[0], keywords["tool_name"]) for name, keywords in emitted] == [
        ("before", "brief"),
        ("before", "search"),
        ("after", "search"),
        ("before", "shout"),
        ("after", "shout"),
        ("after", "brief"),
    ]
    assert seen == ["brief", "search", "shout"]


def test_a_chain_ends_with_the_first_failure(call):
    result = call(chain(search, fail, shout, name="brief"), query="x")
    assert (result.is_error, result.text) == (True, "ValueError: no")
    assert call(chain(search, shout, name="brief"), limit="x").text.startswith("invalid arguments for search")


def test_a_chain_asks_for_the_permissions_of_its_parts(call):
    @tool(permissions=["read"])
    async def read() -> str:
        return "x"

    made = chain(read, shout, name="brief")
    assert made.definition.permissions == ("read",)
    assert call(made, ToolContext(permissions=frozenset())).text == "brief needs the permission 'read'"


def test_a_chain_of_chains_is_a_chain(call):
    inner = chain(search, summarize, name="inner")
    assert call(chain(inner, shout, name="outer"), query="x").text == "SHORT: 3 ABOUT X"


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "begins and ends with a tool"),
        ([len, search], "begins and ends with a tool"),
        ([search, len], "begins and ends with a tool"),
        ([search, len, len, shout], "two functions in a row"),
    ],
)
def test_a_chain_that_leads_nowhere_is_refused(steps, said):
    with pytest.raises(DefinitionInvalid, match=said):
        chain(*steps, name="brief")


def test_a_tool_whose_arguments_nobody_makes_says_so(call):
    @tool
    async def compare(one: str, other: str) -> str: ...

    result = call(chain(shout, compare, name="brief"), text="x")
    assert result.text == "compare takes one, other; put a function before it that makes them"


def test_tools_together_share_the_arguments_and_answer_under_their_names(call):
    @tool
    async def first(query: str, upper: bool = False) -> str:
        return query[:1]

    made = together(search, first, name="both")
    assert made.input_schema["required"] == ["query"]
    assert list(made.input_schema["properties"]) == ["query", "limit", "upper"]
    assert call(made, query="tools", limit=1).structured == {"search": {"text": "1 about tools"}, "first": "t"}


def test_tools_together_run_at_the_same_time(call):
    async def main():
        meeting = asyncio.Barrier(2)

        async def meet() -> str:
            await meeting.wait()
            return "met"

        made = together(tool(meet, name="a"), tool(meet, name="b"), name="both")
        async with asyncio.timeout(30):
            return await made({})

    assert asyncio.run(main()).structured == {"a": "met", "b": "met"}


def test_tools_together_fail_only_if_all_of_them_do(call):
    result = call(together(shout, fail, name="both"), text="x")
    assert not result.is_error
    assert result.structured == {"shout": "X", "fail": "ValueError: no"}
    assert result.metadata == {"failed": ["fail"]}
    assert call(together(fail, name="one"), text="x").is_error


def test_tools_together_have_to_mean_the_same_by_an_argument():
    @tool
    async def count(text: int) -> int: ...

    with pytest.raises(DefinitionInvalid, match="both: count means something else by 'text' than the tools before it"):
        together(shout, count, name="both")
    with pytest.raises(DefinitionInvalid, match="give it tools with different names"):
        together(shout, shout, name="both")
    with pytest.raises(DefinitionInvalid, match="give it tools with different names"):
        together(name="none")


def test_a_part_may_answer_with_a_failure_of_its_own(call):
    @tool
    async def refuse(text: str) -> ToolResult:
        return ToolResult.error("no", code=7)

    result = call(chain(refuse, shout, name="brief"), text="x")
    assert (result.text, result.metadata) == ("no", {"code": 7})


def test_agents_and_workflows_are_parts_as_the_tools_that_they_are():
    writer = Agent("writer", model=ScriptedModel(["a draft"]))
    loud = sequence("loud", str.upper)
    both = chain(writer, lambda result: {"message": result.text}, loud, name="write_loud")
    assert asyncio.run(both({"message": "Begin"})).text == "A DRAFT"
    assert list(together(Agent("a"), Agent("b"), name="all").input_schema["properties"]) == ["message"]
