import asyncio

import pytest

from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.node import ToolNode
from toolkit.tool_class import Tool


class Echo(Tool):
    """A tool of any source, behind any server."""

    def __init__(self, name, source, server):
        super().__init__(ToolDefinition(name=name), validate=False)
        self.source, self._server = source, server

    @property
    def server_name(self):
        return self._server

    async def run(self, call, context):
        return call.arguments


@pytest.mark.parametrize(
    ("full_name", "source", "server", "shown"),
    [
        ("time__get_time", "mcp", "time", "get_time"),
        ("shell.execute", "runtime", "shell", "shell.execute"),
        ("agent__guide", "agent", "agent", "guide"),
    ],
)
def test_a_span_is_named_without_the_server_but_a_runtime_belongs_to_the_name(record, full_name, source, server, shown):
    recording = record()
    asyncio.run(Echo(full_name, source, server)({}))
    (span,) = recording.spans()
    assert span["name"] == f"execute_tool {shown}"
    assert span["attributes"]["gen_ai.tool.name"] == shown
    assert span["attributes"]["mcp.tool.name"] == full_name


def test_a_call_that_no_agent_made_names_none(record):
    recording = record()
    asyncio.run(Echo("echo", "function", None)({}))
    (span,) = recording.spans()
    assert "gen_ai.agent.name" not in span["attributes"]


def add_one(x: int) -> int:
    return x + 1


@pytest.mark.parametrize(
    ("call", "error"),
    [(ToolCall("ad_one"), "ToolUnknown"), (ToolCall("add_one", {"x": "three"}), "ArgumentsInvalid")],
)
def test_what_is_not_there_or_was_asked_wrongly_was_not_executed(record, call, error):
    async def let_through(ctx, args, call_next):
        return await call_next(args)

    recording = record()
    asyncio.run(ToolNode([add_one]).invoke([call], context=ToolContext(tool_hooks=(let_through,))))
    (span,) = recording.spans()
    assert span["attributes"]["error.type"].endswith(error)
    assert "inspector.tool.outcome" not in span["attributes"]
