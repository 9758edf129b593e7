import asyncio
from contextlib import nullcontext

import pytest
from mcp.types import CallToolResult
from mcp.types import TextContent as SdkText

from instrument.testing import capture
from toolkit.content import TextContent, text_content
from toolkit.errors import ToolkitError
from toolkit.result import ToolResult

SOURCES = ["function", "mcp", "agent", "runtime"]


def hook(name, *, before=None, after=None):
    async def around(ctx, args, call_next):
        if before is not None:
            args = before(args)
        result = await call_next(args)
        return result if after is None else after(result)

    around.__name__ = name
    return around


def told(emitted):
    """What middleware did, of the last hook that was emitted."""
    return emitted[-1][1].get("middleware")


@pytest.mark.parametrize("source", SOURCES)
def test_the_first_hook_is_the_outermost_for_a_tool_of_any_source(tool, call, source):
    order = []

    def noting(name):
        async def around(ctx, args, call_next):
            order.append((name, "before", ctx.tool_source, ctx.server_name, ctx.tool_name, ctx.tool_use_id))
            result = await call_next(args)
            order.append((name, "after", result.text))
            return result

        return around

    made = tool(lambda args: args["x"] + 1, source=source)
    assert call(made, {"x": 1}, noting("a"), noting("b"), agent_name="PMO").structured == 2
    identity = (source, made.server_name, "add_one", "c1")
    assert order == [("a", "before", *identity), ("b", "before", *identity), ("b", "after", "2"), ("a", "after", "2")]


def test_a_hook_acts_before_instead_and_after(tool, call):
    made = tool(lambda args: args["x"] + 1)

    async def audit(ctx, args, call_next):
        if args["x"] < 0:
            return ToolResult.error("blocked")
        result = await call_next({"x": min(args["x"], 10)})
        result.content.append(text_content("[audit]"))
        return result

    assert call(made, {"x": 40}, audit).text == "11\n[audit]"
    assert call(made, {"x": -1}, audit) == ToolResult.error("blocked")
    assert made.calls == [{"x": 10}]


def test_what_each_hook_did_is_told_in_declared_order_beside_what_was_asked_and_what_came_of_it(tool, call):
    hooks = [
        hook("audit", after=lambda result: ToolResult([*result.content, TextContent("[audit]")])),
        hook("clamp", before=lambda args: {"x": 10}),
        hook("quiet"),
    ]
    with capture() as emitted:
        call(tool("11"), {"x": 40}, *hooks)
    (before, opening), (after, closing) = emitted
    assert (before, after) == ("before_tool_call", "after_tool_call")
    assert "middleware" not in opening
    assert opening["args"] == closing["args"] == {"x": 40}
    assert closing["result"].text == "11\n[audit]"
    eleven, audited = {"type": "text", "text": "11"}, {"type": "text", "text": "[audit]"}
    assert closing["middleware"] == [
        {
            "name": "audit",
            "did": "changed",
            "result": {
                "before": {"content": [eleven], "is_error": False},
                "after": {"content": [eleven, audited], "is_error": False},
            },
        },
        {"name": "clamp", "did": "changed", "args": {"before": {"x": 40}, "after": {"x": 10}}},
        {"name": "quiet", "did": "passed"},
    ]


def test_a_hook_that_answers_leaves_the_ones_after_it_skipped(tool, call):
    async def answer(ctx, args, call_next):
        return "from memory"

    made = tool()
    with capture() as emitted:
        assert call(made, {}, hook("outer"), answer, hook("inner")).text == "from memory"
    assert made.calls == []
    assert [(each["name"], each["did"]) for each in told(emitted)] == [
        ("outer", "passed"),
        ("answer", "answered"),
        ("inner", "skipped"),
    ]
    assert told(emitted)[1]["result"]["before"] is None


def test_arguments_changed_in_place_are_told_and_stay_the_hooks_own(tool, call):
    async def mutate(ctx, args, call_next):
        args["x"] = 2
        args["deep"]["list"].append(3)
        return await call_next(args)

    made = tool()
    asked = {"x": 1, "deep": {"list": []}}
    with capture() as emitted:
        call(made, asked, mutate)
    changed = {"x": 2, "deep": {"list": [3]}}
    assert told(emitted)[0]["args"] == {"before": {"x": 1, "deep": {"list": []}}, "after": changed}
    assert made.calls == [changed]
    assert asked == {"x": 1, "deep": {"list": []}} == emitted[-1][1]["args"]


def test_a_hook_that_calls_on_several_times_is_told_with_how_often(tool, call):
    made = tool(lambda args: args["x"])

    async def thrice(ctx, args, call_next):
        await call_next({"x": 1})
        await call_next({"x": 2})
        return await call_next(args)

    with capture() as emitted:
        assert call(made, {"x": 3}, thrice, hook("inner")).structured == 3
    assert told(emitted) == [
        {"name": "thrice", "did": "changed", "calls": 3, "attempts": [{"outcome": "ok"}] * 3},
        {"name": "inner", "did": "passed"},
    ]
    assert made.calls == [{"x": 1}, {"x": 2}, {"x": 3}]


def test_a_hook_may_call_on_at_once(tool, call):
    arrived = asyncio.Barrier(3)

    async def meet(args):
        await arrived.wait()
        return args["x"]

    async def fan_out(ctx, args, call_next):
        results = await asyncio.gather(*(call_next({"x": x}) for x in range(3)))
        return [result.structured for result in results]

    with capture() as emitted:
        result = call(tool(lambda args: meet(args)), {"x": 9}, fan_out, hook("inner"))
    assert result.structured == [0, 1, 2]
    assert [(each["did"], each.get("calls")) for each in told(emitted)] == [("changed", 3), ("passed", None)]


def test_an_exception_of_a_hook_reaches_the_caller_and_only_the_one_who_raised_it_is_told_of(tool, call):
    async def guard(ctx, args, call_next):
        raise LookupError("broken guard")

    with capture() as emitted, pytest.raises(LookupError, match="broken guard"):
        call(tool(), {}, hook("outer"), guard, hook("inner"))
    assert [name for name, _ in emitted] == ["before_tool_call", "error_tool_call"]
    assert [(each["name"], each["did"]) for each in told(emitted)] == [
        ("outer", "passed"),
        ("guard", "raised"),
        ("inner", "skipped"),
    ]


def test_a_hook_that_answers_for_an_exception_changed_it(tool, call):
    async def guard(ctx, args, call_next):
        raise LookupError("broken")

    async def mend(ctx, args, call_next):
        try:
            return await call_next(args)
        except LookupError:
            return "mended"

    with capture() as emitted:
        assert call(tool(), {}, mend, guard).text == "mended"
    mended, broken = told(emitted)
    assert (mended["did"], mended["result"]["before"]) == ("changed", None)
    assert broken == {"name": "guard", "did": "raised"}


def test_cancellation_passes_every_hook_and_ends_the_call_with_its_error_hook(tool, call):
    async def main():
        begun = asyncio.Event()

        async def wait(args):
            begun.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(call.later(tool(lambda args: wait(args)), {}, hook("outer")))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with capture() as emitted:
        asyncio.run(main())
    assert emitted[-1][0] == "error_tool_call"
    assert isinstance(emitted[-1][1]["exc"], asyncio.CancelledError)
    assert told(emitted) == [{"name": "outer", "did": "passed"}]


@pytest.mark.parametrize("watched", [False, True])
def test_a_hook_that_forgets_its_return_is_told_so(tool, call, watched):
    async def forgetful(ctx, args, call_next):
        await call_next(args)

    message = "middleware forgetful returned None; return what call_next returned, or a ToolResult"
    with pytest.raises(ToolkitError, match=message):
        if watched:
            with capture():
                call(tool(), {}, forgetful)
        else:
            call(tool(), {}, forgetful)


def test_results_and_content_of_the_mcp_sdk_are_as_good_as_our_own(tool, call):
    async def blocked(ctx, args, call_next):
        return CallToolResult(is_error=True, content=[SdkText(type="text", text="blocked")])

    async def noted(ctx, args, call_next):
        result = await call_next(args)
        result.content.append(SdkText(type="text", text="[audit]"))
        return result

    result = call(tool(), {}, noted, blocked)
    assert result == ToolResult([TextContent("blocked"), TextContent("[audit]")], is_error=True)


def test_a_value_that_cannot_be_shown_costs_the_call_nothing(tool, call):
    class Hostile:
        def __str__(self):
            raise ValueError

    seen = []
    made = tool(lambda args: seen.append(args) or "fine")
    endless = {}
    endless["self"] = endless

    with capture() as emitted:
        result = call(made, {}, hook("inject", before=lambda args: {"x": Hostile(), "y": endless}))
    assert result.text == "fine"
    assert told(emitted)[0]["args"]["after"] == "<dict that cannot be shown: ValueError>"


def test_no_snapshot_is_taken_while_nobody_watches(tool, call):
    class Untouchable:
        def __str__(self):
            raise AssertionError("looked at")

    value = Untouchable()
    made = tool(lambda args: "fine" if args["x"] is value else "other")
    assert call(made, {}, hook("inject", before=lambda args: {"x": value})).text == "fine"


def test_a_tool_called_by_its_providers_name_for_it_is_known_to_hooks_by_its_own(tool):
    from toolkit.call import ToolCall
    from toolkit.context import ToolContext

    names = []

    async def note(ctx, args, call_next):
        names.append(ctx.tool_name)
        return await call_next(args)

    asyncio.run(tool(name="shell.execute")(ToolCall("shell__execute", {}), ToolContext(tool_hooks=(note,))))
    assert names == ["shell.execute"]


def test_the_context_is_what_the_hook_contract_promises_and_leads_past_all_middleware(tool, call):
    seen = []

    async def look(ctx, args, call_next):
        seen.append(ctx)
        return await ctx.original_tool_func({"x": 7})

    async def never(ctx, args, call_next):
        raise AssertionError("the tool itself was called")

    with capture() as emitted:
        result = call(tool(lambda args: args["x"]), {"x": 1}, look, never, agent_name="PMO", correlation_id="run-1")
    (ctx,) = seen
    assert result.structured == 7
    past, unreached = told(emitted)
    assert (past["did"], past["args"]) == ("changed", {"before": {"x": 1}, "after": {"x": 7}})
    assert unreached == {"name": "never", "did": "skipped"}
    assert (ctx.agent_name, ctx.correlation_id, ctx.call_id) == ("PMO", "run-1", emitted[0][1]["call_id"])
    with pytest.raises(AttributeError):
        ctx.tool_name = "other"


@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.parametrize("watched", [False, True])
def test_a_hook_that_calls_on_without_arguments_reads_what_it_left_out(tool, call, watched, others):
    async def forgetful(ctx, args, call_next):
        return await call_next()

    hooks = [forgetful, *[hook("other")] * others]
    with capture() if watched else nullcontext(), pytest.raises(TypeError, match=r"call_next\(\) missing 1 .*'args'"):
        call(tool("function"), {"x": 1}, *hooks)
