import pytest

from inspector.cli.comparing.replayed import replayed_lines
from inspector.replay import Divergence, Report
from inspector.tape import Tape

THEN = "At 2026-11-28 22:43:42 for 440f572e-6745-41a7-b182-a22e0a3efa26"
HINT = "replay: only ids and times differ; to keep them: inspector run --freeze; to skip: --ignore REGEX"


@pytest.mark.parametrize(
    ("now", "hints"),
    [
        ("At 2026-11-29 01:02:03 for 7d774eaf-f4e9-48f5-8037-e3de39b759b6", [HINT]),
        ("At 2026-11-29 01:02:03 for you", []),
        (None, []),
    ],
)
def test_a_divergence_by_ids_and_times_alone_is_said_with_the_ways_out(now, hints):
    report = Report((), Divergence("its model call 1 is not in the recording", "message 1", THEN, now))
    lines = list(replayed_lines(Tape("r1", (), {}), [report], None))
    assert lines[1] == "replay: message 1 differs"
    assert lines[4:-1] == hints
