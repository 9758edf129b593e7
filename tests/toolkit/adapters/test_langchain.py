import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import (
    BaseToolkit,
    InjectedToolArg,
    InjectedToolCallId,
    StructuredTool,
    Tool,
    ToolException,
)
from langchain_core.tools import tool as langchain_tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field

from instrument.testing import capture
from toolkit.adapters import as_tool
from toolkit.adapters.langchain import from_langchain
from toolkit.content import ImageContent, ResourceContent, TextContent
from toolkit.context import ToolContext
from toolkit.errors import ArgumentsInvalid, DefinitionInvalid
from toolkit.node import ToolNode

_ROOT = Path(__file__).parents[3]


class Place(BaseModel):
    city: str = Field(description="Where.", min_length=2)
    days: int = 1


@langchain_tool(args_schema=Place)
async def forecast(city: str, days: int) -> dict:
    """Tell the weather to come."""
    return {"city": city, "days": days}


def invoke(tools, *calls, state=None, **context):
    written = [{"type": "tool_call", "id": f"c{n}", **call} for n, call in enumerate(calls)]
    return asyncio.run(ToolNode(tools).invoke(written, state, context=ToolContext(**context)))


def called(tool, args, **given):
    (result,) = invoke([tool], {"name": tool.name, "args": args}, **given)
    return result


def test_a_langchain_tool_is_told_of_as_langchain_tells_models_and_called_beside_functions():
    def shout(text: str) -> str:
        return text.upper()

    node = ToolNode([forecast, shout])
    definition = node.definitions()[0]

    assert node.all_tools_sync()[0] == convert_to_openai_tool(forecast)
    assert (definition.name, definition.description) == ("forecast", "Tell the weather to come.")
    assert definition.input_schema["properties"]["city"] == {"type": "string", "description": "Where.", "minLength": 2}
    results = invoke(
        [forecast, shout], {"name": "forecast", "args": {"city": "Rome"}}, {"name": "shout", "args": {"text": "hi"}}
    )
    assert [each.text for each in results] == ['{"city": "Rome", "days": 1}', "HI"]


def test_arguments_that_do_not_fit_are_told_with_path_and_expectation():
    result = called(forecast, {"city": "R", "days": "many"})

    assert result.is_error
    assert isinstance(result.exception, ArgumentsInvalid)
    assert [each.path for each in result.exception.problems] == ["city", "days"]
    assert "city: expected at least 2 characters, found 1" in result.text


def test_a_tool_described_by_a_schema_alone_is_checked_by_it():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    made = StructuredTool(name="twice", description="d", args_schema=schema, func=lambda n: 2 * n)

    assert called(made, {"n": 4}).text == "8"
    assert called(made, {"n": "four"}).text.startswith("invalid arguments for twice: n: expected")


def test_an_old_tool_of_one_argument_takes_its_one_argument():
    old = Tool(name="old", func=str.upper, description="In capitals.")

    assert called(old, {"__arg1": "hi"}).text == "HI"


def test_a_toolkit_of_langchain_gives_all_of_its_tools():
    class Kit(BaseToolkit):
        def get_tools(self):
            return [forecast, Tool(name="old", func=str.upper, description="In capitals.")]

    assert [each.name for each in ToolNode([Kit()]).definitions()] == ["forecast", "old"]


def test_what_langchain_keeps_from_models_comes_from_the_context_and_never_from_the_model():
    class InjectedState(InjectedToolArg):
        pass

    @langchain_tool
    def look(
        x: int,
        call_id: Annotated[str, InjectedToolCallId],
        state: Annotated[dict, InjectedState],
        tenant: Annotated[str, InjectedToolArg],
        region: Annotated[str, InjectedToolArg] = "north",
    ) -> str:
        """Look."""
        return f"{x} {call_id} {state['user']} {tenant} {region}"

    tool = as_tool(look)
    sent = {"x": 1, "call_id": "forged", "state": {"user": "Eve"}, "tenant": "other", "region": "south"}

    result = called(look, sent, state={"user": "Ada"}, dependencies={"tenant": "acme"})

    assert list(tool.input_schema["properties"]) == ["x"]
    assert result.text == "1 c0 Ada acme north"


def test_a_missing_dependency_is_named():
    @langchain_tool
    def look(tenant: Annotated[str, InjectedToolArg]) -> str:
        """Look."""
        return tenant

    assert "no dependency 'tenant'" in str(called(look, {}).exception)


def test_an_artifact_is_kept_for_the_application_and_not_shown_to_the_model():
    @langchain_tool(response_format="content_and_artifact")
    def draw() -> tuple:
        """Draw."""
        return "drawn", {"pixels": [1, 2]}

    result = called(draw, {})

    assert (result.text, result.metadata) == ("drawn", {"artifact": {"pixels": [1, 2]}})


def test_handled_and_unhandled_failures_are_both_results():
    def fail() -> str:
        raise ToolException("out of stock")

    handled = StructuredTool.from_function(fail, name="handled", description="d", handle_tool_error=True)
    unhandled = StructuredTool.from_function(fail, name="unhandled", description="d")

    assert (called(handled, {}).is_error, called(handled, {}).text) == (True, "out of stock")
    assert (called(unhandled, {}).is_error, called(unhandled, {}).text) == (True, "ToolException: out of stock")


def test_pictures_and_text_in_a_message_stay_what_they_are():
    @langchain_tool
    def show() -> list:
        """Show."""
        return [
            {"type": "text", "text": "Here:"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
            {"type": "image", "base64": "aGk=", "mime_type": "image/gif"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/webp", "data": "aGk="}},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        ]

    assert called(show, {}).content == [
        TextContent("Here:"),
        ImageContent("aGk=", "image/png"),
        ImageContent("aGk=", "image/gif"),
        ImageContent("aGk=", "image/webp"),
        ResourceContent("https://example.org/a.png"),
    ]


def test_a_name_that_models_do_not_take_is_refused():
    with pytest.raises(DefinitionInvalid, match="'Old Tool' cannot be a tool's name"):
        from_langchain(Tool(name="Old Tool", func=str.upper, description="d"))


def test_a_langchain_tool_passes_the_hooks_and_the_middleware_once():
    seen = []

    async def note(ctx, args, call_next):
        seen.append((ctx.tool_name, ctx.tool_source))
        return await call_next({**args, "days": 7})

    async def main():
        node = ToolNode([forecast], tool_hooks=[note])
        return await node.invoke([{"name": "forecast", "args": {"city": "Rome"}}])

    with capture() as captured:
        (result,) = asyncio.run(main())

    assert result.text == '{"city": "Rome", "days": 7}'
    assert seen == [("forecast", "function")]
    assert [name for name, _ in captured] == ["before_tool_call", "after_tool_call"]


def test_a_node_of_functions_imports_neither_langchain_nor_composio():
    program = """
import sys
from toolkit.node import ToolNode
def shout(text: str) -> str:
    return text.upper()
ToolNode([shout]).all_tools_sync()
print(*sorted({"langchain_core", "composio", "httpx", "mcp", "openai"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=_ROOT, check=False)

    assert (done.stdout, done.stderr) == ("\n", "")


def test_the_calls_of_a_langchain_model_go_straight_into_a_node():
    call = {"name": "forecast", "args": {"city": "Rome"}, "id": "c1", "type": "tool_call"}
    model = GenericFakeChatModel(messages=iter([AIMessage(content="", tool_calls=[call])]))

    async def main():
        return await ToolNode([forecast]).messages(await model.ainvoke("What will it be like?"))

    assert asyncio.run(main()) == [{"role": "tool", "tool_call_id": "c1", "content": '{"city": "Rome", "days": 1}'}]
