import pytest

from instrument.testing import capture
from toolkit.agents import Agent
from toolkit.agents.host import StructuredLLMHost
from toolkit.agents.requests import UnifiedRequest
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid, ToolUnknown
from toolkit.functions import Inject, tool
from toolkit.models.scripted import ScriptedModel, Turn
from toolkit.result import ToolResult


class Analysis(Agent):
    @tool
    async def analyze_sentiment(self, text: str) -> dict:
        """Analyze sentiment of text."""
        return {"sentiment": "positive", "length": len(text)}

    @tool
    def fail(self) -> str:
        """Always fails."""
        raise RuntimeError("out of order")


class Desk:
    """No agent, but it declares a tool."""

    @tool
    def book(self, room: int) -> str:
        """Book a room."""
        return f"room {room} is booked"


def tools_told(result):
    return [each["content"] for each in result.messages if each["role"] == "tool"]


def test_participants_tools_are_offered_and_calls_routed_back(run, recording):
    writer = Agent("writer", description="Writes", model=ScriptedModel(["Once upon a time."], name="m"))
    calls = [
        ("ANALYZER__analyze_sentiment", {"text": "fine"}),
        ("agent__WRITER", {"message": "Begin a story"}),
        ("DESK__book", {"room": 7}),
    ]
    model = ScriptedModel([*(Turn(calls=[each]) for each in calls), "All done."], name="m")
    host = StructuredLLMHost(
        "host", model, participants={"ANALYZER": Analysis("analyst"), "WRITER": writer, "DESK": Desk()}
    )

    with recording:
        result = run(host.run("go"))

    assert [(each.name, each.description) for each in host.definitions()] == [
        ("ANALYZER__analyze_sentiment", "Analyze sentiment of text."),
        ("ANALYZER__fail", "Always fails."),
        ("agent__WRITER", "Writes"),
        ("DESK__book", "Book a room."),
    ]
    assert tools_told(result) == ['{"sentiment": "positive", "length": 4}', "Once upon a time.", "room 7 is booked"]
    assert result.text == "All done."
    assert recording.tree() == [
        "invoke_agent host",
        "  chat m",
        "  execute_tool ANALYZER__analyze_sentiment",
        "  chat m",
        "  execute_tool WRITER",
        "    invoke_agent writer",
        "      chat m",
        "  chat m",
        "  execute_tool DESK__book",
        "  chat m",
    ]


def test_a_participants_failure_comes_back_as_a_result(run):
    writer = Agent("writer", model=ScriptedModel([OSError("cut")]))
    calls = Turn(
        calls=[
            ("ANALYZER__fail", {}),
            ("ANALYZER__analyze_sentiment", {"text": 42}),
            ("agent__WRITER", {"message": "?"}),
            ("agent__GONE", {"message": "?"}),
        ]
    )
    model = ScriptedModel([calls, "sorry"], only_offered=False)
    host = StructuredLLMHost("host", model, {"ANALYZER": Analysis("analyst"), "WRITER": writer})
    with capture() as hooks:
        failed, invalid, broken, unknown = tools_told(run(host.run("go")))
    assert failed == "RuntimeError: out of order"
    assert "text" in invalid and "string" in invalid
    assert broken == "scripted failed: OSError: cut"
    assert unknown.startswith("there is no tool 'agent__GONE'")
    assert [name for name, _ in hooks].count("before_tool_call") == 4
    assert [name for name, _ in hooks].count("error_tool_call") == 4


def test_middleware_and_hooks_see_a_participants_tool_under_the_name_the_model_knows(run):
    seen = []

    async def hook(ctx, args, call_next):
        seen.append((ctx.agent_name, ctx.tool_name, ctx.tool_source, ctx.server_name))
        return await call_next({"text": args["text"] + "!"})

    model = ScriptedModel([Turn(calls=[("ANALYZER__analyze_sentiment", {"text": "fine"})]), "ok"])
    host = StructuredLLMHost("host", model, {"ANALYZER": Analysis("analyst")}, tool_hooks=[hook])
    with capture() as hooks:
        result = run(host.run("go"))
    assert seen == [("host", "ANALYZER__analyze_sentiment", "function", None)]
    assert tools_told(result) == ['{"sentiment": "positive", "length": 5}']
    told = [values["tool_name"] for name, values in hooks if name.endswith("tool_call")]
    assert told == ["ANALYZER__analyze_sentiment"] * 2


def test_participants_join_and_leave_while_the_host_works(run):
    host = StructuredLLMHost("host")
    writer = Agent("writer", model=ScriptedModel(["hello"]))

    def join_desk(request):
        host.join("DESK", Desk())
        host.leave("WRITER")
        return Turn("first", calls=[("agent__WRITER", {"message": "hi"})])

    host.join("WRITER", writer)
    host.model = ScriptedModel([join_desk, Turn(calls=[("DESK__book", {"room": 1})]), "ok"])
    result = run(host.run("go"))
    assert [[each.name for each in request.tools] for request in host.model.requests] == [
        ["agent__WRITER"],
        ["DESK__book"],
        ["DESK__book"],
    ]
    assert tools_told(result)[0].startswith("there is no tool 'agent__WRITER'")
    assert tools_told(result)[1] == "room 1 is booked"
    assert dict(host.participants).keys() == {"DESK"}


def test_what_cannot_take_part_is_refused_and_leaves_nothing_behind():
    host = StructuredLLMHost("host", participants={"DESK": Desk()})
    with pytest.raises(DefinitionInvalid, match="'DESK' takes part in host already"):
        host.join("DESK", Desk())
    with pytest.raises(DefinitionInvalid, match="is not an agent"):
        host.join("OTHER", 42)
    with pytest.raises(ToolUnknown, match="'WRITER' does not take part in host; there is 'DESK'"):
        host.leave("WRITER")
    assert list(host.participants) == ["DESK"]
    assert [each.name for each in host.definitions()] == ["DESK__book"]


def test_its_model_is_told_what_a_host_does_unless_something_else_is_given(run):
    host = StructuredLLMHost("host", ScriptedModel(["ok"] * 2))
    run(host.run("go"))
    assert "coordinate other agents" in host.model.requests[0].messages[0]["content"]
    other = StructuredLLMHost("host", ScriptedModel(["ok"]), instruction="Be brief.", max_turns=3)
    run(other.run("go"))
    assert other.model.requests[0].messages[0]["content"] == "Be brief."
    assert other.max_turns == 3


def test_an_agents_tools_are_called_with_what_its_author_put_around_them(run):
    class Store:
        name = "main"

    class Keeper(Agent):
        @tool
        async def look(self, store: Inject[Store], context: ToolContext) -> str:
            return f"{store.name} {context.credential('key')} {context.agent_name}"

        @tool(permissions=["admin"])
        async def wipe(self) -> str:
            return "WIPED"

    async def own(ctx, args, call_next):
        result = await call_next(args)
        return ToolResult.of(f"{ctx.agent_name} {ctx.tool_name}: {result.text}")

    async def hosts(ctx, args, call_next):
        return await call_next(args)

    context = ToolContext(
        dependencies={Store: Store()}, credentials={"key": "k"}, permissions=frozenset({"read"}), tool_hooks=(own,)
    )
    keeper = Keeper("keeper", context=context)
    host = StructuredLLMHost("host", participants={"K": keeper}, tool_hooks=[hosts])

    def ask(target):
        return run(host.handle(UnifiedRequest(target))).text

    with capture() as hooks:
        assert ask("host.K__look") == "keeper look: main k keeper"
    assert [name for name, _ in hooks] == ["before_tool_call", "after_tool_call"]
    assert [(each["name"], each["did"]) for each in hooks[-1][1]["middleware"]] == [
        ("hosts", "passed"),
        ("own", "changed"),
    ]
    assert ask("host.K__wipe") == "wipe needs the permission 'admin'"


def test_the_hosts_own_limits_hold_for_participants_too(run):
    class Keeper(Agent):
        @tool(permissions=["admin"])
        async def wipe(self) -> str:
            return "WIPED"

    host = StructuredLLMHost("host", participants={"K": Keeper("keeper")}, context=ToolContext(permissions={"read"}))
    assert run(host.handle(UnifiedRequest("host.K__wipe"))).text == "K__wipe needs the permission 'admin'"


MISSPELT = [
    (StructuredLLMHost, "particpants", "participants"),
    (Agent, "instructions", "instruction"),
    (Agent, "modl", "model"),
]


@pytest.mark.parametrize(("kind", "wrong", "meant"), MISSPELT)
def test_a_misspelt_option_is_told_with_the_one_that_is_meant(kind, wrong, meant):
    with pytest.raises(DefinitionInvalid, match=f"unknown key '{wrong}'; did you mean '{meant}'"):
        kind("host", **{wrong: None})
