import asyncio
import json

from toolkit.call import ToolCall
from toolkit.content import text_content
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import ToolRefused
from toolkit.result import ToolResult
from toolkit.tool_class import Tool


class AddOne(Tool):
    async def run(self, call, context):
        if call.arguments["x"] < 0:
            raise ToolRefused("only from zero on")
        return call.arguments["x"] + 1


async def audit_hook(ctx, args, call_next):
    if args["x"] == 13:
        return ToolResult.error("blocked")
    result = await call_next({"x": min(args["x"], 10)})
    result.content.append(text_content("[audit]"))
    return result


def called(recording, x, *hooks):
    tool = AddOne(ToolDefinition(name="add_one"), validate=False)
    context = ToolContext(agent_name="PMO", tool_hooks=hooks)
    asyncio.run(tool(ToolCall("add_one", {"x": x}, id="c1"), context))
    return recording.spans()[-1]


def test_the_span_has_what_the_model_asked_what_it_got_and_what_happened_in_between(record):
    span = called(record(), 40, audit_hook)
    attributes = span["attributes"]
    assert span["name"] == "execute_tool add_one"
    assert attributes["gen_ai.tool.call.arguments"] == '{"x":40}'
    assert [part["text"] for part in json.loads(attributes["gen_ai.tool.call.result"])["content"]] == [
        "11",
        "[audit]",
    ]
    assert attributes["mcp.tool.structured_output_json"] == "11"
    assert {key: attributes[key] for key in attributes if key.startswith("inspector.tool")} == {
        "inspector.tool.source": "function",
        "inspector.tool.outcome": "executed",
    }
    (told,) = json.loads(attributes["inspector.middleware_json"])
    assert (told["name"], told["did"]) == ("audit_hook", "changed")
    assert told["args"] == {"before": {"x": 40}, "after": {"x": 10}}
    assert [part["text"] for part in told["result"]["after"]["content"]] == ["11", "[audit]"]


def test_a_tool_that_was_called_past_the_other_middleware_has_run_with_the_arguments_that_it_got(record):
    async def bypass(ctx, args, call_next):
        return await ctx.original_tool_func({"x": 7})

    attributes = called(record(), 1, bypass, audit_hook)["attributes"]
    assert attributes["inspector.tool.outcome"] == "executed"
    past, unreached = json.loads(attributes["inspector.middleware_json"])
    assert (past["did"], past["args"]["after"], unreached["did"]) == ("changed", {"x": 7}, "skipped")


def test_a_blocked_call_is_short_circuited_and_a_refused_one_denied(record):
    recording = record()
    blocked, refused = called(recording, 13, audit_hook), called(recording, -1)
    assert blocked["attributes"]["inspector.tool.outcome"] == "short_circuited"
    assert blocked["attributes"]["error.type"] == "tool_error"
    assert refused["attributes"]["inspector.tool.outcome"] == "denied"
    assert refused["attributes"]["error.type"] == "toolkit.errors.ToolRefused"
