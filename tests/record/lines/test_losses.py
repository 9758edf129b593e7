import pytest

from inspector import semconv as sc
from inspector.record.calls.spans import RecordedSpan
from inspector.record.lines.losses import LossCounter
from inspector.record.spool.unwritten import UnwrittenMark
from inspector.spooling import read_unwritten_name
from instrument import _emit_sync, around


def call(n):
    return RecordedSpan("tool_call", trace_id=1, span_id=n, start_ns=n, start_tick=0)


@pytest.mark.parametrize(
    ("loss", "key"), [("dropped", sc.DROPPED), ("unwritten", sc.UNWRITTEN), ("unencodable", sc.UNENCODABLE)]
)
def test_a_call_whose_start_and_end_are_lost_is_counted_once(loss, key):
    losses = LossCounter()
    losses.lose(call(1), "running", loss)
    assert losses.news() == {}
    losses.lose(call(1), "ok", loss)
    assert losses.news() == {key: 1}
    assert losses.news() == {}


def test_a_call_whose_start_alone_was_lost_is_not_lost():
    losses = LossCounter()
    losses.lose(call(1), "running", "dropped")
    losses.keep(call(1))
    assert losses.news(is_over=True) == {}


def test_a_call_whose_start_was_lost_and_that_never_ends_is_lost_when_all_is_over():
    losses = LossCounter()
    losses.lose(call(1), "running", "dropped")
    losses.lose(call(2), "abandoned", "unwritten")
    assert losses.news() == {}
    assert losses.news(is_over=True) == {sc.DROPPED: 1, sc.UNWRITTEN: 1}


def test_what_a_lost_line_reported_is_reported_again():
    losses = LossCounter(dropped=3, unmatched=1)
    losses.take_back(losses.news())
    losses.dropped += 1
    assert losses.news() == {sc.DROPPED: 4, sc.UNMATCHED: 1}


def names(directory):
    return [path.name for path in directory.iterdir()]


def test_what_is_unwritten_is_the_name_of_one_file_until_it_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("INSPECTOR_RUN_ID", "nightly-7")
    process = "20261122T175042-28299-5bd66e36"
    mark = UnwrittenMark(tmp_path, process)
    mark.show(0)
    assert names(tmp_path) == []
    for count in (3, 3, 12):
        mark.show(count)
        assert names(tmp_path) == [f"{process}.nightly-7.{count}.unwritten"]
        assert read_unwritten_name(names(tmp_path)[0]) == (process, "nightly-7", count)
    mark.show(0)
    assert names(tmp_path) == []


def test_what_was_taken_in_meanwhile_is_not_said_again(tmp_path, monkeypatch):
    monkeypatch.setenv("INSPECTOR_RUN_ID", "job")
    mark = UnwrittenMark(tmp_path, "20261122T175042-28299-5bd66e36")
    mark.show(3)
    next(tmp_path.iterdir()).unlink()
    mark.show(5)
    mark.show(5)
    assert names(tmp_path) == ["20261122T175042-28299-5bd66e36.job.2.unwritten"]


def test_nothing_is_said_where_no_file_can_be(tmp_path):
    mark = UnwrittenMark(tmp_path / "missing", "20261122T175042-28299-5bd66e36")
    mark.show(3)
    mark.show(0)


@pytest.mark.parametrize("raised", [SystemExit, KeyboardInterrupt, RuntimeError])
def test_a_redaction_that_ends_the_program_costs_its_call_alone(record, raised):
    def redact(key, text):
        if "wicked" in text:
            raise raised("enough")
        return text

    recording = record(function=redact)
    for name in ("one", "wicked", "two"):
        with around("tool_call", tool_name=name, args={}, context=None):
            pass
    found = [span["name"] for span in recording.spans()]
    lost = recording.spool.losses.unencodable
    assert [name for name in found if "[redacted" not in name] == ["execute_tool one", "execute_tool two"]
    assert (len(found) + lost, recording.spool.failures) == (3, 0)


def test_calls_lost_since_the_mark_was_taken_in_are_shown_whatever_their_number(tmp_path):
    mark = UnwrittenMark(tmp_path, "p")
    mark.show(3)
    (taken,) = tmp_path.iterdir()
    taken.unlink()
    mark.show(5)
    mark.show(8)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("fails", [False, True])
def test_a_call_whose_end_has_no_room_while_its_start_is_encoded_is_counted_once(record, fails):
    emitted = []

    def redact(key, text):
        # In the writer's thread, which has taken the first call by now.
        if not emitted:
            emitted.append(key)
            _emit_sync("before_tool_call", tool_name="second", args={}, context=None, call_id="2")
            _emit_sync("after_tool_call", tool_name="first", args={}, result=1, context=None, call_id="1")
            if fails:
                raise KeyboardInterrupt
        return text

    recording = record(function=redact, max_calls=1)
    _emit_sync("before_tool_call", tool_name="first", args={"a": "whole"}, context=None, call_id="1")
    assert recording.spool.flush(10)
    assert [span["name"] for span in recording.spans()] == ["execute_tool second"]
    losses = recording.spool.losses
    assert (losses.dropped, losses.unencodable, losses.of_the_open("unencodable")) == (1, 0, 0)


def test_a_call_whose_end_has_no_room_counts_once_although_its_start_is_written(record):
    emitted = []

    def redact(key, text):
        # In the writer's thread, which has taken the second call by now.
        if "second" in text and not emitted:
            emitted.append(key)
            _emit_sync("before_tool_call", tool_name="third", args={}, context=None, call_id="3")
            _emit_sync("after_tool_call", tool_name="first", args={}, result=1, context=None, call_id="1")
        return text

    recording = record(function=redact, max_calls=1)
    _emit_sync("before_tool_call", tool_name="first", args={}, context=None, call_id="1")
    assert recording.spool.flush(10)
    _emit_sync("before_tool_call", tool_name="second", args={}, context=None, call_id="2")
    (first,) = (span for span in recording.spans() if span["name"] == "execute_tool first")
    assert "endTimeUnixNano" not in first
    losses = recording.spool.losses
    assert (losses.dropped, losses.of_the_open("dropped")) == (1, 0)
    recording.spool.close()
    assert losses.news(is_over=True) == {}
    assert losses.dropped == 1
