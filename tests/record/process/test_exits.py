"""What an application's tracer provider raises ends nothing; what a signal asked for does."""

import os
import signal
import threading

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Sampler

from instrument import around
from instrument.signals import is_of_signal


class Leaving(SpanProcessor):
    """Raises what it was made with, as a span begins or as it ends."""

    def __init__(self, when, leave):
        self.when = when
        self.leave = leave

    def on_start(self, span, parent_context=None):
        if self.when == "start":
            self.leave()

    def on_end(self, span):
        if self.when == "end":
            self.leave()


class LeavingSampler(Sampler):
    def __init__(self, leave):
        self.leave = leave

    def should_sample(self, *args, **kwargs):
        self.leave()

    def get_description(self):
        return ALWAYS_ON.get_description()


class Stop(BaseException):
    """As the timeouts of some libraries are."""


def raising(error):
    def leave():
        raise error

    return leave


def call():
    with around("tool_call", tool_name="add", args={}, context=None):
        pass


def processed(when, leave):
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(Leaving(when, leave))
    return provider.get_tracer("t")


@pytest.mark.parametrize("error", [SystemExit(3), Stop("enough"), GeneratorExit()], ids=repr)
@pytest.mark.parametrize("when", ["start", "end"])
def test_no_exit_of_a_span_processor_reaches_the_program_or_costs_the_record(record, caplog, when, error):
    recording = record(tracer=processed(when, raising(error)))
    call()
    call()
    assert [span["name"] for span in recording.spans()] == ["execute_tool add"] * 2
    assert len(caplog.records) == 1


def test_no_exit_of_a_sampler_reaches_the_program_or_costs_the_record(record, caplog):
    sampler = LeavingSampler(raising(SystemExit(3)))
    recording = record(tracer=TracerProvider(sampler=sampler, shutdown_on_exit=False).get_tracer("t"))
    call()
    (span,) = recording.spans()
    assert span["status"] == {"code": 1}
    assert len(caplog.records) == 1


def test_a_keyboard_interrupt_in_another_thread_is_no_signal_and_goes_no_further(record, caplog):
    recording = record(tracer=processed("end", raising(KeyboardInterrupt())))
    ends = []

    def work():
        call()
        ends.append("reached")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ends == ["reached"]
    assert len(recording.spans()) == 1


@pytest.mark.parametrize("error", [RuntimeError("no"), SystemExit(3)], ids=repr)
def test_a_current_span_that_cannot_say_which_it_is_costs_no_record(record, error):
    class Nameless(trace.NonRecordingSpan):
        def get_span_context(self):
            raise error

    recording = record()
    with trace.use_span(Nameless(trace.INVALID_SPAN_CONTEXT)):
        call()
    assert [span["name"] for span in recording.spans()] == ["execute_tool add"]


@pytest.fixture
def terminated():
    """SIGTERM ends the program by ``SystemExit``, as many a program has it."""

    def leave(signum, frame):
        raise SystemExit(128 + signum)

    before = signal.signal(signal.SIGTERM, leave)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("when", ["start", "end"])
def test_a_signal_that_arrives_within_a_span_processor_ends_the_program(record, terminated, when):
    recording = record(tracer=processed(when, lambda: signal.raise_signal(signal.SIGTERM)))
    with pytest.raises(SystemExit) as caught:
        call()
    assert caught.value.code == 128 + signal.SIGTERM
    assert len(recording.spans()) == (when == "end")


@pytest.mark.parametrize("when", ["start", "end"])
def test_ctrl_c_within_a_span_processor_arrives(record, when):
    record(tracer=processed(when, lambda: os.kill(os.getpid(), signal.SIGINT)))
    with pytest.raises(KeyboardInterrupt):
        call()


def test_an_exception_that_no_handler_raised_is_never_taken_for_a_signal(terminated):
    assert not is_of_signal(ValueError())
    assert not is_of_signal(SystemExit())
    assert is_of_signal(KeyboardInterrupt())
