import asyncio
import json
import sys
import threading
from concurrent.futures import Future
from contextvars import ContextVar
from pathlib import Path
from runpy import run_path

import pytest

from instrument import around, control
from instrument.control import Answer, Denied, Proceed, Proposal


@pytest.fixture(autouse=True)
def no_controller_is_left():
    yield
    assert control.controller is None


def proposal(args=None):
    return Proposal("tool_call", "search", {"q": "hooks"} if args is None else args, call_id="c1", emitter="tests")


def asked(decide, *, synchronously, args=None):
    """Ask a controller once; return the ruling and what was reported."""
    reported = []

    def report(**keywords):
        reported.append(keywords["controlled"])

    with control.install(decide, name="gate"):
        if synchronously:
            return control.ask_sync(proposal(args), report), reported
        return asyncio.run(control.ask(proposal(args), report)), reported


def refused(decide, error, *, synchronously):
    """Ask a controller that raises; return what was raised and what was reported."""
    reported = []
    with control.install(decide, name="gate"), pytest.raises(error) as raised:
        if synchronously:
            control.ask_sync(proposal(), lambda controlled: reported.append(controlled))
        else:
            asyncio.run(control.ask(proposal(), lambda controlled: reported.append(controlled)))
    return raised.value, reported


def made_async(decide):
    async def decide_later(call):
        await asyncio.sleep(0)
        return decide(call)

    return decide_later


def raising(error):
    def decide(_call):
        raise error

    return decide


both = pytest.mark.parametrize("synchronously", [True, False], ids=["sync emitter", "async emitter"])
either = pytest.mark.parametrize("made", [lambda decide: decide, made_async], ids=["function", "coroutine function"])


@both
@either
def test_none_and_proceed_let_a_call_go_on_as_it_was_proposed(made, synchronously):
    args = {"q": "hooks"}
    for decide, did in (
        (lambda _: None, {"did": "passed"}),
        (lambda _: Proceed(by="ada"), {"did": "passed", "by": "ada"}),
    ):
        ruling, (controlled,) = asked(made(decide), synchronously=synchronously, args=args)
        assert ruling.args is args
        assert ruling.answer is None
        assert controlled.pop("waited_ms") >= 0
        assert controlled == {"controller": "gate", **did}


@both
@either
def test_proceed_with_arguments_has_the_call_made_with_those(made, synchronously):
    decide = made(lambda call: Proceed({**call.args, "limit": 3}))
    ruling, (controlled,) = asked(decide, synchronously=synchronously)
    assert ruling.args == {"q": "hooks", "limit": 3}
    assert controlled["did"] == "changed"
    assert controlled["args"] == {"before": {"q": "hooks"}, "after": {"q": "hooks", "limit": 3}}


@both
@either
def test_none_may_be_what_arguments_are_changed_to(made, synchronously):
    ruling, (controlled,) = asked(made(lambda _: Proceed(None)), synchronously=synchronously)
    assert ruling.args is None
    assert controlled["did"] == "changed"


@both
@either
def test_an_answer_takes_the_place_of_the_call(made, synchronously):
    ruling, (controlled,) = asked(made(lambda _: Answer(None, by="ada")), synchronously=synchronously)
    assert ruling.answer.value is None
    assert (controlled["did"], controlled["by"]) == ("answered", "ada")


@both
@either
def test_a_refusal_is_raised_where_the_call_is_made_with_its_reason_on_record(made, synchronously):
    error, (controlled,) = refused(made(raising(Denied("too dear", by="ada"))), Denied, synchronously=synchronously)
    assert str(error) == "too dear"
    assert (controlled["did"], controlled["reason"], controlled["by"]) == ("denied", "too dear", "ada")


@both
@either
def test_whatever_else_a_controller_raises_the_call_fails_by(made, synchronously):
    planned = TimeoutError("as planned")
    error, (controlled,) = refused(made(raising(planned)), TimeoutError, synchronously=synchronously)
    assert error is planned
    assert controlled["did"] == "raised"


@both
def test_a_value_that_is_no_decision_fails_the_call_and_says_which_there_are(synchronously):
    error, (controlled,) = refused(lambda _: "yes", TypeError, synchronously=synchronously)
    assert str(error) == "the controller 'gate' returned str; return Proceed, Answer or None, or raise Denied"
    assert controlled["did"] == "raised"


def test_without_a_controller_a_call_goes_on_and_nothing_is_reported():
    def report(**_):
        raise AssertionError

    call = proposal()
    assert control.controller is None
    assert control.ask_sync(call, report).args is call.args
    assert asyncio.run(control.ask(call, report)).args is call.args


def test_a_controller_sees_what_is_called_by_whom_and_with_what():
    seen = []
    asked(seen.append, synchronously=True)
    (call,) = seen
    assert (call.noun, call.name, call.args, call.call_id, call.emitter) == (
        *("tool_call", "search", {"q": "hooks"}, "c1", "tests"),
    )
    assert repr(call) == "Proposal('tool_call', 'search', {'q': 'hooks'})"


def test_a_process_has_one_controller_until_that_is_removed():
    def first(_call):
        return None

    installed = control.install(first)
    with pytest.raises(control.ControllerInstalled, match=r"the controller '.*first' is installed; remove it first"):
        control.install(first)
    installed.remove()
    with control.install(first, name="second") as second:
        # Of one that was removed already, removing it again concerns nobody else.
        installed.remove()
        assert control.controller is second


def test_what_cannot_be_called_is_no_controller():
    with pytest.raises(TypeError, match="cannot install 'yes' as controller"):
        control.install("yes")


@both
@either
def test_nobody_is_asked_about_the_calls_of_a_controller(made, synchronously):
    asked_about = []

    def decide(call):
        asked_about.append(call.name)
        ruling = control.ask_sync(Proposal("llm_generate", "judge", {}), lambda **_: None)
        return Answer(ruling.answer)

    ruling, _ = asked(made(decide), synchronously=synchronously)
    assert asked_about == ["search"]
    assert ruling.answer.value is None


def test_calls_are_asked_about_again_after_a_controller_raised():
    asked_about = []

    def decide(call):
        asked_about.append(call.name)
        if len(asked_about) == 1:
            raise Denied("the first")

    with control.install(decide):
        with pytest.raises(Denied):
            control.ask_sync(proposal(), lambda **_: None)
        control.ask_sync(proposal(), lambda **_: None)
    assert asked_about == ["search"] * 2


variable = ContextVar("variable", default="unset")


@both
@either
def test_a_controller_decides_in_the_context_of_the_call(made, synchronously):
    token = variable.set("of the call")
    try:
        ruling, _ = asked(made(lambda _: Answer(variable.get())), synchronously=synchronously)
    finally:
        variable.reset(token)
    assert ruling.answer.value == "of the call"


def test_a_plain_emitter_waits_for_a_coroutine_also_where_a_loop_runs_in_its_thread():
    async def decide(_call):
        await asyncio.sleep(0)
        return Answer(threading.current_thread().name)

    async def main():
        with control.install(decide):
            return control.ask_sync(proposal(), lambda **_: None).answer.value

    assert asyncio.run(main()) == "instrument-control"


def test_a_call_may_wait_for_its_decision_while_others_go_on():
    async def main():
        decided = asyncio.Event()

        async def decide(call):
            if call.args == "slow":
                await decided.wait()
            return Answer(call.args)

        async def ask(args):
            return (await control.ask(proposal(args), lambda **_: None)).answer.value

        with control.install(decide):
            slow = asyncio.create_task(ask("slow"))
            assert await ask("fast") == "fast"
            assert not slow.done()
            decided.set()
            assert await slow == "slow"

    asyncio.run(main())


def test_a_call_that_is_cancelled_while_it_waits_says_so():
    reported = []

    async def main():
        begun = asyncio.Event()

        async def decide(_call):
            begun.set()
            await asyncio.Event().wait()

        with control.install(decide):
            task = asyncio.create_task(control.ask(proposal(), lambda controlled: reported.append(controlled["did"])))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(main())
    assert reported == ["raised"]


def test_interrupting_a_plain_emitter_cancels_the_coroutine_that_it_waits_for(monkeypatch):
    begun, ended = threading.Event(), threading.Event()

    async def decide(_call):
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    here, result = threading.current_thread(), Future.result

    def interrupted(future, timeout=None):
        if threading.current_thread() is not here:
            return result(future, timeout)
        assert begun.wait(20)
        raise KeyboardInterrupt

    monkeypatch.setattr(Future, "result", interrupted)
    with control.install(decide), pytest.raises(KeyboardInterrupt):
        control.ask_sync(proposal(), lambda **_: None)
    assert ended.wait(20)


def test_threads_are_asked_at_once():
    gate = threading.Barrier(8, timeout=20)

    def decide(call):
        gate.wait()
        return Answer(call.args)

    answers = []
    with control.install(decide):

        def ask(number):
            answers.append(control.ask_sync(proposal(number), lambda **_: None).answer.value)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert sorted(answers) == list(range(8))


def test_around_hands_what_was_done_to_the_hook_that_ends_the_call(subscribe):
    ended = []
    for name in ("after_tool_call", "error_tool_call"):
        subscribe(lambda controlled, **_: ended.append(controlled["did"]), name)

    def call(decide):
        with (
            control.install(decide),
            around("tool_call", tool_name="search", args={}, context=None, call_id="c1") as around_call,
        ):
            ruling = control.ask_sync(proposal(), around_call.set)
            around_call.set(result=ruling.answer.value)

    call(lambda _: Answer("there"))
    with pytest.raises(Denied):
        call(raising(Denied("no")))
    assert ended == ["answered", "denied"]


def test_the_benchmark_measures_a_call_with_and_without_a_controller(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["control.py", "--json", "--rounds", "3"])
    code = run_path(str(Path(__file__).parents[2] / "benchmarks" / "control.py"))["main"]()
    report = json.loads(capsys.readouterr().out)
    cases = ["no controller", "no controller, a tool's body", "one that lets every call go on"]
    assert list(report["results"]) == cases
    assert code == (1 if report["missed"] else 0)
