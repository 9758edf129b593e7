import gzip
import json
import os
from pathlib import Path

import pytest
from sent import request_of, span_of

from inspector.ingest import FileUnreadable
from inspector.ingest.files import opened_file, read_requests


@pytest.fixture
def read(tmp_path):
    def read(content, name="run.jsonl", **limits):
        path = tmp_path / name
        path.write_bytes(content)
        with opened_file(path) as file:
            return [
                ("bad" if part.decoded.malformed else len(part.decoded.spans), part.number)
                for part in read_requests(file, name, **limits)
            ]

    return read


@pytest.fixture
def line():
    def line(*numbers, indent=None):
        request = request_of(*(span_of(number) for number in numbers))
        return json.dumps(request, indent=indent).encode() + b"\n"

    return line


def test_each_line_is_a_request(read, line):
    assert read(line(1) + line(2, 3)) == [(1, 1), (2, 2)]


def test_lines_may_end_as_windows_ends_them_and_the_last_one_not_at_all(read, line):
    assert read(line(1).replace(b"\n", b"\r\n") + line(2).rstrip()) == [(1, 1), (1, 2)]


def test_a_byte_order_mark_and_blank_lines_are_no_matter(read, line):
    assert read(b"\xef\xbb\xbf" + line(1) + b"\n\n" + line(2)) == [(1, 1), (1, 4)]


def test_one_request_on_many_lines_is_one_part(read, line):
    assert read(line(1, 2, indent=2)) == [(2, 1)]


def test_a_packed_file_is_read_as_it_was(read, line):
    assert read(gzip.compress(line(1)) + gzip.compress(line(2)), "run.jsonl.gz") == [(1, 1), (1, 2)]


def test_a_line_cut_by_a_crash_costs_itself_alone(read, line):
    assert read(line(1) + line(2)[:30] + b"\n" + line(3) + line(4)[:30]) == [(1, 1), ("bad", 2), (1, 3), ("bad", 4)]


def test_a_first_line_that_was_cut_costs_itself_alone(read, line):
    assert read(line(1)[:30] + b"\n" + line(2)) == [("bad", 1), (1, 2)]


def test_no_line_after_a_first_one_that_was_cut_is_lost(read, line):
    # More lines than are held at once to see whether they are one request; one of them lies across that border.
    assert read(line(1)[:30] + b"\n" + line(2) * 20, max_line=1000) == [
        ("bad", 1),
        *((1, number) for number in range(2, 22)),
    ]


def test_a_line_that_is_too_long_is_left_out_without_being_held(read, line):
    assert read(line(1) + b"x" * 5000 + b"\n" + line(2), max_line=1000) == [(1, 1), ("bad", 2), (1, 3)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"SQLite format 3\x00" + b"\0" * 100, "SQLite"),
        ('{"resourceSpans":[]}'.encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_plainly_something_else_is_refused_with_the_way_out(read, content, reason):
    with pytest.raises(FileUnreadable, match=reason):
        read(content)


def test_a_packed_file_that_was_cut_is_refused_after_what_could_be_read(tmp_path, line):
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress(line(1) * 1000)[:-20])
    with pytest.raises(FileUnreadable, match="is cut after"), opened_file(path) as file:
        list(read_requests(file, "run"))


SESSION = Path(__file__).parents[1] / "transcripts" / "captured" / "codex.jsonl"


def test_of_a_packed_session_that_was_cut_what_could_be_read_is_kept(tmp_path):
    path = tmp_path / "session.jsonl.gz"
    path.write_bytes(gzip.compress(SESSION.read_bytes())[:-30])
    parts, whole = [], SESSION.read_bytes().count(b"\n") - 1
    with pytest.raises(FileUnreadable, match=f"is cut after line {whole}:"), opened_file(path) as file:
        parts.extend(read_requests(file, "session"))
    assert [len(part.decoded.spans) for part in parts] == [6]


@pytest.mark.parametrize(
    ("before", "found"),
    [(b'{"type": "spa\n', "bad"), (b"Exporting the session\n", "bad"), (b'{"unknown": 1}\n', 0)],
)
def test_a_session_is_read_from_its_first_whole_line_on(read, before, found):
    assert [each for each, _ in read(before + SESSION.read_bytes())] == [found, 6]


def test_behind_a_request_no_line_begins_a_session(read, line):
    assert sum(found for found, _ in read(line(1) + SESSION.read_bytes())) == 1


@pytest.mark.parametrize("before", [b"\n", b"\r\n \n", b"\xef\xbb\xbf"])
def test_blank_lines_and_a_mark_may_be_before_a_session_and_a_request_on_many_lines(read, line, before):
    assert [found for found, _ in read(before + SESSION.read_bytes())] == [6]
    assert [found for found, _ in read(before + line(1, 2, indent=2))] == [2]


@pytest.mark.parametrize("content", [b"", b"\n", b"\0" * 10, b"nothing", b"[" * 100_000])
def test_what_holds_no_request_yields_none(read, content):
    assert [found for found, _ in read(content) if found != "bad"] == []


def test_directories_pipes_and_devices_are_refused(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo", tmp_path / "missing", "/dev/zero"):
        with (
            pytest.raises(FileUnreadable, match=r"not a regular file|cannot be read"),
            opened_file(Path(path)),
        ):
            pass
