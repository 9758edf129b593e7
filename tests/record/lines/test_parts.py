import json
import os

import pytest
from spooled import attributes_of, spans_of

from inspector.record.lines import parts as record_parts
from instrument import around

WORDS = "the question of this turn is told at some length, as questions are "


def text(turn, who):
    return f"{who} {turn}: " + WORDS * 30


async def converse(turns):
    messages = [{"role": "system", "content": text(0, "system")}]
    for turn in range(turns):
        messages = [*messages, {"role": "user", "content": text(turn, "question")}]
        async with around("llm_generate", llm=None, prompt={"model": "m", "messages": messages}) as call:
            answer = {"role": "assistant", "content": text(turn, "answer")}
            call.set(response={"id": str(turn), "model": "m", "choices": [{"message": answer}]})
        messages = [*messages, answer]
    return sum(len(message["content"]) for message in messages), messages


def size_of(directory):
    return sum(path.stat().st_size for path in directory.glob("*.jsonl"))


@pytest.mark.anyio
async def test_a_conversation_costs_its_new_text(record):
    recording = record()
    distinct, messages = await converse(100)
    prompts = [span["attributes"]["mcp.llm.prompt_json"] for span in recording.spans()]
    assert [len(json.loads(prompt)["messages"]) for prompt in prompts] == list(range(2, 202, 2))
    assert json.loads(prompts[-1])["messages"] == messages[:-1]
    assert size_of(recording.directory) < 2.2 * distinct


@pytest.mark.anyio
async def test_descriptions_that_nobody_gave_are_left_out_and_content_that_is_none_is_not(record):
    recording = record()
    async with around("llm_generate", llm="m", prompt="p") as call:
        call.set(response=None)
    recording.spool.flush()
    lines = "".join(path.read_text() for path in recording.directory.glob("*.jsonl"))
    calls = [call for line in lines.splitlines() for call in json.loads(line).get("calls", ())]
    ended = next(call for call in calls if call["state"] == "ok")
    assert ended["before"].keys() == {"prompt", "model", "lane"}
    assert ended["after"] == {"model": "m", "response": None, "usage": None}
    assert recording.spans()[0]["attributes"]["mcp.llm.response_json"] == "null"


@pytest.mark.anyio
async def test_each_file_has_all_that_its_lines_name(record, monkeypatch):
    recording = record()
    monkeypatch.setattr(recording.spool._file, "_segment_bytes", 20_000)
    for _ in range(10):
        await converse(3)
        recording.spool.flush()
    paths = sorted(recording.directory.glob("*.jsonl"))
    assert len(paths) > 2
    for path in paths:
        for span in spans_of(path.read_text().splitlines()):
            prompt = json.loads(attributes_of(span["attributes"])["mcp.llm.prompt_json"])
            assert all(isinstance(message["content"], str) for message in prompt["messages"])


@pytest.mark.anyio
async def test_a_file_that_somebody_closed_is_followed_by_one_with_its_texts(record):
    recording = record()
    await converse(2)
    assert recording.spool.flush()
    os.close(recording.spool._file._file.fd())
    await converse(2)
    assert recording.spool.flush()
    first, second = sorted(recording.directory.glob("*.jsonl"))
    for path in (first, second):
        spans = spans_of(path.read_text().splitlines())
        prompts = [attributes_of(span["attributes"])["mcp.llm.prompt_json"] for span in spans]
        assert [len(json.loads(prompt)["messages"]) for prompt in prompts] == [2, 4]
        assert "null" not in "".join(prompts)


@pytest.mark.anyio
async def test_what_is_known_of_a_file_has_a_bound(record, monkeypatch):
    recording = record()
    monkeypatch.setattr(record_parts, "_MOST_KNOWN", 10)
    for turns in (3, 4, 5):
        await converse(turns)
        recording.spool.flush()
        assert len(recording.spool._render._parts._numbers) < 60
    assert "null" not in "".join(span["attributes"]["mcp.llm.prompt_json"] for span in recording.spans())


@pytest.mark.anyio
async def test_a_span_that_cannot_be_written_takes_no_text_of_others_along(record, monkeypatch):
    recording = record()
    renderer = recording.spool._render
    monkeypatch.setattr(renderer, "_longest", 400)
    await converse(1)
    assert recording.spool.flush()
    monkeypatch.setattr(renderer, "_longest", 1 << 20)
    await converse(2)
    prompts = [span["attributes"]["mcp.llm.prompt_json"] for span in recording.spans()]
    assert [len(json.loads(prompt)["messages"]) for prompt in prompts] == [2, 4]
    assert "null" not in "".join(prompts)


def test_lines_that_name_what_a_file_has_stay_in_it(tmp_path):
    from inspector.record.lines.losses import LossCounter
    from inspector.record.spool.segments import Segments

    segments = Segments(tmp_path, "p", losses=LossCounter(), segment_bytes=10)
    for data, refers_back in ((b"12345678\n", False), (b"12345678\n", True), (b"12345678\n", False)):
        segments.write(data, refers_back=refers_back)
    segments.close()
    assert [path.stat().st_size for path in sorted(tmp_path.glob("*"))] == [18, 9]
