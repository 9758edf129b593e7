"""Tools of all four sources, and a way to call them with middleware."""

import asyncio
from functools import partial

import pytest

from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.contract import Tool
from toolkit.definition import ToolDefinition


class Made(Tool):
    """A tool that does what it is given and notes the arguments of each call."""

    def __init__(self, does, *, name, server):
        super().__init__(ToolDefinition(name=name), validate=False)
        self.does = does
        self.server = server
        self.calls = []

    @property
    def server_name(self):
        return self.server

    async def run(self, call, context):
        self.calls.append(call.arguments)
        made = self.does(call.arguments) if callable(self.does) else self.does
        return await made if asyncio.iscoroutine(made) else made


SOURCES = {"function": None, "mcp": "time", "agent": "agent", "runtime": "shell"}
KINDS = {source: type(source, (Made,), {"source": source}) for source in SOURCES}


@pytest.fixture
def tool():
    """Makes a tool: `tool(function or result, name=…, source=…)`."""

    def make(does="done", *, name="add_one", source="function"):
        return KINDS[source](does, name=name, server=SOURCES[source])

    return make


@pytest.fixture
def call():
    """Calls a tool with middleware and waits; `call.later` gives the coroutine."""

    async def later(tool, args=None, *hooks, **context):
        asked = ToolCall(tool.name, {} if args is None else args, id="c1")
        return await tool(asked, ToolContext(tool_hooks=hooks, **context))

    def now(tool, args=None, *hooks, **context):
        return asyncio.run(later(tool, args, *hooks, **context))

    now.later = partial(later)
    return now
