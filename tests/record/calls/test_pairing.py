"""Random programs of agents: every call must end once, as it did, below the call that made it."""

import asyncio
import contextvars
import json
import threading
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import count

from hypothesis import given, note
from hypothesis import strategies as st

from instrument import _emit, _emit_sync, around

NAMES = st.sampled_from(["search", "book"])
WAYS = st.sampled_from(
    ["in turn", "gather", "task group", "thread", "generator", "async generator", "timeout", "cancel"]
)
ENDS = st.sampled_from(["ok", "ok", "ok", "error"])

PROGRAMS = st.recursive(
    st.tuples(NAMES, st.booleans(), WAYS, ENDS, st.just([])),
    lambda calls: st.tuples(NAMES, st.booleans(), WAYS, ENDS, st.lists(calls, max_size=3)),
    max_leaves=12,
)


class Boom(Exception):
    pass


async def closing(chunks):
    await chunks.aclose()


class Run:
    """Executes a program and keeps what really happened: the parent and the outcome of each call."""

    def __init__(self):
        self.keys = count()
        self.parents = {}
        self.outcomes = {}

    def outcome_of(self, exc):
        if exc is None:
            return "ok"
        if isinstance(exc, asyncio.CancelledError):
            return "cancelled"
        return "left" if isinstance(exc, GeneratorExit) else "error"

    @asynccontextmanager
    async def call(self, program, parent):
        name, with_id, way, *_ = program
        key = next(self.keys)
        self.parents[key] = parent
        # An event loop closes a generator in whatever context: a call of the same name there would be taken for it.
        name = f"{name} {key}" if way == "async generator" else name
        values = {"tool_name": name, "args": {"key": key}, "context": None}
        try:
            if with_id:
                async with around("tool_call", **values) as call:
                    yield key
                    call.set(result=key)
            else:
                await _emit("before_tool_call", **values)
                try:
                    yield key
                except BaseException as exc:
                    await _emit("error_tool_call", exc=exc, **values)
                    raise
                await _emit("after_tool_call", result=key, **values)
        except BaseException as exc:
            self.outcomes[key] = self.outcome_of(exc)
            raise
        self.outcomes[key] = "ok"

    @contextmanager
    def sync_call(self, program, parent):
        name, with_id, *_ = program
        key = next(self.keys)
        self.parents[key] = parent
        values = {"tool_name": name, "args": {"key": key}, "context": None}
        try:
            if with_id:
                with around("tool_call", **values) as call:
                    yield key
                    call.set(result=key)
            else:
                _emit_sync("before_tool_call", **values)
                try:
                    yield key
                except BaseException as exc:
                    _emit_sync("error_tool_call", exc=exc, **values)
                    raise
                _emit_sync("after_tool_call", result=key, **values)
        except BaseException as exc:
            self.outcomes[key] = self.outcome_of(exc)
            raise
        self.outcomes[key] = "ok"

    async def execute(self, program, parent):
        _, _, way, end, calls = program
        if way == "cancel":
            task = asyncio.create_task(self.body(program, parent, forever=True))
            try:
                await asyncio.sleep(0)
                await asyncio.sleep(0)
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        elif way == "timeout":
            with suppress(TimeoutError):
                async with asyncio.timeout(0):
                    await self.body(program, parent, forever=True)
        elif way == "generator":
            for _ in self.stream(program, parent):
                break
        elif way == "async generator":
            chunks = self.async_stream(program, parent)
            with suppress(Boom):
                await anext(chunks)
            await asyncio.create_task(closing(chunks))
        elif way == "thread":
            context = contextvars.copy_context()
            worker = threading.Thread(target=context.run, args=(self.run_in_thread, program, parent))
            worker.start()
            worker.join()
        else:
            with suppress(Boom, BaseExceptionGroup):
                await self.body(program, parent)

    def run_in_thread(self, program, parent):
        with suppress(Boom):
            self.sync_body(program, parent)

    async def body(self, program, parent, *, forever=False):
        _, _, way, end, calls = program
        async with self.call(program, parent) as key:
            if way == "gather":
                await asyncio.gather(*(self.execute(call, key) for call in calls))
            elif way == "task group":
                async with asyncio.TaskGroup() as group:
                    for call in calls:
                        group.create_task(self.execute(call, key))
                    if end == "error":
                        await asyncio.sleep(0)
                        raise Boom
            else:
                for call in calls:
                    await self.execute(call, key)
                    await asyncio.sleep(0)
            if forever:
                # Bounded: a task group that fails as it is cancelled swallows the cancellation.
                for _ in range(50):
                    await asyncio.sleep(0)
            if end == "error":
                raise Boom

    def sync_body(self, program, parent):
        with self.sync_call(program, parent) as key:
            for call in program[4]:
                with suppress(Boom):
                    self.sync_body(call, key)
            if program[3] == "error":
                raise Boom

    def stream(self, program, parent):
        with self.sync_call(program, parent) as key:
            for call in program[4]:
                with suppress(Boom):
                    self.sync_body(call, key)
            yield 1
            yield 2

    async def async_stream(self, program, parent):
        async with self.call(program, parent) as key:
            for call in program[4]:
                await self.execute(call, key)
            yield 1
            yield 2


@given(programs=st.lists(PROGRAMS, min_size=1, max_size=3))
def test_every_call_ends_once_as_it_did_below_the_call_that_made_it(record, programs):
    recording = record()
    run = Run()
    note(repr(programs))

    async def main():
        for program in programs:
            await run.execute(program, None)

    try:
        asyncio.run(main())
        records = recording.records()
    finally:
        recording.close()

    ended = [r for r in records if r["attributes"].get("inspector.status") not in (None, "abandoned")]
    assert len({r["spanId"] for r in ended}) == len(ended), "a span ended twice"
    last = {r["spanId"]: r for r in records}
    key_of = {s: json.loads(r["attributes"]["gen_ai.tool.call.arguments"])["key"] for s, r in last.items()}
    assert sorted(key_of.values()) == sorted(run.parents), "a call is missing or doubled"
    for span_id, found in last.items():
        key = key_of[span_id]
        parent = found.get("parentSpanId")
        assert (key_of[parent] if parent else None) == run.parents[key]
        status = found["attributes"]["inspector.status"]
        # Who is cancelled as it closes a generator leaves that to the event loop.
        assert status in (("ok", "abandoned") if run.outcomes[key] == "left" else (run.outcomes[key],))
        is_closed = run.outcomes[key] == "left" and status == "ok"
        assert found["attributes"].get("inspector.closed_early", False) == is_closed
        if run.outcomes[key] == "ok":
            assert found["attributes"]["gen_ai.tool.call.result"] == str(key)


@given(order=st.permutations(range(6)), ids=st.lists(st.booleans(), min_size=6, max_size=6))
def test_calls_told_of_in_any_order_of_ends_each_end_once(record, order, ids):
    recording = record()
    try:
        for i in range(6):
            _emit_sync(
                "before_tool_call", tool_name=f"t{i}", args={}, context=None, call_id=f"c{i}" if ids[i] else None
            )
        for i in order:
            _emit_sync(
                "after_tool_call",
                tool_name=f"t{i}",
                args={},
                result=i,
                context=None,
                call_id=f"c{i}" if ids[i] else None,
            )
        spans = recording.spans()
    finally:
        recording.close()
    assert [s["attributes"]["gen_ai.tool.call.result"] for s in spans] == [str(i) for i in range(6)]
    assert {s["attributes"]["inspector.status"] for s in spans} == {"ok"}
