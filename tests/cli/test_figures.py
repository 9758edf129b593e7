from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli import figures


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (None, ""),
        (float("nan"), ""),
        (0, "0 µs"),
        (0.4, "400 µs"),
        (1.234, "1.23 ms"),
        (12.34, "12.3 ms"),
        (312, "312 ms"),
        (999.6, "1.00 s"),
        (1240, "1.24 s"),
        (12_400, "12.4 s"),
        (60_000, "1 min 00 s"),
        (3_725_000, "1 h 02 min"),
        (90_000_000, "1 d 1 h"),
        (-5, "-5.00 ms"),
        (-90_000, "-1 min 30 s"),
    ],
)
def test_durations_have_the_unit_that_fits(milliseconds, text):
    assert figures.duration(milliseconds) == text


@pytest.mark.parametrize(
    ("dollars", "text"),
    [
        *[(None, ""), (0, "$0"), (0.0000012, "<$0.0001"), (0.007, "$0.0070"), (0.99997, "$1.00"), (1.254, "$1.25")],
        *[(1234.5, "$1,234.50"), (-0.5, "-$0.5000")],
    ],
)
def test_costs_are_written_as_the_pages_write_them(dollars, text):
    assert figures.cost(dollars) == text


@pytest.mark.parametrize(
    ("given_", "answered", "text"),
    [(None, None, ""), (1234, 56, "1,234 → 56"), (None, 5, "? → 5"), (7, None, "7 → ?"), (0, 0, "0 → 0")],
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
        ("1KB", 1024),
        ("500 MB", 500 << 20),
        ("1.5GiB", 3 << 29),
        ("2t", 2 << 40),
        ("many", None),
        ("-1", None),
    ],
)
def test_sizes_are_read_in_powers_of_1024(text, count):
    assert figures.parse_size(text) == count


@pytest.mark.parametrize(("count", "text"), [(0, "0 B"), (999, "999 B"), (2048, "2.0 KB"), (3 << 30, "3.0 GB")])
def test_sizes_are_written_with_the_unit_that_fits(count, text):
    assert figures.size(count) == text
