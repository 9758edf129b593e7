import pytest

import inspector
from instrument.testing import capture
from toolkit.agents import Agent, AgentTool
from toolkit.agents.thread import History, Thread
from toolkit.errors import ModelFailed
from toolkit.models.scripted import ScriptedModel, Turn


def contents(thread):
    return [each["content"] for each in thread.messages]


def user(text):
    return {"role": "user", "content": text}


def test_a_thread_is_continued_by_one_run_after_the_other_and_by_other_agents(run):
    thread = Thread()
    first = Agent("first", instruction="You are first.", model=ScriptedModel(["one", "three"]))
    second = Agent("second", instruction="You are second.", model=ScriptedModel(["two"]))

    async def main():
        await first.run("1", thread=thread)
        await second.run("2", thread=thread)
        await first.run("3", thread=thread)

    run(main())
    assert contents(thread) == ["1", "one", "2", "two", "3", "three"]
    assert len(thread) == 6
    sent = second.model.requests[0].messages
    assert [each["content"] for each in sent] == ["You are second.", "1", "one", "2"]


def test_a_run_that_fails_leaves_its_thread_as_it_was(run):
    thread = Thread([user("before")])
    agent = Agent("a", model=ScriptedModel([OSError("cut"), "fine"]))
    with pytest.raises(ModelFailed):
        run(agent.run("go", thread=thread))
    assert contents(thread) == ["before"]
    run(agent.run("go", thread=thread))
    assert contents(thread) == ["before", "go", "fine"]


def test_a_run_without_an_answer_keeps_what_was_done_so_that_it_can_go_on(run):
    def look() -> str:
        return "nothing"

    calls = [Turn(calls=[("look", {})]) for _ in range(2)]
    agent = Agent("a", model=ScriptedModel([*calls, "found it"]), tools=[look], max_turns=2)
    thread = Thread()
    assert run(agent.run("look for it", thread=thread)).is_error
    assert contents(thread) == ["look for it", "", "nothing"]
    assert run(agent.run("go on", thread=thread)).text == "found it"
    assert contents(thread) == ["look for it", "", "nothing", "go on", "found it"]


def test_a_fork_goes_its_own_way_until_it_is_merged():
    thread = Thread([user("a")])
    left, right = thread.fork(), thread.fork()
    left.extend([user("b")])
    right.extend([user("c"), user("d")])
    assert contents(thread) == ["a"]
    thread.merge(right)
    thread.merge(left)
    assert contents(thread) == ["a", "c", "d", "b"]
    thread.merge(left)
    assert contents(thread) == ["a", "c", "d", "b"]
    left.extend([user("e")])
    thread.merge(left)
    assert contents(thread) == ["a", "c", "d", "b", "e"]


def test_a_thread_that_is_no_fork_is_merged_whole():
    thread = Thread([user("a")])
    thread.merge(Thread([user("b")]))
    assert contents(thread) == ["a", "b"]


def test_messages_are_its_own_whatever_becomes_of_those_given():
    given = [user("a")]
    thread = Thread(given)
    fork = thread.fork()
    given[0]["content"] = fork.messages[0]["content"] = "changed"
    assert contents(thread) == ["a"]


def test_an_entered_thread_with_an_id_is_a_session(run):
    async def main(thread):
        async with thread as entered:
            assert entered is thread
            return inspector.context.get()

    with capture() as hooks:
        run(main(Thread(id="s-1")))
        run(main(Thread()))
    assert [(name, values["session_id"]) for name, values in hooks] == [
        ("session_started", "s-1"),
        ("session_finished", "s-1"),
    ]


def test_what_is_called_in_a_session_is_recorded_under_its_id(run, recording):
    async def main():
        async with Thread(id="s-1") as thread:
            await Agent("a", model=ScriptedModel(["hi"])).run("go", thread=thread)

    with recording:
        run(main())
    assert "invoke_agent a" in recording.tree()
    assert set(recording.sessions().values()) == {"s-1"}


def test_a_task_that_nothing_came_of_is_not_remembered(run):
    agent = Agent("a", model=ScriptedModel(["", "hello"]))
    thread = Thread()
    assert run(agent.run("hi", thread=thread)).is_error
    assert contents(thread) == []
    run(agent.run("hi again", thread=thread))
    assert contents(thread) == ["hi again", "hello"]


@pytest.mark.parametrize("turns", [[""], [Turn(calls=[("look", {})])]])
def test_an_agents_tool_that_failed_merges_nothing(run, turns):
    def look() -> str:
        return "nothing"

    child = Agent("child", model=ScriptedModel(turns), tools=[look], max_turns=1)
    assert run(AgentTool(child, thread=History("child", "child"))({"message": "hi"})).is_error
    assert contents(child.history) == []
