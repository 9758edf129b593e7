"""Texts come back as they were stored, and what was stored once can be read for ever."""

import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.store.values.codec import PACKED, pack, pack_attributes, unpack
from inspector.store.values.dictionary import SPANS

ATTRIBUTES = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4.1", "inspector.hook": "llm_generate"}


def test_the_dictionary_is_the_one_that_databases_were_written_with():
    assert zlib.adler32(SPANS) == 0xD7B3B5E9


def test_what_spans_have_in_common_takes_few_bytes():
    body = json.dumps(ATTRIBUTES, separators=(",", ":")).encode()
    assert len(pack_attributes(body, above_bytes=0)) < len(body) / 3


@given(st.dictionaries(st.sampled_from(sorted(ATTRIBUTES)) | st.text(), st.text()), st.integers(0, 200))
def test_what_was_packed_is_unpacked(attributes, above_bytes):
    body = json.dumps(attributes).encode()
    assert unpack(pack(body, above_bytes=above_bytes)) == body
    assert unpack(pack_attributes(body, above_bytes=above_bytes)) == body


@pytest.mark.parametrize("length", [1, 2, 6, -1])
def test_a_stream_that_ends_too_early_is_damage(length):
    packed = pack_attributes(json.dumps(ATTRIBUTES).encode(), above_bytes=0)
    with pytest.raises(zlib.error):
        unpack(packed[:length])


@given(st.integers(0, 12_000), st.text(min_size=1, max_size=20))
def test_what_was_packed_begins_alike_whatever_its_length(length, text):
    body = json.dumps(ATTRIBUTES | {"text": (text * length)[:length]}).encode()
    packed = pack_attributes(body, above_bytes=0)
    assert packed == body or packed[:1] == PACKED
    assert unpack(packed) == body


def test_a_stream_of_an_earlier_version_is_unpacked():
    body = json.dumps(ATTRIBUTES).encode()
    stream = zlib.compressobj(level=6, memLevel=6, zdict=SPANS)
    assert unpack(stream.compress(body) + stream.flush()) == body
