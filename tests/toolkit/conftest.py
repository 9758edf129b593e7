import asyncio
from functools import partial
from textwrap import dedent

import pytest
from forking import forking
from spooled import last_records

import inspector
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.tool_class import Tool

_DEADLINE_S = 60


def _run(coroutine):
    async def bounded():
        async with asyncio.timeout(_DEADLINE_S):
            return await coroutine

    return asyncio.run(bounded())


def _who(name, values):
    for key in ("workflow", "agent", "llm"):
        if key in values:
            return values[key] if isinstance(values[key], str) else values[key].name
    return values.get("tool_name")


def _outline(hooks):
    """What was emitted, a line each: the hook and whose call it was."""
    return [f"{name} {_who(name, values)}" for name, values in hooks]


@pytest.fixture
def run():
    return _run


@pytest.fixture
def write(tmp_path):
    """Write a file below the test's folder; the text may be indented as the test is."""

    def written(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    return written


@pytest.fixture
def outline():
    return _outline


@pytest.fixture(scope="session")
def fork_toolkit():
    """Start Python where the toolkit and the MCP SDK's server are imported, which takes a second otherwise."""
    with forking("toolkit", "mcp.server.mcpserver") as start:
        yield start


def _attribute(span, key):
    return next((each["value"]["stringValue"] for each in span["attributes"] if each["key"] == key), None)


class Recording:
    """What the inspector records of a block."""

    def __init__(self, home):
        self._home = home

    def __enter__(self):
        inspector.attach(service="tests", home=self._home, integrations=False)
        return self

    def __exit__(self, *_):
        inspector.detach()

    def tree(self):
        """A line a span, below its parent and further in, with its status where that is not ok."""
        return list(self._below(self._spans(), "", ""))

    def sessions(self):
        """The session of each span, by its name."""
        return {span["name"]: _attribute(span, "session.id") for span in self._spans()}

    def _spans(self):
        spans = last_records(self._home / "spool")
        return sorted(spans.values(), key=lambda span: int(span["startTimeUnixNano"]))

    def _below(self, spans, parent, indent):
        for span in spans:
            if span.get("parentSpanId", "") == parent:
                status = _attribute(span, "inspector.status")
                yield indent + span["name"] + ("" if status == "ok" else f" ({status})")
                yield from self._below(spans, span["spanId"], indent + "  ")


@pytest.fixture
def recording(tmp_path):
    """Records while it is entered; ``tree()`` draws what was recorded."""
    return Recording(tmp_path / "inspector")


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
    async def later(tool, args=None, *hooks, **context):
        asked = ToolCall(tool.name, {} if args is None else args, id="c1")
        return await tool(asked, ToolContext(tool_hooks=hooks, **context))

    def now(tool, args=None, *hooks, **context):
        return asyncio.run(later(tool, args, *hooks, **context))

    now.later = partial(later)
    return now
