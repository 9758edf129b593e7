"""Spool files of every version are read, and a line costs no more than what is wrong with it."""

import asyncio
import json
from pathlib import Path

import pytest

import inspector
from inspector.parts import Parts
from inspector.reading.dialects import read_span
from inspector.reading.recorded import read_line
from instrument import around

SPOOLS = Path(__file__).parent / "spools"


def read_file(path):
    """The last record of each span of a spool file, in the order they began, and what was wrong with its lines."""
    parts = Parts(lambda line: line)
    decoded = [read_line(line, parts) for line in path.read_bytes().splitlines() if not parts.note(line, line)]
    spans = {span.span_id: read_span(span) for each in decoded for span in each.spans}
    return sorted(spans.values(), key=lambda span: span.start_ns), decoded


async def travel():
    """What the recorded files were recorded of."""
    history = [{"role": "system", "content": "You book rooms. " * 30}]
    async with around("agent_call", agent="travel", input="A room in Lisbon"):
        for turn in range(2):
            history = [*history, {"role": "user", "content": f"Question {turn}: " + "how many nights? " * 30}]
            prompt = {"model": "gpt-4.1", "temperature": 0.5, "messages": history}
            async with around("llm_generate", llm="gpt-4.1", prompt=prompt) as call:
                answer = {"role": "assistant", "content": f"Answer {turn}: " + "two nights. " * 40}
                choices = [{"message": answer, "finish_reason": "stop"}]
                usage = {"prompt_tokens": 9, "completion_tokens": 3}
                call.set(response={"id": f"r{turn}", "model": "gpt-4.1", "choices": choices, "usage": usage})
            history = [*history, answer]
            async with around(
                "tool_call", tool_name="book", args={"city": "Lisbon", "turn": turn}, context=None
            ) as call:
                call.set(result={"ok": True})
        try:
            async with around("tool_call", tool_name="pay", args={"eur": 140}, context=None):
                raise ValueError("the card was refused")
        except ValueError:
            pass


@pytest.fixture
def recorded_today(tmp_path):
    """The spool file of `travel`."""
    inspector.attach(service="travel", home=tmp_path)
    try:
        asyncio.run(travel())
    finally:
        inspector.detach()
    [path] = (tmp_path / "spool").glob("*.jsonl")
    return path


def without_what_differs(span):
    """What is to be equal of one call in files of several versions."""
    ours = ("thread.", "inspector.task", "process.pid", "host.name", "inspector.run.id", "inspector.call_id")
    # What a replay gives back is recorded since.
    attributes = {key: value for key, value in span.attributes.items() if not key.startswith((*ours, "inspector.raw."))}
    tokens = (span.input_tokens, span.output_tokens, span.cost_usd)
    names = (span.name, span.kind, span.status, span.agent, span.model, span.tool, span.service, span.dialect)
    error = span.error and (span.error.type, span.error.message)
    return names, tokens, error, span.input_key, span.output_key, attributes


@pytest.mark.parametrize("version", ["otlp", "otlp_with_parts"])
def test_a_spool_of_an_earlier_version_is_read_as_one_of_today(recorded_today, version):
    earlier, _ = read_file(SPOOLS / f"{version}.jsonl")
    today, _ = read_file(recorded_today)
    assert [span.name for span in today] == [
        *("invoke_agent travel", "chat gpt-4.1", "execute_tool book", "chat gpt-4.1"),
        *("execute_tool book", "execute_tool pay"),
    ]
    assert [*map(without_what_differs, earlier)] == [*map(without_what_differs, today)]


def call(**fields):
    return {"trace": "a" * 32, "span": "b" * 16, "noun": "tool_call", "start": 5, "stop": 7, "state": "ok"} | fields


def line(*calls, **fields):
    return json.dumps({"process": {"service.name": "s"}, "calls": calls} | fields, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    "broken",
    [
        {"trace": "a" * 31},
        {"trace": "0" * 32},
        {"span": "B" * 16},
        {"span": "b" * 16 + "\n"},
        {"start": -1},
        {"start": 2**63},
        {"state": "lost"},
        {"before": 5},
        {"parts": {"before": {"args": 5}}},
        {"noun": None},
    ],
)
def test_a_broken_call_costs_itself(broken):
    decoded = read_line(line(call(**broken), call(before={"name": "search"})))
    assert [span.name for span in decoded.spans] == ["execute_tool search"]
    assert decoded.rejected == {"malformed": 1}


@pytest.mark.parametrize(
    "data", [b'{"process":', b'{"process":{}', b'{"process":5,"calls":[]}', b'{"process":{},"calls":5}']
)
def test_a_broken_line_is_malformed(data):
    decoded = read_line(data)
    assert decoded.malformed
    assert not decoded.spans


def test_a_deeply_nested_value_is_no_error():
    deep = "[" * 5_000 + "]" * 5_000
    data = line(call(before={"name": "search"})).replace(b'"search"', b'"search","args":' + deep.encode())
    decoded = read_line(data)
    assert len(decoded.spans) + decoded.rejected.get("malformed", 0) == 1 or decoded.malformed


def test_a_value_whose_parts_are_not_there_is_flagged():
    named = call(before={"name": "search"}, parts={"before": {"args": [1, 2]}})
    [span] = read_line(line(named), Parts(lambda line: line)).spans
    assert span.attributes["gen_ai.tool.call.arguments"] == "[null,null]"
    assert span.attributes["gen_ai.tool.call.arguments_truncated"] is True


def test_what_was_lost_is_said_with_the_process_that_lost_it():
    [lost] = read_line(line(lost={"inspector.dropped": 3, "inspector.lost_until_unix_nano": 9})).losses
    assert (lost.counts, lost.until_ns, lost.resource) == ({"dropped": 3}, 9, {"service.name": "s"})


def test_a_call_is_kept_within_the_limits_of_spans():
    extra = {f"k{at}": at for at in range(2_000)} | {"huge": 2**70}
    events = [{"name": "e", "at": 1}] * 2_000
    [span] = read_line(line(call(before={"name": "search"}, extra=extra, events=events))).spans
    assert len(span.attributes) == 1_025
    assert span.attributes["otel.dropped_attributes_count"] == 2_001 + 9 - 1_024
    assert len(span.events) == 1_024
    [span] = read_line(line(call(before={"name": "search"}, extra={"huge": 2**70}))).spans
    assert span.attributes["huge"] == str(2**70)
