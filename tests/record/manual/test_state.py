import asyncio
import inspect

import pytest

import inspector
from instrument import around


class Planner:
    def __init__(self):
        self.step = 0

    @inspector.dump_state("step")
    def plan(self, *, fails=False):
        self.step += 1
        if fails:
            raise ValueError("no plan")
        return f"plan {self.step}"

    @inspector.dump_state("step")
    async def revise(self, *, waits=False):
        self.step += 10
        if waits:
            await asyncio.Event().wait()
        return "revised"

    @inspector.dump_state("step", result="stream")
    async def stream(self):
        for _ in range(3):
            self.step += 1
            try:
                sent = yield self.step
            except LookupError:
                sent = "thrown"
            if sent:
                yield sent

    @inspector.dump_state("step")
    def parts(self):
        self.step += 1
        got = yield "first"
        yield got
        return "over"


def agent():
    return around("agent_call", agent="planner")


def dumped(span):
    keys = ("mcp.result.", "mcp.state.")
    found = {key: value for key, value in span["attributes"].items() if key.startswith(keys)}
    found.pop("mcp.result.agent_call_json", None)
    return found


def earlier(span):
    return [event["attributes"] for event in span.get("events", ()) if event["name"] == "dump_state"]


def test_a_function_that_raises_leaves_its_state_and_no_result(record):
    recording = record()
    with agent(), pytest.raises(ValueError, match="no plan"):
        Planner().plan(fails=True)
    (span,) = recording.spans()
    assert dumped(span) == {"mcp.state.step_json": "1"}


def test_a_cancelled_coroutine_leaves_its_state(record):
    recording = record()

    async def main():
        async with agent():
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0):
                    await Planner().revise(waits=True)

    asyncio.run(main())
    assert dumped(recording.spans()[0]) == {"mcp.state.step_json": "10"}


def test_every_calls_state_is_kept_the_last_in_attributes_and_those_before_as_events(record):
    recording = record()
    planner = Planner()
    with agent():
        planner.plan()
        planner.plan()
        with pytest.raises(ValueError, match="no plan"):
            planner.plan(fails=True)
    (span,) = recording.spans()
    assert dumped(span) == {"mcp.state.step_json": "3"}
    assert earlier(span) == [
        {"function": "Planner.plan", "mcp.result.plan_json": '"plan 1"', "mcp.state.step_json": "1"},
        {"function": "Planner.plan", "mcp.result.plan_json": '"plan 2"', "mcp.state.step_json": "2"},
    ]


def test_two_functions_that_dump_the_same_state_keep_both(record):
    recording = record()
    planner = Planner()
    with agent():
        planner.plan()
        asyncio.run(planner.revise())
    (span,) = recording.spans()
    assert dumped(span) == {
        "mcp.result.plan_json": '"plan 1"',
        "mcp.result.revise_json": '"revised"',
        "mcp.state.step_json": "11",
    }
    assert [each["mcp.state.step_json"] for each in earlier(span)] == ["1"]


def test_an_async_generator_leaves_what_it_yielded_and_its_state_where_it_began(record):
    recording = record()

    async def main():
        async with agent():
            stream = Planner().stream()
            assert inspect.isasyncgenfunction(Planner.stream)
            seen = [await anext(stream), await stream.asend("sent"), await anext(stream)]
            seen.append(await stream.athrow(LookupError()))
            await stream.aclose()
            assert seen == [1, "sent", 2, "thrown"]

    asyncio.run(main())
    assert dumped(recording.spans()[0]) == {
        "mcp.result.stream_json": '[1,"sent",2,"thrown"]',
        "mcp.state.step_json": "2",
    }


def test_a_generator_goes_on_as_it_would_without(record):
    recording = record()

    def consume():
        return (yield from Planner().parts())

    with agent():
        consumer = consume()
        assert next(consumer) == "first"
        assert consumer.send("sent") == "sent"
        with pytest.raises(StopIteration, match="over"):
            next(consumer)
    assert dumped(recording.spans()[0]) == {"mcp.result.parts_json": '["first","sent"]', "mcp.state.step_json": "1"}


def test_without_content_no_state_is_recorded(record):
    recording = record(content=False)
    with agent():
        planner = Planner()
        planner.plan()
        planner.plan()
    (span,) = recording.spans()
    assert dumped(span) == {}
    assert earlier(span) == [{"function": "Planner.plan"}]


class Account:
    def __init__(self):
        self.password = "hunter2"

    @inspector.dump_state("password")
    def log_in(self):
        return "in"


def test_an_attribute_whose_name_announces_a_secret_is_never_written(record):
    recording = record()
    with agent():
        account = Account()
        account.log_in()
        account.log_in()
    (span,) = recording.spans()
    assert dumped(span)["mcp.state.password_json"].startswith('"[redacted:password')
    assert earlier(span)
    assert not any(b"hunter2" in path.read_bytes() for path in recording.directory.iterdir() if path.is_file())


def test_a_decorator_that_is_not_called_is_refused_where_it_stands():
    with pytest.raises(TypeError, match=r"write @inspector.dump_state\(\)"):

        @inspector.dump_state
        def work(): ...
