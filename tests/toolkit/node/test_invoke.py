import asyncio
import signal
import subprocess
import sys
import threading
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace

import pytest

from instrument.testing import capture
from toolkit.agents import Agent
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid, ToolRefused, ToolTimedOut, ToolUnknown
from toolkit.functions import FunctionTool, Inject
from toolkit.models.scripted import ScriptedModel, Turn
from toolkit.node import ToolNode
from toolkit.result import ToolResult

_DEADLINE_S = 60
_ROOT = Path(__file__).parents[3]


def _call(name, arguments="{}", **more):
    return {"function": {"name": name, "arguments": arguments}, **more}


def run(coroutine):
    async def bounded():
        async with asyncio.timeout(_DEADLINE_S):
            return await coroutine

    return asyncio.run(bounded())


def test_the_seen_answer_of_a_model_is_carried_out_by_plain_functions():
    def get_weather(city: str, tool_call_id: str | None = None, state: dict | None = None) -> dict:
        return {"city": city, "temp_c": 24, "call": tool_call_id, "asked_by": state["user"]}

    async def get_news(topic: str) -> str:
        return f"nothing new about {topic}"

    node = ToolNode([get_weather, get_news])
    calls = [
        _call("get_weather", '{"city": "NYC"}', id="call_1"),
        _call("get_news", '{"topic": "tech"}', id="call_2"),
    ]

    results = run(node.invoke(calls, {"user": "Ada"}))

    assert [each.text for each in results] == [
        '{"city": "NYC", "temp_c": 24, "call": "call_1", "asked_by": "Ada"}',
        "nothing new about tech",
    ]
    assert results[0].structured == {"city": "NYC", "temp_c": 24, "call": "call_1", "asked_by": "Ada"}


def test_all_calls_run_at_once_each_waiting_for_the_others():
    barrier = asyncio.Barrier(3)

    async def meet(who: str) -> str:
        await barrier.wait()
        return who

    calls = [_call("meet", f'{{"who": "{who}"}}') for who in ("a", "b", "c")]

    assert [each.text for each in run(ToolNode([meet]).invoke(calls))] == ["a", "b", "c"]


def test_plain_functions_run_at_once_as_well():
    barrier = threading.Barrier(3)

    def meet() -> str:
        barrier.wait(_DEADLINE_S)
        return "met"

    assert [each.text for each in run(ToolNode([meet]).invoke([_call("meet")] * 3))] == ["met"] * 3


def test_no_more_calls_than_the_limit_run_at_a_time():
    running = highest = 0

    async def count() -> None:
        nonlocal running, highest
        running += 1
        highest = max(highest, running)
        for _ in range(3):
            await asyncio.sleep(0)
        running -= 1

    results = run(ToolNode([count], max_parallel=2).invoke([_call("count")] * 7))

    assert highest == 2
    assert not any(each.is_error for each in results)


def test_a_limit_below_one_is_refused():
    with pytest.raises(DefinitionInvalid, match="max_parallel is 0; expected at least 1"):
        ToolNode(max_parallel=0)


def test_results_come_in_the_order_of_the_calls_and_as_completed_in_that_of_their_ends():
    first_may_go = asyncio.Event()

    async def first() -> str:
        await first_may_go.wait()
        return "first"

    async def second() -> str:
        first_may_go.set()
        return "second"

    node = ToolNode([first, second])
    calls = [_call("first"), _call("second")]

    async def completed():
        return [(call.name, result.text) async for call, result in node.as_completed(calls)]

    assert [each.text for each in run(node.invoke(calls))] == ["first", "second"]
    first_may_go = asyncio.Event()
    assert run(completed()) == [("second", "second"), ("first", "first")]


def test_leaving_as_completed_early_cancels_the_rest_and_waits_for_it():
    ended = []

    async def forever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("forever")

    async def quick() -> str:
        return "quick"

    async def leave():
        async with aclosing(ToolNode([forever, quick]).as_completed([_call("forever"), _call("quick")])) as completed:
            async for call, _ in completed:
                assert call.name == "quick"
                break
        return list(ended)

    assert run(leave()) == ["forever"]


def test_what_goes_wrong_with_a_call_is_its_result_and_the_others_go_on():
    async def broken() -> None:
        raise ValueError("no such city")

    async def refused() -> None:
        raise ToolRefused("not on a Sunday")

    async def slow() -> None:
        raise ToolTimedOut("slow took longer than 1 s")

    async def payload() -> dict:
        return {"error": "timeout"}

    async def said() -> ToolResult:
        return ToolResult.error("the station is down", station=7)

    async def typed(x: int) -> int:
        return x

    node = ToolNode([broken, refused, slow, payload, said, typed])
    results = run(
        node.invoke(
            [
                _call("broken"),
                _call("refused"),
                _call("slow"),
                _call("payload"),
                _call("said"),
                _call("typed", '{"x": "one"}'),
                _call("typed", '{"x":'),
                _call("typed", "[1]"),
                _call("type", '{"x": 1}'),
                {"type": "function", "id": "nameless"},
                _call("typed", '{"x": 1}'),
            ]
        )
    )

    assert [each.is_error for each in results] == [True, True, True, False, True, True, True, True, True, True, False]
    assert results[0].text == "ValueError: no such city"
    assert results[1].text == "not on a Sunday"
    assert results[2].text == "slow took longer than 1 s"
    assert results[3].structured == {"error": "timeout"}
    assert (results[4].text, results[4].metadata) == ("the station is down", {"station": 7})
    assert results[5].text.startswith("invalid arguments for typed: x: expected")
    assert "not valid JSON" in results[6].text
    assert "must be a JSON object, not an array" in results[7].text
    assert results[8].text.startswith("there is no tool 'type'; did you mean 'typed'? (there are: 'broken',")
    assert results[9].text.startswith("no tool's name in a tool call")
    assert results[10].structured == 1 or results[10].text == "1"


def test_a_middleware_that_raises_ends_its_own_call_alone():
    async def picky(ctx, args, call_next):
        if ctx.tool_name == "bad":
            raise LookupError("the audit log is full")
        return await call_next(args)

    async def bad() -> str:
        return "never"

    async def good() -> str:
        return "done"

    with capture() as captured:
        results = run(ToolNode([bad, good], tool_hooks=[picky]).invoke([_call("bad"), _call("good")]))

    assert [(each.is_error, each.text) for each in results] == [
        (True, "LookupError: the audit log is full"),
        (False, "done"),
    ]
    assert sorted((name, kwargs["tool_name"]) for name, kwargs in captured if "tool_name" in kwargs) == [
        ("after_tool_call", "good"),
        ("before_tool_call", "bad"),
        ("before_tool_call", "good"),
        ("error_tool_call", "bad"),
    ]


def test_an_exception_that_cannot_even_say_what_it_is_ends_its_own_call_alone():
    class Mute(Exception):
        def __str__(self):
            raise ValueError("no words")

    async def mutter(ctx, args, call_next):
        if ctx.tool_name == "bad":
            raise Mute
        return await call_next(args)

    async def bad() -> str:
        return "never"

    async def good() -> str:
        return "done"

    results = run(ToolNode([bad, good], tool_hooks=[mutter]).invoke([_call("bad"), _call("good")]))

    assert [each.text for each in results] == ["Mute", "done"]


def test_cancelling_the_whole_cancels_every_call_and_waits_for_them():
    all_started = None
    ended = []

    async def forever(who: str) -> None:
        await all_started.wait()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(who)

    async def main():
        nonlocal all_started
        all_started = asyncio.Barrier(4)
        calls = [_call("forever", f'{{"who": "{who}"}}') for who in ("a", "b", "c")]
        whole = asyncio.create_task(ToolNode([forever]).invoke(calls))
        await all_started.wait()
        await asyncio.sleep(0)
        whole.cancel()
        with pytest.raises(asyncio.CancelledError):
            await whole
        return list(ended)

    assert sorted(run(main())) == ["a", "b", "c"]


def test_cancelling_also_ends_the_calls_that_wait_for_their_turn():
    started = []
    one_started = asyncio.Event()

    async def forever() -> None:
        started.append(1)
        one_started.set()
        await asyncio.Event().wait()

    async def main():
        whole = asyncio.create_task(ToolNode([forever], max_parallel=1).invoke([_call("forever")] * 3))
        await one_started.wait()
        whole.cancel()
        with pytest.raises(asyncio.CancelledError):
            await whole

    run(main())
    assert started == [1]


def test_a_tool_that_cancels_itself_ends_its_own_call_alone():
    async def gives_up() -> None:
        raise asyncio.CancelledError

    async def good() -> str:
        return "done"

    results = run(ToolNode([gives_up, good]).invoke([_call("gives_up"), _call("good")]))

    assert [(each.is_error, each.text) for each in results] == [(True, "gives_up was cancelled"), (False, "done")]


_STOPPING = """
import asyncio, sys
from toolkit.models.scripted import ScriptedModel, Turn
from toolkit.node import ToolNode

async def stop() -> None:
    raise {"interrupt": KeyboardInterrupt, "exit": SystemExit(3)}[sys.argv[1]]

async def forever() -> None:
    await asyncio.Event().wait()

async def main():
    node = ToolNode([stop, forever])
    calls = [{"name": "forever", "arguments": {}}, {"name": "stop", "arguments": {}}]
    if sys.argv[2] == "invoke":
        await node.invoke(calls)
    async for _ in node.as_completed(calls):
        pass
    print("went on")

asyncio.run(main())
"""


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("kind", "code"), [("interrupt", -signal.SIGINT), ("exit", 3)])
@pytest.mark.parametrize("way", ["invoke", "as_completed"])
def test_what_ends_the_program_is_no_result(kind, code, way):
    done = subprocess.run(
        [sys.executable, "-c", _STOPPING, kind, way],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=_ROOT,
        check=False,
    )

    assert (done.returncode, done.stdout) == (code, "")


def test_calls_of_tools_that_are_not_there_are_seen_by_hooks_and_middleware():
    seen = []

    async def note(ctx, args, call_next):
        seen.append((ctx.tool_name, args))
        return await call_next(args)

    with capture() as captured:
        run(ToolNode(tool_hooks=[note]).invoke([_call("ghost", '{"x": 1}', id="c1"), _call("ghost", "{", id="c2")]))

    assert seen == [("ghost", {"x": 1}), ("ghost", None)]
    told = [(name, kwargs["args"], kwargs["context"].tool_use_id) for name, kwargs in captured if "tool_name" in kwargs]
    assert sorted(told, key=str) == sorted(
        [
            ("before_tool_call", {"x": 1}, "c1"),
            ("before_tool_call", None, "c2"),
            ("error_tool_call", {"x": 1}, "c1"),
            ("error_tool_call", None, "c2"),
        ],
        key=str,
    )
    assert all(isinstance(kwargs["exc"], ToolUnknown) for name, kwargs in captured if name == "error_tool_call")


def test_every_call_passes_the_hooks_once_with_ids_of_its_own():
    async def double(x: int) -> int:
        return 2 * x

    with capture() as captured:
        run(ToolNode([double]).invoke([_call("double", f'{{"x": {x}}}', id=f"c{x}") for x in range(3)]))

    by_call = {}
    for name, kwargs in captured[1:-1]:
        by_call.setdefault(kwargs["call_id"], []).append((name, kwargs["context"].tool_use_id))
    assert sorted(by_call.values()) == [[("before_tool_call", f"c{x}"), ("after_tool_call", f"c{x}")] for x in range(3)]


def test_several_calls_of_a_bare_node_are_one_piece_of_work_and_one_call_is_itself():
    async def double(x: int) -> int:
        return 2 * x

    node = ToolNode([double])
    calls = [_call("double", f'{{"x": {x}}}') for x in range(3)]

    async def all_ways():
        await node.invoke(calls)
        async for _ in node.as_completed(calls):
            pass
        await node.invoke(calls[:1])

    with capture() as captured:
        run(all_ways())
    names = [name for name, _ in captured]
    batch = ["before_workflow_run", *["before_tool_call", "after_tool_call"] * 3, "after_workflow_run"]
    assert sorted(names) == sorted([*batch, *batch, "before_tool_call", "after_tool_call"])
    first, last = captured[0][1], captured[7][1]
    assert first["workflow"] is node
    assert first["input"] == [{"name": "double", "arguments": {"x": x}} for x in range(3)]
    assert last["result"] == ["0", "2", "4"]


def test_the_calls_of_an_agents_turn_are_in_its_run_alone():
    async def double(x: int) -> int:
        return 2 * x

    model = ScriptedModel([Turn(calls=[("double", {"x": 1}), ("double", {"x": 2})]), "done"])
    with capture() as captured:
        run(Agent("a", model=model, tools=[double])("Go"))
    assert {name for name, _ in captured if "workflow" in name} == set()


def test_state_dependencies_and_hooks_of_node_and_call_come_together():
    class Database:
        def __init__(self, name):
            self.name = name

    order = []

    def hook(name):
        async def note(ctx, args, call_next):
            order.append(f"{name} {ctx.agent_name}")
            return await call_next(args)

        return note

    async def look(state: dict, db: Inject[Database], context: ToolContext) -> str:
        state["looked"] = True
        return f"{db.name} {context.dependencies['cache']}"

    state = {}
    node = ToolNode([look], tool_hooks=[hook("node")], dependencies={Database: Database("node's"), "cache": "none"})
    context = ToolContext(agent_name="Ada", tool_hooks=(hook("call"),), dependencies={"cache": "call's"})

    (result,) = run(node.invoke([_call("look")], state, context=context))

    assert result.text == "node's call's"
    assert state == {"looked": True}
    assert order == ["call Ada", "node Ada"]


def test_a_tool_that_calls_its_node_again_does_not_meet_the_nodes_hooks_twice():
    seen = []

    async def note(ctx, args, call_next):
        seen.append(ctx.tool_name)
        return await call_next(args)

    async def outer(context: ToolContext) -> str:
        (result,) = await node.invoke([_call("inner")], context=context)
        return result.text

    async def inner() -> str:
        return "inner"

    node = ToolNode([outer, inner], tool_hooks=[note])

    assert run(node.invoke([_call("outer")]))[0].text == "inner"
    assert seen == ["outer", "inner"]


def test_tools_may_return_messages_of_a_chat():
    def one() -> dict:
        return {"role": "tool", "content": {"temp_c": 24}, "tool_call_id": "x", "metadata": {"source": "cache"}}

    def several() -> list:
        return [{"role": "tool", "content": "a"}, SimpleNamespace(role="tool", content=[{"type": "text", "text": "b"}])]

    node = ToolNode([FunctionTool(one), FunctionTool(several)])
    results = run(node.invoke([_call("one"), _call("several")]))

    assert (results[0].structured, results[0].metadata) == ({"temp_c": 24}, {"source": "cache"})
    assert results[1].text == "a\nb"


def test_the_messages_to_append_are_in_the_shape_of_the_calls():
    def shout(text: str) -> str:
        return text.upper()

    node = ToolNode([shout])
    answer = {
        "role": "assistant",
        "tool_calls": [_call("shout", '{"text": "hi"}', id="1"), _call("whisper", id="2")],
    }

    assert run(node.messages(answer)) == [
        {"role": "tool", "tool_call_id": "1", "content": "HI"},
        {"role": "tool", "tool_call_id": "2", "content": "there is no tool 'whisper' (there are: 'shout')"},
    ]


def test_no_calls_have_no_results():
    node = ToolNode()

    async def completed():
        return [each async for each in node.as_completed([])]

    assert run(node.invoke([])) == run(node.invoke(None)) == run(node.messages([])) == run(completed()) == []
