"""What wraps the requests of two SDKs, without either."""

import gc
import sys
from contextlib import suppress
from contextvars import copy_context
from copy import copy
from types import SimpleNamespace

import pytest

import instrument
from inspector.integrations.calls import opened
from inspector.integrations.patches import Patches
from inspector.integrations.stainless import Api, Endpoint, install_requests
from inspector.integrations.streams import Items, StreamReading
from inspector.record.calls.states import state_of
from instrument.testing import capture


class Suspended:
    def __await__(self):
        yield


class Client:
    async def request(self, cast_to, options):
        await Suspended()

    async def _sleep_for_retry(self, **_):
        pass


class Stream:
    def __stream__(self):
        yield


@pytest.fixture
def client(monkeypatch):
    base = SimpleNamespace(SyncAPIClient=type("Sync", (Client,), {}), AsyncAPIClient=Client)
    streaming = SimpleNamespace(Stream=type("S", (Stream,), {}), AsyncStream=Stream)
    monkeypatch.setitem(sys.modules, "sdk", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "sdk._base_client", base)
    monkeypatch.setitem(sys.modules, "sdk._streaming", streaming)
    patches = Patches("test")
    install_requests(patches, Api("sdk", {"/chat": Endpoint("chat")}, lambda _: "sdk", lambda *_: None))
    yield Client()
    patches.undo()


def test_a_request_that_is_closed_outside_of_its_context_is_abandoned_and_raises_nothing(client):
    options = SimpleNamespace(url="/chat", method="post", json_data={"model": "m"})
    with capture() as emitted:
        # As the collector does it, when an event loop was closed with the request under way.
        request = client.request(None, options)
        copy_context().run(request.send, None)
        request.close()
    assert [hook for hook, _ in emitted] == ["before_llm_generate", "error_llm_generate"]
    assert isinstance(emitted[1][1]["exc"], GeneratorExit)


class Omit:
    """What the SDKs call their mark for what was not given."""


def test_what_was_not_given_is_not_in_the_prompt(client):
    options = SimpleNamespace(url="/chat", method="post", json_data={"model": "m", "system": Omit(), "top_p": None})
    with capture() as emitted:
        request = client.request(None, options)
        request.send(None)
        request.close()
    assert emitted[0][1]["prompt"] == {"model": "m", "top_p": None}


def test_messages_from_an_iterator_are_recorded_and_sent(client):
    messages = [{"role": "user", "content": "hi"}]
    options = SimpleNamespace(url="/chat", method="post", json_data={"model": "m", "messages": iter(messages)})
    with capture() as emitted:
        request = client.request(None, options)
        request.send(None)
        request.close()
    assert emitted[0][1]["prompt"] == {"model": "m", "messages": messages}
    assert options.json_data["messages"] == messages


def test_a_copy_of_what_a_program_reads_may_be_dropped_before_it_has_been_read():
    with capture() as emitted:
        call = opened("llm_generate", lambda: {"llm": "m", "prompt": "p"}, emitter="test")
        reading = StreamReading(call, answer=None, plain=lambda chunk: chunk)
        items = Items(iter([1, 2]), lambda: reading)
        assert next(items) == 1
        copied = copy(items)
        del copied
        gc.collect()
        assert [hook for hook, _ in emitted] == ["before_llm_generate"]
        del items
        gc.collect()
    assert [hook for hook, _ in emitted] == ["before_llm_generate", "error_llm_generate"]


def reads_in_a_loop(items):
    # Python drops the iterator before the call that is around it learns why the loop was left.
    yield from items()


def reads_by_hand(items):
    held = items()
    yield next(held)
    yield next(held)


@pytest.mark.parametrize("reads", [reads_in_a_loop, reads_by_hand])
@pytest.mark.parametrize(("how", "state"), [("closed", "ok"), ("failed", "abandoned")])
def test_a_stream_that_a_framework_drops_is_closed_if_the_program_closed_the_frameworks(reads, how, state):
    states = {}

    def note(exc, emitter, **_):
        # Without the exception, whose traceback has the frame that holds the stream.
        states[emitter] = state_of(exc)

    def items():
        call = opened("llm_generate", dict, emitter="sdk")
        reading = StreamReading(call, answer=None, plain=lambda chunk: chunk)
        return Items(iter([1, 2]), lambda: reading)

    def framework():
        with opened("llm_generate", dict, emitter="framework"):
            yield from reads(items)

    instrument.register("error_llm_generate", note)
    try:
        chunks = framework()
        assert next(chunks) == 1
        if how == "closed":
            chunks.close()
        else:
            with suppress(KeyError):
                chunks.throw(KeyError())
        del chunks
        gc.collect()
    finally:
        instrument.unregister("error_llm_generate", note)
    assert states["sdk"] == state
