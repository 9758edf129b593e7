"""What ends the program is recorded once, and only if there is a call to look at."""

import pytest

from instrument import around


def raised(message):
    try:
        raise LookupError(message)
    except LookupError as error:
        return error


def test_what_ended_a_program_without_a_call_is_not_recorded(record):
    recording = record()
    recording.recorder.moments.record_uncaught(raised("no such file"))
    assert recording.records() == []


def test_what_ended_the_program_after_its_calls_is_recorded_in_a_trace_of_its_own(record):
    recording = record()
    with around("tool_call", tool_name="search", args={}):
        pass
    recording.recorder.moments.record_uncaught(raised("no such file"))
    call, end = recording.spans()
    assert call["traceId"] != end["traceId"]
    assert end["startTimeUnixNano"] == end["endTimeUnixNano"]


def test_an_exception_with_which_a_call_failed_is_not_recorded_again(record):
    recording = record()
    with pytest.raises(LookupError) as raising, around("tool_call", tool_name="search", args={}):
        raise LookupError("no such file")
    recording.recorder.moments.record_uncaught(raising.value)
    (call,) = recording.spans()
    assert call["status"]["code"] == 2
