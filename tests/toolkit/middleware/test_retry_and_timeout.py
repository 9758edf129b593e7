import asyncio

import pytest

from instrument.testing import capture
from toolkit.errors import DefinitionInvalid, ToolRefused, ToolTimedOut
from toolkit.middleware.retry import Retry, Timeout, exponential
from toolkit.result import ToolResult


class Failing:
    """Fails in these ways, one call after the other, and then answers."""

    def __init__(self, *failures):
        self.failures = list(failures)

    def __call__(self, args):
        if not self.failures:
            return "done"
        failure = self.failures.pop(0)
        if isinstance(failure, Exception):
            raise failure
        return failure


def retrying(waits, **options):
    async def sleep(seconds):
        waits.append(seconds)

    return Retry(options.pop("attempts", 3), backoff=float, sleep=sleep, **options)


def test_a_tool_that_raises_is_called_again_after_a_wait(tool, call):
    waits = []
    made = tool(Failing(OSError("down"), OSError("down")))
    with capture() as emitted:
        assert call(made, {"x": 1}, retrying(waits)).text == "done"
    assert (len(made.calls), waits) == (3, [1.0, 2.0])
    down = {"outcome": "error", "error": "OSError", "message": "OSError: down"}
    assert emitted[-1][1]["middleware"] == [
        {"name": "Retry", "did": "changed", "calls": 3, "attempts": [down, down, {"outcome": "ok"}]}
    ]


def test_the_last_failure_is_the_callers(tool, call):
    made = tool(Failing(OSError("first"), OSError("second"), OSError("third")))
    result = call(made, {}, retrying([], attempts=2))
    assert (result.is_error, result.text, len(made.calls)) == (True, "OSError: second", 2)


@pytest.mark.parametrize(
    ["failure", "options", "calls"],
    [
        (ToolRefused("no"), {}, 1),
        (ValueError("wrong"), {"on": (OSError, TimeoutError)}, 1),
        (ConnectionError("down"), {"on": OSError}, 2),
        (ToolResult.error("busy"), {}, 1),
        (ToolResult.error("busy"), {"error_results": True}, 2),
    ],
)
def test_only_failures_that_may_pass_are_tried_again(tool, call, failure, options, calls):
    made = tool(Failing(failure))
    result = call(made, {}, retrying([], **options))
    assert (len(made.calls), result.is_error) == (calls, calls == 1)


def test_what_middleware_further_in_raises_counts_as_well_and_each_attempt_gets_the_arguments_anew(tool, call):
    failing = Failing(OSError("guard"), OSError("guard"))

    async def guard(ctx, args, call_next):
        args["x"] += 1
        failing(args)
        return await call_next(args)

    made = tool()
    call(made, {"x": 1}, retrying([]), guard)
    assert made.calls == [{"x": 2}]
    failing.failures = [LookupError("broken")]
    with pytest.raises(LookupError, match="broken"):
        call(made, {"x": 1}, retrying([], on=OSError), guard)


def test_no_attempt_at_all_makes_no_retry():
    with pytest.raises(DefinitionInvalid, match=r"Retry\(attempts=0\)"):
        Retry(0)


def test_the_wait_grows_up_to_the_longest():
    for attempt, least in ((1, 0.2), (2, 0.4), (3, 0.8), (50, 30)):
        spread = [exponential(attempt) for _ in range(100)]
        assert least <= min(spread) < max(spread) <= least * 1.25


@pytest.mark.parametrize("source", ["function", "mcp", "agent", "runtime"])
def test_a_tool_of_any_source_that_takes_too_long_is_cancelled_and_the_model_reads_so(tool, call, source):
    ended = []

    async def forever(args):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    with capture() as emitted:
        result = call(tool(lambda args: forever(args), source=source), {}, Timeout(0.01))
    assert (result.is_error, result.text) == (True, "add_one did not answer within 0.01 s")
    assert isinstance(result.exception, ToolTimedOut)
    assert ended == ["cancelled"]
    assert (emitted[-1][0], emitted[-1][1]["exc"]) == ("error_tool_call", result.exception)


def test_a_timeout_of_the_tools_own_is_not_ours(tool, call):
    async def impatient(ctx, args, call_next):
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        call(tool(), {}, Timeout(60), impatient)


def test_each_attempt_may_have_its_own_timeout(tool, call):
    slow = [True, True, False]

    async def sometimes(args):
        if slow.pop(0):
            await asyncio.Event().wait()
        return "done"

    assert call(tool(lambda args: sometimes(args)), {}, retrying([]), Timeout(0.01)).text == "done"


def test_cancelling_the_call_cancels_the_retry_too(tool, call):
    async def main():
        waiting = asyncio.Event()

        async def sleep(seconds):
            waiting.set()
            await asyncio.Event().wait()

        made = tool(Failing(OSError("down")))
        task = asyncio.create_task(call.later(made, {}, Retry(sleep=sleep)))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return made.calls

    assert asyncio.run(main()) == [{}]


@pytest.mark.parametrize(
    ["patterns", "name", "applies"],
    [
        ("*", "anything", True),
        ("web.*", "web.get", True),
        ("web.*", "web__get", True),
        ("web.*", "weberei", False),
        (["a", "b*"], "bc", True),
        (["a", "b*"], "A", False),
    ],
)
def test_a_middleware_stands_around_the_tools_of_its_patterns_alone(tool, call, patterns, name, applies):
    made = tool(Failing(OSError("down")), name=name)
    call(made, {}, retrying([], tools=patterns))
    assert len(made.calls) == 1 + applies


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "5", None, True])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(DefinitionInvalid, match="expected a number above 0"):
        Timeout(seconds)
