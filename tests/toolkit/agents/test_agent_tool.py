import asyncio
from types import SimpleNamespace

import pytest

from instrument.testing import capture
from toolkit.agents import Agent, AgentTool
from toolkit.agents.thread import History, Thread
from toolkit.agents.workflow import Workflow
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.errors import ArgumentsInvalid, DefinitionInvalid, NoAnswer, ToolTimedOut
from toolkit.models.scripted import ScriptedModel, Turn
from toolkit.node import ToolNode
from toolkit.result import ToolResult


def add_one(x: int) -> int:
    return x + 1


def ask(tool, message="hi", context=None):
    return tool({"message": message}, context)


def said(messages):
    return [(each["role"], each.get("content")) for each in messages if each["role"] in ("user", "assistant")]


def test_an_agent_as_a_tool_takes_one_string_and_says_who_it_is():
    guide = Agent("Local Guide", description="Knows the city")
    definition = AgentTool(guide).definition
    assert definition.name == "agent__Local_Guide"
    assert definition.description == "Knows the city"
    assert definition.input_schema["properties"].keys() == {"message"}
    assert definition.input_schema["required"] == ["message"]
    renamed = AgentTool(guide, name="SomeAgent", description="Some description")
    assert (renamed.name, renamed.description) == ("SomeAgent", "Some description")
    assert (renamed.source, renamed.server_name) == ("agent", "agent")


def test_a_description_is_the_agents_own_words_and_never_its_classs():
    assert AgentTool(Agent("a", instruction="Be brief.")).description == "Be brief."
    assert AgentTool(Agent("a")).description == ""
    assert AgentTool(_async_function).description == "Says it in capitals."
    assert AgentTool(Workflow("w", lambda task, context: task)).description == ""


def test_the_agents_call_is_inside_the_tools_call(run, recording):
    guide = Agent(
        "guide", model=ScriptedModel([Turn(calls=[("add_one", {"x": 1})]), "Sunny."], name="m"), tools=[add_one]
    )
    lead = Agent(
        "lead",
        model=ScriptedModel([Turn(calls=[("agent__guide", {"message": "weather?"})]), "ok"], name="m"),
        tools=[guide],
    )
    with recording:
        result = run(lead.run("plan"))
    assert result.messages[2]["content"] == "Sunny."
    assert recording.tree() == [
        "invoke_agent lead",
        "  chat m",
        "  execute_tool guide",
        "    invoke_agent guide",
        "      chat m",
        "      execute_tool add_one",
        "      chat m",
        "  chat m",
    ]


def test_every_call_of_a_nested_run_is_told_exactly_once(run, outline):
    def agent(name, *turns, tools=()):
        return Agent(name, model=ScriptedModel(turns, name=f"{name}'s"), tools=tools)

    guide = agent("guide", Turn(calls=[("add_one", {"x": 1})]), "Sunny.", tools=[add_one])
    lead = agent("lead", Turn(calls=[("agent__guide", {"message": "?"})]), "ok", tools=[guide])
    with capture() as hooks:
        assert run(Workflow("trip", lambda task, context: lead.run(task, context=context))("go")).text == "ok"
    assert outline(hooks) == [
        "before_workflow_run trip",
        "before_agent_call lead",
        "before_llm_generate lead's",
        "after_llm_generate lead's",
        "before_tool_call agent__guide",
        "before_agent_call guide",
        "before_llm_generate guide's",
        "after_llm_generate guide's",
        "before_tool_call add_one",
        "after_tool_call add_one",
        "before_llm_generate guide's",
        "after_llm_generate guide's",
        "after_agent_call guide",
        "after_tool_call agent__guide",
        "before_llm_generate lead's",
        "after_llm_generate lead's",
        "after_agent_call lead",
        "after_workflow_run trip",
    ]
    ids = [values["call_id"] for _, values in hooks]
    assert len(set(ids)) == 9
    assert all(ids.count(each) == 2 for each in ids)


def test_the_callers_middleware_stands_around_the_agent_and_not_inside(run):
    seen = []

    async def hook(ctx, args, call_next):
        seen.append((ctx.agent_name, ctx.tool_name, ctx.tool_source, ctx.server_name))
        return await call_next(args)

    guide = Agent("guide", model=ScriptedModel([Turn(calls=[("add_one", {"x": 1})]), "2"]), tools=[add_one])
    model = ScriptedModel([Turn(calls=[("agent__guide", {"message": "?"}), ("add_one", {"x": 1})]), "ok"])
    run(Agent("lead", model=model, tools=[guide, add_one], tool_hooks=[hook]).run("go"))
    assert sorted(seen) == [("lead", "add_one", "function", None), ("lead", "agent__guide", "agent", "agent")]


def test_the_agents_tools_get_the_callers_context_as_their_own_agent(run):
    seen = []

    def look(context: ToolContext) -> str:
        seen.append(context)
        return "ok"

    guide = Agent("guide", model=ScriptedModel([Turn(calls=[("look", {})]), "2"]), tools=[look])
    context = ToolContext(agent_name="lead", state={"n": 1}, correlation_id="c-1", permissions=frozenset({"read"}))
    run(ask(AgentTool(guide), context=context))
    [inner] = seen
    assert (inner.agent_name, inner.state, inner.correlation_id) == ("guide", {"n": 1}, "c-1")
    assert inner.permissions == {"read"}
    assert inner.call.name == "look"


async def _async_function(message):
    """Says it in capitals."""
    return message.upper()


def _sync_function(message):
    return message.upper()


class WithRun:
    name = "runner"

    async def run(self, message):
        return SimpleNamespace(output=message.upper(), new_items=[])


class WithSyncRun:
    def run(self, message):
        return SimpleNamespace(text=message.upper())


class WithCall:
    async def __call__(self, message):
        return ToolResult.of(message.upper())


@pytest.mark.parametrize("agent", [_async_function, _sync_function, WithRun(), WithSyncRun(), WithCall()])
def test_any_agent_can_be_behind_a_tool_and_its_call_is_told_once(run, agent):
    with capture() as hooks:
        result = run(ask(AgentTool(agent, name="other"), "quiet please"))
    assert (result.text, result.is_error) == ("QUIET PLEASE", False)
    assert [name for name, _ in hooks] == [
        "before_tool_call",
        "before_agent_call",
        "after_agent_call",
        "after_tool_call",
    ]
    assert hooks[1][1]["agent"] is agent if hasattr(agent, "name") else hooks[1][1]["agent"] == "other"
    assert hooks[1][1]["input"] == "quiet please"


def test_a_workflow_behind_a_tool_is_told_as_a_workflow_alone(run, outline):
    async def work(task, context):
        return f"{task}!"

    agent = Agent(
        "lead",
        model=ScriptedModel([Turn(calls=[("agent__shout", {"message": "hey"})]), "ok"]),
        tools=[Workflow("shout", work)],
    )
    with capture() as hooks:
        result = run(agent.run("go"))
    assert result.messages[2]["content"] == "hey!"
    assert outline(hooks)[3:7] == [
        "before_tool_call agent__shout",
        "before_workflow_run shout",
        "after_workflow_run shout",
        "after_tool_call agent__shout",
    ]


def test_an_extractor_makes_the_result_of_what_the_agent_returned(run):
    guide = Agent("guide", model=ScriptedModel(["18 degrees"] * 2))

    async def later(result):
        return ToolResult.of({"said": result.text, "turns": result.turns})

    assert run(ask(AgentTool(guide, output_extractor=later))).structured == {"said": "18 degrees", "turns": 1}
    assert run(ask(AgentTool(guide, output_extractor=lambda result: result.text[:2]))).text == "18"


def test_an_agent_without_an_answer_is_an_error_result(run):
    guide = Agent("guide", model=ScriptedModel([""]))
    result = run(ask(AgentTool(guide)))
    assert (result.is_error, result.text) == (True, "the model of guide said nothing (finish_reason 'stop')")


def test_what_an_agent_raises_is_told_to_the_caller_or_to_on_error_func(run, outline):
    def failing(message):
        raise ValueError("no idea")

    with capture() as hooks:
        result = run(ask(AgentTool(failing, name="other")))
    assert (result.is_error, result.text) == (True, "ValueError: no idea")
    assert outline(hooks)[-2:] == ["error_agent_call other", "error_tool_call other"]

    async def calm(error, context):
        return ToolResult.error(f"calm: {error}")

    assert run(ask(AgentTool(failing, name="other", on_error_func=calm))).text == "calm: no idea"


def test_an_agent_that_takes_too_long_is_cancelled_and_told_of(run):
    ended = []

    async def slow(message):
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(message)

    result = run(ask(AgentTool(slow, name="slow", timeout_s=0.01), "wait"))
    assert (result.text, ended) == ("slow gave no answer within 0.01 s", ["wait"])
    assert isinstance(result.exception, ToolTimedOut)


def test_a_timeout_of_the_agents_own_is_not_the_tools(run):
    def failing(message):
        raise TimeoutError("socket")

    assert run(ask(AgentTool(failing, name="f", timeout_s=20))).text == "TimeoutError: socket"


def test_cancelling_the_caller_cancels_the_agent(run, outline):
    async def main():
        waiting = asyncio.Event()

        async def slow(message):
            waiting.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(ask(AgentTool(slow, name="slow", timeout_s=20)))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with capture() as hooks:
        run(main())
    assert [name for name, _ in hooks][-2:] == ["error_agent_call", "error_tool_call"]


@pytest.mark.parametrize("arguments", [{}, {"message": 3}, {"text": "hi"}])
def test_arguments_without_a_message_are_told_to_the_model(run, arguments):
    result = run(AgentTool(_async_function, name="other")(arguments))
    assert result.is_error and "message" in result.text


def test_what_is_no_agent_is_refused():
    with pytest.raises(DefinitionInvalid, match="42 is not an agent"):
        AgentTool(42, name="x")
    with pytest.raises(DefinitionInvalid, match="has no name"):
        AgentTool(WithSyncRun())
    with pytest.raises(DefinitionInvalid, match="thread is 'all'; expected one of none, fork, shared"):
        AgentTool(_async_function, thread="all")
    with pytest.raises(DefinitionInvalid, match="history_source is 'mine'"):
        History("mine")
    with pytest.raises(DefinitionInvalid, match="history_merge_target is 'messages'"):
        History("none", "messages")


SHOWN = [{"role": "user", "content": "shown"}, {"role": "assistant", "content": "example"}]
BEFORE = [{"role": "user", "content": "before"}, {"role": "assistant", "content": "noted"}]


def conversation(run, thread):
    """Have a lead with a conversation call its guide once; returns what the guide was sent, and the lead's thread."""
    guide = Agent("guide", model=ScriptedModel(["Sunny."]), messages=SHOWN)
    guide.history.extend([{"role": "user", "content": "own"}, {"role": "assistant", "content": "past"}])
    call = Turn("asking", calls=[("agent__guide", {"message": "weather?"})])
    lead = Agent("lead", model=ScriptedModel([call, "ok"]), tools=[AgentTool(guide, thread=thread)])
    leads = Thread(BEFORE)
    run(lead.run("plan", thread=leads))
    return said(guide.model.requests[0].messages), said(leads.messages), said(guide.history.messages)


OWN = [("user", "shown"), ("assistant", "example"), ("user", "own"), ("assistant", "past")]
LEAD = [("user", "before"), ("assistant", "noted"), ("user", "plan")]
EXCHANGE = [("user", "weather?"), ("assistant", "Sunny.")]
REST = [("assistant", "asking"), ("assistant", "ok")]


@pytest.mark.parametrize(
    ("thread", "sent", "leads", "own"),
    [
        ("none", EXCHANGE[:1], LEAD + REST, OWN),
        ("fork", LEAD + EXCHANGE[:1], LEAD + REST, OWN),
        ("shared", LEAD + EXCHANGE[:1], LEAD + EXCHANGE + REST, OWN),
        (History("messages"), OWN[:2] + EXCHANGE[:1], LEAD + REST, OWN),
        (History("child"), OWN + EXCHANGE[:1], LEAD + REST, OWN),
        (History("child", "child"), OWN + EXCHANGE[:1], LEAD + REST, OWN + EXCHANGE),
        (History("none", "orchestrator"), EXCHANGE[:1], LEAD + EXCHANGE + REST, OWN),
    ],
)
def test_what_a_called_agent_sees_and_who_remembers(run, thread, sent, leads, own):
    assert conversation(run, thread) == (sent, leads, own)


def test_a_shared_conversation_has_an_answer_to_each_call_at_any_time(run):
    """Providers refuse a conversation in which a tool call is not followed by its answer."""
    guide = Agent("guide", model=ScriptedModel(["one", "two"]))
    calls = Turn(calls=[("agent__guide", {"message": "a"}), ("agent__guide", {"message": "b"})])
    lead = Agent("lead", model=ScriptedModel([calls, "ok"]), tools=[AgentTool(guide, thread="shared")])
    thread = Thread()
    run(lead.run("go", thread=thread))
    for messages in [*(each.messages for each in guide.model.requests), thread.messages]:
        for at, each in enumerate(messages):
            if each.get("tool_calls"):
                answers = [after.get("tool_call_id") for after in messages[at + 1 : at + 1 + len(each["tool_calls"])]]
                assert answers == [call["id"] for call in each["tool_calls"]]
    assert len(said(thread.messages)) == 2 + 2 * 2 + 1


def test_a_failed_call_leaves_every_conversation_as_it_was(run):
    guide = Agent("guide", model=ScriptedModel([OSError("cut")]))
    call = Turn(calls=[("agent__guide", {"message": "?"})])
    lead = Agent("lead", model=ScriptedModel([call, "ok"]), tools=[AgentTool(guide, thread=History("child", "child"))])
    run(lead.run("go"))
    assert guide.history.messages == []


def test_the_error_of_an_agents_run_is_on_its_own_span_too(run):
    guide = Agent("guide", model=ScriptedModel([""]))
    with capture() as hooks:
        run(ask(AgentTool(guide)))
    [exc] = [values["exc"] for name, values in hooks if name == "error_agent_call"]
    assert isinstance(exc, NoAnswer)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"task": "x"}, "missing 'message', which is a string; unexpected 'task'; allowed: 'message'"),
        ({"message": 3}, "message: expected a string, found the number 3"),
        ({"message": "a", "x": 1}, "unexpected 'x'; allowed: 'message'"),
    ],
)
def test_wrong_arguments_of_an_agent_are_told_as_those_of_any_tool(arguments, problem):
    [result] = asyncio.run(
        ToolNode([Agent("guide", model=ScriptedModel(["x"]))]).invoke([ToolCall("agent__guide", arguments)])
    )
    assert result.text == f"invalid arguments for agent__guide: {problem}"
    assert isinstance(result.exception, ArgumentsInvalid)
