import json
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.output import figures

ALIKE = json.loads((Path(__file__).parents[1] / "figures.json").read_text(encoding="utf-8"))
"""How the command line and the pages write the same values; ``web/src/lib/format.test.ts`` reads it too."""


@pytest.mark.parametrize(("milliseconds", "text"), ALIKE["durations_ms"])
def test_durations_are_written_as_the_pages_write_them(milliseconds, text):
    assert figures.duration(milliseconds) == text


@pytest.mark.parametrize(("dollars", "text"), ALIKE["dollars"])
def test_costs_are_written_as_the_pages_write_them(dollars, text):
    assert figures.cost(dollars) == text


@pytest.mark.parametrize(("count", "text"), ALIKE["bytes"])
def test_sizes_are_written_as_the_pages_write_them(count, text):
    assert figures.size(count) == text


@pytest.mark.parametrize("text", ALIKE["moments"])
def test_moments_of_another_day_are_written_as_the_pages_write_them(text):
    local = datetime.fromisoformat(text).astimezone()
    nanoseconds = round(local.timestamp() * 1000) * 1_000_000
    assert figures.moment(nanoseconds, now=datetime(2030, 1, 1).astimezone()) == text


def test_what_is_not_known_is_left_blank():
    assert [figures.duration(None), figures.duration(float("nan")), figures.cost(None)] == ["", "", ""]


@pytest.mark.parametrize(
    ("given_", "answered", "text"),
    [(None, None, ""), (1234, 56, "1,234 → 56"), (None, 5, "– → 5"), (7, None, "7 → –"), (0, 0, "0 → 0")],
)
def test_tokens_are_written_in_and_out(given_, answered, text):
    assert figures.tokens(given_, answered) == text


def test_moments_are_local_and_name_the_day_only_when_it_is_not_today():
    ten_thirty = datetime(2026, 11, 22, 10, 30, 0, 123_000).astimezone()
    nanoseconds = str(round(ten_thirty.timestamp() * 1000) * 1_000_000)
    assert figures.moment(nanoseconds, now=ten_thirty) == "10:30:00.123"
    assert figures.moment(nanoseconds, now=datetime(2027, 1, 1).astimezone()) == "2026-11-22 10:30:00.123"


def test_moments_that_no_calendar_holds_are_still_written():
    assert figures.moment("9" * 24) == "9" * 24 + " ns"
    assert figures.moment(None) == ""


@given(st.integers(0, 2**64 - 1))
def test_every_moment_that_a_trace_can_carry_is_written(nanoseconds):
    assert figures.moment(str(nanoseconds))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("15m", 900),
        ("2h", 7200),
        ("7d", 604_800),
        ("1w", 604_800),
        ("1.5H", 5400),
        ("m", None),
        ("5", None),
    ],
)
def test_spans_of_time_are_read_with_their_unit(text, seconds):
    assert figures.parse_span_s(text) == seconds


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("500", 500),
        ("1KB", 1000),
        ("500 MB", 500_000_000),
        ("500MiB", 500 << 20),
        ("1.5GiB", 3 << 29),
        ("2t", 2 * 10**12),
        ("many", None),
        ("-1", None),
    ],
)
def test_sizes_are_read_in_powers_of_1000_and_those_with_an_i_of_1024(text, count):
    assert figures.parse_size(text) == count
