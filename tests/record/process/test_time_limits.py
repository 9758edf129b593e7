"""A signal handler of the program that raises, as a job's time limit does, while a call is recorded."""

import asyncio
import signal
import sys
from functools import partial
from types import SimpleNamespace

import pytest

from inspector.integrations.calls import conclude, guarded, opened, safely
from inspector.integrations.model_requests import Endpoint, ModelRequest, content_of
from inspector.integrations.patches import Patches
from inspector.integrations.streams import StreamReading
from instrument import around


class Thing(BaseException):
    """Recorded by its text and its attributes."""


def call():
    with around("tool_call", tool_name="add", args={}, context=None):
        pass


class TooLate(Exception):
    """As a job's time limit is in RQ and Celery."""


@pytest.fixture
def limited():
    """A time limit that is over as soon as a function is called, by the name of its file and its own."""

    def too_late(signum, frame):
        raise TooLate

    def set_limit(file, function):
        def over(frame, event, argument):
            code = frame.f_code
            if event == "call" and code.co_name == function and code.co_filename.endswith(file):
                sys.setprofile(None)
                signal.raise_signal(signal.SIGALRM)

        sys.setprofile(over)

    before = signal.signal(signal.SIGALRM, too_late)
    yield set_limit
    sys.setprofile(None)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("file", "function"),
    [
        ("record/recorder.py", "before"),
        ("capture/hooks.py", "_tool"),
        ("values/snapshot.py", "_copied"),
        ("values/attributes.py", "_scalar"),
        ("calls/tasks.py", "_current"),
        ("capture/hooks.py", "_result"),
        ("calls/current.py", "leave"),
        ("calls/pairing.py", "_unlink"),
        ("calls/ending.py", "end"),
    ],
)
def test_a_time_limit_that_is_over_while_a_call_is_recorded_reaches_the_program(
    record, limited, caplog, file, function
):
    recording = record()
    limited(file, function)
    with pytest.raises(TooLate), around("agent_call", agent=Thing("a"), input={"to": Thing}, context=None):
        call()
    assert caplog.records == []
    call()
    assert {span["attributes"]["inspector.status"] for span in recording.spans()} <= {"ok", "error"}
    added = recording.spans()[-1]
    assert (added["name"], added.get("parentSpanId")) == ("execute_tool add", None)


def test_a_time_limit_that_is_over_in_a_subscriber_reaches_an_asynchronous_emitter(record, limited):
    async def emit():
        async with around("tool_call", tool_name="add", args={}, context=None):
            pass

    record()
    limited("record/recorder.py", "before")
    with pytest.raises(TooLate):
        asyncio.run(emit())


class Limit:
    def __call__(self, signum, frame):
        raise TooLate

    def over(self, *_):
        raise TooLate


class OfJobs(Limit):
    pass


@pytest.mark.parametrize("handler", [OfJobs(), OfJobs().over, partial(Limit.over, Limit()), partial(OfJobs().over, 1)])
def test_a_time_limit_of_any_form_reaches_the_program_also_from_what_an_integration_reads(limited, handler):
    signal.signal(signal.SIGALRM, handler)

    def read():
        signal.raise_signal(signal.SIGALRM)
        return {}

    with pytest.raises(TooLate):
        opened("tool_call", read, emitter="here")
    with pytest.raises(TooLate):
        safely(read, {})
    with pytest.raises(TooLate):
        guarded(read)()


def over(*_):
    signal.raise_signal(signal.SIGALRM)
    return {}


@pytest.mark.parametrize(
    "read",
    [
        lambda call: call.ended(over),
        lambda call: conclude(call, over, None),
        lambda call: ModelRequest(Endpoint("chat"), call).answered(over),
        lambda call: ModelRequest(Endpoint("chat", answer=over), call)._follow(None),
    ],
    ids=["ended", "concluded", "answered", "streamed"],
)
def test_a_call_ends_whose_answer_is_read_as_the_time_is_over(record, limited, read):
    recording = record()
    with pytest.raises(TooLate):
        read(opened("llm_generate", dict, emitter="here"))
    assert "endTimeUnixNano" in recording.spans()[-1]


@pytest.mark.parametrize(
    "read",
    [
        lambda call: StreamReading(call, answer=SimpleNamespace(add=over), plain=dict).item({}),
        lambda call: StreamReading(call, answer=SimpleNamespace(response=over), plain=dict).ended(),
        lambda call: ModelRequest(Endpoint("chat", shown=over), call).keep(b"{}", {"content-type": "application/json"}),
        lambda _: content_of(type("Response", (), {"content": property(over)})()),
    ],
    ids=["chunk", "end of a stream", "kept", "content"],
)
def test_a_time_limit_that_is_over_while_an_answer_is_read_reaches_the_program(limited, read):
    with pytest.raises(TooLate):
        read(opened("llm_generate", dict, emitter="here"))


def subclassed(patches):
    class Base:
        pass

    patches.on_subclasses(Base, over)
    type("Sub", (Base,), {})


@pytest.mark.parametrize(
    "patch", [lambda patches: patches.once_imported("json", over), subclassed], ids=["import", "subclass"]
)
def test_a_time_limit_that_is_over_while_a_framework_is_patched_reaches_the_program(limited, caplog, patch):
    patches = Patches("framework")
    with pytest.raises(TooLate):
        patch(patches)
    patches.undo()
    assert caplog.records == []


def test_a_call_ends_as_it_begins_if_its_caller_does_not_get_it(record, limited):
    recording = record()
    limited("record/recorder.py", "_changed")
    with pytest.raises(TooLate):
        opened("tool_call", dict, emitter="here")
    assert [("endTimeUnixNano" in span) for span in recording.spans()] == [True]
