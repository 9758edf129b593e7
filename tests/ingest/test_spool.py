import fcntl
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from lists import walk

import inspector
from inspector import tail as segments
from inspector.ingest import SpoolReader, batch
from inspector.ingest.losses import LossReader, waiting_losses
from inspector.model import Filter, Loss, Losses
from inspector.otlp import decode
from inspector.parts import part_line
from inspector.spooling import process_of, unwritten_name
from inspector.store import StoreBusy
from inspector.store.sqlite import SqliteStore

PROCESS = "20261122T100000-4711-00c0ffee"


@pytest.fixture
def store(settings, spool):
    store = SqliteStore(settings.database)
    yield store
    store.close()


@pytest.fixture
def held():
    """Descriptors of the segments whose writers live, by path; closing one is the writer's end."""
    held = {}
    yield held
    for fd in held.values():
        os.close(fd)


@pytest.fixture
def segment(spool, held):
    """Writes a segment; unless told otherwise its writer lives on, holding the lock."""

    def write(number, *lines, alive=True, end=b"\n"):
        path = spool / f"{PROCESS}.{number:06d}.jsonl"
        path.write_bytes(b"\n".join(lines) + end)
        if alive:
            held[path] = os.open(path, os.O_WRONLY)
            fcntl.flock(held[path], fcntl.LOCK_EX)
        return path

    return write


def append(path, data):
    with path.open("ab") as file:
        file.write(data)


def stored(store):
    return {event.span_id: event for event in store.events(Filter(), limit=1000).items}


def test_every_line_is_taken_in_once(spool, store, segment, make_span, make_request):
    path = segment(1, make_request(make_span()), make_request(make_span(), make_span()))
    reader = SpoolReader(spool, store)
    first = reader.ingest()
    assert (first.lines, first.spans, first.bad_lines) == (2, 3, 0)
    assert not reader.ingest().changed
    append(path, make_request(make_span()) + b"\n")
    assert reader.ingest().spans == 1
    assert not SpoolReader(spool, store).ingest().changed
    assert len(stored(store)) == 4
    [mark] = store.spools().values()
    assert (mark.offset, mark.lines, mark.spans) == (path.stat().st_size, 3, 4)


def test_a_torn_last_line_is_left_for_the_next_pass(spool, store, segment, make_span, make_request):
    line = make_request(make_span())
    path = segment(1, make_request(make_span()))
    append(path, line[:100])
    reader = SpoolReader(spool, store)
    assert (reader.ingest().lines, reader.ingest().lines) == (1, 0)
    append(path, line[100:])
    assert reader.ingest().lines == 0
    append(path, b"\n")
    taken = reader.ingest()
    assert (taken.lines, taken.bad_lines, len(stored(store))) == (1, 0, 2)


def test_a_line_torn_by_a_crash_is_counted_and_ends_the_file(spool, store, segment, make_span, make_request):
    path = segment(1, make_request(make_span()), make_request(make_span())[:100], alive=False, end=b"")
    taken = SpoolReader(spool, store).ingest()
    assert (taken.lines, taken.bad_lines, taken.deleted) == (2, 1, 1)
    assert not path.exists()
    assert store.spools() == {}
    assert len(stored(store)) == 1


def test_junk_lines_are_counted_and_passed(spool, store, segment, make_span, make_request):
    segment(
        1,
        b"junk",
        make_request(make_span()),
        b"",
        b"\x00" * 4096,
        b'{"resourceSpans": 5}',
        b"\xff\xfe\x00",
        make_request(make_span(), make_span(spanId="0" * 16)) + b"\r",
        b"[" * 100_000,
    )
    taken = SpoolReader(spool, store).ingest()
    assert (taken.lines, taken.bad_lines, taken.spans, taken.bad_spans) == (7, 5, 2, 1)
    [mark] = store.spools().values()
    assert (mark.lines, mark.bad_lines, mark.spans, mark.bad_spans) == (7, 5, 2, 1)


LONG = "a text that many lines name " * 20


def named(make_span, *numbers):
    frame = {"pieces": ['[{"content":', *([number] for number in numbers), "}]"]}
    return make_span(attributes=[{"key": "gen_ai.input.messages", "value": {"inspectorFrame": frame}}])


def texts_of(store):
    events = store.events(Filter(), limit=1000, full=True).items
    return [json.loads(bytes(event.attributes)) for event in reversed(events)]


def test_texts_that_lines_name_are_those_of_the_lines_before(spool, store, segment, make_span, make_request):
    path = segment(1, part_line(7, json.dumps(LONG).encode()).strip(), make_request(named(make_span, 7)))
    reader = SpoolReader(spool, store)
    assert (reader.ingest().spans, reader.ingest().lines) == (1, 0)
    append(path, make_request(named(make_span, 7)) + b"\n")
    append(path, part_line(8, json.dumps("other").encode()) + make_request(named(make_span, 8)) + b"\n")
    taken = reader.ingest()
    assert (taken.lines, taken.spans, taken.bad_lines) == (3, 2, 0)
    # Whoever goes on in the middle of a file has to know what stands before.
    append(path, make_request(named(make_span, 7)) + b"\n")
    assert SpoolReader(spool, store).ingest().spans == 1
    said = [json.loads(each["gen_ai.input.messages"])[0]["content"] for each in texts_of(store)]
    assert said == [LONG, LONG, "other", LONG]


def test_a_text_that_is_not_in_the_file_is_null_and_its_attribute_is_flagged(
    spool, store, segment, make_span, make_request
):
    segment(1, b'{"part":7,"json":tor', make_request(named(make_span, 7), named(make_span, 8)))
    taken = SpoolReader(spool, store).ingest()
    assert (taken.spans, taken.bad_spans) == (2, 0)
    for attributes in texts_of(store):
        assert attributes["gen_ai.input.messages_truncated"] is True
    assert texts_of(store)[1]["gen_ai.input.messages"] == '[{"content":null}]'


def test_lines_that_name_long_texts_are_committed_by_the_length_of_these(
    spool, store, segment, make_span, make_request, monkeypatch
):
    monkeypatch.setattr(batch, "BATCH_BYTES", 10 * len(LONG))
    written = []
    monkeypatch.setattr(store, "write", lambda spans, **rest: written.append(len(spans)))
    named_once = [make_request(named(make_span, 7)) for _ in range(12)]
    segment(1, part_line(7, json.dumps(LONG).encode()).strip(), *named_once)
    SpoolReader(spool, store).ingest()
    assert sum(written) == 12
    assert max(written) < 9


def test_as_many_spans_are_written_at_a_time_as_the_store_likes(
    spool, store, segment, make_span, make_request, monkeypatch
):
    monkeypatch.setattr(store, "batch_spans", 4)
    written = []
    monkeypatch.setattr(store, "write", lambda spans, **rest: written.append(len(spans)))
    segment(
        1, *(make_request(make_span(), make_span()) for _ in range(3)), make_request(*(make_span() for _ in range(9)))
    )
    SpoolReader(spool, store).ingest()
    assert written == [4, 2, 4, 4, 1]


def test_a_file_put_away_is_forgotten_with_its_texts(spool, store, segment, make_span, make_request):
    segment(1, part_line(7, json.dumps(LONG).encode()).strip(), make_request(named(make_span, 7)), alive=False)
    reader = SpoolReader(spool, store)
    assert reader.ingest().deleted == 1
    assert reader._parts == {}


def test_what_the_recorder_could_not_record_is_kept_with_its_process_and_time(
    spool, store, segment, make_span, make_request
):
    scope = {"inspector.dropped": 3, "inspector.unwritten": 2, "inspector.unencodable": 1, "inspector.unmatched": 4}
    path = segment(1, make_request(make_span()), make_request(scope=scope | {"inspector.dropped_segments": 5}))
    segment(2, make_request(scope={"inspector.dropped": 3}), alive=False)
    for _ in range(2):
        SpoolReader(spool, store).ingest()
    assert store.health().losses == Losses(dropped=6, unwritten=2, unencodable=1, unmatched=4, dropped_segments=5)
    first = next(loss for loss in store.losses() if loss.reason == "unwritten")
    began_ns = first.since_ns
    assert first == Loss(process_of(path.name), None, "agent", "unwritten", 2, began_ns, began_ns)


def test_what_was_lost_was_lost_between_the_lines_around_it(spool, store, segment, make_span, make_request):
    times = [{"startTimeUnixNano": f"{at}", "endTimeUnixNano": f"{at + 5}"} for at in (10**19, 10**19 + 100)]
    lines = [make_request(make_span(**time), scope={"inspector.dropped": 1}) for time in times]
    [loss_reader] = [LossReader(found) for found in segments.list_segments(segment(1, b"").parent)[0]]
    losses = [loss for line in lines for loss in loss_reader.losses_in(decode(line))]
    assert [(loss.until_ns) for loss in losses] == [10**19 + 5, 10**19 + 105]
    assert losses[1].since_ns == 10**19 + 5


def test_a_line_without_spans_says_when_its_losses_were_over(segment, make_span, make_request):
    span = make_span(startTimeUnixNano=f"{18 * 10**17}", endTimeUnixNano=f"{18 * 10**17 + 5}")
    scope = {"inspector.unmatched": 1, "inspector.lost_until_unix_nano": 18 * 10**17 + 50}
    [loss_reader] = [LossReader(found) for found in segments.list_segments(segment(1, b"").parent)[0]]
    assert list(loss_reader.losses_in(decode(make_request(span)))) == []
    [loss] = loss_reader.losses_in(decode(make_request(scope=scope)))
    assert (loss.since_ns, loss.until_ns) == (18 * 10**17 + 5, 18 * 10**17 + 50)


def test_what_is_lost_between_two_passes_was_lost_between_the_lines_around_it(
    spool, store, segment, make_span, make_request
):
    # Later than the process began.
    times = [{"startTimeUnixNano": f"{at}", "endTimeUnixNano": f"{at + 5}"} for at in (18 * 10**17, 18 * 10**17 + 100)]
    first, second = (make_span(**time) for time in times)
    path = segment(1, make_request(first))
    reader = SpoolReader(spool, store)
    reader.ingest()
    append(path, make_request(second, scope={"inspector.dropped": 1}) + b"\n")
    reader.ingest()
    [loss] = store.losses()
    assert (loss.since_ns, loss.until_ns) == (int(first["endTimeUnixNano"]), int(second["endTimeUnixNano"]))


def test_what_a_file_says_by_its_name_is_counted_once_though_it_cannot_be_removed(spool, store):
    # Which unlinking, even as root, refuses.
    stuck = spool / unwritten_name(PROCESS, "r1", 7)
    stuck.mkdir()
    for _ in range(2):
        reader = SpoolReader(spool, store)
        for _ in range(2):
            assert reader.ingest().ignored == {stuck.name: "was stored and cannot be removed"}
            (spool / "changes the directory.tmp").touch()
    assert [loss.count for loss in store.losses()] == [7]
    stuck.rmdir()
    reader.ingest()
    assert store.spools() == {}


def test_a_file_that_cannot_be_removed_is_taken_in_once_and_holds_nothing_up(
    spool, store, segment, make_span, make_request, monkeypatch
):
    def refuse(path, **_):
        raise PermissionError(f"cannot remove {path}")

    stuck = segment(1, make_request(make_span(), scope={"inspector.dropped": 2}), alive=False)
    reader = SpoolReader(spool, store)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        first = reader.ingest()
        again = reader.ingest()
    assert (first.spans, first.deleted, again.spans, again.changed) == (1, 0, 0, False)
    assert again.ignored == {stuck.name: "was stored and cannot be removed"}
    assert SpoolReader(spool, store).ingest().deleted == 1
    assert store.health().losses.dropped == 2


def test_what_cannot_be_decoded_is_kept_as_lost(spool, store, segment, make_span, make_request):
    segment(1, b"junk", make_request(make_span(), make_span(spanId="0" * 16)), b'{"torn', alive=False, end=b"")
    SpoolReader(spool, store).ingest()
    assert store.health().losses == Losses(undecodable=3)
    assert store.spools() == {}


def test_what_is_lost_is_known_before_it_is_taken_in(spool, store, segment, make_request):
    segment(1, make_request(scope={"inspector.dropped": 3}), make_request(scope={"inspector.dropped": 4}))
    found, _ = segments.list_segments(spool)
    assert [loss.count for loss in waiting_losses(found, {})] == [3, 4]
    SpoolReader(spool, store).ingest()
    offsets = {name: mark.offset for name, mark in store.spools().items()}
    assert list(waiting_losses(found, offsets)) == []


def test_an_end_replaces_its_start_across_segments(spool, store, segment, make_span, make_request):
    start = make_span(spanId="ab" * 8, endTimeUnixNano=None)
    segment(1, make_request(start), alive=False)
    path = segment(2, make_request(make_span()))
    reader = SpoolReader(spool, store)
    reader.ingest()
    assert stored(store)["ab" * 8].status == "running"
    append(path, make_request(make_span(spanId="ab" * 8)) + b"\n")
    reader.ingest()
    assert stored(store)["ab" * 8].status == "ok"
    assert len(stored(store)) == 2


def test_finished_segments_of_a_living_process_are_deleted(spool, store, segment, make_span, make_request):
    running = make_span(spanId="ab" * 8, endTimeUnixNano=None)
    first = segment(1, make_request(running), alive=False)
    second = segment(2, make_request(make_span()))
    taken = SpoolReader(spool, store).ingest()
    assert (taken.deleted, taken.lost) == (1, 0)
    assert (first.exists(), second.exists()) == (False, True)
    assert list(store.spools()) == [second.name]
    assert stored(store)["ab" * 8].status == "running"


def test_what_a_dead_process_left_running_is_lost(spool, store, held, segment, make_span, make_request):
    running = make_span(spanId="ab" * 8, endTimeUnixNano=None)
    path = segment(1, make_request(running, make_span()))
    reader = SpoolReader(spool, store, lock_poll_s=0)
    assert reader.ingest().lost == 0
    os.close(held.pop(path))
    taken = reader.ingest()
    assert (taken.lost, taken.deleted) == (1, 1)
    assert stored(store)["ab" * 8].status == "lost"
    assert list(spool.iterdir()) == []
    assert store.spools() == {}


def test_a_process_about_to_begin_a_segment_is_alive(spool, store, segment, make_span, make_request):
    segment(1, make_request(make_span(endTimeUnixNano=None)), alive=False)
    hidden = spool / f"{PROCESS}.000002.tmp"
    fd = os.open(hidden, os.O_WRONLY | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        assert SpoolReader(spool, store).ingest().lost == 0
        assert [event.status for event in stored(store).values()] == ["running"]
    finally:
        os.close(fd)


def test_a_segment_that_was_never_born_is_cleared_away_with_its_process(spool, store, segment, make_span, make_request):
    segment(1, make_request(make_span(endTimeUnixNano=None)), alive=False)
    (spool / f"{PROCESS}.000002.tmp").touch()
    assert SpoolReader(spool, store).ingest().lost == 1
    assert list(spool.iterdir()) == []


def test_a_crash_between_any_two_steps_of_putting_away_is_made_good(
    spool, store, held, segment, make_span, make_request
):
    line = make_request(make_span(spanId="ab" * 8, endTimeUnixNano=None))
    path = segment(1, line)
    SpoolReader(spool, store).ingest()
    os.close(held.pop(path))
    store.mark_lost([PROCESS])
    assert SpoolReader(spool, store).ingest().deleted == 1
    again = segment(2, line, alive=False)
    SpoolReader(spool, store).ingest()
    assert not again.exists()
    third = segment(3, line)
    SpoolReader(spool, store).ingest()
    third.unlink()
    assert SpoolReader(spool, store).ingest().deleted == 0
    assert store.spools() == {}
    assert stored(store)["ab" * 8].status == "lost"


def test_spools_deleted_by_hand_leave_no_span_running(spool, store, segment, make_span, make_request):
    path = segment(1, make_request(make_span(endTimeUnixNano=None)))
    reader = SpoolReader(spool, store)
    reader.ingest()
    path.unlink()
    assert reader.ingest().lost == 1
    assert [event.status for event in stored(store).values()] == ["lost"]


def test_a_foreign_collectors_file_is_taken_in_and_kept(spool, store):
    path = spool / "collector.jsonl"
    path.write_bytes((Path(__file__).parent / "collector.jsonl").read_bytes().rstrip(b"\n"))
    reader = SpoolReader(spool, store)
    assert reader.ingest().spans == 2
    assert not reader.ingest().changed
    append(path, b"\n" + path.read_bytes().replace(b"1a2b3c4d5e6f7081", b"1a2b3c4d5e6f7091"))
    assert reader.ingest().bad_lines == 0
    assert (path.exists(), len(stored(store))) == (True, 3)


def test_a_foreign_file_that_shrinks_or_is_replaced_starts_again(spool, store, make_span, make_request):
    path = spool / "export.jsonl"
    first, second, third = (make_request(make_span(), process=None) + b"\n" for _ in range(3))
    path.write_bytes(first + second)
    reader = SpoolReader(spool, store)
    assert reader.ingest().spans == 2
    path.write_bytes(first)
    assert reader.ingest().spans == 1
    other = spool / "other"
    other.write_bytes(third + first)
    other.rename(path)
    assert reader.ingest().spans == 2
    assert len(stored(store)) == 3
    path.unlink()
    reader.ingest()
    assert store.spools() == {}


def test_what_is_no_file_of_ours_is_left_alone_and_told(spool, store, make_span, make_request, tmp_path):
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(make_request(make_span()) + b"\n")
    (spool / "link.jsonl").symlink_to(outside)
    os.mkfifo(spool / "fifo.jsonl")
    (spool / "directory.jsonl").mkdir()
    (spool / "notes.txt").write_text("hello")
    (spool / "name-\udcff.jsonl").touch()
    if os.geteuid() == 0:
        (spool / "foreign.jsonl").write_bytes(outside.read_bytes())
        os.chown(spool / "foreign.jsonl", 12345, 12345)
    taken = SpoolReader(spool, store).ingest()
    expected = {
        "link.jsonl": "is a symbolic link",
        "fifo.jsonl": "is not a regular file",
        "directory.jsonl": "is not a regular file",
        "name-\\udcff.jsonl": "has a name that is not UTF-8",
    }
    if os.geteuid() == 0:
        expected["foreign.jsonl"] = "belongs to another user (uid 12345)"
    assert taken.ignored == expected
    assert taken.spans == 0


def test_a_missing_directory_holds_nothing(store, tmp_path):
    assert not SpoolReader(tmp_path / "nowhere", store).ingest().changed


def test_a_line_of_many_spans_is_one_step_of_the_mark(spool, store, segment, make_span, make_request):
    path = segment(1, make_request(*(make_span() for _ in range(1300))), make_request(make_span()))
    commits = []
    taken = SpoolReader(spool, store, committed=lambda: commits.append(store.spools()[path.name].offset)).ingest()
    assert taken.spans == 1301
    first_line = path.read_bytes().index(b"\n") + 1
    assert set(commits) <= {0, first_line, path.stat().st_size}
    assert store.health().spans == 1301


def test_lines_longer_than_the_cap_are_counted_and_passed(spool, store, make_span, make_request):
    path = spool / "long.jsonl"
    path.write_bytes(b'{"a":"' + b"x" * 25_000)
    reader = SpoolReader(spool, store, max_line=10_000)
    assert reader.ingest().bad_lines == 2
    append(path, b'"}\n' + make_request(make_span()) + b"\n")
    taken = reader.ingest()
    assert (taken.bad_lines, taken.spans) == (1, 1)


def test_lines_come_out_whole_wherever_the_reads_fall(tmp_path):
    lines = [b"x" * length for length in (0, 1, 2, 3, 7, 0, 0, 15, 4)]
    data = b"\n".join(lines)
    path = tmp_path / "lines"
    path.write_bytes(data)
    for chunk in range(1, len(data) + 2):
        with path.open("rb") as file:
            read = list(segments.read_lines(file.fileno(), 0, len(data), chunk_bytes=chunk))
        assert [line.data for line in read] == lines
        assert [line.whole for line in read] == [True] * 8 + [False]
        assert all(data[: line.end].count(b"\n") == n for n, line in enumerate(read[:-1], 1))


def test_a_line_longer_than_the_cap_comes_in_pieces_wherever_the_reads_fall(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"x" * 25_000 + b"\ny")
    for chunk in (999, 3_000, 10_000, 1 << 20):
        with path.open("rb") as file:
            read = list(segments.read_lines(file.fileno(), 0, 25_002, max_line=10_000, chunk_bytes=chunk))
        assert [(len(line.data), line.whole) for line in read] == [
            (10_000, True),
            (10_000, True),
            (5_000, True),
            (1, False),
        ]


def test_a_pass_ends_at_its_deadline_and_the_next_goes_on(spool, store, segment, make_span, make_request):
    segment(1, *(make_request(make_span()) for _ in range(5)))
    reader = SpoolReader(spool, store)
    passes = [reader.ingest(deadline_s=0.0) for _ in range(3)]
    assert [taken.complete for taken in passes] == [False, False, False]
    assert reader.ingest().complete
    assert len(stored(store)) == 5


def test_a_deadline_in_mid_file_commits_the_lines_before_it(
    spool, store, segment, make_span, make_request, monkeypatch
):
    segment(1, *(make_request(make_span()) for _ in range(9)))
    monkeypatch.setattr("inspector.ingest.spool.time", SimpleNamespace(monotonic=count().__next__))
    reader = SpoolReader(spool, store)
    first = reader.ingest(deadline_s=5)
    assert not first.complete
    assert 0 < first.spans == len(stored(store)) < 9
    assert reader.ingest().spans == 9 - first.spans


def test_segments_are_read_in_the_order_they_were_written(spool):
    names = [f"{PROCESS}.{number:06d}.jsonl" for number in (3, 1, 10, 2)] + ["20251122T100000-9-00c0ffee.000001.jsonl"]
    for name in names:
        (spool / name).touch()
    assert [segment.name for segment in segments.list_segments(spool)[0]] == sorted(names)


def test_a_file_swapped_for_a_link_or_another_file_is_not_opened(spool, tmp_path):
    path, outside = spool / "a.jsonl", tmp_path / "outside"
    outside.write_text("secret")
    path.touch()
    [segment], _ = segments.list_segments(spool)
    path.unlink()
    path.symlink_to(outside)
    with pytest.raises(OSError), segments.opened(segment):
        pass
    path.unlink()
    outside.rename(path)
    with pytest.raises(FileNotFoundError), segments.opened(segment):
        pass


def test_what_a_busy_store_refuses_is_read_again(settings, spool, segment, make_span, make_request):
    segment(1, make_request(make_span()), make_request(make_span()))
    store = SqliteStore(settings.database)
    reader = SpoolReader(spool, store)
    other = sqlite3.connect(settings.database, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            reader.ingest()
        other.execute("ROLLBACK")
        assert reader.ingest().spans == 2
    finally:
        other.close()
        store.close()


def test_hostile_values_are_stored(spool, store, segment, make_request, make_span):
    odd = ["__proto__", "a.b.0.c", "\x00", "x" * 65_536, "'; DROP TABLE spans; --", "{", "\u202e", "", "$[0]"]
    values = ["\x00", "x" * (4 << 20), 2**63 - 1, -(2**63), 1e308, True, [1] * 20_000, {"a": {"b": "c"}}, None]
    spans = [make_span({key: value}) for key, value in zip(odd, values, strict=True)]
    spans += [
        make_span(
            {"session.id": "../../etc/passwd\x00", "gen_ai.tool.name": "x" * 5000, "inspector.hook": "tool_call"}
        ),
        make_span({"inspector.hook": "tool_call", "gen_ai.tool.call.arguments": '{"broken": '}),
        make_span({"inspector.hook": "llm_generate", "gen_ai.input.messages": "[" * 3000}),
        make_span({}, startTimeUnixNano=str(2**64 - 1), endTimeUnixNano=str(2**64 - 1), name="\ud800"),
        make_span({}, startTimeUnixNano="10", endTimeUnixNano="5"),
        make_span({"inspector.hook": "llm_generate", "gen_ai.usage.input_tokens": 2**63 - 1}),
        make_span({"inspector.hook": "llm_generate", "gen_ai.usage.input_tokens": 2**63 - 1}),
    ]
    segment(1, *(make_request(span) for span in spans))
    taken = SpoolReader(spool, store).ingest()
    assert (taken.bad_lines, taken.bad_spans, taken.spans) == (0, 0, len(spans))
    for event in store.events(Filter(), limit=1000, full=True).items:
        json.loads(bytes(event.attributes))
    assert store.health().spans == len(spans)


RECORDER = """
import fcntl, json, os, sys, time
from pathlib import Path
path = Path(sys.argv[1])
fd = os.open(path.with_suffix(".tmp"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
fcntl.flock(fd, fcntl.LOCK_EX)
path.with_suffix(".tmp").rename(path)
os.write(fd, sys.stdin.buffer.read())
print("written", flush=True)
time.sleep(600)
"""


def test_an_agent_killed_in_mid_call_leaves_the_call_as_lost(spool, store, make_span, make_request):
    open_call = make_span(
        {"inspector.hook": "tool_call", "gen_ai.tool.call.arguments": '{"city":"Paris"}'}, endTimeUnixNano=None
    )
    path = spool / f"{PROCESS}.000001.jsonl"
    reader = SpoolReader(spool, store, lock_poll_s=0)
    with subprocess.Popen(
        [sys.executable, "-c", RECORDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as agent:
        try:
            agent.stdin.write(make_request(open_call) + b"\n" + make_request(make_span())[:50])
            agent.stdin.close()
            assert agent.stdout.readline() == b"written\n"
            assert (reader.ingest().spans, reader.ingest().lost) == (1, 0)
        finally:
            agent.kill()
    taken = reader.ingest()
    assert (taken.lost, taken.bad_lines, taken.deleted) == (1, 1, 1)
    [event] = store.events(Filter(), full=True).items
    assert (event.status, json.loads(bytes(event.input))) == ("lost", {"city": "Paris"})


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", [1, 2])
def test_an_owner_killed_at_any_moment_loses_and_repeats_nothing(tmp_path, seed, every):
    home = tmp_path / "home"
    script = Path(__file__).parent / "killing.py"
    env = {**os.environ, "PYTHONPATH": str(Path(inspector.__file__).parents[1])}
    command = [sys.executable, script, home, str(seed), "10" if every else "4"]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    ledger = json.loads((tmp_path / "ledger.json").read_text())
    assert json.loads(ran.stdout) == {"left": [], "again": 0, "bad": 0}
    found = {}
    with closing(SqliteStore(home / "inspector.db", read_only=True)) as store:
        for event in walk(store.events, Filter(), limit=1000, full=True):
            assert event.span_id not in found
            assert event.status == "ok"
            found[event.span_id] = json.loads(bytes(event.attributes))["version"]
    assert found == ledger
