"""Every return hint is kept by the value that it names: nothing that speaks for itself is held against a schema."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import mcp.types as sdk
import pytest
from langchain_core.messages import ToolMessage
from pydantic import BaseModel
from typing_extensions import TypedDict

from toolkit.content import Content, ImageContent, ResourceContent, TextContent, json_text
from toolkit.errors import ResultInvalid
from toolkit.functions import tool
from toolkit.models.model import Message
from toolkit.result import ToolResult

PICTURE = ImageContent("AAE=", "image/png")


class OwnMessage(TypedDict):
    role: str
    content: str


@dataclass
class DataMessage:
    content: Any
    tool_call_id: str | None = None
    role: Literal["tool"] = "tool"


class ModelMessage(BaseModel):
    """As PyAgenity's, whose tools return ``Message.tool_message(content=…, tool_call_id=…)``."""

    role: Literal["user", "assistant", "system", "tool"]
    content: Any
    tool_call_id: str | None = None
    metadata: dict[str, Any] | None = None

    @classmethod
    def tool_message(cls, content: Any, tool_call_id: str | None = None) -> "ModelMessage":
        return cls(role="tool", content=content, tool_call_id=tool_call_id)


MESSAGE: Message = {"role": "tool", "tool_call_id": "call-1", "content": "24"}
WEATHER = {"city": "Bonn", "temp_c": 24}


@pytest.mark.parametrize(
    ("hint", "value", "content"),
    [
        (Message, MESSAGE, [TextContent("24")]),
        (list[Message], [MESSAGE, MESSAGE], [TextContent("24"), TextContent("24")]),
        (Message | list[Message] | str, "24", [TextContent("24")]),
        (list[TextContent | ImageContent], [TextContent("a"), PICTURE], [TextContent("a"), PICTURE]),
        (list[Content], [TextContent("1"), PICTURE], [TextContent("1"), PICTURE]),
        (list[ImageContent | TextContent] | None, [PICTURE], [PICTURE]),
        (tuple[TextContent, ImageContent], (TextContent("a"), PICTURE), [TextContent("a"), PICTURE]),
        (Sequence[Content], [TextContent("a")], [TextContent("a")]),
        (TextContent, TextContent("a"), [TextContent("a")]),
        (ImageContent, PICTURE, [PICTURE]),
        (ResourceContent, ResourceContent("file:///x"), [ResourceContent("file:///x")]),
        (ToolResult, ToolResult([PICTURE]), [PICTURE]),
        (dict, MESSAGE, [TextContent("24")]),
        (dict[str, Any], {"role": "tool", "content": WEATHER}, [TextContent(json_text(WEATHER))]),
        (dict, ToolResult([TextContent("a")]), [TextContent("a")]),
        (list, [TextContent("a")], [TextContent("a")]),
        (list[dict], [MESSAGE], [TextContent("24")]),
        (ToolMessage, ToolMessage("24", tool_call_id="call-1"), [TextContent("24")]),
        (sdk.CallToolResult, sdk.CallToolResult(content=[sdk.TextContent(type="text", text="a")]), [TextContent("a")]),
        (sdk.TextContent, sdk.TextContent(type="text", text="a"), [TextContent("a")]),
        (list[sdk.TextContent], [sdk.TextContent(type="text", text="a")], [TextContent("a")]),
        (
            list[sdk.TextContent | sdk.ImageContent],
            [sdk.ImageContent(type="image", data="AAE=", mime_type="image/png")],
            [PICTURE],
        ),
        (OwnMessage, OwnMessage(role="tool", content="24"), [TextContent("24")]),
        (DataMessage, DataMessage("24"), [TextContent("24")]),
        (list[DataMessage], [DataMessage("24")], [TextContent("24")]),
        (ModelMessage, ModelMessage.tool_message(WEATHER, "call-1"), [TextContent(json_text(WEATHER))]),
        (list[ModelMessage], [ModelMessage.tool_message("24")], [TextContent("24")]),
    ],
)  # fmt: skip
def test_content_and_messages_are_kept_as_their_return_hint_names_them(call, hint, value, content):
    def give(): ...

    give.__annotations__["return"] = hint
    made = tool(_returning(give, value))
    result = call(made)
    assert (result.is_error, result.content) == (False, content)


def _returning(function, value):
    def give():
        return value

    give.__annotations__ = function.__annotations__
    return give


@pytest.mark.parametrize("hint", [Message, list[Message], OwnMessage, DataMessage, ToolMessage, sdk.CallToolResult])
def test_content_and_messages_promise_no_structured_output(hint):
    def give(): ...

    give.__annotations__["return"] = hint
    assert tool(give).output_schema is None


@pytest.mark.parametrize("value", ["Bonn", None, [1], float("nan")])
def test_what_is_neither_the_hinted_value_nor_content_breaks_the_promise(call, value):
    @tool
    def weather() -> dict[str, int]:
        return value

    assert isinstance(call(weather).exception, ResultInvalid)


class State:
    """As PyAgenity's ``AgentState``: the application's own."""


def get_weather(city: str, tool_call_id: str | None = None, state: State | None = None) -> ModelMessage:
    return ModelMessage.tool_message({"city": city, "temp_c": 24}, tool_call_id)


def get_weathers(city: str, tool_call_id: str | None = None) -> list[ModelMessage]:
    return [ModelMessage.tool_message(city, tool_call_id)]


def web_search(query: str, num_results: int = 10) -> str:
    return f"{num_results} for {query}"


async def analyze_text(text: str) -> dict:
    return {"sentiment": "positive", "length": len(text)}


def search_documents(query: str, limit: int = 10) -> dict:
    return {"results": [], "total": 0}


def extract_keywords(text: str, max_keywords: int = 5) -> list[str]:
    return ["keyword1", "keyword2"]


def add_one(x: int) -> int:
    return x + 1


@pytest.mark.parametrize(
    ("function", "arguments", "text", "structured"),
    [
        (get_weather, {"city": "Paris"}, '{"city": "Paris", "temp_c": 24}', {"city": "Paris", "temp_c": 24}),
        (get_weathers, {"city": "Paris"}, "Paris", None),
        (web_search, {"query": "x"}, "10 for x", None),
        (analyze_text, {"text": "a"}, '{"sentiment": "positive", "length": 1}', {"sentiment": "positive", "length": 1}),
        (search_documents, {"query": "x", "limit": 5}, '{"results": [], "total": 0}', {"results": [], "total": 0}),
        (extract_keywords, {"text": "x"}, '["keyword1", "keyword2"]', ["keyword1", "keyword2"]),
        (add_one, {"x": 3}, "4", 4),
    ],
)  # fmt: skip
def test_every_function_of_the_designs_that_the_toolkit_joins_returns_what_it_says(
    call, function, arguments, text, structured
):
    result = call(tool(function), **arguments)
    assert (result.is_error, result.text, result.structured) == (False, text, structured)
