import asyncio
import logging
from itertools import count

import pytest
from fakeredis import FakeAsyncRedis

from instrument.testing import capture
from toolkit.content import ImageContent, ResourceContent, TextContent, json_text
from toolkit.middleware.cache import Cache, MemoryStore, RedisStore
from toolkit.result import ToolResult


def numbered():
    numbers = count(1)
    return lambda args: f"answer {next(numbers)}"


def test_the_same_arguments_are_answered_from_memory_and_others_are_not(tool, call):
    made = tool(numbered())
    cache = Cache()
    with capture() as emitted:
        first, again = (call(made, {"a": 1, "b": [2]}, cache) for _ in range(2))
    other = call(made, {"a": 2, "b": [2]}, cache)
    turned = call(made, {"b": [2], "a": 1}, cache)
    assert [each.text for each in (first, again, other, turned)] == ["answer 1", "answer 1", "answer 2", "answer 1"]
    assert [each.metadata["cached"] for each in (first, again, other, turned)] == [False, True, False, True]
    assert first.metadata["arguments_hash"] == again.metadata["arguments_hash"] != other.metadata["arguments_hash"]
    assert emitted[-1][1]["middleware"][0]["did"] == "answered"


@pytest.mark.parametrize("pair", [(1, 1.0), (1, True), (1, "1"), (None, ""), ([1], {"0": 1})])
def test_values_that_differ_in_kind_alone_are_different_arguments(tool, call, pair):
    made = tool(numbered())
    cache = Cache()
    for value in pair:
        call(made, {"x": value}, cache)
    assert len(made.calls) == 2


def test_tools_servers_and_scopes_do_not_share_results(tool, call):
    cache = Cache(scope=lambda ctx: ctx.agent_name)
    made = [tool(numbered(), name="a"), tool(numbered(), name="b"), tool(numbered(), name="a", source="mcp")]
    for each in made:
        call(each, {}, cache, agent_name="NY")
        call(each, {}, cache, agent_name="NY")
        call(each, {}, cache, agent_name="London")
    assert [len(each.calls) for each in made] == [2, 2, 2]


@pytest.mark.parametrize(
    "result",
    [
        ToolResult([TextContent("é\0"), ImageContent("aGk=", "image/png"), TextContent(json_text({"a": [None, 1.5]}))]),
        ToolResult([ResourceContent("file:///a", "text/plain", "text"), ResourceContent("b", blob="aGk=")]),
        ToolResult([], structured={"deep": [{"x": None}]}, metadata={"tokens": 3}),
    ],
)
def test_a_kept_result_is_the_same_as_it_was(tool, call, result):
    cache = Cache()
    made = tool(lambda args: result)
    fresh, kept = call(made, {}, cache), call(made, {}, cache)
    assert len(made.calls) == 1
    assert kept.metadata.pop("cached") and not fresh.metadata.pop("cached")
    assert kept == fresh


def test_whoever_changes_a_result_changes_nobody_elses(tool, call):
    async def append(ctx, args, call_next):
        result = await call_next(args)
        result.content.append(TextContent("more"))
        return result

    cache, made = Cache(), tool("once")
    assert [call(made, {}, append, cache).text for _ in range(3)] == ["once\nmore"] * 3


def test_failures_are_not_kept(tool, call):
    failing = [True, False]

    def sometimes(args):
        if failing.pop(0):
            raise OSError("down")
        return "up"

    cache, made = Cache(), tool(sometimes)
    assert [call(made, {}, cache).is_error for _ in range(3)] == [True, False, False]
    assert len(made.calls) == 2


def test_memory_keeps_so_many_for_so_long(tool, call):
    now = [0.0]
    cache = Cache(MemoryStore(max_entries=2, ttl_s=10, clock=lambda: now[0]))
    made = tool(numbered())

    def ask(*numbers):
        return [call(made, {"x": x}, cache).metadata["cached"] for x in numbers]

    assert ask(1, 2, 1) == [False, False, True]
    assert ask(3) == [False]
    assert ask(1, 3) == [True, True]
    assert ask(2) == [False]
    now[0] = 9.9
    assert ask(2) == [True]
    now[0] = 10
    assert ask(2) == [False]


def test_arguments_that_no_model_writes_are_never_taken_for_equal(tool, call):
    cache, made = Cache(), tool(numbered())
    for _ in range(2):
        call(made, {"x": {1, 2}}, cache)
    assert len(made.calls) == 2


def test_redis_keeps_results_for_other_processes(tool, call):
    async def main():
        redis = FakeAsyncRedis()
        made = tool(numbered())
        results = [
            await call.later(made, {"x": 1}, Cache(RedisStore(redis, ttl_s=60, prefix="tests:"))) for _ in range(2)
        ]
        (key,) = await redis.keys("*")
        left_ms = await redis.pttl(key)
        await redis.aclose()
        return results, key, left_ms, len(made.calls)

    (first, again), key, left_ms, calls = asyncio.run(main())
    assert (first.text, again.text, again.metadata["cached"], calls) == ("answer 1", "answer 1", True, 1)
    assert key.decode() == f"tests:{first.metadata['arguments_hash']}"
    assert 50_000 < left_ms <= 60_000


@pytest.mark.parametrize("kept", [b"", b"{", b"[]", b'{"content":3}', b'{"content":[],"metadata":[]}', b"\xff"])
def test_what_somebody_else_wrote_into_redis_is_not_an_answer(tool, call, kept, caplog):
    async def main():
        redis = FakeAsyncRedis()
        made = tool("mine")
        cache = Cache(RedisStore(redis))
        key = (await call.later(made, {}, cache)).metadata["arguments_hash"]
        await redis.set(f"toolkit:result:{key}", kept)
        result = await call.later(made, {}, cache)
        await redis.aclose()
        return result, len(made.calls)

    with caplog.at_level(logging.ERROR):
        result, calls = asyncio.run(main())
    assert (result.text, calls) == ("mine", 2)


def test_a_store_that_fails_costs_no_call(tool, call, caplog):
    class Down:
        async def get(self, key):
            raise ConnectionError("down")

        async def set(self, key, value):
            raise ConnectionError("down")

    assert call(tool("fine"), {}, Cache(Down())).text == "fine"
    assert [record.message for record in caplog.records] == [
        "cannot read a kept result: ConnectionError: down",
        "cannot keep a result: ConnectionError: down",
    ]


def test_a_redis_that_nobody_serves_costs_no_call(tool, call, caplog):
    async def main():
        store = RedisStore("redis://127.0.0.1:1/0")
        result = await call.later(tool("fine"), {}, Cache(store))
        await store.aclose()
        return result

    assert asyncio.run(main()).text == "fine"
    assert len(caplog.records) == 2
