"""Context managers of frameworks that ours stand in for: whatever a program does with the one works with the other."""

import asyncio
import traceback
from contextlib import asynccontextmanager

import pytest

from inspector.integrations.calls import opened
from inspector.integrations.mcp.transports import note_transports, route_of
from inspector.integrations.patches import Patches
from inspector.integrations.within import Within
from instrument.testing import capture


class Run(Within):
    def ended(self, call, exc):
        call.ended() if exc is None else call.failed(exc)


def running(entered):
    @asynccontextmanager
    async def run():
        entered.append("in")
        yield
        entered.append("out")

    return Run(run, lambda: opened("workflow_run", lambda: {"workflow": "w"}, emitter="test"))


def test_a_frameworks_context_manager_is_a_decorator_still():
    entered = []

    @running(entered)
    async def double(number):
        """Twice as much."""
        entered.append(number)
        return 2 * number

    with capture() as emitted:
        assert [asyncio.run(double(1)), asyncio.run(double(number=2))] == [2, 4]
    assert (double.__name__, double.__doc__) == ("double", "Twice as much.")
    assert entered == ["in", 1, "out", "in", 2, "out"]
    assert [hook for hook, _ in emitted] == ["before_workflow_run", "after_workflow_run"] * 2
    assert len({keywords["call_id"] for _, keywords in emitted}) == 2


def test_what_a_decorated_function_raises_has_no_frame_of_ours():
    @running([])
    async def fail():
        raise ValueError("why")

    with capture() as emitted, pytest.raises(ValueError, match="why") as caught:
        asyncio.run(fail())
    assert [hook for hook, _ in emitted] == ["before_workflow_run", "error_workflow_run"]
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert not [frame for frame in frames if "inspector/integrations" in frame.filename]


def test_a_transport_of_mcps_is_a_decorator_still():
    memory = pytest.importorskip("mcp.shared.memory")
    patches = Patches("mcp")
    note_transports(patches, lambda route, exc: None)
    try:

        @memory.create_client_server_memory_streams()
        async def work():
            async with memory.create_client_server_memory_streams() as (client, _):
                return route_of(client[1]).transport

        assert [asyncio.run(work()), asyncio.run(work())] == ["memory", "memory"]
    finally:
        patches.undo()
