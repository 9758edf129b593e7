"""What a hook takes out of a result is gone for everybody, however the hook takes it out."""

import asyncio
import json
from dataclasses import replace

import pytest
from mcp.types import CallToolResult
from mcp.types import TextContent as SdkText

from instrument.testing import capture
from toolkit import ToolContext, ToolNode, ToolResult
from toolkit import tool as as_tool
from toolkit.content import ImageContent, ResourceContent, TextContent, text_content
from toolkit.errors import DefinitionInvalid, ToolRefused
from toolkit.formats.mcp import mcp_result
from toolkit.middleware.guardrails import Rewrite
from toolkit.middleware.redact import Redact

SECRET = "abc0"
LOG = {"log": f"token={SECRET}", "lines": 1}


def blank(text):
    return text.replace(SECRET, "[secret]")


async def in_place(ctx, args, call_next):
    """As a hook of fast-agent is written."""
    result = await call_next(args)
    for c in result.content:
        if c.type == "text":
            c.text = blank(c.text)
    return result


async def another(ctx, args, call_next):
    result = await call_next(args)
    return replace(result, content=[text_content(blank(each.text)) for each in result.content])


async def of_the_sdk(ctx, args, call_next):
    result = await call_next(args)
    content = [SdkText(type="text", text=blank(each.text)) for each in result.content]
    return CallToolResult(content=content, isError=result.isError, structuredContent=result.structuredContent)


async def structured_alone(ctx, args, call_next):
    result = await call_next(args)
    result.structured = {**result.structured, "log": blank(result.structured["log"])}
    return result


async def structured_in_place(ctx, args, call_next):
    result = await call_next(args)
    result.structured["log"] = blank(result.structured["log"])
    return result


async def past_the_chain(ctx, args, call_next):
    result = await ctx.original_tool_func(args)
    return replace(result, content=[text_content(blank(each.text)) for each in result.content])


HOOKS = [in_place, another, of_the_sdk, structured_alone, structured_in_place, past_the_chain]


@as_tool
def read_log() -> dict:
    """Return the log."""
    return dict(LOG)


def everything(result, emitted):
    """All that a model, an MCP client, a chain, a workflow and the record get of a call."""
    return repr([result, result.text, mcp_result(result), result.snapshot(), emitted])


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.__name__)
def test_what_a_hook_blanks_is_gone_for_the_model_and_everybody_else(call, hook):
    with capture() as emitted:
        result = call(read_log, {}, hook)
    assert SECRET not in everything(result, emitted)
    assert result.structured == {"log": "token=[secret]", "lines": 1} == json.loads(result.text)


@pytest.mark.parametrize("hook", [in_place, another, of_the_sdk, past_the_chain], ids=lambda hook: hook.__name__)
def test_what_a_hook_blanks_is_gone_for_the_tool_that_called(hook):
    got = []

    @as_tool
    def keep(log: str, lines: int) -> str:
        got.append(log)
        return log

    @as_tool
    async def both(context: ToolContext) -> None:
        await keep((await read_log({}, context)).structured, context)

    asyncio.run(both({}, ToolContext(tool_hooks=(hook,))))
    assert got == ["token=[secret]"]


@pytest.mark.parametrize("value", [[f"token={SECRET}", "b"], f'"{SECRET}"', 7])
def test_a_list_and_a_number_are_seen_by_a_hook_that_looks_at_text(call, tool, value):
    seen = []

    async def look(ctx, args, call_next):
        result = await call_next(args)
        seen.extend(c.text for c in result.content if c.type == "text")
        return result

    assert call(tool(lambda args: value), {}, look).text == seen[0]


def searched(args):
    return ToolResult([TextContent("1 hit"), TextContent(f"secret.txt: {SECRET}")], structured={"hits": [SECRET]})


@pytest.mark.parametrize(
    "change",
    [
        lambda content: [content[0]],
        lambda content: [content[0], TextContent("withheld")],
        lambda content: [TextContent(blank(each.text)) for each in content],
        lambda content: [],
    ],
)
def test_structured_output_goes_with_the_words_for_it_that_are_taken_away(call, tool, change):
    async def hook(ctx, args, call_next):
        result = await call_next(args)
        return replace(result, content=change(result.content))

    with capture() as emitted:
        result = call(tool(searched), {}, hook)
    assert result.structured is None
    assert SECRET not in everything(result, emitted)


def test_words_that_are_added_leave_structured_output_as_it_is(call, tool):
    async def append(ctx, args, call_next):
        result = await call_next(args)
        result.content.append(text_content("[audit]"))
        return result

    async def extend(ctx, args, call_next):
        result = await call_next(args)
        result.content[0].text += " [audit]"
        return result

    for hook in (append, extend):
        assert call(tool(searched), {}, hook).structured == {"hits": [SECRET]}
        assert call(read_log, {}, hook).structured == LOG


def test_a_hook_further_out_finds_nothing_of_what_one_further_in_took_away(call):
    async def look(ctx, args, call_next):
        result = await call_next(args)
        assert SECRET not in repr(result)
        return result

    with capture() as emitted:
        assert not call(read_log, {}, look, in_place).is_error
    assert [each["did"] for each in emitted[-1][1]["middleware"]] == ["passed", "changed"]


def test_text_that_is_no_value_any_more_leaves_no_structured_output(call):
    async def hook(ctx, args, call_next):
        result = await call_next(args)
        result.content[0].text = "withheld"
        return result

    result = call(read_log, {}, hook)
    assert (result.text, result.structured) == ("withheld", None)


@pytest.mark.parametrize(("error", "kind"), [(ValueError(SECRET), Exception), (ToolRefused(SECRET), ToolRefused)])
def test_an_exception_says_no_more_than_the_hook_leaves_of_it(call, tool, error, kind):
    def fail(args):
        raise error

    with capture() as emitted:
        result = call(tool(fail), {}, in_place)
    assert SECRET not in everything(result, emitted)
    assert isinstance(result.exception, kind)
    assert emitted[-1][0] == "error_tool_call"
    assert call(tool(fail), {}).exception is error


def test_what_an_output_guardrail_rewrites_is_gone_everywhere_too(call):
    guarded = as_tool(lambda: dict(LOG), name="guarded")
    guarded.add_output_guardrails(
        [lambda result, context: Rewrite(replace(result, content=[TextContent(blank(result.text))]))]
    )
    with capture() as emitted:
        result = call(guarded, {})
    assert SECRET not in everything(result, emitted)
    assert result.structured == {"log": "token=[secret]", "lines": 1}


def test_what_was_taken_out_is_never_recorded(call):
    with capture() as emitted:
        call(read_log, {}, in_place)
    (told,) = emitted[-1][1]["middleware"]
    assert SECRET not in repr(told)
    assert told["did"] == "changed"
    assert set(told["result"]) == {"after"}


def test_redaction_reaches_both_forms_of_a_result(call, tool):
    result = call(tool(searched), {}, Redact(["abc0"]))
    assert (result.text, result.structured) == ("1 hit\nsecret.txt: [redacted]", {"hits": ["[redacted]"]})


async def audit_hook(ctx, args, call_next):
    """The hook of fast-agent's specification, word for word."""
    # before: enforce limits
    if ctx.tool_name.endswith("add_one"):
        args = dict(args or {})
        args["x"] = min(int(args.get("x", 0)), 10)

    # instead: block unsafe tools
    if ctx.tool_source == "runtime" and ctx.tool_name == "shell.execute":
        return CallToolResult(isError=True, content=[text_content("blocked")])

    # call original tool
    result = await call_next(args)

    # after: log or modify result
    result.content.append(text_content("[audit]"))
    return result


def test_the_hook_of_the_specification_blocks_limits_and_marks(call, tool):
    blocked = call(tool(name="shell.execute", source="runtime"), {}, audit_hook)
    assert blocked == ToolResult([TextContent("blocked")], is_error=True)
    assert call(tool(lambda args: args["x"] + 1), {"x": 40}, audit_hook).text == "11\n[audit]"


def test_an_attribute_that_results_do_not_have_is_named(call, tool):
    async def hook(ctx, args, call_next):
        result = await call_next(args)
        return result.output

    [result] = asyncio.run(ToolNode([tool()], tool_hooks=[hook]).invoke([{"name": "add_one"}]))
    assert result.text == "AttributeError: 'ToolResult' object has no attribute 'output'"


def test_text_that_a_hook_sets_to_something_else_is_refused_in_words(call):
    async def hook(ctx, args, call_next):
        result = await call_next(args)
        result.content[0].text = {"log": "[secret]"}
        return result

    with pytest.raises(DefinitionInvalid, match="the text of content was set to dict; expected text"):
        call(read_log, {}, hook)


def test_content_that_is_no_text_is_refused_in_words():
    with pytest.raises(TypeError, match="TextContent takes text, not int; a tool may return any value as it is"):
        TextContent(5)
    for of_bytes in (
        lambda: ImageContent(b"\x89PNG", "image/png"),
        lambda: ResourceContent("file:///a", blob=b"\x89PNG"),
    ):
        with pytest.raises(TypeError, match=r"takes base64 text, not bytes; for bytes: base64.b64encode\(data\)"):
            of_bytes()
