import asyncio

import pytest

from instrument.testing import capture
from toolkit.agents import Agent
from toolkit.context import ToolContext
from toolkit.errors import ArgumentsInvalid, DefinitionInvalid, NoAnswer, ToolkitError
from toolkit.functions import tool
from toolkit.models.scripted import ScriptedModel, Turn
from toolkit.workflows import Workflow, parallel, sequence, take


@tool
def add(a: int, b: int = 1) -> int:
    return a + b


@tool
def shout(text: str) -> str:
    return text.upper()


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


def test_a_sequence_hands_each_result_to_the_next_step(run, recording):
    workflow = sequence(
        "chain",
        agent("writer", "draft of it"),
        shout,
        lambda text: {"a": len(text)},
        add,
        sequence("inner", str),
    )
    with recording:
        assert run(workflow("a task")) == "12"
    assert recording.tree() == [
        "invoke_workflow chain",
        "  invoke_agent writer",
        "    chat m",
        "  execute_tool shout",
        "  execute_tool add",
        "  invoke_workflow inner",
    ]


def test_steps_in_parallel_wait_for_each_other_and_keep_their_order(run):
    async def main():
        barrier = asyncio.Barrier(3)

        def step(name):
            async def meet(task):
                await barrier.wait()
                return f"{name} {task}"

            return meet

        return await parallel("all", step("a"), step("b"), step("c"))("x")

    assert run(main()) == ["a x", "b x", "c x"]


def test_no_more_steps_than_may_run_at_a_time(run):
    running = highest = 0

    async def count(_task):
        nonlocal running, highest
        running += 1
        highest = max(highest, running)
        await asyncio.sleep(0)
        running -= 1

    run(parallel("all", *[count] * 5, max_parallel=2)("x"))
    assert highest == 2


def test_results_of_parallel_steps_are_joined_by_a_function_or_an_agent(run, recording):
    steps = [agent("ny", "sunny"), agent("london", "rain")]
    assert run(parallel("weather", *steps, join=", ".join)("?")) == "sunny, rain"

    steps = [agent("ny", "sunny"), agent("london", "rain")]
    reporter = agent("reporter", "mixed")
    with recording:
        assert run(parallel("weather", *steps, join=reporter)("weather?")) == "mixed"
    told = reporter.model.requests[0].messages[0]["content"]
    assert told == "Task:\nweather?\n\nny:\nsunny\n\nlondon:\nrain"
    tree = recording.tree()
    assert (tree[0], sorted(tree[1:5:2]), tree[5:]) == (
        "invoke_workflow weather",
        ["  invoke_agent london", "  invoke_agent ny"],
        ["  invoke_agent reporter", "    chat m"],
    )


def test_a_failing_step_ends_the_others_and_is_what_is_raised(run, outline):
    ended = []

    async def hang(task):
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(task)

    async def fail(task):
        raise ValueError("no idea")

    with capture() as hooks, pytest.raises(ValueError, match="no idea"):
        run(parallel("all", hang, fail)("x"))
    assert ended == ["x"]
    assert outline(hooks)[-1] == "error_workflow_run all"


def test_a_cancelled_workflow_cancels_its_steps(run, outline):
    async def main():
        waiting = asyncio.Event()

        async def hang(_task):
            waiting.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(parallel("all", hang)("x"))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with capture() as hooks:
        run(main())
    assert isinstance(hooks[-1][1]["exc"], asyncio.CancelledError)


def test_a_tool_gets_an_object_as_arguments_and_anything_else_as_its_only_one(run):
    context = ToolContext()
    assert run(take(add, {"a": 1, "b": 2}, context)) == 3
    assert run(take(shout, "hi", context)) == "HI"
    with pytest.raises(DefinitionInvalid, match="add has 2 arguments; the step before has to return an object"):
        run(take(add, 1, context))


def test_a_tool_that_fails_ends_the_workflow_with_what_it_raised(run):
    @tool
    def broken(text: str) -> str:
        raise OSError("cut")

    with pytest.raises(OSError, match="cut"):
        run(sequence("s", broken)("x"))
    with pytest.raises(ArgumentsInvalid):
        run(sequence("s", shout)({"text": 3}))


def test_a_tool_that_only_says_it_failed_ends_the_workflow_as_well(run):
    from toolkit.result import ToolResult

    @tool
    def sorry(text: str) -> ToolResult:
        return ToolResult.error("not today")

    with pytest.raises(ToolkitError, match="sorry: not today"):
        run(sequence("s", sorry)("x"))


def test_an_agent_without_an_answer_ends_the_workflow(run):
    with pytest.raises(NoAnswer, match="the model of mute said nothing"):
        run(sequence("s", agent("mute", ""))("x"))


def test_other_peoples_agents_are_steps_whose_call_is_told(run, outline):
    class Other:
        name = "other"

        async def run(self, task):
            return f"{task}!"

    with capture() as hooks:
        assert run(sequence("s", Other())("hey")) == "hey!"
    assert outline(hooks)[1:3] == ["before_agent_call other", "after_agent_call other"]
    assert {keywords["emitter"] for _, keywords in hooks} == {"toolkit"}


def test_agents_in_a_workflow_get_its_context(run):
    seen = []

    def look(context: ToolContext) -> str:
        seen.append((context.agent_name, context.state))
        return ""

    looker = agent("looker", Turn(calls=[("look", {})]), "ok", tools=[look])
    run(sequence("s", looker).run("go", context=ToolContext(state=7)))
    assert seen == [("looker", 7)]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Workflow("", None), "a workflow needs a name"),
        (lambda: sequence("s"), "the sequence 's' has no steps"),
        (lambda: parallel("p"), "the parallel workflow 'p' has no steps"),
        (lambda: parallel("p", shout, max_parallel=0), "max_parallel of p is 0"),
    ],
)
def test_what_cannot_be_a_workflow_is_refused_when_it_is_made(make, said):
    with pytest.raises(DefinitionInvalid, match=said):
        make()


def test_what_is_no_step_is_told(run):
    with pytest.raises(DefinitionInvalid, match="42 is no step"):
        run(sequence("s", 42)("x"))
