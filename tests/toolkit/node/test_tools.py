import asyncio

import pytest

from toolkit.agents import Agent
from toolkit.agents.workflow import Workflow
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ToolkitError, ToolUnknown
from toolkit.functions import FunctionTool, tool
from toolkit.models.scripted import ScriptedModel
from toolkit.node import ToolNode
from toolkit.serving import ToolServer
from toolkit.tool_class import Tool


class Echo(Tool):
    def __init__(self, name, description=""):
        super().__init__(ToolDefinition(name=name, description=description), validate=False)

    async def run(self, call, context):
        return f"{self.name}: {self.description}"


class Server:
    """Like an MCP client: says what it has when it is asked."""

    def __init__(self, *names):
        self.names = list(names)
        self.asked = 0
        self.is_down = False

    async def tools(self):
        self.asked += 1
        if self.is_down:
            raise ConnectionError("connection refused")
        return [Echo(name, "remote") for name in self.names]


def _call(name):
    return {"name": name, "arguments": {}}


def _texts(node, *names):
    return [each.text for each in asyncio.run(node.invoke([_call(name) for name in names]))]


def test_models_are_told_of_functions_tools_and_methods_alike():
    def add(a: int, b: int = 1) -> int:
        """Add two numbers.

        Args:
            a: The first.
            b: The second.
        """
        return a + b

    node = ToolNode([add, Echo("echo", "Says it again.")])

    assert node.all_tools_sync() == asyncio.run(node.all_tools())
    assert [each["function"]["name"] for each in node.all_tools_sync()] == ["add", "echo"]
    assert node.all_tools_sync()[0]["type"] == "function"
    assert node.all_tools_sync()[0]["function"]["description"] == "Add two numbers."
    assert node.all_tools_sync()[0]["function"]["parameters"]["required"] == ["a"]
    assert [each.name for each in node.definitions()] == ["add", "echo"]


def test_an_object_with_tools_among_its_methods_gives_them_all():
    class Desk:
        def __init__(self, name):
            self.name = name

        @tool
        def open(self) -> str:
            """Open it."""
            return f"{self.name} opens"

        @tool
        def close(self) -> str:
            """Close it."""
            return f"{self.name} closes"

    assert _texts(ToolNode([Desk("north")]), "open", "close") == ["north opens", "north closes"]


@pytest.mark.parametrize("value", [None, 7, "tools.py:add", object()])
def test_what_is_no_tool_is_refused_and_said(value):
    with pytest.raises(DefinitionInvalid, match="cannot be used as a tool; expected a function, a Tool"):
        ToolNode([value])


def test_two_tools_of_one_name_are_refused_and_both_described():
    with pytest.raises(DefinitionInvalid, match="two tools are called 'a': 'one' and 'two'"):
        ToolNode([Echo("a", "one"), Echo("a", "two")])


def test_the_same_tool_twice_is_one():
    echo = Echo("a")

    assert [each.name for each in ToolNode([echo, echo]).definitions()] == ["a"]


def test_tools_come_and_go_while_the_node_works():
    node = ToolNode([Echo("a")])
    node.register(Echo("b"), Server("c"))
    assert _texts(node, "a", "b", "c") == ["a: ", "b: ", "c: remote"]

    node.unregister("a")
    assert _texts(node, "a", "b") == ["there is no tool 'a' (there are: 'b', 'c')", "b: "]

    with pytest.raises(ToolUnknown, match="there is no tool 'a'"):
        node.unregister("a")


def test_a_refused_registration_adds_nothing():
    node = ToolNode([Echo("a")])

    with pytest.raises(DefinitionInvalid):
        node.register(Echo("new"), Echo("a"))

    assert [each.name for each in node.definitions()] == ["a"]


def test_a_server_that_was_never_asked_is_missed_and_said():
    node = ToolNode([Server("time")])

    with pytest.raises(ToolkitError, match=r"await all_tools\(\) once before"):
        node.all_tools_sync()
    asyncio.run(node.all_tools())

    assert [each["function"]["name"] for each in node.all_tools_sync()] == ["time"]


def test_a_server_is_asked_when_a_name_is_not_known_and_only_then():
    server = Server("time")
    node = ToolNode([Echo("local"), server])

    _texts(node, "local")
    assert server.asked == 0
    _texts(node, "time")
    _texts(node, "time")
    assert server.asked == 1
    server.names.append("date")
    assert _texts(node, "date") == ["date: remote"]
    assert server.asked == 2


def test_what_is_told_follows_the_server():
    server = Server("time")
    node = ToolNode([server])
    told = []

    async def twice():
        for _ in range(2):
            told.append([each["function"]["name"] for each in await node.all_tools()])
            server.names = ["date"]

    asyncio.run(twice())

    assert told == [["time"], ["date"]]


def test_a_server_that_is_down_does_not_stop_the_calls_of_other_tools():
    down, up = Server("time"), Server("date")
    down.is_down = True
    node = ToolNode([down, up])

    assert _texts(node, "date", "time") == [
        "date: remote",
        "there is no tool 'time' (there are: 'date'); Server could not list its tools: connection refused",
    ]
    with pytest.raises(ConnectionError):
        asyncio.run(node.all_tools())


def test_two_servers_with_one_name_are_told_of_when_models_are_and_the_first_is_called():
    node = ToolNode([Server("time"), Server("time")])

    assert _texts(node, "time") == ["time: remote"]
    with pytest.raises(DefinitionInvalid, match="two tools are called 'time'"):
        asyncio.run(node.all_tools())


def test_a_server_is_taken_away_by_itself_and_a_tool_by_itself():
    server, echo = Server("time"), Echo("a")
    node = ToolNode([server, echo])

    node.unregister(server)
    node.unregister(echo)

    assert asyncio.run(node.all_tools()) == []


def test_a_node_is_a_supplier_of_another_one():
    inner = ToolNode([Echo("a")])
    outer = ToolNode([inner, Echo("b")])

    assert _texts(outer, "a", "b") == ["a: ", "b: "]


def test_only_twenty_names_are_listed_to_a_model_that_named_none_of_them():
    node = ToolNode([Echo(f"t{number}") for number in range(30)])

    (text,) = _texts(node, "zzzzzz")

    assert text.endswith("'t19', …)")


def test_a_function_keeps_its_own_tool():
    made = FunctionTool(lambda: "x", name="made")

    assert asyncio.run(ToolNode([made]).tools()) == [made]


class Versioned(Tool):
    def __init__(self, version, name="search"):
        super().__init__(ToolDefinition(name=name, version=version), validate=False)

    async def run(self, call, context):
        return self.definition.version


def test_of_several_versions_models_are_told_of_the_one_registered_last_and_can_call_no_other():
    node = ToolNode([Versioned("1"), Versioned("9"), Versioned("10")])

    assert [each.version for each in node.definitions()] == ["10"]
    assert _texts(node, "search", "search@9", "search@") == [
        "10",
        "there is no tool 'search@9'; did you mean 'search'? (there are: 'search')",
        "there is no tool 'search@'; did you mean 'search'? (there are: 'search')",
    ]
    node.unregister("search@10")
    assert _texts(node, "search") == ["9"]


def test_a_tool_is_found_by_the_name_that_models_are_given():
    node = ToolNode([Versioned("1", name="docs/search"), Server("time.now")])
    told = [each["function"]["name"] for each in asyncio.run(node.all_tools())]

    assert [each for name in told for each in _texts(node, name)] == ["1", "time.now: remote"]


def test_an_agent_or_a_workflow_in_a_list_of_tools_is_one_tool_everywhere():
    class Clerk(Agent):
        @tool
        def stamp(self) -> str:
            return "stamped"

    clerk, writer = Clerk("clerk"), Agent("writer", model=ScriptedModel(["hello"]))
    both = [clerk, writer, Workflow("steps", lambda task, context: writer.run(task, context=context))]
    expected = ["agent__clerk", "agent__writer", "agent__steps"]
    assert [each.name for each in ToolNode(both).definitions()] == expected
    assert [each.name for each in Agent("lead", tools=both).definitions()] == expected
    node = ToolServer(both).tools
    assert [each.name for each in node.definitions()] == expected
    [result] = asyncio.run(node.invoke([{"name": "agent__writer", "arguments": {"message": "hi"}}]))
    assert result.text == "hello"


def test_a_context_in_the_place_of_the_state_is_refused_since_its_permissions_would_not_hold():
    wiped = []
    wipe = FunctionTool(lambda: wiped.append(True), name="wipe", permissions=["write"])
    with pytest.raises(DefinitionInvalid, match="the state is a ToolContext; pass it by name, context=…"):
        asyncio.run(ToolNode([wipe]).invoke([{"name": "wipe"}], ToolContext(permissions=frozenset())))
    assert not wiped
