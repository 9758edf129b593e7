import asyncio
import json
from dataclasses import replace

import pytest

from instrument.testing import capture
from toolkit.agents import Agent, StructuredLLMHost, UnifiedRequest
from toolkit.agents.thread import Thread
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid, ModelFailed, NoAnswer, SpecInvalid, ToolkitError, ToolUnknown
from toolkit.functions import tool
from toolkit.models.scripted import ScriptedModel, Turn


def add_one(x: int) -> int:
    """Add one."""
    return x + 1


def broken() -> str:
    raise RuntimeError("out of order")


def contents(messages, role):
    return [each.get("content") for each in messages if each["role"] == role]


def test_an_answer_that_was_cut_off_says_so(run):
    class Cut(ScriptedModel):
        async def generate(self, request):
            return replace(await super().generate(request), finish_reason="length")

    agent = Agent("a", model=Cut(["The amount is 1"]))
    result = run(agent.run("How much?"))
    assert (result.text, result.finish_reason) == ("The amount is 1", "length")


def test_an_agent_calls_tools_until_the_model_answers(run, outline):
    model = ScriptedModel([Turn("Let me see.", calls=[("add_one", {"x": 3})]), "It is 4."], name="gpt-4.1")
    agent = Agent("counter", instruction="You count.", model=model, tools=[add_one])

    with capture() as hooks:
        result = run(agent.run("What comes after 3?"))

    assert (result.text, result.turns, result.problem, result.is_error) == ("It is 4.", 2, None, False)
    assert result.messages == [
        {"role": "user", "content": "What comes after 3?"},
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [
                {"id": "call_1_1", "type": "function", "function": {"name": "add_one", "arguments": '{"x": 3}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_1_1", "content": "4"},
        {"role": "assistant", "content": "It is 4."},
    ]
    assert model.requests[1].messages == [{"role": "system", "content": "You count."}, *result.messages[:3]]
    assert [each.name for each in model.requests[0].tools] == ["add_one"]
    assert outline(hooks) == [
        "before_agent_call counter",
        "before_llm_generate gpt-4.1",
        "after_llm_generate gpt-4.1",
        "before_tool_call add_one",
        "after_tool_call add_one",
        "before_llm_generate gpt-4.1",
        "after_llm_generate gpt-4.1",
        "after_agent_call counter",
    ]
    assert hooks[0][1]["input"] == "What comes after 3?"
    assert hooks[-1][1]["result"] == "It is 4."
    assert hooks[3][1]["context"].agent_name == "counter"


def test_usage_of_all_turns_is_added_up(run):
    model = ScriptedModel([Turn(calls=[("add_one", {"x": 3})]), "4"])
    with capture() as hooks:
        result = run(Agent("counter", model=model, tools=[add_one]).run("go"))
    usages = [values["usage"] for name, values in hooks if name == "after_llm_generate"]
    assert len(usages) == 2
    assert result.usage["total_tokens"] == sum(each["total_tokens"] for each in usages) > 0
    assert (
        result.usage["prompt_tokens_details"]["cached_tokens"]
        == usages[1]["prompt_tokens_details"]["cached_tokens"]
        > 0
    )


def test_called_like_a_function_it_returns_the_text(run):
    assert run(Agent("a", model=ScriptedModel(["hello"]))("hi")) == "hello"


def test_whatever_goes_wrong_with_a_tool_is_told_to_the_model(run):
    turn = Turn(calls=[("broken", {}), ("missing", {}), ("add_one", {"x": "three"}), ("add_one", "{x:")])
    model = ScriptedModel([turn, "sorry"], only_offered=False)

    result = run(Agent("a", model=model, tools=[broken, add_one]).run("go"))

    said = contents(result.messages, "tool")
    assert said[0] == "RuntimeError: out of order"
    assert said[1].startswith("there is no tool 'missing'")
    assert "x" in said[2] and "integer" in said[2]
    assert "not valid JSON" in said[3]
    assert result.text == "sorry"


def test_tools_of_one_answer_run_at_once_or_as_many_as_may(run):
    async def meet() -> str:
        await barrier.wait()
        return "met"

    calls = Turn(calls=[("meet", {})] * 3)
    barrier = asyncio.Barrier(3)
    assert run(Agent("a", model=ScriptedModel([calls, "all"]), tools=[meet]).run("go")).text == "all"

    running = highest = 0

    async def count() -> str:
        nonlocal running, highest
        running += 1
        highest = max(highest, running)
        await asyncio.sleep(0)
        running -= 1
        return ""

    calls = Turn(calls=[("count", {})] * 5)
    run(Agent("a", model=ScriptedModel([calls, "all"]), tools=[count], max_parallel=2).run("go"))
    assert highest == 2


def test_turns_that_are_used_up_end_the_run_without_calling_tools_in_vain(run, outline):
    called = []

    def look() -> str:
        called.append(1)
        return "nothing"

    model = ScriptedModel([Turn(f"still looking {at}", calls=[("look", {})]) for at in range(9)])
    agent = Agent("seeker", model=model, tools=[look], max_turns=2)

    with capture() as hooks:
        result = run(agent.run("find it"))

    assert result.problem == "seeker gave no answer within max_turns=2; it last requested look"
    assert (result.is_error, result.text, result.turns, called) == (True, "still looking 1", 2, [1])
    assert outline(hooks)[-1] == "error_agent_call seeker"
    assert isinstance(hooks[-1][1]["exc"], NoAnswer)
    with pytest.raises(NoAnswer, match="last requested look"):
        run(agent("find it"))


@pytest.mark.parametrize("nothing", ["", "  \n"])
def test_a_model_that_says_nothing_is_no_answer(run, nothing):
    result = run(Agent("a", model=ScriptedModel([nothing])).run("hello?"))
    assert result.problem == "the model of a said nothing (finish_reason 'stop')"


def test_a_failing_model_ends_the_run_with_its_cause(run, outline):
    agent = Agent("a", model=ScriptedModel([OSError("line cut")], name="gpt-4.1"))
    with capture() as hooks, pytest.raises(ModelFailed, match=r"^gpt-4\.1 failed: OSError: line cut$") as caught:
        run(agent.run("go"))
    assert isinstance(caught.value.__cause__, OSError)
    assert outline(hooks) == [
        "before_agent_call a",
        "before_llm_generate gpt-4.1",
        "error_llm_generate gpt-4.1",
        "error_agent_call a",
    ]


def test_what_a_model_says_itself_about_its_failure_stays_as_it_is(run):
    with pytest.raises(ModelFailed, match=r"^the script of m is over after 0 answers"):
        run(Agent("a", model=ScriptedModel([], name="m")).run("go"))


def test_an_agent_without_a_model_says_how_to_give_it_one(run):
    with pytest.raises(DefinitionInvalid, match=r"the agent 'a' has no model; pass Agent\('a', model=…\)"):
        run(Agent("a").run("go"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"name": ""}, "an agent needs a name"),
        ({"name": "a", "max_turns": 0}, "agent 'a': max_turns: expected a whole number above 0, found 0"),
        ({"name": "a", "max_turns": "2"}, "max_turns: expected a whole number above 0, found '2'"),
        ({"name": "a", "limits": 5}, "limits: expected a mapping, found a number"),
        ({"name": "a", "max_parallel": 0}, "max_parallel: expected a whole number above 0, found 0"),
        ({"name": "a", "tools": [42]}, "42 cannot be used as a tool"),
        ({"name": "a", "tools": [add_one, add_one]}, "two tools are called 'add_one'"),
    ],
)
def test_what_cannot_be_an_agent_is_refused_when_it_is_made(options, said):
    with pytest.raises(DefinitionInvalid, match=said):
        Agent(**options)


def test_words_are_passed_on_as_they_come_those_before_tools_too(run):
    pieces = []

    async def on_text(piece):
        pieces.append(piece)

    first, last = "I will count one by one for you.", "There you are: it is the number four."
    model = ScriptedModel([Turn(first, calls=[("add_one", {"x": 3})]), last])
    with capture() as hooks:
        run(Agent("a", model=model, tools=[add_one]).run("go", on_text=on_text))
    assert "".join(pieces) == first + last
    assert len(pieces) > 2
    streamed = [values for name, values in hooks if name == "after_llm_generate"]
    assert all(values["time_to_first_chunk"] > 0 and values["prompt"]["stream"] for values in streamed)


def test_a_cancelled_run_ends_its_tools_and_leaves_the_thread_as_it_was(run, outline):
    thread = Thread([{"role": "user", "content": "before"}])
    ended = []

    async def main():
        waiting = asyncio.Event()

        async def hang() -> str:
            waiting.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("hang")
            return ""

        agent = Agent("a", model=ScriptedModel([Turn(calls=[("hang", {})])]), tools=[hang])
        task = asyncio.create_task(agent.run("go", thread=thread))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with capture() as hooks:
        run(main())
    assert ended == ["hang"]
    assert thread.messages == [{"role": "user", "content": "before"}]
    assert outline(hooks)[-2:] == ["error_tool_call hang", "error_agent_call a"]
    assert isinstance(hooks[-1][1]["exc"], asyncio.CancelledError)


def test_middleware_stands_around_tools_in_the_order_given(run):
    order = []

    def tool_hook(name):
        async def hook(ctx, args, call_next):
            order.append(f"{name} {ctx.agent_name} {ctx.tool_name} {ctx.tool_use_id} {ctx.correlation_id}")
            return await call_next({"x": args["x"] * 2})

        return hook

    model = ScriptedModel([Turn(calls=[("add_one", {"x": 1})]), "done"])
    agent = Agent("a", model=model, tools=[add_one], tool_hooks=[tool_hook("inner")], max_turns=2)

    result = run(agent.run("go", context=ToolContext(tool_hooks=(tool_hook("outer"),), correlation_id="c-1")))

    assert order == ["outer a add_one call_1_1 c-1", "inner a add_one call_1_1 c-1"]
    assert contents(result.messages, "tool") == ["5"]


def test_tools_get_the_runs_context_over_the_agents_own(run):
    seen = []

    def look(context: ToolContext, state: dict) -> str:
        seen.append((context, state))
        return "ok"

    own = ToolContext(
        state={"own": 1}, dependencies={"a": 1, "b": 1}, credentials={"key": "own"}, permissions=frozenset({"read"})
    )
    agent = Agent("a", model=ScriptedModel([Turn(calls=[("look", {})]), "done"] * 2), tools=[look], context=own)
    thread = Thread()

    given = ToolContext(
        dependencies={"b": 2},
        credentials={"key": "k"},
        permissions=frozenset({"read", "write"}),
        correlation_id="c-1",
    )
    run(agent.run("go", context=given, thread=thread))

    [(context, state)] = seen
    assert state == {"own": 1}
    assert (context.agent_name, context.correlation_id) == ("a", "c-1")
    assert dict(context.dependencies) == {"a": 1, "b": 2}
    assert context.permissions == {"read"}
    assert context.credentials == {"key": "k"}
    assert contents(context.thread.messages, "user") == ["go"]

    run(agent.run("go"))
    assert seen[-1][0].permissions == {"read"}


def test_messages_that_it_was_made_with_begin_each_conversation(run):
    shown = [{"role": "user", "content": "2 and 2"}, {"role": "assistant", "content": "4"}]
    model = ScriptedModel(["6", "8"])
    agent = Agent("a", instruction="Add.", model=model, messages=shown)
    result = run(agent.run("3 and 3"))
    run(agent.run("4 and 4"))
    assert contents(model.requests[0].messages, "user") == ["2 and 2", "3 and 3"]
    assert contents(model.requests[1].messages, "user") == ["2 and 2", "4 and 4"]
    assert contents(result.messages, "user") == ["3 and 3"]


def test_a_models_own_settings_are_in_the_request_that_the_hooks_show(run):
    with capture() as hooks:
        run(Agent("a", model=ScriptedModel(["hi"], settings={"temperature": 0.7})).run("go"))
    assert hooks[1][1]["prompt"]["temperature"] == 0.7


class Analysis(Agent):
    @tool
    async def analyze_sentiment(self, text: str) -> dict:
        """Analyze sentiment of text."""
        return {"text": text, "by": self.name}

    @tool(name="keywords")
    def extract_keywords(self, text: str, max_keywords: int = 5) -> list[str]:
        """Extract keywords from text."""
        return text.split()[:max_keywords]


def test_methods_of_a_subclass_are_tools_of_the_agent(run):
    model = ScriptedModel([Turn(calls=[("analyze_sentiment", {"text": "fine"}), ("keywords", {"text": "a b"})]), "ok"])
    agent = Analysis("analyst", model=model, tools=[add_one])

    assert [each.name for each in agent.definitions()] == ["analyze_sentiment", "keywords", "add_one"]
    assert agent.definitions()[0].description == "Analyze sentiment of text."
    result = run(agent.run("go"))
    first, second = contents(result.messages, "tool")
    assert json.loads(first) == {"text": "fine", "by": "analyst"}
    assert json.loads(second)["result"] == ["a", "b"] if second.startswith("{") else json.loads(second) == ["a", "b"]


def request(target, **inputs):
    return UnifiedRequest(target, inputs)


def test_a_request_reaches_the_tool_or_else_the_agent(run):
    agent = Analysis("analyst", model=ScriptedModel(["thought about it", "about all"], name="m"))

    assert run(agent.handle(request("analyst.analyze_sentiment", text="x"))).structured == {
        "text": "x",
        "by": "analyst",
    }
    assert run(agent.handle(request("analyst", task="think"))).text == "thought about it"
    assert run(agent.handle(request("analyst", a=1, b="two"))).text == "about all"
    assert [each.messages[-1]["content"] for each in agent.model.requests] == ["think", '{"a": 1, "b": "two"}']


def test_a_request_that_does_not_fit_says_what_is_wrong(run):
    agent = Analysis("analyst")
    result = run(agent.handle(request("analyst.analyze_sentiment", text=42)))
    assert result.is_error and "text" in result.text and "string" in result.text
    assert run(agent.handle(request("analyst.analyse", text="x"))).text.startswith("there is no tool 'analyse'")
    with pytest.raises(ToolUnknown, match=r"there is no agent 'other' \(there are: 'analyst'\)"):
        run(agent.handle(request("other.tool")))
    with pytest.raises(ToolUnknown):
        run(agent.handle(request("analystic.tool")))


def test_tools_that_are_supplied_are_asked_for_in_each_turn(run):
    class Supplier:
        asked = 0

        async def tools(self):
            self.asked += 1
            return [tool(add_one)] if self.asked == 1 else [tool(add_one), tool(broken)]

    model = ScriptedModel([Turn(calls=[("add_one", {"x": 1})]), Turn(calls=[("broken", {})]), "end"])
    run(Agent("a", model=model, tools=[Supplier()]).run("go"))
    assert [[each.name for each in request.tools] for request in model.requests] == [
        ["add_one"],
        ["add_one", "broken"],
        ["add_one", "broken"],
    ]


def test_runs_at_the_same_time_do_not_meet(run):
    model = ScriptedModel(
        [Turn(calls=[("add_one", {"x": 1})]), lambda request: f"for {request.messages[0]['content']}"],
        each_conversation=True,
    )
    agent = Agent("a", model=model, tools=[add_one])

    async def main():
        return await asyncio.gather(*(agent.run(str(at)) for at in range(5)))

    assert [each.text for each in run(main())] == [f"for {at}" for at in range(5)]


def test_words_may_go_to_a_plain_function():
    heard = []
    model = ScriptedModel(["one two three four five six"])
    result = asyncio.run(Agent("a", model=model).run("go", on_text=heard.append))
    assert "".join(heard) == result.text == "one two three four five six"
    assert len(heard) == 2


@pytest.mark.parametrize("spec", ["openai:gpt-5-mini", "gpt-5-mini"])
def test_a_model_is_given_by_its_name_as_well(spec):
    assert (Agent("a", model=spec).model.name, Agent("a", model=spec).model.provider) == ("gpt-5-mini", "openai")
    assert StructuredLLMHost("h", spec).model.name == "gpt-5-mini"


def test_a_script_is_a_model_by_its_name(run, tmp_path):
    (tmp_path / "script.json").write_text('{"agents": {"a": ["hi"]}}')
    assert run(Agent("a", model=f"scripted:{tmp_path / 'script.json'}")("go")) == "hi"


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (42, "model of a: expected a model .* or the name of one, as in 'openai:gpt-5-mini', not int"),
        (ScriptedModel, "not the class ScriptedModel"),
        ("other:x", "'other:x' names no model; expected openai:NAME, NAME alone, or scripted:FILE"),
    ],
)
def test_what_is_no_model_is_refused_when_the_agent_is_made(model, said):
    for make in (lambda: Agent("a", model=model), lambda: StructuredLLMHost("a", model)):
        with pytest.raises(ToolkitError, match=said):
            make()


def test_one_tool_needs_no_list():
    assert [each.name for each in Agent("a", tools=add_one).definitions()] == ["add_one"]
    assert [each.name for each in Agent("a", tools=Agent("b")).definitions()] == ["agent__b"]
    for wrong in ("add_one", 42, {"add_one": add_one}):
        with pytest.raises(DefinitionInvalid, match="tools of a: expected a list of tools, not"):
            Agent("a", tools=wrong)


def test_an_option_that_nobody_reads_is_named_with_the_nearest():
    with pytest.raises(DefinitionInvalid, match="agent 'a': unknown key 'tool_hook'; did you mean 'tool_hooks'?"):
        Agent("a", tool_hook=[])
    with pytest.raises(DefinitionInvalid, match="agent 'h': unknown key 'max_turn'"):
        StructuredLLMHost("h", max_turn=3)


def test_middleware_that_cannot_be_one_is_refused_when_the_agent_is_made(tmp_path):
    with pytest.raises(SpecInvalid, match="tool_hooks: .* is no 'async def'"):
        Agent("a", tool_hooks=[lambda: 1])
    (tmp_path / "hooks.py").write_text("async def look(ctx, args, call_next):\n    return await call_next(args)\n")
    spec = f"{tmp_path / 'hooks.py'}:look"
    for given in ([spec], spec):
        hooks = Agent("a", tool_hooks=given).within(ToolContext()).tool_hooks
        assert [each.__name__ for each in hooks] == ["look"]
