import json
import subprocess

from written_runs import agent, llm, run, tool

from inspector.testing.trace import Trace


def asking(*tools):
    parts = [{"type": "tool_call", "name": name, "arguments": arguments} for name, arguments in tools]
    call = llm([("user", "x")], "")
    call["attributes"]["gen_ai.output.messages"] = json.dumps([{"role": "assistant", "parts": parts}])
    return call


def trace_of(*calls):
    return Trace(lambda **_: run(agent("planner", "x", "y", *calls)), lambda *_: subprocess.CompletedProcess([], 0))


def test_tools_of_one_answer_stand_in_its_order_whichever_thread_began_first():
    stock, ship = ("stock", {"of": "tea"}), ("ship", {"to": "Oslo"})
    called = tool("ship", {"to": "Oslo"}, 1), tool("stock", {"of": "tea"}, 2)
    again = asking(("ship", {"to": "Bergen"})), tool("ship", {"to": "Bergen"}, 3)
    assert trace_of(asking(stock, ship), *called, *again).tools == ["stock", "ship", "ship"]
    assert trace_of(asking(ship, stock), *called, *again).tools == ["ship", "stock", "ship"]


def test_equal_tools_of_one_answer_are_told_apart_by_their_arguments():
    first, second = ("fetch", {"n": 1}), ("desk__fetch", {"n": 2})
    calls = trace_of(asking(first, second), tool("fetch", {"n": 2}, "b"), tool("fetch", {"n": 1}, "a")).calls("fetch")
    assert [call.result for call in calls] == ["a", "b"]


def test_tools_that_no_answer_asks_for_stand_as_they_began():
    calls = tool("log", {}, 0), tool("ship", {}, 1)
    assert trace_of(asking(("ship", {})), *calls).tools == ["log", "ship"]
    assert trace_of(*calls).tools == ["log", "ship"]


def test_a_tool_of_the_provider_is_called_and_its_answer_is_the_models():
    parts = [
        {"type": "tool_call", "id": "ws", "name": "web_search", "arguments": {"query": "Oslo"}},
        {"type": "tool_call_response", "id": "ws", "response": "rain"},
        {"type": "text", "content": "Take a coat."},
    ]
    call = llm([("user", "x")], "")
    call["attributes"]["gen_ai.output.messages"] = json.dumps([{"role": "assistant", "parts": parts}])
    trace = trace_of(call)
    assert [(each.name, each.result) for each in trace.calls()] == [("web_search", "rain")]
    assert trace.answer == "Take a coat."
