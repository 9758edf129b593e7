"""A tool made of tools is a function that calls them with its own context."""

import asyncio

from instrument.testing import capture
from toolkit.adapters import as_tools
from toolkit.agents import Agent
from toolkit.agents.workflow import Workflow
from toolkit.context import ToolContext
from toolkit.functions import tool
from toolkit.models.scripted import ScriptedModel


@tool(permissions=["read"])
async def search(query: str) -> str:
    return f"about {query}"


@tool
async def shout(text: str) -> str:
    return text.upper()


@tool
async def brief(query: str, context: ToolContext) -> str:
    """Search, and say it loud."""
    first = await search({"query": query}, context)
    return first.text if first.is_error else (await shout({"text": first.text}, context)).text


def test_each_part_is_a_call_of_its_own_with_the_same_middleware(call):
    passed = []

    async def audit(ctx, args, call_next):
        passed.append(ctx.tool_name)
        return await call_next(args)

    with capture() as emitted:
        assert call(brief, ToolContext(tool_hooks=(audit,)), query="x").text == "ABOUT X"
    assert [(name.split("_")[0], keywords["tool_name"]) for name, keywords in emitted] == [
        ("before", "brief"),
        ("before", "search"),
        ("after", "search"),
        ("before", "shout"),
        ("after", "shout"),
        ("after", "brief"),
    ]
    assert passed == ["brief", "search", "shout"]


def test_its_parts_ask_for_their_permissions(call):
    assert call(brief, ToolContext(permissions=frozenset()), query="x").text == "search needs the permission 'read'"


def test_a_workflow_of_tools_and_agents_is_one_tool():
    async def work(task, context):
        draft = await Agent("writer", model=ScriptedModel(["a draft"])).run(task, context=context)
        return await shout({"text": draft.text}, context)

    [both] = as_tools(Workflow("both", work))
    assert both.name == "agent__both"
    assert asyncio.run(both({"message": "Begin"})).text == "A DRAFT"
