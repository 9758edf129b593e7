"""LangChain's tools as ours."""

from collections.abc import Sequence
from dataclasses import replace
from inspect import isclass
from typing import Any, cast

from pydantic import ValidationError

from toolkit.call import ToolCall
from toolkit.content import Content, ImageContent, ResourceContent, as_content
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import ArgumentsInvalid
from toolkit.extras import need
from toolkit.plain import member
from toolkit.result import ToolResult
from toolkit.schemas.validation import problems_found
from toolkit.tool_class import Tool


def from_langchain(tool: Any) -> Tool:
    """Return a LangChain tool as one of ours.

    Its name, description and schema are what LangChain tells models. It is invoked with LangChain's own ``ainvoke``,
    so its callbacks, its ``handle_tool_error`` and the configuration of the run around it stay in force. An artifact
    is found in ``metadata["artifact"]`` of the result.

    Arguments that LangChain keeps from models are the context's: ``state`` is the state, any other one the dependency
    of its name; the id of the call LangChain fills in. What a model sends for them is dropped.
    """
    return _FromLangChain(tool)


class _FromLangChain(Tool):
    def __init__(self, tool: Any) -> None:
        calling = need("langchain_core.utils.function_calling", extra="langchain", purpose="a LangChain tool")
        function = calling.convert_to_openai_function(tool)
        schema: dict[str, Any] = function.get("parameters") or {"type": "object", "properties": {}}
        # LangChain checks arguments itself where it has a model for them, and is less strict than their schema.
        is_checked = isclass(tool.args_schema)
        super().__init__(
            ToolDefinition(name=tool.name, description=function.get("description", ""), input_schema=schema),
            validate=not is_checked and tool.args_schema is not None,
        )
        self._tool = tool
        fields: dict[str, Any] = getattr(tool.args_schema, "model_fields", {}) if is_checked else {}
        self._hidden = fields.keys() - schema.get("properties", {}).keys()
        self._needed = {name for name in self._hidden if fields[name].is_required() and not _is_call_id(fields[name])}

    async def run(self, call: ToolCall, context: ToolContext) -> object:
        arguments = {name: value for name, value in (call.arguments or {}).items() if name not in self._hidden}
        for name in self._hidden:
            if name == "state":
                arguments[name] = context.state
            elif name in self._needed or name in context.dependencies:
                arguments[name] = context.dependency(name)
        try:
            answer = await self._tool.ainvoke(
                {"type": "tool_call", "name": self._tool.name, "args": arguments, "id": call.id}
            )
        except ValidationError as error:
            if error.title != getattr(self._tool.args_schema, "__name__", None):
                raise  # it is the tool's own
            problems = problems_found(error, self.input_schema, arguments)
            raise ArgumentsInvalid(f"invalid arguments for {self.name}", problems) from error
        return _result(answer)


def _is_call_id(field: Any) -> bool:
    marks: Sequence[Any] = member(field, "metadata") or ()
    return any((mark if isclass(mark) else type(mark)).__name__ == "InjectedToolCallId" for mark in marks)


def _result(answer: Any) -> ToolResult:
    """Return a ``ToolMessage`` as a result; other answers are what they are."""
    result = ToolResult.of(answer)
    if member(answer, "type") != "tool":
        return result
    content: object = answer.content
    blocks = cast("list[object]", content) if isinstance(content, list) else [content]
    artifact = member(answer, "artifact")
    return replace(
        result,
        content=[_block(block) for block in blocks],
        structured=None,
        metadata={} if artifact is None else {"artifact": artifact},
    )


def _block(block: Any) -> Content:
    """Return a part of a message, whichever provider's way it is written in."""
    mime_type = member(block, "mime_type") or "application/octet-stream"
    if member(block, "type") in ("image", "image_url"):
        source: Any = member(block, "source")
        data = member(block, "base64") or member(source, "data")
        if isinstance(data, str):
            return ImageContent(data, member(source, "media_type") or mime_type)
        url = member(block, "url") or member(member(block, "image_url"), "url") or member(block, "image_url")
        if isinstance(url, str):
            head, _, body = url.partition(";base64,")
            return ImageContent(body, head.removeprefix("data:")) if body else ResourceContent(url)
    return as_content(block)
