import asyncio

import pytest

from toolkit.agents import Agent
from toolkit.agents.requests import UnifiedRequest, handle
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.errors import SpecInvalid, ToolUnknown
from toolkit.functions import FunctionTool
from toolkit.middleware.retry import Retry
from toolkit.node import ToolNode
from toolkit.node.registry import Registry
from toolkit.result import ToolResult


def shell(version=""):
    return FunctionTool(lambda: f"ran {version}".strip(), name="shell.execute", version=version)


async def guard(ctx, args, call_next):
    return ToolResult.error("blocked") if ctx.tool_name == "shell.execute" else await call_next(args)


@pytest.mark.parametrize("written", ["shell.execute", "shell__execute", "shell.execute@", "shell__execute@"])
def test_no_way_to_write_a_name_leads_past_middleware_that_goes_by_names(written):
    node = ToolNode([shell()], tool_hooks=[guard])
    [result] = asyncio.run(node.invoke([{"name": written, "args": {}}]))
    assert result.is_error
    assert result.text == "blocked" or result.text.startswith(f"there is no tool '{written}'; did you mean")


def test_a_request_names_no_version_either():
    agent = Agent("agent", tools=[shell()], tool_hooks=[guard])
    result = asyncio.run(handle(UnifiedRequest("agent.shell.execute@"), [agent]))
    assert result.text.startswith("there is no tool 'shell.execute@'")


def test_a_tool_that_is_called_by_another_name_tells_its_own():
    seen = []

    async def see(ctx, args, call_next):
        seen.append(ctx.tool_name)
        return await call_next(args)

    asyncio.run(shell()(ToolCall("shell.execute@1", {}), ToolContext(tool_hooks=(see,))))
    assert seen == ["shell.execute"]


def test_a_name_with_nothing_behind_the_at_is_the_one_without_a_version():
    plain, second = shell(), shell("2")
    registry = Registry([plain, second])
    assert registry.get("shell.execute@") is plain
    assert registry.get("shell.execute") is second
    registry.unregister("shell.execute@")
    assert list(registry) == [second]
    with pytest.raises(ToolUnknown, match="there is no tool 'shell.execute@'"):
        registry.get("shell.execute@")


def test_a_tool_without_a_version_is_taken_away_alone():
    plain, second = shell(), shell("2")
    node = ToolNode([plain, second])
    node.unregister(plain)
    assert [each.version for each in node.definitions()] == ["2"]


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        (Retry, r"Retry is a class; .*, Retry\(…\)"),
        (lambda: 1, r"<lambda> is no 'async def'; write it as: async def hook\(ctx, args, call_next\)"),
    ],
)
def test_what_can_be_no_middleware_is_refused_when_the_node_is_made(hook, said):
    with pytest.raises(SpecInvalid, match="tool_hooks: a str cannot be called; write it as: async def hook"):
        ToolNode([shell()], tool_hooks=["hooks.py:audit"])
    for make in (lambda: ToolNode([shell()], tool_hooks=[hook]), lambda: Agent("a", tool_hooks=[hook])):
        with pytest.raises(SpecInvalid, match=said):
            make()


@pytest.mark.parametrize("in_order", [True, False])
def test_a_tool_that_cancels_its_own_task_ends_its_own_call_alone(in_order):
    async def give_up() -> str:
        asyncio.current_task().cancel()
        await asyncio.sleep(0)
        return "never"

    async def fine() -> str:
        return "fine"

    node, calls = ToolNode([give_up, fine]), [{"name": "give_up", "args": {}}, {"name": "fine", "args": {}}]

    async def main():
        if in_order:
            return await node.invoke(calls)
        found = {call.name: result async for call, result in node.as_completed(calls)}
        return [found["give_up"], found["fine"]]

    results = asyncio.run(main())
    assert [(each.is_error, each.text) for each in results] == [(True, "give_up was cancelled"), (False, "fine")]
    assert asyncio.CancelledError is type(results[0].exception)


def test_middleware_in_a_list_is_as_good_as_in_a_tuple_and_one_permission_is_one():
    context = ToolContext(tool_hooks=[guard], permissions="administrator")
    assert (context.tool_hooks, context.permissions) == ((guard,), frozenset({"administrator"}))
    node = ToolNode([shell()], tool_hooks=[guard])
    [result] = asyncio.run(node.invoke([{"name": "shell.execute", "args": {}}], context=context))
    assert result.text == "blocked"
    guarded = FunctionTool(lambda: "ran", name="wipe", permissions="admin")
    assert asyncio.run(guarded({}, context)).text == "wipe needs the permission 'admin'"
