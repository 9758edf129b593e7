import asyncio

import pytest

from instrument.testing import capture
from toolkit.agents import Agent
from toolkit.agents.workflow import Workflow
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.functions import tool
from toolkit.models.scripted import ScriptedModel, Turn


@tool
def add(a: int, b: int = 1) -> int:
    return a + b


@tool
def shout(text: str) -> str:
    return text.upper()


async def shouted(task, context):
    return (await shout({"text": task}, context)).text


def agent(name, *turns, **options):
    return Agent(name, model=ScriptedModel(turns, name="m"), **options)


def test_a_workflow_is_one_call_around_an_async_function(run):
    async def work(task, context):
        return {"task": task, "by": context.agent_name, "state": context.state}

    workflow = Workflow("report", work)
    with capture() as hooks:
        result = run(
            workflow.run("go", context=ToolContext(state=7, correlation_id="c-1", credentials={"k": "secret"}))
        )
    assert result == {"task": "go", "by": "report", "state": 7}
    (before, opening), (after, closing) = hooks
    assert (before, after) == ("before_workflow_run", "after_workflow_run")
    assert (opening["workflow"], opening["input"], opening["context"]) == (workflow, "go", "c-1")
    assert closing["result"] == result
    assert closing["call_id"] == opening["call_id"]


def test_a_failing_workflow_ends_with_its_error(run, outline):
    async def work(task, context):
        raise ValueError("no idea")

    with capture() as hooks, pytest.raises(ValueError, match="no idea"):
        run(Workflow("report", work)("go"))
    assert outline(hooks) == ["before_workflow_run report", "error_workflow_run report"]


def test_work_that_is_not_awaited_says_how_to_write_it(run):
    with pytest.raises(DefinitionInvalid, match=r"the work of report is no 'async def'; write it as: async def work"):
        run(Workflow("report", lambda task, context: task)("go"))
    assert run(Workflow("report", lambda task, context: shouted(task, context))("go")) == "GO"


def test_what_a_workflow_calls_is_below_it(run, recording):
    writer = agent("writer", "draft of it")
    inner = Workflow("inner", shouted)

    async def plan(task, context):
        draft = await writer.run(task, context=context)
        loud = await inner.run(draft.text, context=context)
        return (await add({"a": len(loud)}, context)).structured

    with recording:
        assert run(Workflow("plan", plan)("a task")) == 12
    assert recording.tree() == [
        "invoke_workflow plan",
        "  invoke_agent writer",
        "    chat m",
        "  invoke_workflow inner",
        "    execute_tool shout",
        "  execute_tool add",
    ]


def test_a_cancelled_workflow_ends_as_cancelled(run):
    async def main():
        waiting = asyncio.Event()

        async def hang(_task, _context):
            waiting.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(Workflow("all", hang)("x"))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with capture() as hooks:
        run(main())
    assert isinstance(hooks[-1][1]["exc"], asyncio.CancelledError)


def test_agents_in_a_workflow_get_its_context(run):
    seen = []

    def look(context: ToolContext) -> str:
        seen.append((context.agent_name, context.state))
        return ""

    looker = agent("looker", Turn(calls=[("look", {})]), "ok", tools=[look])
    workflow = Workflow("s", lambda task, context: looker.run(task, context=context))
    run(workflow.run("go", context=ToolContext(state=7)))
    assert seen == [("looker", 7)]


def test_a_workflow_without_a_name_is_refused():
    with pytest.raises(DefinitionInvalid, match="a workflow needs a name"):
        Workflow("", shouted)
