"""Texts come back as they were stored, and what was stored once can be read for ever."""

import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.store.values.codec import pack, pack_attributes, unpack
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
