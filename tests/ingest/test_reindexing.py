import asyncio
import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from opentelemetry import trace

import inspector
from inspector.ingest import open_home, reindex
from inspector.model import Filter, Span, SpanError
from inspector.otlp import decode
from inspector.reading.dialects import read_span
from inspector.reading.stored import differences, reindexed
from inspector.settings import Settings
from inspector.store import open_store
from instrument import around

EXPORTS = sorted((Path(__file__).parent / "exports").glob("*.jsonl"))


@pytest.fixture
def store(tmp_path):
    settings = Settings(home=tmp_path)
    with closing(open_store(settings)) as opened:
        yield opened


def spans_of(path):
    return [read_span(span) for span in decode(path.read_bytes()).spans]


def events_of(store):
    return {event.span_id: event for event in store.events(Filter(), limit=500, full=True, raw=True).items}


def trace_ids(store):
    return [trace.trace_id for trace in store.traces(Filter(), order="asc", limit=500).items]


async def charged():
    for written in (None, 0.0):
        async with around("llm_generate", llm="x/m", prompt="hi") as call:
            call.set(response={"usage": {"prompt_tokens": 9, "completion_tokens": 3, "cost": 0.0042}})
            if written is not None:
                trace.get_current_span().set_attribute("inspector.cost.usd", written)


def test_what_a_provider_charged_is_the_cost_unless_the_program_wrote_one_also_when_read_again(tmp_path, recording):
    settings = recording(tmp_path / "recorded", charged())
    with open_home(settings, write=True) as store:
        assert [event.cost_usd for event in events_of(store).values()] == [0.0, 0.0042]
        assert reindex(store, trace_ids(store), write=True).changed == 0


@pytest.mark.sweep(8)
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_the_same_reading_of_foreign_spans_changes_nothing(store, path):
    store.write(spans_of(path))
    assert {event.span_id: [*differences(event, reindexed(event))] for event in events_of(store).values()} == {
        span_id: [] for span_id in events_of(store)
    }


async def travel():
    prompt = {
        "model": "gpt-4.1",
        "temperature": 0.5,
        "max_tokens": 64,
        "stop": ["END"],
        "tools": [{"type": "function", "function": {"name": "book", "parameters": {}}}],
        "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "A room? " * 100}],
    }
    choice = {"message": {"role": "assistant", "content": "Booked."}, "finish_reason": "stop"}
    async with around("agent_call", agent="travel", input="A room in Lisbon"):
        async with around("llm_generate", llm="gpt-4.1", prompt=prompt) as call:
            usage = {"prompt_tokens": 9, "completion_tokens": 3}
            call.set(response={"id": "r1", "model": "gpt-4.1-2025-04-14", "choices": [choice], "usage": usage})
        async with around("llm_generate", llm="gpt-4.1", prompt="in words") as call:
            call.set(response="an answer in words")
        try:
            async with around("llm_generate", llm="gpt-4.1", prompt=prompt):
                raise TimeoutError("nobody answers")
        except TimeoutError:
            pass
        async with around("tool_call", tool_name="book", args={"city": "Lisbon"}, context=None) as call:
            call.set(result={"ok": True, "structured_content": {"room": 7}})


@pytest.fixture
def recording():
    """Has a program record itself in a home, and returns the settings of that."""

    def record(home, program):
        inspector.attach(service="travel", home=home, integrations=False)
        try:
            asyncio.run(program)
        finally:
            inspector.detach()
        return Settings(home=home)

    return record


@pytest.fixture
def recorded(tmp_path, recording):
    return recording(tmp_path / "recorded", travel())


def test_the_same_reading_of_recorded_calls_changes_nothing(recorded):
    with open_home(recorded, write=True) as store:
        before, seq = events_of(store), store.last_seq()
        found = reindex(store, trace_ids(store), write=True)
        assert (found.spans, found.changed, found.by_name) == (len(before), 0, Counter())
        assert store.last_seq() == seq


def test_a_model_call_of_ours_is_described_anew_from_prompt_and_answer(recorded):
    with open_home(recorded, write=True) as store:
        before = events_of(store)
        call = next(event for event in before.values() if event.output_tokens == 3)
        span = reindexed(call)
        poorer = {key: value for key, value in span.attributes.items() if not key.startswith("gen_ai.usage")}
        poorer["gen_ai.input.messages"] = "[]"
        store.write_again([replace(span, attributes=poorer, input_tokens=None, output_tokens=None, cost_usd=None)])
        assert events_of(store)[call.span_id].output_tokens is None
        found = reindex(store, [call.trace_id], write=True)
        assert found.changed == 1
        assert {"gen_ai.input.messages", "gen_ai.usage.output_tokens", "output_tokens", "cost_usd"} <= {*found.by_name}
        after = events_of(store)[call.span_id]
        assert (after.output_tokens, after.cost_usd, after.input) == (3, call.cost_usd, call.input)


def test_a_better_reading_takes_the_place_of_the_stored_one(store):
    path = next(path for path in EXPORTS if path.stem == "openinference_openai")
    spans = spans_of(path)
    call = next(span for span in spans if span.kind == "llm" and span.cost_usd)
    added = call.attributes["inspector.normalised"]
    came = {key: value for key, value in call.attributes.items() if key not in (*added, "inspector.normalised")}
    worse = replace(
        call, kind="other", dialect="otel", model=None, input_tokens=None, output_tokens=None, cached_tokens=None,
        cost_usd=None, input_key=None, output_key=None, attributes=came,
    )  # fmt: skip
    store.write([worse if span is call else span for span in spans])
    assert not store.turns(store.trace(call.trace_id).run_id).items
    dry = reindex(store, trace_ids(store), write=False)
    assert (dry.spans, dry.changed) == (len(spans), 1)
    assert events_of(store)[call.span_id].kind == "other"
    done = reindex(store, trace_ids(store), write=True)
    assert (done.spans, done.changed, done.by_name, done.traces) == (dry.spans, dry.changed, dry.by_name, 1)
    event = events_of(store)[call.span_id]
    assert (event.kind, event.dialect, event.cost_usd) == (call.kind, call.dialect, call.cost_usd)
    costs = [span.cost_usd for span in spans if span.trace_id == call.trace_id and span.cost_usd]
    assert store.trace(call.trace_id).cost_usd == pytest.approx(sum(costs))
    assert [turn.span_id for turn in store.turns(store.trace(call.trace_id).run_id).items] == [call.span_id]
    assert reindex(store, trace_ids(store), write=True).changed == 0


def test_a_better_question_is_found_in_spans_that_stay_as_they_are(tmp_path):
    settings = Settings(home=tmp_path)
    path = next(path for path in EXPORTS if path.stem == "openinference_openai")
    with closing(open_store(settings)) as store:
        store.write(spans_of(path))
        asked = [trace.question for trace in store.traces(Filter()).items]
    with closing(sqlite3.connect(tmp_path / "inspector.db")) as database, database:
        database.execute("UPDATE traces SET question = 'an example'")
    with closing(open_store(settings)) as store:
        done = reindex(store, trace_ids(store), write=True)
        assert (done.changed, done.traces, done.of_traces) == (0, len(asked), {"question"})
        assert [trace.question for trace in store.traces(Filter()).items] == asked
        assert asked[0] in {run.question for run in store.runs(Filter()).items}


async def converse(turns):
    history = [{"role": "system", "content": "You book rooms. " * 60}]
    for turn in range(turns):
        history = [*history, {"role": "user", "content": f"Question {turn}: " + "how many nights? " * 60}]
        async with around("llm_generate", llm="gpt-4.1", prompt={"model": "gpt-4.1", "messages": history}) as call:
            answer = {"role": "assistant", "content": f"Answer {turn}: " + "two nights. " * 70}
            call.set(response={"model": "gpt-4.1", "choices": [{"message": answer, "finish_reason": "stop"}]})
        history = [*history, answer]


def test_what_an_earlier_version_counted_twice_is_counted_once_and_said(tmp_path):
    outer = Span("a" * 32, "1" * 16, "chat", "llm", "ok", 1, end_ns=9, attributes={"gen_ai.operation.name": "chat"})
    attributes = outer.attributes | {"inspector.emitter": "openai"}
    inner = replace(outer, span_id="2" * 16, parent_id=outer.span_id, start_ns=2, end_ns=8, attributes=attributes)
    settings = Settings(home=tmp_path)
    with closing(open_store(settings)) as store:
        store.write([outer, inner])
        assert store.trace(outer.trace_id).calls == 1
    with closing(sqlite3.connect(settings.database)) as connection, connection:
        connection.execute("UPDATE spans SET identity = NULL, folded_into = NULL")
        connection.execute("UPDATE traces SET calls = 2, llm_calls = 2, unpriced_calls = 2")
    with closing(open_store(settings)) as store:
        found = reindex(store, trace_ids(store), write=True)
        assert (found.traces, found.of_traces) == (1, {"calls", "llm_calls", "unpriced_calls"})
        assert store.trace(outer.trace_id).calls == 1


def test_a_conversation_is_what_it_was_after_two_readings(tmp_path, recording):
    settings = recording(tmp_path / "recorded", converse(8))
    with open_home(settings, write=True) as store:
        [run] = store.runs(Filter()).items
        before = {span_id: whole(event) for span_id, event in events_of(store).items()}
        turns = store.turns(run.run_id).items
        readings = [reindexed(event) for event in events_of(store).values()]
        readings.sort(key=lambda span: span.start_ns)
        store.write_again([replace(span, attributes=otherwise(span.attributes)) for span in readings])
        assert not any(whole(event) == before[span_id] for span_id, event in events_of(store).items())
        assert reindex(store, trace_ids(store), write=True).changed == 8
        assert {span_id: whole(event) for span_id, event in events_of(store).items()} == before
        assert store.turns(run.run_id).items == turns


def whole(event):
    return bytes(event.input), bytes(event.output), json.loads(bytes(event.attributes))


def otherwise(attributes):
    messages = json.loads(attributes["gen_ai.input.messages"])
    return attributes | {"gen_ai.input.messages": json.dumps([message | {"old": True} for message in messages])}


def test_the_model_that_answered_is_read_again_though_lists_show_the_one_that_was_asked(store):
    spans = spans_of(next(path for path in EXPORTS if path.stem == "genai_openai"))
    store.write([replace(span, model="another") if span.model else span for span in spans])
    models = sum(span.model is not None for span in spans)
    assert models > 1
    assert reindex(store, trace_ids(store), write=True).changed == models
    assert reindex(store, trace_ids(store), write=True).changed == 0


@pytest.mark.parametrize("status", ["lost", "abandoned", "cancelled", "error", "running"])
def test_how_a_span_ended_stays_as_it_was(store, status):
    span = next(span for path in EXPORTS for span in spans_of(path) if span.kind == "tool")
    error = SpanError("Gone", "it is gone") if status == "error" else None
    store.write([replace(span, status=status, end_ns=None if status == "running" else span.end_ns, error=error)])
    store.write_again([replace(reindexed(event), tool="another") for event in events_of(store).values()])
    assert reindex(store, trace_ids(store), write=True).by_name["tool"] == 1
    (event,) = events_of(store).values()
    assert (event.status, event.tool, event.error and event.error.message) == (
        status,
        span.tool,
        error and error.message,
    )


def test_what_was_deleted_meanwhile_stays_away(store):
    spans = spans_of(EXPORTS[0])
    store.write(spans)
    events = events_of(store)
    store.delete("trace", spans[0].trace_id)
    store.write_again([reindexed(event) for event in events.values() if event.trace_id == spans[0].trace_id])
    assert store.trace(spans[0].trace_id) is None
