"""The bytes of answers, without any SDK."""

import copy
import gzip
import sys
import zlib
from types import SimpleNamespace

import pytest

from inspector.integrations.bodies import plain_body
from inspector.integrations.byte_streams import watch_body
from inspector.integrations.calls import opened
from inspector.integrations.streams import StreamReading


class Gzip:
    """Decodes as HTTPX does; counts what it made."""

    made = 0

    def __init__(self):
        self.inner = zlib.decompressobj(zlib.MAX_WBITS | 16)

    def decode(self, data):
        plain = self.inner.decompress(data)
        Gzip.made += len(plain)
        return plain


@pytest.fixture
def response_class(monkeypatch):
    monkeypatch.setitem(sys.modules, "http_of_test._decoders", SimpleNamespace(SUPPORTED_DECODERS={"gzip": Gzip}))
    monkeypatch.setattr(Gzip, "made", 0)
    return type("Response", (), {"__module__": "http_of_test"})


def test_a_packed_body_is_unpacked(response_class):
    body = bytes(range(256)) * 100
    assert plain_body(gzip.compress(body), {"content-encoding": "gzip"}, response_class) == body


def test_a_body_that_becomes_too_large_is_left_packed_before_it_fills_the_memory(response_class):
    packed = gzip.compress(bytes(64 << 20))
    with pytest.raises(ValueError, match="becomes more than 16777216"):
        plain_body(packed, {"content-encoding": "gzip"}, response_class)
    assert Gzip.made < 20 << 20


def test_the_stream_of_a_response_and_its_iterator_are_copied_as_without_us():
    response = SimpleNamespace(stream=[b"x"], headers={})
    call = opened("llm_generate", dict, emitter="here")
    watch_body(response, StreamReading(call, answer=None, plain=dict))
    assert list(copy.copy(response.stream)) == [b"x"]
    assert not call.is_open
    assert copy.copy(iter(response.stream)).__class__ is iter(response.stream).__class__
