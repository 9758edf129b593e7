"""Texts come back as they were stored, and what was stored once can be read for ever."""

import json
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.store.values.codec import FRAME, Unreadable, pack, unpack
from inspector.store.values.dictionary import SPANS, TABLES

ATTRIBUTES = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4.1", "inspector.hook": "llm_generate"}
BODY = json.dumps(ATTRIBUTES, separators=(",", ":")).encode()


def test_the_dictionary_is_the_one_that_databases_were_written_with():
    assert zlib.adler32(SPANS) == 0xD7B3B5E9
    assert zlib.adler32(TABLES) == 0x1D802C3A


def test_what_spans_have_in_common_takes_few_bytes():
    assert len(pack(BODY)) < len(BODY) / 3


@given(st.dictionaries(st.sampled_from(sorted(ATTRIBUTES)) | st.text(), st.text() | st.text(min_size=64)))
def test_what_was_packed_is_unpacked(attributes):
    body = json.dumps(attributes).encode()
    assert unpack(pack(body)) == body


@pytest.mark.parametrize("length", [1, 2, 6, -1])
def test_a_frame_that_ends_too_early_is_damage(length):
    with pytest.raises(Unreadable):
        unpack(pack(BODY)[:length])


@given(st.integers(0, 12_000), st.text(min_size=1, max_size=20))
def test_what_was_packed_begins_alike_whatever_its_length(length, text):
    body = json.dumps(ATTRIBUTES | {"text": (text * length)[:length]}).encode()
    packed = pack(body)
    assert packed == body or packed[:1] == FRAME
    assert unpack(packed) == body


def test_threads_pack_and_unpack_at_once():
    bodies = [json.dumps(ATTRIBUTES | {"text": str(at) * 2_000}).encode() for at in range(400)]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda body: unpack(pack(body)), bodies)) == bodies


WRITTEN = "042061a50000087d067c004e2817501e951f6cbd2f5a9dc65f21"
WRITTEN_BY_0018 = "032061ad0000087d0640004e04bd20608f323828f4fb60e6341b06"


@pytest.mark.parametrize("frame", [WRITTEN, WRITTEN_BY_0018])
def test_a_frame_that_was_written_once_is_unpacked(frame):
    assert unpack(bytes.fromhex(frame)) == BODY
    for length in (1, 2, 6, -1):
        with pytest.raises(Unreadable):
            unpack(bytes.fromhex(frame)[:length])


def earlier_stream(**options):
    stream = zlib.compressobj(level=6, memLevel=6, **options)
    return stream.compress(BODY) + stream.flush()


@pytest.mark.parametrize("stream", [earlier_stream(), earlier_stream(zdict=SPANS)])
def test_a_stream_of_an_earlier_version_is_unpacked(stream):
    assert unpack(stream) == BODY
    for length in (1, 2, 6, -1):
        with pytest.raises(Unreadable):
            unpack(stream[:length])
