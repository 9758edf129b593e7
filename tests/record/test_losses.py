"""Each call that is not in the spool is counted once, under what it was lost by."""

import pytest

from inspector import semconv as sc
from inspector.record.losses import Losses
from inspector.record.spans import RecordedSpan


def call(n):
    return RecordedSpan("tool_call", trace_id=1, span_id=n, start_ns=n, start_tick=0)


@pytest.mark.parametrize(
    ("loss", "key"), [("dropped", sc.DROPPED), ("unwritten", sc.UNWRITTEN), ("unencodable", sc.UNENCODABLE)]
)
def test_a_call_whose_start_and_end_are_lost_is_counted_once(loss, key):
    losses = Losses()
    losses.lose(call(1), "running", loss)
    assert losses.news() == {}
    losses.lose(call(1), "ok", loss)
    assert losses.news() == {key: 1}
    assert losses.news() == {}


def test_a_call_whose_start_alone_was_lost_is_not_lost():
    losses = Losses()
    losses.lose(call(1), "running", "dropped")
    losses.keep(call(1))
    assert losses.news(is_over=True) == {}


def test_a_call_whose_start_was_lost_and_that_never_ends_is_lost_when_all_is_over():
    losses = Losses()
    losses.lose(call(1), "running", "dropped")
    losses.lose(call(2), "abandoned", "unwritten")
    assert losses.news() == {}
    assert losses.news(is_over=True) == {sc.DROPPED: 1, sc.UNWRITTEN: 1}


def test_what_a_lost_line_reported_is_reported_again():
    losses = Losses(dropped=3, unmatched=1)
    losses.take_back(losses.news())
    losses.dropped += 1
    assert losses.news() == {sc.DROPPED: 4, sc.UNMATCHED: 1}
