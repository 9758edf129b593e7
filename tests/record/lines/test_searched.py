"""A text that the file has was searched for secrets, and is not searched again; whatever else is, always."""

import json

import msgspec
import pytest

from inspector.frames import LEAST_BYTES, Elements, cut_strings
from inspector.reading.exchanges import read_exchanges
from inspector.record.capture.exchanges import Exchange
from inspector.record.lines.exchanges import written
from inspector.record.lines.parts import WrittenParts
from inspector.redaction import Redactor
from instrument import around

LONG = "what is answered at such length that it is a part of its own, " * 30
SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 4


def pieces_of(value):
    return cut_strings(msgspec.json.encode(value), LEAST_BYTES)


@pytest.fixture
def parts():
    written_parts = WrittenParts()
    written_parts.begin(0)
    return written_parts


def test_what_the_file_has_of_an_answer_is_not_searched_again(parts):
    pieces = pieces_of({"id": 1, "content": LONG})
    assert json.loads(parts.unsearched(pieces)) == {"id": 1, "content": LONG}
    parts.refers("response", pieces)
    assert json.loads(parts.unsearched(pieces)) == {"id": 1, "content": "..."}
    parts.begin(1)
    assert json.loads(parts.unsearched(pieces)) == {"id": 1, "content": LONG}


@pytest.mark.parametrize("value", [{"auth": LONG}, ["curl", "-u", LONG], {LONG: 1}, {"env": {"value": LONG}}], ids=str)
def test_a_text_that_what_stands_beside_it_could_make_a_secret_is_searched_again(parts, value):
    parts.refers("response", pieces_of({"content": LONG}))
    assert json.loads(parts.unsearched(pieces_of(value))) == value


def test_a_text_that_was_hidden_is_searched_wherever_it_comes_again(parts):
    body = msgspec.json.encode(f"{LONG} {SECRET}")
    system = Elements((body,), ",", is_conversation=False)
    parts.framed("prompt", [b'{"system":', system, b"}"], lambda _: [b'"hidden"'])
    assert not parts.has(body)
    assert SECRET.encode() in parts.unsearched(pieces_of({"content": f"{LONG} {SECRET}"}))


def test_a_secret_beside_a_text_that_the_file_has_is_found(parts):
    parts.refers("response", pieces_of({"content": LONG}))
    body = json.dumps({"content": LONG, "api_key": SECRET}).encode()
    made = written([Exchange(200, {}, (body,), (), "whole", None)], Redactor(), str, parts)
    (found,) = read_exchanges(msgspec.json.encode(made).decode())
    assert json.loads(found.pieces[0])["content"] == LONG
    assert json.loads(found.pieces[0])["api_key"].startswith("[redacted:")


@pytest.mark.anyio
@pytest.mark.parametrize("text", [LONG[:300], LONG, LONG * 3], ids=["short", "long", "longest"])
async def test_a_secret_is_hidden_in_each_place_that_a_text_comes_to(record, text):
    recording = record()
    said = f"{text} {SECRET}"
    messages = [{"role": "user", "content": LONG}, {"role": "assistant", "content": said}]
    for _ in range(2):
        prompt = {"model": "m", "system": said, "messages": messages, "metadata": {"api_key": text}}
        async with around("llm_generate", llm="m", prompt=prompt) as call:
            body = json.dumps({"content": said, "password": text}).encode()
            exchange = {"end": "whole", "status": 200, "headers": {"x": said}, "pieces": [body], "at_ns": []}
            call.set(response={"content": said, "arguments": text, "password": text}, exchanges=[exchange])
        async with around("tool_call", tool_name=said[:20], args={"content": said, "text": text}) as call:
            call.set(result={"content": said})
    assert recording.spool.flush()
    whole = "".join(path.read_text() for path in recording.directory.glob("*.jsonl"))
    assert SECRET not in whole
    assert f'password\\":\\"{text[:60]}' not in whole
    assert f'"password":"{text[:60]}' not in whole
    assert whole.count("[redacted:") >= 2
