import json
import re

import pytest


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("what", "traces", "spans"),
    [
        (["--trace", "aaaa"], "1 trace", "2 spans"),
        (["--run", "job"], "2 traces", "3 spans"),
        (["--session", "trip"], "1 trace", "1 span"),
        (["--older-than", "1d"], "3 traces", "4 spans"),
        (["--max-size", "1"], "about 3 traces", "4 spans"),
        (["--older-than", "1d", "--max-size", "1"], "about 3 traces", "4 spans"),
    ],
)
def test_a_dry_run_counts_what_would_go_and_deletes_nothing(inspector, write_spans, span, what, traces, spans):
    write_spans(
        *(span(trace_id="a" * 32, run="job") for _ in range(2)),
        span(trace_id="b" * 32, run="job", session_id="trip"),
        span(trace_id="c" * 32),
    )
    done = inspector("prune", *what, "--dry-run")
    assert (done.returncode, done.stderr) == (0, b"")
    assert re.fullmatch(
        rf"would delete {traces} with {spans}, about [\d.]+ [kM]B of [\d.]+ [kM]B\n", done.stdout.decode()
    )
    assert len(json.loads(inspector("events", "--json").stdout)["items"]) == 4


def test_a_dry_run_of_what_is_not_there_says_so(inspector, write_spans, span):
    write_spans(span())
    assert inspector("prune", "--older-than", "20000w", "--dry-run").stdout == b"nothing would be deleted\n"
    unknown = inspector("prune", "--session", "none", "--dry-run")
    assert (unknown.returncode, unknown.stdout) == (1, b"")
    assert b"no session none is recorded" in unknown.stderr
