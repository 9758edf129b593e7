import asyncio
import sys
from pathlib import Path

import pytest

from instrument.testing import capture_hook
from toolkit.agents import Agent
from toolkit.context import ToolContext
from toolkit.declare import FastAgent
from toolkit.errors import CardInvalid, DefinitionInvalid, ModelFailed, NoAnswer
from toolkit.functions import tool
from toolkit.mcp import StdioServer
from toolkit.models.scripted import ScriptedModel, Turn

PMO = Path(__file__).parents[3] / "examples" / "pmo"
TIME_SERVER = str(PMO / "time_server.py")
CHILD = "agent__child"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """No file of settings is found where tests run by accident."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def clock(fork_toolkit):
    return StdioServer(fork_toolkit.stand_in, [TIME_SERVER])


def add_one(x: int) -> int:
    """Add one."""
    return x + 1


def asked(model, number=-1):
    """What the model was told, without the instruction."""
    return [(each["role"], each.get("content")) for each in model.requests[number].messages if each["role"] != "system"]


def test_the_decorated_function_runs_the_agent_it_declares(run):
    model = ScriptedModel([Turn(calls=[("add_one", {"x": 3})]), "It is 4."])
    fast = FastAgent("demo", model=model)

    @fast.agent(name="counter", instruction="You count.", function_tools=[add_one])
    async def main():
        async with fast.run() as agent:
            return await agent("Add 1 to 3")

    assert run(main()) == "It is 4."
    assert model.requests[0].messages[0] == {"role": "system", "content": "You count."}
    assert asked(model) == [("user", "Add 1 to 3"), ("assistant", ""), ("tool", "4")]


def test_a_function_tool_and_middleware_can_be_named_by_file(run, write):
    write("tools.py", "def double(x: int) -> int:\n    return 2 * x\n")
    write(
        "hooks.py",
        """
        async def shout(ctx, args, call_next):
            result = await call_next({"x": args["x"] + 100})
            return f"{ctx.agent_name} {ctx.tool_source} {ctx.tool_name}: {result.text}!"
        """,
    )
    model = ScriptedModel([Turn(calls=[("double", {"x": 2})]), "Done."])
    fast = FastAgent("demo", model=model)

    @fast.agent(
        name="a",
        instruction="Help.",
        function_tools=["tools.py:double"],
        tool_hooks=["hooks.py:shout"],
    )
    async def main():
        async with fast.run() as agent:
            return await agent("Double 2")

    assert run(main()) == "Done."
    assert asked(model)[-1] == ("tool", "a function double: 204!")


def test_relative_files_begin_at_the_base_path(run, write, tmp_path):
    write("deeper/tools.py", "def double(x: int) -> int:\n    return 2 * x\n")
    fast = FastAgent("demo", base_path=tmp_path / "deeper")
    fast.agent(name="a", instruction="Help.", function_tools=["tools.py:double"])(add_one)
    assert [each.name for each in run(fast.tools())] == ["double"]


def test_a_declaration_can_name_a_list_of_tools(run, write, tmp_path):
    write(
        "built_in.py",
        """
        from toolkit.tools.filesystem import filesystem_tools
        from toolkit.tools.shell import ShellTool

        files = filesystem_tools(".")
        shell = ShellTool(allow=["echo"])
        """,
    )
    write("a.md", "---\nfunction_tools: ['built_in.py:files', 'built_in.py:shell']\n---\nHelp.\n")
    fast = FastAgent("app")
    fast.load_agents(tmp_path / "a.md")
    names = [each.name for each in run(fast.tools())]
    assert names == ["filesystem.list", "filesystem.read", "shell.execute"]


def test_all_kinds_of_tools_are_offered_together_and_filters_leave_tools_of_servers_out(run, clock):
    fast = FastAgent("demo", servers={"time": clock})

    @fast.agent(name="child", instruction="Help out.")
    @fast.agent(
        name="parent",
        instruction="Help.",
        servers=["time"],
        tools={"time": ["get_time"]},
        function_tools=[add_one],
        agents=["child"],
        default=True,
    )
    @fast.agent(name="everything", instruction="Help.", servers=["time"])
    def main(): ...

    assert [(each.name, each.source, each.server_name, each.description) for each in run(fast.tools())] == [
        ("add_one", "function", None, "Add one."),
        (CHILD, "agent", "agent", "Help out."),
        ("time__get_time", "mcp", "time", "Say what time it is somewhere."),
    ]
    assert [each.name for each in run(fast.tools("everything"))] == ["time__get_time", "time__convert_time"]


@pytest.mark.slow
def test_servers_are_shared_by_the_agents_and_gone_after_the_block(run, tmp_path):
    started = tmp_path / "started"
    program = f"""
import runpy
with open({str(started)!r}, "a") as file:
    file.write("x")
runpy.run_path({TIME_SERVER!r}, run_name="__main__")
"""
    model = ScriptedModel(
        [Turn(calls=[(CHILD, {"message": "Now?"})]), Turn(calls=[("time__get_time", {})]), "Now.", "Ok."]
    )
    fast = FastAgent("demo", servers={"time": StdioServer(sys.executable, ["-c", program])}, model=model)

    @fast.agent(name="child", instruction="Help.", servers=["time"])
    @fast.agent(name="parent", instruction="Help.", servers=["time"], agents=["child"])
    async def main():
        async with fast.run() as agent:
            return await agent("What time is it?")

    assert run(main()) == "Ok."
    assert asked(model, 2)[-1] == ("tool", "14:30 in UTC")
    assert started.read_text() == "x"


def test_a_filter_that_names_no_tool_is_refused_before_anything_runs(run, clock):
    fast = FastAgent("demo", servers={"time": clock})
    fast.agent(name="a", instruction="Help.", servers=["time"], tools={"time": ["get_tme"]})(add_one)
    with pytest.raises(DefinitionInvalid) as caught:
        run(fast.tools())
    said = "tools: MCP server 'time' has no tool 'get_tme'; did you mean 'get_time'?; it has get_time, convert_time"
    assert str(caught.value).partition(": ")[2] == said


def test_servers_given_in_python_go_before_those_of_the_settings_and_only_used_ones_are_started(run, write, clock):
    write("fastagent.config.yaml", "mcp: {servers: {time: {command: /nowhere}, unused: {command: /nowhere}}}\n")
    fast = FastAgent("demo", servers={"time": clock})
    fast.agent(name="a", instruction="Help.", servers=["time"])(add_one)
    assert [each.name for each in run(fast.tools())] == ["time__get_time", "time__convert_time"]


def test_without_servers_nothing_of_mcp_is_needed(run):
    model = ScriptedModel(["Hi."])
    fast = FastAgent("demo", servers={"broken": StdioServer("/nowhere/at/all")}, model=model)
    fast.agent(name="a", instruction="Help.")(add_one)
    assert run(send(fast, "Hello")) == ["Hi."]


def family(model, **options):
    fast = FastAgent("demo", model=model)

    @fast.agent(name="child", instruction="Help out.")
    @fast.agent(name="parent", instruction="Help.", agents=["child"], **options)
    def main(): ...

    return fast


async def send(fast, *messages, to=None):
    async with fast.run() as agent:
        return [await agent.send(each, to) for each in messages]


def test_agents_are_found_by_name_and_by_attribute(run):
    fast = FastAgent("demo", model=ScriptedModel(["1", "2", "3", "4"]))

    @fast.agent(name="NY-Project-Manager", instruction="Help.")
    @fast.agent(name="London", instruction="Help.")
    async def main():
        async with fast.run() as agent:
            assert list(agent) == ["London", "NY-Project-Manager"]
            assert len(agent) == 2
            assert agent.default is agent["London"]
            assert agent.default.name == "London"
            assert agent.NY_Project_Manager is agent["NY-Project-Manager"]
            assert not hasattr(agent, "Rome")
            with pytest.raises(
                DefinitionInvalid, match="there is no agent 'Londn'; did you mean 'London'\\?; declared"
            ):
                await agent.send("Hi", "Londn")
            return [
                await agent("a"),
                await agent["NY-Project-Manager"]("b"),
                await agent.NY_Project_Manager.send("c"),
                await agent.send("d", "NY-Project-Manager"),
            ]

    with capture_hook("before_agent_call") as calls:
        assert run(main()) == ["1", "2", "3", "4"]
    assert [(values["agent"].name, values["input"]) for _, values in calls] == [
        ("London", "a"),
        ("NY-Project-Manager", "b"),
        ("NY-Project-Manager", "c"),
        ("NY-Project-Manager", "d"),
    ]


def test_a_message_remembers_those_before_unless_the_agent_keeps_no_history(run):
    model = ScriptedModel(["Hello, Ada.", "Ada."])
    fast = FastAgent("demo", model=model)
    fast.agent(name="a", instruction="Help.")(add_one)
    run(send(fast, "I am Ada.", "Who am I?"))
    assert asked(model) == [("user", "I am Ada."), ("assistant", "Hello, Ada."), ("user", "Who am I?")]

    model = ScriptedModel(["Hello, Ada.", "No idea."])
    fast = FastAgent("demo", model=model)
    fast.agent(name="a", instruction="Help.", use_history=False)(add_one)
    run(send(fast, "I am Ada.", "Who am I?"))
    assert asked(model) == [("user", "Who am I?")]


@pytest.mark.parametrize(
    ("source", "begins"),
    [
        ("none", []),
        ("child", [("user", "earlier"), ("assistant", "0")]),
        ("orchestrator", [("user", "now")]),
        ("messages", [("user", "Once"), ("assistant", "upon a time")]),
    ],
)
def test_a_child_begins_with_the_history_that_its_parent_says(run, write, source, begins):
    write("m.md", "Once\n---ASSISTANT\nupon a time\n")
    messages = {"messages": "m.md"} if source == "messages" else {}
    model = ScriptedModel(["0", Turn(calls=[(CHILD, {"message": "go"})]), "1", "2"])
    fast = FastAgent("demo", model=model)

    @fast.agent(name="parent", instruction="Help.", agents=["child"], history_source=source)
    @fast.agent(name="child", instruction="Help out.", **messages)
    async def main():
        async with fast.run() as agent:
            await agent.child("earlier")
            await agent.parent("now")

    run(main())
    assert asked(model, 2) == [*begins, ("user", "go")]


@pytest.mark.parametrize(("target", "child", "parent"), [("none", 0, 0), ("child", 2, 0), ("orchestrator", 0, 2)])
def test_what_a_child_said_goes_to_the_history_that_its_parent_says(run, target, child, parent):
    model = ScriptedModel([Turn(calls=[(CHILD, {"message": "go"})]), "1", "2"])
    fast = family(model, history_merge_target=target)

    async def main():
        async with fast.run() as agent:
            await agent("now")
            said = [each.get("content") for each in agent.child.agent.history.messages]
            assert said == ["go", "1"][:child]
            # Beside the message, the call, its result and the answer.
            assert len(agent.parent.agent.history) == 4 + parent

    run(main())


def test_a_child_that_takes_too_long_ends_with_a_result_that_says_so(run):
    model = ScriptedModel([Turn(calls=[(CHILD, {"message": "go"})]), Turn("late", delay_s=600), "It took too long."])
    assert run(send(family(model, child_timeout_sec=0.05), "now")) == ["It took too long."]
    assert asked(model)[-1] == ("tool", "agent__child gave no answer within 0.05 s")


@pytest.mark.parametrize(("limit", "most"), [(None, 3), (2, 2), (1, 1)])
def test_no_more_children_work_at_once_than_the_limit(run, limit, most):
    calls = [(CHILD, {"message": str(number)}) for number in range(3)]
    at_work = []
    found = []

    async def work() -> str:
        at_work.append(1)
        found.append(len(at_work))
        for _ in range(50):
            await asyncio.sleep(0)
        at_work.pop()
        return "done"

    parent = ScriptedModel([Turn(calls=calls), "ok"])
    child = ScriptedModel([Turn(calls=[("work", {})]), "ok"], each_conversation=True)
    fast = FastAgent("demo")

    @fast.agent(name="parent", instruction="Help.", agents=["child"], model=parent, max_parallel=limit)
    @fast.agent(name="child", instruction="Help.", model=child, function_tools=[work])
    def main(): ...

    async def start():
        async with fast.run() as agent:
            return await agent.parent("go")

    assert run(start()) == "ok"
    assert max(found) == most


def test_an_agent_stops_after_its_turns(run):
    fast = FastAgent("demo", model=ScriptedModel([Turn(calls=[("add_one", {"x": 1})])] * 3))
    fast.agent(name="a", instruction="Help.", function_tools=[add_one], max_turns=2)(add_one)
    with pytest.raises(NoAnswer, match="max_turns"):
        run(send(fast, "go"))


def test_a_class_of_your_own_is_made_with_the_same_declaration(run):
    class Counter(Agent):
        @tool
        def count(self, text: str) -> int:
            """Count letters."""
            return len(text)

    fast = FastAgent("demo", model=ScriptedModel([Turn(calls=[("count", {"text": "four"})]), "4"]))

    @fast.custom(Counter, name="counter", instruction="Count.", function_tools=[add_one])
    async def main():
        async with fast.run() as agent:
            assert type(agent.counter.agent) is Counter
            return await agent("How many?")

    assert run(main()) == "4"
    assert [each.name for each in run(fast.tools())] == ["count", "add_one"]
    with pytest.raises(DefinitionInvalid, match="is not an agent; expected a subclass of toolkit.Agent"):
        fast.custom(int, name="a", instruction="Help.")


def test_the_models_of_a_run_go_before_those_of_agents_and_those_before_the_applications(run, write):
    write("own.yaml", "[own]\n")
    write("fastagent.config.yaml", "default_model: scripted:file.yaml\n")
    write("file.yaml", "[file]\n")
    given = FastAgent("demo", model=ScriptedModel(["application"], each_conversation=True))
    given.agent(name="a", instruction="Help.")(add_one)
    given.agent(name="b", instruction="Help.", model="scripted:own.yaml")(add_one)
    silent = FastAgent("demo")
    silent.agent(name="a", instruction="Help.")(add_one)

    async def main():
        async with given.run() as agent:
            assert (await agent.a("?"), await agent.b("?")) == ("application", "own")
        async with given.run(model=ScriptedModel(["run", "run"])) as agent:
            assert (await agent.a("?"), await agent.b("?")) == ("run", "run")
        async with silent.run() as agent:
            assert await agent.a("?") == "file"

    run(main())


def test_only_the_agent_that_is_asked_for_and_those_below_it_are_started(run):
    fast = FastAgent("demo", model=ScriptedModel(["Hi."]))

    @fast.agent(name="other", instruction="Help.", default=True)
    @fast.agent(name="child", instruction="Help.")
    @fast.agent(name="parent", instruction="Help.", agents=["child"])
    async def main():
        async with fast.run(agent="parent") as agent:
            assert list(agent) == ["parent", "child"]
            return await agent("Hello")

    assert run(main()) == "Hi."


def test_the_applications_context_reaches_the_tools(run):
    def who(context: ToolContext) -> str:
        """Say who."""
        return f"{context.agent_name} for {context.dependency('user')}"

    model = ScriptedModel([Turn(calls=[("who", {})]), "ok"])
    fast = FastAgent("demo", model=model, context=ToolContext(dependencies={"user": "Ada"}))
    fast.agent(name="a", instruction="Help.", function_tools=[who])(add_one)
    run(send(fast, "go"))
    assert asked(model)[-1] == ("tool", "a for Ada")


def test_cards_and_decorators_are_declared_together(run, write):
    write("child.md", "---\n---\nHelp out.\n")
    fast = FastAgent("demo", model=ScriptedModel([Turn(calls=[(CHILD, {"message": "go"})]), "1", "2"]))
    assert fast.load_agents("child.md") == ["child"]
    fast.agent(name="parent", instruction="Help.", agents=["child"], default=True)(add_one)
    assert run(send(fast, "now")) == ["2"]


def test_an_instruction_can_be_a_file(write):
    fast = FastAgent("demo")
    fast.agent(name="a", instruction=write("a.txt", "Help.\n"))(add_one)
    assert fast.configs[0].instruction == "Help."


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"server": ["time"]}, "agent 'a': unknown key 'server'; did you mean 'servers'?; allowed: agents, "),
        ({"origin": "x"}, "agent 'a': unknown key 'origin'"),
        ({"max_parallel": 0}, "agent 'a': max_parallel: expected a whole number above 0, found 0"),
        ({"servers": "time"}, "agent 'a': servers: expected a list of names, found text"),
        ({"function_tools": ["tools"]}, "agent 'a': function_tools[0]: 'tools' does not name a function"),
        ({"function_tools": [add_one, add_one]}, "agent 'a': function_tools[1]: 'add_one' is given twice"),
        (
            {"function_tools": [3]},
            "agent 'a': function_tools[0]: expected a function, as 'module.py:function', found a n",
        ),
        ({"tool_hooks": 3}, "agent 'a': tool_hooks: expected a list of functions, as 'module.py:function', found a"),
        ({"model": 42}, "agent 'a': model: expected the name of a model, found a number"),
        ({"instruction": " "}, "agent 'a': instruction: expected text, found only blanks"),
        ({"history_source": "all"}, "agent 'a': history_source: expected one of none, messages, child, orchestrator"),
    ],
)
def test_a_decorator_refuses_at_once_what_a_card_would_refuse(values, said):
    with pytest.raises(DefinitionInvalid) as caught:
        FastAgent("demo").agent(**({"name": "a", "instruction": "Help."} | values))
    assert str(caught.value).startswith(said)


async def forgetful(ctx, args):
    return await ctx.original_tool_func(args)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"tool_hooks": [forgetful]}, "tool_hooks: forgetful(ctx, args) does not take three positional arguments"),
        ({"tool_hooks": ["gone.py:f"]}, "tool_hooks: 'gone.py:f': there is no file"),
        ({"function_tools": [add_one, tool(add_one)]}, "function_tools: two are called 'add_one'"),
        ({"agents": ["b"]}, "agents: there is no agent 'b'"),
        ({"servers": ["time"]}, "servers: there is no server 'time'; none is configured"),
        ({"model": "opnai:gpt"}, "model: 'opnai:gpt' names no model"),
        ({"model": object()}, "model: model of a: expected a model (a name, a provider and an async generate)"),
        ({}, "a has no model; name one here"),
    ],
)
def test_a_decorator_that_cannot_work_is_named_with_its_line_when_it_is_run(run, values, said):
    fast = FastAgent("demo")
    line = sys._getframe().f_lineno + 2

    @fast.agent(name="a", instruction="Help.", **values)
    def main(): ...

    with pytest.raises(DefinitionInvalid) as caught:
        run(send(fast, "go"))
    assert str(caught.value).startswith(f"{__file__}:{line}: {said}")


@pytest.mark.parametrize("output", ["answers.py:Trip", None])
def test_a_declared_agent_has_a_typed_answer(run, write, output):
    path = write("answers.py", "from dataclasses import dataclass\n\n@dataclass\nclass Trip:\n    nights: int\n")
    model = ScriptedModel(['{"nights": "two"}', '{"nights": 2}'])
    fast = FastAgent("demo", model=model)
    write("a.md", "---\nname: a\noutput: answers.py:Trip\n---\nPlan.\n")
    if output is None:
        fast.load_agents(path.parent / "a.md")
    else:
        fast.agent(name="a", instruction="Plan.", output=output)(add_one)

    async def main():
        async with fast.run() as agents:
            return await agents.default.run("A weekend")

    assert run(main()).output.nights == 2


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("gone.py:Trip", "output: 'gone.py:Trip': there is no file"),
        ("answers.py:Door", "output: no JSON stands for Door"),
        ("answers.py:plan", "output: no JSON stands for"),
    ],
)
def test_an_output_that_no_answer_can_be_is_named_with_its_line(write, output, said):
    write("answers.py", "class Door: ...\n\nplan = 3\n")
    fast = FastAgent("demo", model=ScriptedModel(["Hi"]))
    path = write("a.md", f"---\nname: a\noutput: {output}\n---\nPlan.\n")
    fast.load_agents(path)
    (problem,) = fast.check()
    assert str(problem).startswith(f"{path}:3: {said}")


def test_an_application_without_agents_says_how_to_declare_one(run):
    with pytest.raises(
        DefinitionInvalid, match=r"demo: no agent is declared; use @fast.agent\(…\) or fast.load_agents"
    ):
        run(send(FastAgent("demo"), "go"))


def test_a_problem_of_a_card_is_one_of_its_file(run, write):
    path = write("a.md", "---\nname: a\nfunction_tools:\n  - gone.py:f\nagents: [b]\n---\nHelp.\n")
    fast = FastAgent("demo", model=ScriptedModel([]))
    fast.load_agents(path)
    with pytest.raises(CardInvalid) as caught:
        run(send(fast, "go"))
    assert [(each.source, each.line, each.message.partition(";")[0]) for each in caught.value.problems] == [
        (str(path), 5, "agents: there is no agent 'b'"),
        (str(path), 3, f"function_tools: 'gone.py:f': there is no file {path.parent / 'gone.py'}"),
    ]


def test_a_failing_model_fails_the_message_and_leaves_no_trace(run):
    model = ScriptedModel([ModelFailed("no"), "Hi."])
    fast = FastAgent("demo", model=model)
    fast.agent(name="a", instruction="Help.")(add_one)

    async def main():
        async with fast.run() as agent:
            with pytest.raises(ModelFailed, match="no"):
                await agent("first")
            await agent("second")

    run(main())
    assert asked(model) == [("user", "second")]


def test_an_agent_is_declared_by_name_and_instruction_alone_or_by_its_name():
    fast = FastAgent("app")

    @fast.agent("plain")
    @fast.agent("fetcher", "Given a URL, summarize it.")
    def main(): ...

    assert [(each.name, each.instruction) for each in fast.configs] == [
        ("fetcher", "Given a URL, summarize it."),
        ("plain", "You are a helpful agent."),
    ]


def test_a_decorator_without_a_name_is_told_how_it_is_written():
    with pytest.raises(DefinitionInvalid, match=r"before its function: @fast.agent\('Name', 'Instruction'\)"):
        FastAgent("app").agent(lambda: None)


def test_each_of_several_declarations_has_its_own_line():
    fast = FastAgent("app")

    @fast.agent("first")
    @fast.agent("second")
    def main(): ...

    second, first = (each.origin.line for each in fast.configs)
    assert second == first + 1
