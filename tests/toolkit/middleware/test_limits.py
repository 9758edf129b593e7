import asyncio

import pytest

from instrument.testing import capture
from toolkit.agents import Agent
from toolkit.agents.thread import Thread
from toolkit.agents.workflow import Workflow
from toolkit.errors import DefinitionInvalid, QuotaExceeded
from toolkit.middleware.rates import Quota, RateLimit
from toolkit.models.scripted import ScriptedModel, Turn


class Clock:
    def __init__(self):
        self.now_s = 100.0
        self.waits = []

    def __call__(self):
        return self.now_s

    async def sleep(self, seconds):
        self.waits.append(seconds)
        self.now_s += seconds


def test_a_call_too_many_is_told_when_it_may_be_again(tool, call):
    clock, made = Clock(), tool()
    limit = RateLimit(2, 10, clock=clock)
    call(made, {}, limit)
    clock.now_s += 4
    call(made, {}, limit)
    clock.now_s += 1
    with capture() as emitted:
        result = call(made, {}, limit)
    assert result.text == "add_one allows 2 calls in 10 s; call it again in 5.0 s"
    assert isinstance(result.exception, QuotaExceeded)
    assert emitted[-1][0] == "error_tool_call"
    clock.now_s += 5
    assert not call(made, {}, limit).is_error
    assert call(made, {}, limit).is_error
    assert len(made.calls) == 3


def test_calls_at_once_get_no_more_through_than_allowed(tool, call):
    async def main():
        limit = RateLimit(3, 10, clock=Clock())
        made = tool()
        return await asyncio.gather(*(call.later(made, {}, limit) for _ in range(10)))

    assert [each.is_error for each in asyncio.run(main())] == [False] * 3 + [True] * 7


def test_each_tool_has_a_limit_of_its_own_unless_told_otherwise(tool, call):
    clock = Clock()
    own, shared = RateLimit(1, 10, clock=clock), RateLimit(1, 10, by=lambda ctx: None, clock=clock)
    a, b = tool(name="a"), tool(name="b")
    assert [call(each, {}, own).is_error for each in (a, b, a)] == [False, False, True]
    assert [call(each, {}, shared).is_error for each in (a, b)] == [False, True]


@pytest.mark.parametrize(["calls", "per_s"], [(0, 1), (1, 0), (-1, 1)])
def test_a_limit_that_lets_nothing_through_is_refused(calls, per_s):
    with pytest.raises(DefinitionInvalid, match=r"expected a (number above 0|whole number of at least 1)"):
        RateLimit(calls, per_s)


def test_a_quota_is_for_each_run(tool, call):
    quota, made = Quota(2), tool()
    asked = [call(made, {}, quota, correlation_id=run) for run in ("a", "a", "b", "a")]
    assert [each.is_error for each in asked] == [False, False, False, True]
    assert asked[3].text == "add_one: quota of 2 calls per run is used up"
    assert isinstance(asked[3].exception, QuotaExceeded)


def test_a_call_outside_of_any_run_has_no_quota_to_be_counted_by(tool, call):
    made = tool()
    refused = call(made, {}, Quota(2))
    assert refused.text == (
        "add_one has a quota for each run, and this call belongs to none: it has no correlation_id to count by; "
        "pass ToolContext(correlation_id=…) or Quota(by=…)"
    )
    assert isinstance(refused.exception, QuotaExceeded)
    assert made.calls == []
    for_ever = Quota(1, by=lambda ctx: None)
    assert [call(made, {}, for_ever).is_error for _ in range(2)] == [False, True]


@pytest.mark.parametrize("calls", [0, -1, 2.5, "3", None])
def test_a_quota_that_is_none_is_refused(calls):
    with pytest.raises(DefinitionInvalid, match="expected a whole number of at least 1"):
        Quota(calls)


def test_a_quota_counts_all_of_its_tools_together_and_no_others(tool, call):
    quota = Quota(1, tools="web.*")
    names = ["web.get", "shell", "web.put", "shell"]
    assert [call(tool(name=name), {}, quota, correlation_id="a").is_error for name in names] == [
        False,
        False,
        True,
        False,
    ]


def test_a_quota_is_for_one_run_of_an_agent_or_a_workflow():
    def look() -> str:
        return "seen"

    calls = Turn(calls=[("look", {})] * 2)
    agent = Agent("a", model=ScriptedModel([calls, "done"] * 4), tools=[look], tool_hooks=[Quota(3)])

    def refused(messages):
        return [each["content"] for each in messages if each["role"] == "tool" and "is used up" in each["content"]]

    results = [asyncio.run(agent.run("go")) for _ in range(2)]
    assert [refused(each.messages) for each in results] == [[], []]

    threads = [Thread(), Thread()]

    async def twice(task, context):
        for each in threads:
            await agent.run(task, thread=each, context=context)

    asyncio.run(Workflow("both", twice).run("go"))
    assert [len(refused(each.messages)) for each in threads] == [0, 1]
