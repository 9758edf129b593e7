import asyncio
import json

import pytest

from instrument.testing import capture
from toolkit.agents import Agent
from toolkit.errors import DefinitionInvalid, ModelFailed
from toolkit.models.scripted import ScriptedModel
from toolkit.workflows import Evaluated, Verdict, evaluator, orchestrator, router, sequence


def agent(name, *turns, **options):
    return Agent(name, model=ScriptedModel(turns, name="m"), **options)


def asked(model):
    return [each.messages[-1]["content"] for each in model.requests]


def test_a_router_gives_the_task_to_the_one_that_a_model_picks(run, recording):
    model = ScriptedModel(['I think:\n```json\n{"route": "billing"}\n```'], name="m")
    routes = {"billing": agent("billing", "refunded", description="Money"), "other": agent("other", "?")}
    with recording:
        assert run(router("desk", routes, by=model)("I want my money back")) == "refunded"
    assert recording.tree() == ["invoke_workflow desk", "  chat m", "  invoke_agent billing", "    chat m"]
    [question] = asked(model)
    assert "I want my money back" in question and "- billing: Money" in question


def test_a_router_can_be_a_function_or_an_agent(run):
    routes = {"short": lambda task: f"short {task}", "long": lambda task: f"long {task}"}
    pick = router("size", routes, by=lambda task: "long" if len(task) > 3 else "short")
    assert [run(pick(each)) for each in ("abc", "abcdef")] == ["short abc", "long abcdef"]

    chooser = agent("chooser", '{"route": "short"}')
    assert run(router("size", routes, by=chooser)("abcdef")) == "short abcdef"


def test_a_choice_that_is_none_is_asked_again_and_given_up_in_the_end(run):
    model = ScriptedModel(["no idea", '{"route": "sales"}', '{"route": "a"}'])
    assert run(router("desk", {"a": str.upper}, by=model)("x")) == "X"
    torn = ScriptedModel(['{"route": }', '{"route": "a"}'])
    assert run(router("desk", {"a": str.upper}, by=torn)("x")) == "X"
    assert "it is not valid JSON" in asked(torn)[1]
    assert "there is no JSON object in it" in asked(model)[1]
    assert "route is 'sales'; expected one of a" in asked(model)[2]

    stubborn = ScriptedModel(['{"route": '] * 3, name="m")
    with pytest.raises(ModelFailed, match="m gave desk no usable answer in 3 attempts: there is no JSON object"):
        run(router("desk", {"a": str.upper}, by=stubborn)("x"))
    with pytest.raises(DefinitionInvalid, match="desk was routed to 'b'; its routes are a"):
        run(router("desk", {"a": str.upper}, by=lambda task: "b")("x"))
    with pytest.raises(DefinitionInvalid, match="the router 'desk' has no routes"):
        router("desk", {}, by=len)


def plan(*steps):
    return json.dumps({"steps": [[{"worker": worker, "task": task} for worker, task in step] for step in steps]})


def test_an_orchestrator_plans_has_it_done_step_by_step_and_sums_up(run, recording):
    model = ScriptedModel(
        [plan([("ny", "look at NY"), ("london", "look at London")], [("writer", "write it")]), "Mixed."], name="m"
    )
    ny, london = agent("ny", "sunny", description="Knows New York"), agent("london", "rain")
    writer = agent("writer", "a report")
    with recording:
        assert run(orchestrator("weather", ny, london, writer, by=model)("How is it?")) == "Mixed."

    first, last = asked(model)
    assert "How is it?" in first and "- ny: Knows New York" in first
    assert asked(ny.model) == ["look at NY"]
    known = "ny (look at NY):\nsunny\n\nlondon (look at London):\nrain"
    assert asked(writer.model) == [f"write it\n\nResults so far:\n\n{known}"]
    assert last.startswith(f"Task:\nHow is it?\n\nResults:\n{known}\n\nwriter (write it):\na report\n\n")
    tree = recording.tree()
    assert tree[:2] == ["invoke_workflow weather", "  chat m"]
    assert sorted(tree[2:6:2]) == ["  invoke_agent london", "  invoke_agent ny"]
    assert tree[6:] == ["  invoke_agent writer", "    chat m", "  chat m"]


def test_tasks_of_a_step_are_done_at_once(run):
    async def main():
        barrier = asyncio.Barrier(2)

        async def worker(task):
            await barrier.wait()
            return task

        model = ScriptedModel([plan([("worker", "a"), ("worker", "b")]), "done"])
        return await orchestrator("o", worker, by=model)("x")

    assert run(main()) == "done"


def test_a_worker_that_fails_is_told_to_the_one_who_sums_up(run):
    async def broken(task):
        raise OSError("cut")

    model = ScriptedModel([plan([("broken", "try")]), "It could not be done."])
    assert run(orchestrator("o", broken, by=model)("x")) == "It could not be done."
    assert "broken (try):\nfailed: cut" in asked(model)[1]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('{"plan": []}', "steps has to be a list of 1 to 2 steps"),
        ('{"steps": []}', "steps has to be a list of 1 to 2 steps"),
        (plan([("a", "x")], [("a", "x")], [("a", "x")]), "steps has to be a list of 1 to 2 steps"),
        ('{"steps": [{"worker": "a", "task": "x"}]}', "each step has to be a list of tasks"),
        (plan([("b", "x")]), "worker is 'b'; expected one of a"),
        ('{"steps": [["a"]]}', "worker is None; expected one of a"),
        (plan([("a", "")]), "the task of a has to be a text"),
    ],
)
def test_a_plan_that_cannot_be_done_is_told_and_asked_for_again(run, written, said):
    def a(task):
        return "ok"

    model = ScriptedModel([written, plan([("a", "x")]), "done"])
    assert run(orchestrator("o", a, by=model, max_steps=2)("x")) == "done"
    assert said in asked(model)[1]
    assert written in asked(model)[1]


def test_an_orchestrator_without_workers_is_refused():
    with pytest.raises(DefinitionInvalid, match="the orchestrator 'o' has no workers"):
        orchestrator("o", by=ScriptedModel([]))
    with pytest.raises(DefinitionInvalid, match="two workers of one name"):
        orchestrator("o", agent("a"), agent("a"), by=ScriptedModel([]))


def test_an_evaluator_goes_on_until_the_judge_is_content(run, recording):
    writer = agent("writer", "a poem", "a better poem")
    judge = ScriptedModel(['{"good": false, "feedback": "It does not rhyme."}', '{"good": true}'], name="m")
    with recording:
        result = run(evaluator("poem", writer, judge)("Write a poem"))
    assert result == Evaluated("a better poem", Verdict(good=True), 2)
    assert asked(writer.model) == [
        "Write a poem",
        "Write a poem\n\nYour last answer:\na poem\n\nWhat is wrong with it:\nIt does not rhyme.",
    ]
    assert "Task:\nWrite a poem\n\nAnswer:\na better poem" in asked(judge)[1]
    assert recording.tree() == ["invoke_workflow poem"] + ["  invoke_agent writer", "    chat m", "  chat m"] * 2


def test_after_the_last_round_the_last_answer_comes_with_what_is_wrong_with_it(run):
    worker = agent("worker", "one", "two")
    result = run(evaluator("e", worker, lambda task, answer: Verdict(False, f"not {answer}"), max_rounds=2)("go"))
    assert result == Evaluated("two", Verdict(good=False, feedback="not two"), 2)


def test_a_judge_can_be_a_function_or_an_agent(run):
    def worker(task):
        return len(task)

    assert run(evaluator("e", worker, lambda task, answer: answer == 2)("go")).rounds == 1
    judge = agent("judge", '{"good": "yes"}', '{"good": true, "feedback": ""}')
    assert run(evaluator("e", worker, judge)("go")).verdict.good is True
    assert "good has to be true or false" in asked(judge.model)[1]
    with pytest.raises(DefinitionInvalid, match="max_rounds of e is 0"):
        evaluator("e", worker, judge, max_rounds=0)


def test_what_an_evaluator_found_is_text_for_the_next_step(run):
    worker = agent("worker", "fine")
    last = agent("last", "ok")
    run(sequence("s", evaluator("e", worker, lambda task, answer: True), last)("go"))
    assert asked(last.model) == ["fine"]


def test_each_pattern_says_what_it_is(run):
    async def main():
        await sequence("a", str)("x")
        await router("b", {"x": str}, by=str)("x")
        await evaluator("c", str, lambda task, answer: True)("x")

    with capture() as hooks:
        run(main())
    assert [values["workflow"].pattern for name, values in hooks if name.startswith("before")] == [
        "sequence",
        "router",
        "evaluator",
    ]


@pytest.mark.parametrize("wrong", [["a"], {}, 3, None])
def test_a_name_that_is_no_text_is_asked_again(run, wrong):
    picks = ScriptedModel([json.dumps({"route": wrong}), '{"route": "a"}'])
    assert run(router("r", {"a": lambda task: f"a {task}"}, by=picks)("x")) == "a x"

    def plan(worker):
        return json.dumps({"steps": [[{"worker": worker, "task": "x"}]]})

    plans = ScriptedModel([plan(wrong), plan("helper"), "the end"])
    assert run(orchestrator("o", agent("helper", "done"), by=plans)("x")) == "the end"

    with pytest.raises(DefinitionInvalid, match="r was routed to"):
        run(router("r", {"a": lambda task: task}, by=lambda task: wrong)("x"))
