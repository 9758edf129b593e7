"""What is raised around a call: what ends the run, what the model reads, and what the log has of it."""

import asyncio
import logging
from contextlib import nullcontext
from traceback import walk_tb

import pytest

from instrument.testing import capture
from toolkit import Agent, Inject, ScriptedModel, ToolContext, ToolNode, Turn
from toolkit import tool as as_tool
from toolkit.call import ToolCall
from toolkit.errors import DependencyMissing, EndRun, ToolkitError, ToolRefused
from toolkit.middleware.redact import Redact
from toolkit.middleware.retry import Retry
from toolkit.outcomes import failure, for_remote
from toolkit.result import ToolResult
from toolkit.tool_class import Tool

CALL = [{"name": "look", "arguments": {}}]


class Own(Exception):
    """The application's."""


def raising(error):
    def raise_it(*_):
        raise error

    return raise_it


def raising_hook(error):
    async def guard(ctx, args, call_next):
        raise error

    return guard


def look_with(place, error):
    """A tool called `look`, and the middleware around it, one of which raises in the place that is named."""
    options, hooks = {}, []
    body = (lambda: "seen") if place != "tool" and place != "on_error" else raising(ValueError("broken"))
    if place == "tool":
        body = raising(error)
    elif place == "hook":
        hooks = [raising_hook(error)]
    elif place == "on_error":
        options["on_error_func"] = lambda failure, context: raising(error)()
    elif place in ("input_guardrails", "output_guardrails"):
        options[place] = [lambda value, context: raising(error)()]
    return as_tool(lambda: body(), name="look", **options), hooks


PLACES = ["tool", "hook", "on_error", "input_guardrails", "output_guardrails"]


def agent_with(tools, hooks=(), **options):
    model = ScriptedModel([Turn(calls=[("look", {})]), "done"])
    return Agent("a", model=model, tools=tools, tool_hooks=hooks, **options)


@pytest.mark.parametrize("place", PLACES)
def test_end_run_ends_the_run_wherever_it_is_raised(place, caplog):
    caplog.set_level(logging.INFO, "mcp.toolkit")
    end = EndRun("the budget is gone")
    look, hooks = look_with(place, end)
    with capture() as emitted, pytest.raises(EndRun) as caught:
        asyncio.run(agent_with([look], hooks).run("go"))
    assert caught.value is end
    assert [name for name, _ in emitted if "error" in name] == ["error_tool_call", "error_agent_call"]
    logged = [each for each in caplog.records if each.name == "mcp.toolkit" and each.exc_info]
    assert [each.levelno for each in logged if each.exc_info[1] is end] == [logging.INFO]


@pytest.mark.parametrize("place", PLACES)
def test_anything_else_is_a_result_for_the_model_and_logged_with_its_traceback(place, caplog):
    caplog.set_level(logging.INFO, "mcp.toolkit")
    error = Own("no luck")
    look, hooks = look_with(place, error)
    result = asyncio.run(agent_with([look], hooks).run("go"))
    assert result.text == "done"
    answer = next(each for each in result.messages if each["role"] == "tool")
    assert answer["content"] == "Own: no luck"
    (record,) = [each for each in caplog.records if each.exc_info and each.exc_info[1] is error]
    assert record.levelno == (logging.INFO if place == "tool" else logging.ERROR)


@pytest.mark.parametrize("watched", [False, True])
def test_the_log_of_a_failed_hook_names_it_and_begins_in_it(watched, caplog):
    look, hooks = look_with("hook", Own("no luck"))
    with capture() if watched else nullcontext():
        asyncio.run(ToolNode([look], tool_hooks=[Retry(1), *hooks]).invoke(CALL))
    (record,) = [each for each in caplog.records if each.name == "mcp.toolkit"]
    assert record.getMessage() == "look: raising_hook.<locals>.guard raised Own; it is the call's result"
    assert [frame.f_code.co_name for frame, _ in walk_tb(record.exc_info[2])] == ["guard"]


def test_the_log_of_a_hook_that_returns_nothing_has_its_name_and_no_function_of_the_toolkit(caplog):
    async def forgetful(ctx, args, call_next):
        await call_next(args)

    look, _ = look_with("tool", None)
    asyncio.run(ToolNode([look], tool_hooks=[forgetful]).invoke(CALL))
    (record,) = [each for each in caplog.records if each.name == "mcp.toolkit" and each.levelno == logging.ERROR]
    assert record.getMessage() == "look: something around it raised ToolkitError; it is the call's result"
    assert "middleware forgetful returned None" in caplog.text


@pytest.mark.parametrize(("place", "ends"), [("hook", True), ("on_error", True), ("tool", False)])
def test_what_is_raised_again_ends_the_run_where_the_context_says_so(place, ends):
    error = Own("no luck")
    look, hooks = look_with(place, error)
    agent = agent_with([look], hooks, context=ToolContext(errors="raise"))
    if not ends:
        assert asyncio.run(agent.run("go")).text == "done"
        return
    with pytest.raises(Own) as caught:
        asyncio.run(agent.run("go"))
    assert caught.value is error


def test_errors_are_told_or_raised_and_nothing_else():
    with pytest.raises(ToolkitError, match="errors is 'ignore'; expected 'tell' or 'raise'"):
        ToolContext(errors="ignore")


def test_end_run_ends_the_calls_beside_it_and_passes_agents_compositions_and_retries():
    ended = []

    @as_tool
    async def wait() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("wait")
            raise

    look, _ = look_with("tool", EndRun("over"))

    @as_tool
    async def both(context: ToolContext) -> None:
        async with asyncio.TaskGroup() as group:
            for part in (look, wait):
                group.create_task(part({}, context))

    model = ScriptedModel([Turn(calls=[("both", {})])])
    child = Agent("child", model=model, tools=[both], tool_hooks=[Retry(3), Redact(["nothing"])])
    parent = Agent("parent", model=ScriptedModel([Turn(calls=[("agent__child", {"message": "go"})])]), tools=[child])
    with pytest.raises(EndRun, match="over"):
        asyncio.run(parent.run("go"))
    assert ended == ["wait"]


def test_end_run_stays_one_when_its_words_are_redacted():
    look, _ = look_with("tool", EndRun("token abc0"))
    with pytest.raises(EndRun) as caught:
        asyncio.run(agent_with([look], [Redact(["abc0"])]).run("go"))
    assert "abc0" not in str(caught.value)


def test_as_completed_ends_with_what_ends_the_run():
    look, _ = look_with("tool", EndRun("over"))

    async def main():
        async for _ in ToolNode([look]).as_completed(CALL):
            pass

    with pytest.raises(EndRun, match="over"):
        asyncio.run(main())


def test_a_missing_dependency_is_the_programs_to_mend(caplog):
    class Database: ...

    @as_tool
    def look(db: Inject[Database]) -> str: ...

    [result] = asyncio.run(ToolNode([look]).invoke(CALL))
    assert result.text == "look cannot be used: the program lacks something for it"
    assert isinstance(result.exception, DependencyMissing)
    (record,) = caplog.records
    assert (record.levelname, record.exc_info) == ("ERROR", None)
    assert "pass it as ToolContext(dependencies={Database: …})" in record.getMessage()


@pytest.mark.parametrize("error", [ToolRefused("not you"), ToolkitError("give a city")])
def test_what_is_written_for_the_model_is_no_news_for_the_log(error, caplog):
    look, _ = look_with("tool", error)
    [result] = asyncio.run(ToolNode([look]).invoke(CALL))
    assert (result.text, caplog.records) == (str(error), [])


def test_a_call_is_named_in_the_log_of_a_developer_without_its_contents(caplog):
    caplog.set_level(logging.DEBUG, "mcp.toolkit")

    @as_tool
    def add(x: int) -> int:
        if x > 9000:
            raise ToolkitError("secret-reason")
        return x

    node = ToolNode([add], context=ToolContext(agent_name="PMO"))
    asyncio.run(node.invoke([{"name": "add", "arguments": {"x": each}} for each in (4711, 9001)]))
    ok, failed = sorted(each.getMessage() for each in caplog.records)
    assert ok.startswith("add (function) called by PMO answered in ") and ok.endswith(" ms")
    assert failed.startswith("add (function) called by PMO failed with ToolkitError in ")
    assert not any(word in caplog.text for word in ("4711", "9001", "secret-reason"))


def test_a_question_to_a_model_is_named_in_the_log_too(caplog):
    caplog.set_level(logging.DEBUG, "mcp.toolkit")
    asyncio.run(Agent("PMO", model=ScriptedModel(["secret-answer"])).run("secret-question"))
    (record,) = caplog.records
    assert " called by PMO answered in " in record.getMessage()
    assert "secret" not in caplog.text


class Search(Tool):
    """As the design of Agent Framework has a tool."""

    name = "search"
    description = "Search the documents."
    input_schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}

    async def run(self, call, context):
        return f"found {call.arguments['q']}"


def test_a_tool_says_what_it_is_by_attributes_of_its_class(call):
    search = Search()
    assert (search.definition.name, search.definition.description) == ("search", "Search the documents.")
    assert search.definition.input_schema == Search.input_schema
    assert call(search, q="x").text == "found x"
    assert call(search, q=5).text == "invalid arguments for search: q: expected a string, found the number 5"


def test_properties_of_a_tool_go_before_its_definition(call):
    from toolkit.definition import ToolDefinition

    class Named(Search):
        def __init__(self, suffix):
            super().__init__(ToolDefinition(name="other", version="2"))
            self._suffix = suffix

        @property
        def name(self):
            return f"search_{self._suffix}"

        @property
        def description(self):
            return f"Search {self._suffix}."

    named = Named("b")
    assert (named.definition.name, named.definition.version, named.definition.description) == (
        "search_b",
        "2",
        "Search b.",
    )
    assert call(named, q=5).is_error


def test_a_tool_without_a_name_and_one_with_a_schema_of_unknown_kind_are_refused():
    class Nameless(Tool):
        async def run(self, call, context): ...

    class Schemed(Search):
        schema = {}

    with pytest.raises(ToolkitError, match="Nameless has no name; give it a class attribute name"):
        Nameless()
    with pytest.raises(ToolkitError, match=r"Schemed.schema is not looked at; call it input_schema"):
        Schemed()


def test_a_tool_behind_another_one_is_one_call_with_the_middleware_of_both():
    async def outer(ctx, args, call_next):
        return await call_next(args)

    async def inner(ctx, args, call_next):
        return await call_next({"q": "y"})

    class Front(Search):
        name = "front"

        async def run(self, call, context):
            behind = ToolContext(tool_hooks=(inner,), call_id=context.call_id, changes=context.changes)
            return await Search().forward(ToolCall("search", call.arguments), behind)

    with capture() as emitted:
        result = asyncio.run(Front()({"q": "x"}, ToolContext(tool_hooks=(outer,))))
    assert result.text == "found y"
    assert [name for name, _ in emitted] == ["before_tool_call", "after_tool_call"]
    middleware = [(each["name"], each["did"]) for each in emitted[-1][1]["middleware"]]
    assert middleware == [("outer", "passed"), ("inner", "changed")]


def test_what_guardrails_rewrite_and_refuse_is_recorded():
    from dataclasses import replace

    from toolkit.middleware.guardrails import Refuse, Rewrite

    def clamp(call, context):
        return Rewrite(replace(call, arguments={"x": 10}))

    def mark(result, context):
        return Rewrite(ToolResult([*result.content, *ToolResult.of("[seen]").content]))

    def never(call, context):
        return Refuse("not today")

    def told(*guardrails, **more):
        made = as_tool(lambda x: f"{x} eggs", name="eggs", input_guardrails=guardrails, **more)
        with capture() as emitted:
            asyncio.run(made({"x": 40}))
        return emitted[-1][1]["middleware"]

    changed, marked = told(clamp, output_guardrails=[mark])
    assert changed == {"name": "clamp", "did": "changed", "args": {"before": {"x": 40}, "after": {"x": 10}}}
    assert (marked["name"], marked["did"], set(marked["result"])) == ("mark", "changed", {"before", "after"})
    assert told(clamp, never)[1] == {"name": "never", "did": "refused", "message": "not today"}


def test_a_failure_of_which_a_remote_caller_learns_nothing_is_in_the_log(caplog):
    error = OSError("secret path")
    told = for_remote("look", failure("look", error))
    assert told.text == "look failed; the log of its server says why"
    (record,) = caplog.records
    assert (record.levelname, record.exc_info[1]) == ("ERROR", error)
