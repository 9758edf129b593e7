"""Objects of a program or a framework that cannot be read as expected: the program goes on as without the inspector."""

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from inspector.integrations.agent_framework import streams
from inspector.integrations.crewai.models import METHODS
from inspector.integrations.mcp.client import call_tool
from inspector.integrations.mcp.transports import note_transports
from inspector.integrations.openai_agents import models, runs, tools
from inspector.integrations.patches import Patches
from instrument.testing import capture


class Odd:
    """Raises whatever is asked of it."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __getitem__(self, index):
        raise RuntimeError(index)

    def __bool__(self):
        raise RuntimeError("bool")

    def __str__(self):
        raise RuntimeError("str")


async def answer(*_, **__):
    return "answer"


@pytest.mark.parametrize("odd", [lambda: Odd(), lambda: [Odd()], lambda: {1: 2}], ids=["odd", "list", "dict"])
def test_odd_handoffs_are_handed_off(odd):
    assert asyncio.run(tools.handing_off(answer)(run_handoffs=odd())) == "answer"


def test_what_an_odd_tool_returns_is_returned():
    odd = Odd()

    async def run_single_tool(self, *, func_tool, tool_call):
        return odd

    with capture() as emitted:
        assert asyncio.run(tools.called(run_single_tool)(None, func_tool=Odd(), tool_call=Odd())) is odd
    assert [hook for hook, _ in emitted] == ["before_tool_call", "after_tool_call"]


def test_a_run_in_an_odd_session_runs():
    assert asyncio.run(runs.run(answer)(None, "agent", "hello", session=Odd())) == "answer"
    assert runs.run_streamed(lambda *_, **__: "streamed")(None, "agent", "hello", run_config=Odd()) == "streamed"


def test_the_last_event_of_a_stream_may_have_no_response():
    async def events(*_, **__):
        yield SimpleNamespace(type="response.completed")

    async def read():
        return [event.type async for event in models.streamed(events)(object())]

    with capture() as emitted:
        assert asyncio.run(read()) == ["response.completed"]
    assert [hook for hook, _ in emitted] == ["before_llm_generate", "after_llm_generate"]


def test_a_programs_own_model_may_name_its_arguments_as_it_likes():
    class Base:
        pass

    class Own(Base):
        model = "own"
        model_fields_set = ()

        def call(self, prompt, *, tools=None):
            return prompt.upper()

        async def acall(self, prompt):
            return prompt.upper()

    patches = Patches("crewai")
    patches.wrap_in_subclasses(Base, METHODS)
    try:
        with capture() as emitted:
            assert Own().call(prompt="hello") == asyncio.run(Own().acall(prompt="hello")) == "HELLO"
            assert Own().call("hello", tools=[]) == "HELLO"
    finally:
        patches.undo()
    before = [keywords["prompt"] for hook, keywords in emitted if hook == "before_llm_generate"]
    assert before[2] == {"model": "own", "messages": "hello", "tools": []}
    assert len(emitted) == 6


def test_an_agent_in_an_odd_session_answers():
    kind = streams.Kind("agent_call", lambda *_: {"agent": "a"}, lambda found: {"result": found})
    with capture() as emitted:
        assert asyncio.run(streams.called(answer, kind)(object(), "hello", session=Odd())) == "answer"
    assert [hook for hook, _ in emitted] == ["before_agent_call", "after_agent_call"]


def test_a_tool_with_an_odd_name_is_asked_for():
    with capture() as emitted:
        assert asyncio.run(call_tool(lambda _: "server")(answer)(object(), Odd())) == "answer"
    assert [hook for hook, _ in emitted] == ["before_tool_call", "after_tool_call"]


def test_a_class_that_cannot_be_changed_is_defined_as_it_is(caplog):
    class Fixed(type):
        def __setattr__(cls, name, value):
            raise TypeError(f"{cls.__name__} is fixed")

    class Model:
        pass

    class Before(Model, metaclass=Fixed):
        def ask(self):
            return "before"

    patches = Patches("test")
    asked = []
    patches.wrap_in_subclasses(Model, {"ask": lambda original: lambda self: asked.append(1) or original(self)})
    try:

        class After(Model, metaclass=Fixed):
            def ask(self):
                return "after"

        class Usual(Model):
            def ask(self):
                return "usual"

        assert [Before().ask(), After().ask(), Usual().ask()] == ["before", "after", "usual"]
    finally:
        patches.undo()
    assert len(asked) == 1
    assert [message.rpartition(".")[2] for message in caplog.messages] == [
        "Before cannot be recorded",
        "After cannot be recorded",
    ]


def test_a_transport_whose_streams_cannot_be_referred_to_weakly_is_opened(monkeypatch):
    class Stream:
        __slots__ = ()

        def send(self):
            """Send."""

    @asynccontextmanager
    async def streams():
        yield Stream(), Stream()

    async def opened(memory):
        async with memory.create_client_server_memory_streams() as found:
            return len(found)

    memory = pytest.importorskip("mcp.shared.memory")
    monkeypatch.setattr(memory, "create_client_server_memory_streams", streams)
    patches = Patches("mcp")
    note_transports(patches, lambda route, exc: None)
    try:
        assert asyncio.run(opened(memory)) == 2
    finally:
        patches.undo()
