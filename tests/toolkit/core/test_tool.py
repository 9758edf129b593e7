import asyncio
import json
import sys

import pytest

from instrument.testing import capture
from toolkit.call import ToolCall
from toolkit.content import TextContent
from toolkit.context import ApprovalRequest, ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import ArgumentsInvalid, DefinitionInvalid, ExtraMissing, ToolkitError, ToolRefused
from toolkit.formats import call_of, offer
from toolkit.functions import FunctionTool, tool
from toolkit.middleware.guardrails import Allow, Refuse, Rewrite
from toolkit.result import ToolResult
from toolkit.tool_class import Tool


@tool
async def double(x: int) -> int:
    return 2 * x


def names(emitted):
    return [name for name, _ in emitted]


def changed(call, **arguments):
    return Rewrite(ToolCall(call.name, {**call.arguments, **arguments}, call.id))


def test_a_call_emits_before_and_after_with_one_id_and_who_calls(call):
    with capture() as emitted:
        result = call(double, ToolContext(agent_name="PMO", correlation_id="order-1"), x=2)
    (before, opening), (after, closing) = emitted
    assert (before, after) == ("before_tool_call", "after_tool_call")
    assert opening["call_id"] == closing["call_id"] == opening["context"].call_id
    assert (opening["tool_name"], opening["args"]) == ("double", {"x": 2})
    context = opening["context"]
    assert (context.agent_name, context.tool_source, context.server_name) == ("PMO", "function", None)
    assert (context.correlation_id, context.tool_name) == ("order-1", "double")
    assert closing["result"] is result


def test_what_a_tool_raises_is_told_to_the_model_and_to_the_error_hook(call):
    failure = ValueError("no such city")

    @tool
    async def weather() -> str:
        raise failure

    with capture() as emitted:
        result = call(weather)
    assert (result.is_error, result.text, result.exception) == (True, "ValueError: no such city", failure)
    assert names(emitted) == ["before_tool_call", "error_tool_call"]
    assert emitted[1][1]["exc"] is failure


def test_a_failure_that_is_returned_is_no_exception(call):
    @tool
    async def weather() -> ToolResult:
        return ToolResult.error("no such city")

    with capture() as emitted:
        assert call(weather).is_error
    assert names(emitted) == ["before_tool_call", "after_tool_call"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("x"), "KeyError: 'x'"),
        (RuntimeError(), "RuntimeError"),
        (ToolkitError("mend it"), "mend it"),
        (ExceptionGroup("several", [ValueError("a"), ExceptionGroup("more", [ToolkitError("b")])]), "ValueError: a; b"),
    ],
)
def test_the_model_reads_what_went_wrong(call, error, said):
    @tool
    async def fail() -> None:
        raise error

    assert call(fail).text == said


def test_an_exception_that_cannot_be_written_is_told_by_its_type(call):
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    @tool
    async def fail() -> None:
        raise Mute

    assert call(fail).text == "Mute"


def test_hooks_cannot_change_or_stop_a_call(call):
    import instrument

    def vandal(**keywords):
        keywords.clear()
        raise RuntimeError

    instrument.register("before_tool_call", vandal)
    instrument.register("after_tool_call", vandal)
    try:
        assert call(double, x=2).structured == 4
    finally:
        instrument.unregister("before_tool_call", vandal)
        instrument.unregister("after_tool_call", vandal)


def test_nothing_of_credentials_or_dependencies_reaches_a_hook(call):
    context = ToolContext(credentials={"key": "s3cret"}, dependencies={"db": "s3cret"}, state={"a": "s3cret"})
    with capture() as emitted:
        call(double, context, x=2)
    assert len(emitted) == 2
    assert "s3cret" not in repr(emitted)
    hook_context = emitted[0][1]["context"]
    told = {name: getattr(hook_context, name) for name in hook_context.__slots__}
    assert "s3cret" not in repr(told)
    assert "s3cret" not in repr(ToolContext(credentials={"key": "s3cret"}, dependencies={"db": "s3cret"}))


def test_a_cancelled_call_ends_with_its_error_hook_and_stays_cancelled():
    async def main():
        started = asyncio.Event()

        @tool
        async def wait() -> None:
            started.set()
            await asyncio.Event().wait()

        running = asyncio.create_task(wait({}))
        await started.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    with capture() as emitted:
        asyncio.run(main())
    assert names(emitted) == ["before_tool_call", "error_tool_call"]
    assert isinstance(emitted[1][1]["exc"], asyncio.CancelledError)


def test_a_timeout_around_a_call_is_the_callers():
    @tool
    async def wait() -> None:
        await asyncio.Event().wait()

    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await wait({})

    with capture() as emitted:
        asyncio.run(main())
    assert names(emitted) == ["before_tool_call", "error_tool_call"]


def test_what_middleware_raises_goes_on_to_the_caller_and_to_the_error_hook(call):
    async def broken(ctx, args, call_next):
        raise RuntimeError("middleware")

    with capture() as emitted, pytest.raises(RuntimeError, match="middleware"):
        call(double, ToolContext(tool_hooks=(broken,)), x=2)
    assert names(emitted) == ["before_tool_call", "error_tool_call"]
    with pytest.raises(RuntimeError, match="middleware"):
        call(double, ToolContext(tool_hooks=(broken,)), x=2)


@pytest.mark.parametrize("watched", [True, False])
def test_middleware_changes_arguments_and_result_and_the_call_itself_stays(watched):
    async def more(ctx, args, call_next):
        args["x"] += 1
        result = await call_next(args)
        result.content.append(TextContent("[audit]"))
        return result

    given = ToolCall("double", {"x": 2})

    async def main():
        return await double(given, ToolContext(tool_hooks=(more,)))

    if watched:
        with capture():
            result = asyncio.run(main())
    else:
        result = asyncio.run(main())
    assert (result.structured, result.content[-1]) == (6, TextContent("[audit]"))
    assert given.arguments == {"x": 2}


def test_a_nested_call_is_inside_the_outer_one_with_ids_of_its_own(call):
    @tool
    async def outer(x: int, context: ToolContext) -> int:
        inner = await double({"x": x}, context)
        return inner.structured + 1

    with capture() as emitted:
        assert call(outer, x=2).structured == 5
    assert names(emitted) == ["before_tool_call", "before_tool_call", "after_tool_call", "after_tool_call"]
    outer_id, inner_id, inner_end, outer_end = (keywords["call_id"] for _, keywords in emitted)
    assert (outer_id, inner_id) == (outer_end, inner_end)
    assert outer_id != inner_id


def test_permissions_that_are_missing_are_named_and_the_tool_does_not_run(call):
    @tool(permissions=["read", "write"])
    async def save() -> str:
        return "saved"

    assert call(save).text == "saved"
    assert call(save, ToolContext(permissions=frozenset({"read", "write"}))).text == "saved"
    result = call(save, ToolContext(permissions=frozenset({"read"})))
    assert result.text == "save needs the permission 'write'"
    assert isinstance(result.exception, ToolRefused)


def test_guardrails_allow_rewrite_and_refuse_in_their_order(call):
    seen = []

    def look(call, _context):
        seen.append(dict(call.arguments))
        return Allow()

    async def clamp(call, _context):
        return changed(call, x=min(call.arguments["x"], 10))

    def no_negatives(call, _context):
        return Refuse("x must not be negative") if call.arguments["x"] < 0 else None

    @tool(input_guardrails=[look, clamp, no_negatives, look])
    async def triple(x: int) -> int:
        return 3 * x

    assert call(triple, x=50).structured == 30
    assert seen == [{"x": 50}, {"x": 10}]
    result = call(triple, x=-1)
    assert (result.is_error, result.text) == (True, "x must not be negative")
    assert isinstance(result.exception, ToolRefused)


def test_what_a_guardrail_makes_of_the_arguments_is_held_against_the_schema(call):
    @tool(input_guardrails=[lambda call, _context: changed(call, x="ten")])
    async def triple(x: int) -> int: ...

    assert isinstance(call(triple, x=1).exception, ArgumentsInvalid)


def test_output_guardrails_see_the_result_and_may_withhold_it(call):
    def hide(result, _context):
        return Rewrite(ToolResult.of(result.text.replace("secret", "…")))

    def withhold(result, _context):
        return Refuse("withheld") if "nuclear" in result.text else None

    @tool(output_guardrails=[hide, withhold])
    async def say(words: str) -> str:
        return words

    assert call(say, words="a secret").text == "a …"
    assert call(say, words="nuclear").text == "withheld"


def test_guardrails_may_be_added_later(call):
    @tool
    async def say(words: str) -> str:
        return words

    say.add_input_guardrails([lambda call, _context: changed(call, words="in")])
    say.add_output_guardrails([lambda result, _context: Rewrite(ToolResult.of(result.text + " out"))])
    assert call(say, words="").text == "in out"


def test_a_guardrail_that_decides_nothing_known_is_named(call):
    def unsure(call, _context):
        return True

    @tool(input_guardrails=[unsure])
    async def say() -> str: ...

    assert call(say).text == "guardrail unsure returned bool; expected None, Allow, Rewrite or Refuse"


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_on_error_func_makes_the_result_and_hooks_still_see_the_error(call, kind):
    failure = ValueError("broken")

    def said(error, context):
        return ToolResult.error(f"sorry: {error}")

    async def said_later(error, context):
        return said(error, context)

    @tool(on_error_func=said if kind == "sync" else said_later)
    async def fail() -> None:
        raise failure

    with capture() as emitted:
        result = call(fail)
    assert result.text == "sorry: broken"
    assert emitted[-1][1]["exc"] is failure


def test_on_error_func_may_make_a_success_or_raise(call):
    def failing(then):
        @tool(on_error_func=then)
        async def fail() -> None:
            raise ValueError("broken")

        return fail

    with capture() as emitted:
        assert not call(failing(lambda error, context: ToolResult.of("all well"))).is_error
    assert names(emitted)[-1] == "after_tool_call"

    def again(error, context):
        raise error

    with capture() as emitted, pytest.raises(ValueError, match="broken"):
        call(failing(again))
    assert names(emitted)[-1] == "error_tool_call"


def test_on_error_func_is_set_once(call):
    @tool
    async def fail() -> None:
        raise ValueError

    fail.add_on_error_func(lambda error, context: ToolResult.error("first"))
    assert call(fail).text == "first"
    with pytest.raises(DefinitionInvalid, match="fail has an on_error_func already"):
        fail.add_on_error_func(lambda error, context: ToolResult.error("second"))


def test_arguments_that_could_not_be_read_are_told_before_any_guardrail(call):
    def look(call, _context):
        raise AssertionError("it was asked")

    @tool(input_guardrails=[look])
    async def say(words: str) -> str: ...

    async def main():
        return await say(call_of({"function": {"name": "say", "arguments": "{words"}}))

    result = asyncio.run(main())
    assert result.text.startswith("the arguments are not valid JSON")
    assert result.text.endswith("call say again with a JSON object")


def test_a_person_is_asked_about_the_arguments_that_are_used(call):
    asked = []

    async def approve(request: ApprovalRequest):
        asked.append(dict(request.arguments))
        return True

    async def middleware(ctx, args, call_next):
        return await call_next({**args, "amount": 20})

    @tool(input_guardrails=[lambda call, _context: changed(call, to="Bob")])
    async def pay(amount: int, to: str, context: ToolContext) -> str:
        await context.ask("pay?")
        return f"{amount} to {to}"

    result = call(pay, ToolContext(approver=approve, tool_hooks=(middleware,)), amount=10, to="Ann")
    assert result.text == "20 to Bob"
    assert asked == [{"amount": 20, "to": "Bob"}]


def test_nobody_to_ask_and_a_no_are_refusals(call):
    @tool
    async def pay(context: ToolContext) -> str:
        await context.ask("pay?")
        return "paid"

    async def no(request):
        return False

    assert call(pay).text == "pay needs a person's approval and nobody can be asked"
    assert call(pay, ToolContext(approver=no)).text == "a person refused pay: pay?"


def test_a_tool_written_by_hand_overrides_what_it_wants(call):
    class Echo(Tool):
        def __init__(self):
            super().__init__(
                ToolDefinition(
                    name="echo",
                    description="Say it again.",
                    input_schema={"type": "object", "properties": {"x": {"type": "integer"}}},
                    output_schema={"type": "string"},
                )
            )
            self.seen = []

        async def on_invoke(self, call, context):
            self.seen.append("invoke")

        async def run(self, call, context):
            self.seen.append("run")
            if call.arguments["x"] == 0:
                raise ValueError("zero")
            return ToolResult(structured=str(call.arguments["x"]))

        async def on_output(self, result, context):
            self.seen.append("output")
            return result

        async def on_error(self, error, context):
            self.seen.append("error")
            return await super().on_error(error, context)

    echo = Echo()
    assert (echo.name, echo.description, echo.strict) == ("echo", "Say it again.", False)
    assert echo.input_schema["properties"] == {"x": {"type": "integer"}}
    assert call(echo, x=42).structured == "42"
    assert call(echo, x=0).text == "ValueError: zero"
    assert call(echo, x="not an int").is_error
    assert echo.seen == ["invoke", "run", "output", "invoke", "run", "error", "invoke", "error"]


def test_a_definition_whose_schema_is_none_is_refused_when_the_tool_is_made():
    class Echo(Tool):
        async def run(self, call, context): ...

    with pytest.raises(DefinitionInvalid, match="no valid JSON Schema"):
        Echo(ToolDefinition(name="echo", input_schema={"type": "nothing"}))


def test_a_tool_made_of_a_function_says_that_it_needs_pydantic(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(ExtraMissing, match=r"needs pydantic: pip install 'mcp-agent-inspector\[toolkit\]'"):
        tool(lambda x: x, name="x")


def test_a_tools_schemas_are_as_json_has_them():
    assert json.loads(json.dumps(offer(double.definition)))["function"]["parameters"]["required"] == ["x"]


def test_arguments_can_be_held_against_a_definition_alone():
    definition = ToolDefinition(
        name="test_tool",
        description="Test",
        input_schema={"type": "object", "properties": {"x": {"type": "integer"}}},
        output_schema={"type": "string"},
    )
    definition.check_arguments({"x": 42})
    with pytest.raises(
        ArgumentsInvalid, match="invalid arguments for test_tool: x: expected an integer, found"
    ) as caught:
        definition.check_arguments({"x": "not an int"})
    assert [each.path for each in caught.value.problems] == ["x"]


def test_whoever_sees_the_context_finds_the_call_under_way_in_it():
    seen = []

    def note(_, context):
        seen.append(context.call.name)

    class Noting(FunctionTool):
        async def on_invoke(self, call, context):
            note(call, context)
            return call

    async def plain() -> str:
        return "done"

    async def injected(context: ToolContext) -> None:
        note(None, context)

    async def broken() -> None:
        raise OSError

    def answer(error, context):
        note(error, context)
        return ToolResult.error("broken")

    tools = [
        FunctionTool(injected),
        FunctionTool(plain, name="before", input_guardrails=[note]),
        FunctionTool(plain, name="after", output_guardrails=[note]),
        FunctionTool(broken, on_error_func=answer),
        Noting(plain, name="subclass"),
    ]
    for made in tools:
        for _ in range(2):
            asyncio.run(made({}))
    assert seen == [name for name in ("injected", "before", "after", "broken", "subclass") for _ in range(2)]
