from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.app import run as command
from inspector.cli.output.moments import parse_moment_ns, parse_stretch_ns, refusal


def local_ns(*parts) -> int:
    return round(datetime(*parts).astimezone().timestamp()) * 1_000_000_000


NOW_NS = local_ns(2026, 11, 25, 15, 40)
"""A Wednesday."""


def test_points_in_time_are_read_in_every_form_the_api_takes_and_as_time_ago():
    now_ns = 1_795_000_000_000_000_000
    assert parse_moment_ns("15m", now_ns=now_ns) == now_ns - 900_000_000_000
    assert parse_moment_ns("1970-01-02T00:00:00.5Z", now_ns=now_ns) == 86_400_500_000_000
    assert parse_moment_ns("1970-01-02T02:00:00+02:00", now_ns=now_ns) == 86_400_000_000_000
    assert parse_moment_ns("1795000000000000001", now_ns=now_ns) == 1_795_000_000_000_000_001
    local = datetime(2026, 11, 22, 10, 30).astimezone().astimezone(UTC)
    assert parse_moment_ns("2026-11-22T10:30", now_ns=now_ns) == round(local.timestamp()) * 1_000_000_000


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday 25:00",
        "fortnight",
        "today ago",
        "15",
        "-5m",
        "99999999999999999999",
        "nan",
        "1960-01-01",
        "٥m",
        "0001-01-01",
    ],
)
def test_text_that_names_no_time_is_refused(text):
    assert parse_moment_ns(text, now_ns=0) is None


@given(st.text(max_size=30))
def test_reading_any_text_as_a_time_never_raises(text):
    found = parse_moment_ns(text, now_ns=0)
    assert found is None or 0 <= found < 2**64


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", local_ns(2026, 11, 25, 15, 40)),
        ("today", local_ns(2026, 11, 25)),
        ("Yesterday", local_ns(2026, 11, 24)),
        ("yesterday 9:30", local_ns(2026, 11, 24, 9, 30)),
        ("14:30", local_ns(2026, 11, 25, 14, 30)),
        ("monday", local_ns(2026, 11, 23)),
        ("wednesday", local_ns(2026, 11, 18)),
        ("friday 18:00:05", local_ns(2026, 11, 20, 18, 0, 5)),
        ("2026-11-20 08:15", local_ns(2026, 11, 20, 8, 15)),
        ("90 minutes ago", local_ns(2026, 11, 25, 14, 10)),
        ("an hour ago", local_ns(2026, 11, 25, 14, 40)),
        ("15m ago", local_ns(2026, 11, 25, 15, 25)),
    ],
)
def test_days_times_and_times_ago_are_read_as_a_person_writes_them(text, expected):
    assert parse_moment_ns(text, now_ns=NOW_NS) == expected


def test_days_ago_are_periods_of_24_hours():
    assert parse_moment_ns("2 days ago", now_ns=NOW_NS) == NOW_NS - 2 * 86_400 * 1_000_000_000


def test_dots_name_both_ends_and_either_may_be_left_out():
    whole = (local_ns(2026, 11, 24), local_ns(2026, 11, 25))
    assert parse_stretch_ns("yesterday..today", now_ns=NOW_NS) == whole
    assert parse_stretch_ns("yesterday ..", now_ns=NOW_NS) == (whole[0], None)
    assert parse_stretch_ns("yesterday..never", now_ns=NOW_NS) is None
    assert parse_stretch_ns("..today", now_ns=NOW_NS) == (0, whole[1])
    assert parse_stretch_ns("..", now_ns=NOW_NS) is None
    assert parse_stretch_ns("..never", now_ns=NOW_NS) is None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("yestrday", "did you mean 'yesterday'?"),
        ("..tody", "'tody' is not a time; did you mean 'today'?"),
        ("yesterday..tody", "'tody' is not a time; did you mean 'today'?"),
        ("2 dais ago", "did you mean '2 days ago'?"),
        ("15", "write 15m, 15h or 15d"),
        ("1795000000", "write 1795000000000000000, in nanoseconds"),
        ("2026-13-01", "write 15m or '2 days ago', yesterday"),
    ],
)
def test_a_refusal_says_how_to_mend_it(text, part):
    assert part in refusal(text)


@given(st.text(max_size=30))
def test_any_text_is_refused_or_read_without_raising(text):
    assert refusal(text)
    parse_stretch_ns(text, now_ns=NOW_NS)


def test_lists_take_a_stretch_of_time_and_refuse_two_ends(home, write_spans, span, capsys):
    write_spans(span(name="first"), span(name="second"), span(name="third"))
    command(["events", "--since", "1795000002000000000..1795000003000000000", "--home", str(home)])
    shown = capsys.readouterr().out
    assert "second" in shown and "first" not in shown and "third" not in shown
    code = command(["events", "--since", "yesterday..today", "--until", "now", "--home", str(home)])
    assert (code, capsys.readouterr().err) == (
        2,
        "inspector: --since FROM..TO names the end already; leave out --until\nSee: inspector events --help\n",
    )
