import asyncio
from pathlib import Path

import pytest

from toolkit import (
    Agent,
    AgentTool,
    FunctionTool,
    HttpServer,
    McpServers,
    ScriptedModel,
    StdioServer,
    Thread,
    Tool,
    ToolContext,
    ToolNode,
    ToolServer,
    Turn,
    UnifiedRequest,
    Workflow,
    mcp_route,
    tool,
)
from toolkit.agents import handle
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ModelFailed, ToolkitError
from toolkit.middleware import Retry
from toolkit.models import ModelRequest, generate


@tool
def search(query: str) -> str:
    """Search."""
    return query


CHAT_CALL = {"id": "1", "function": {"name": "search", "arguments": "{}"}}


class Own(Tool):
    name = "own"

    async def run(self, call, context):
        return "ran"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: FunctionTool(descripton="x"), "FunctionTool takes no 'descripton'; did you mean 'description'?"),
        (lambda: FunctionTool(search.function, nam="x"), "FunctionTool takes no 'nam'; did you mean 'name'?"),
        (lambda: AgentTool(search, output_extractr=str), "did you mean 'output_extractor'?"),
        (lambda: Own(validat=False), "Own takes no 'validat'; did you mean 'validate'?"),
        (lambda: ToolContext(aprover=None), "ToolContext takes no 'aprover'; did you mean 'approver'?"),
        (lambda: ToolDefinition(name="x", inputschema={}), "takes no 'inputschema'; did you mean 'input_schema'?"),
        (lambda: UnifiedRequest(targt="x"), "UnifiedRequest takes no 'targt'; did you mean 'target'?"),
        (lambda: Agent("a", instructions="x"), "unknown key 'instructions'; did you mean 'instruction'?"),
    ],
)
def test_a_misspelt_keyword_comes_with_the_one_that_was_meant(make, said):
    with pytest.raises(DefinitionInvalid) as told:
        make()
    assert said in str(told.value)


def test_a_tool_with_keywords_of_its_own_is_made():
    class Searching(Own):
        def __init__(self, index, **more):
            super().__init__(**more)
            self.index = index

    assert Searching(index="news", validate=False).index == "news"


def with_method(name, method):
    return type("Mine", (Tool,), {"name": "mine", "run": Own.run} | {name: method})


def plain(self, call, context):
    return call


async def short(self, result):
    return result


def test_a_method_that_could_not_be_called_or_awaited_is_told_when_the_class_is_made():
    for name in ("run", "on_invoke", "on_output", "on_error"):
        with pytest.raises(DefinitionInvalid, match=f"Mine.{name} is no 'async def'; write it as: async def {name}"):
            with_method(name, plain)
        with pytest.raises(DefinitionInvalid, match=rf"Mine.{name} takes \(self, result\); write it as: async def"):
            with_method(name, short)


def test_a_decorated_method_is_looked_at_as_what_is_inside():
    from functools import wraps

    def noted(method):
        @wraps(method)
        def wrapper(*args):
            return method(*args)

        return wrapper

    mine = with_method("run", noted(Own.run))()
    assert asyncio.run(mine({})).text == "ran"


@pytest.mark.parametrize("guardrail", [["nope"], lambda call: None, [lambda: None]])
def test_what_is_no_guardrail_is_told_when_it_is_added(guardrail):
    for add in (Own().add_input_guardrails, Own().add_output_guardrails, lambda each: Own(input_guardrails=each)):
        with pytest.raises(DefinitionInvalid, match="has to be a function of two arguments"):
            add(guardrail)


def test_one_guardrail_needs_no_list():
    seen = []
    own = Own(output_guardrails=lambda result, context: seen.append(result.text))
    own.add_input_guardrails(lambda call, context: seen.append(call.name))
    asyncio.run(own({}))
    assert seen == ["own", "ran"]


@pytest.mark.parametrize(
    ("call", "said"), [({"query": "x"}, "not keywords"), ({}, "not nothing"), ({"call": "x"}, "not str")]
)
def test_a_tool_that_is_called_as_its_function_says_how(call, said):
    with pytest.raises(ToolkitError, match=f"search is a tool: call it with a ToolCall or a mapping .*{said}"):
        asyncio.run(search(**call))


def test_a_tool_says_its_name():
    assert repr(search) == "FunctionTool('search')"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Agent("a", tools=[Own]), r"is a class; give an instance, Own\(…\)"),
        (lambda: AgentTool(search, timeout_s="2"), r"AgentTool\(timeout_s=…\) is '2'; expected a number above 0"),
        (lambda: McpServers({"git": {"command": "x"}}), r"MCP server 'git': expected StdioServer\(…\).*, not dict"),
        (lambda: StdioServer("python3", "srv.py"), r"args of python3 is one text; expected a list, as in \['srv.py'\]"),
        (lambda: StdioServer(["python3", "srv.py"]), r"\['python3', 'srv.py'\] is no program; name the one"),
        (
            lambda: StdioServer("python3", [Path("srv.py")]),
            r"args of python3: .*Path.* is no text; write 'srv.py'",
        ),
        (lambda: StdioServer("python3", map(str, [Path("srv.py")])), "args of python3 is of type map; expected a list"),
        (lambda: StdioServer("python3", None), "args of python3 is of type NoneType; expected a list"),
        (lambda: StdioServer("python3", env="A=1"), "env of python3 is no mapping"),
        (lambda: HttpServer(8000), "8000 is no http address"),
        (lambda: Agent("a", instruction=["Help."]), "instruction of a is of type list; expected text"),
        (lambda: asyncio.run(Agent("a").run("x", thread=True)), r"the thread is of type bool; expected Thread\(\)"),
        (lambda: Retry("3"), r"Retry\(attempts='3'\): expected a whole number, at least 1"),
        (lambda: Retry(3.0), r"Retry\(attempts=3.0\): expected a whole number, at least 1"),
        (lambda: Retry(on=[OSError]), r"Retry\(on=\[.*OSError'>\]\): expected an exception's class, or a tuple"),
        (lambda: Thread("Hello."), "messages of a conversation are a list of them, each with a role and content"),
        (lambda: Agent("a", messages=["Hello."]), "messages of a conversation are a list of them, each with a role"),
        (lambda: Workflow("w", "work"), r"the work of w has to be a function: async def work\(task, context\)"),
        (lambda: Workflow("w", lambda task: task), r"the work of w has to be a function: async def work\(task, "),
        (lambda: ToolServer([search], mode="http", tokens=["s3cret"]), r"as in tokens={'secret': \['read'\]}"),
        (lambda: UnifiedRequest("plain", "analyze"), "inputs of a request is 'analyze'; expected a mapping"),
        (lambda: asyncio.run(handle({"target": "x"}, Agent("a"))), "a request is a UnifiedRequest.*, not dict"),
        (lambda: ModelRequest([], ToolNode([search]).all_tools_sync()), "tools are definitions, .*, not dict"),
        (lambda: ToolContext(tool_hooks=[1]), "tool_hooks: a int cannot be called; write it as: async def"),
        (lambda: ToolContext(tool_hooks=(1,)), "tool_hooks: a int cannot be called; write it as: async def"),
        (lambda: ToolContext(dependencies=[1]), "dependencies are of type list; expected a mapping"),
        (lambda: ToolContext(credentials="key"), "credentials are of type str; expected a mapping"),
        (lambda: ToolNode([search], dependencies=[1]), "dependencies are of type list; expected a mapping"),
        (lambda: Turn(calls=[CHAT_CALL]), r"Turn\(calls=…\): expected \(name, arguments\) for each call, found {'id'"),
        (lambda: Turn(calls=("search", {})), r"Turn\(calls=…\): expected \(name, arguments\) .*, found 'search'"),
    ],
)
def test_a_value_of_another_kind_is_told_where_it_is_given(make, said):
    with pytest.raises(DefinitionInvalid, match=said):
        make()


def test_a_tool_that_would_hide_what_every_agent_has_is_refused():
    with pytest.raises(DefinitionInvalid, match="Mine.run is a tool, and an agent's own 'run'; rename it"):
        type("Mine", (Agent,), {"run": search})


@pytest.mark.parametrize("returned", [True, False, {"query": "x"}, ()])
def test_an_on_invoke_that_returns_no_call_is_told_what_to_return(returned):
    async def on_invoke(self, call, context):
        return returned

    result = asyncio.run(with_method("on_invoke", on_invoke)()({}))
    assert isinstance(result.exception, DefinitionInvalid)
    assert (
        result.text
        == f"on_invoke of mine returned {type(returned).__name__}; expected a ToolCall, or None for the same"
    )


def test_a_route_without_a_tool_is_told_when_the_tools_are_looked_for():
    class Researcher(Agent):
        @mcp_route("/search")
        def look(self, query: str) -> str:
            return query

    with pytest.raises(DefinitionInvalid, match="Researcher.look has the route /search and is not a tool; add @tool"):
        Researcher("r")


def test_a_model_is_asked_by_its_name(monkeypatch, tmp_path):
    script = tmp_path / "script.json"
    script.write_text('["Hello."]')
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    request = ModelRequest([{"role": "user", "content": "Hi"}])

    assert asyncio.run(generate(f"scripted:{script}", request)).message["content"] == "Hello."
    assert asyncio.run(generate(ScriptedModel("Hi."), request)).message["content"] == "Hi."
    with pytest.raises(ModelFailed, match="gpt-5-mini needs a key"):
        asyncio.run(generate("gpt-5-mini", request))
