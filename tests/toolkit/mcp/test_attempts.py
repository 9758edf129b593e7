"""A call of a server's tool that middleware made several times counts once, however its attempts ended."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from forking import INTERPRETER

from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings

PROGRAM = Path(__file__).parent / "programs" / "attempts.py"


@pytest.mark.slow
def test_both_ends_of_every_attempt_are_duplicates_of_the_call(tmp_path, fork_recorded):
    command = [sys.executable, "-m", "inspector", "run", "--", fork_recorded.stand_in, str(PROGRAM)]
    env = {**os.environ, "INSPECTOR_HOME": str(tmp_path), INTERPRETER: fork_recorded.stand_in}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    with Owner(Settings(home=tmp_path)) as owner:
        owner.ingest_spools()
        events = owner.store.events(Filter(), order="asc", limit=100).items
    lago, ritz = (each for each in events if each.kind == "tool" and each.folded_into is None)
    assert (lago.tool, lago.status, ritz.tool, ritz.status) == ("book", "ok", "book", "error")
    below = Counter(
        (each.folded_into, each.name, each.status)
        for each in events
        if each.folded_into in (lago.span_id, ritz.span_id)
    )
    assert below == {
        (lago.span_id, "tools/call book", "error"): 2,
        (lago.span_id, "execute_tool book", "error"): 2,
        (lago.span_id, "tools/call book", "ok"): 1,
        (lago.span_id, "execute_tool book", "ok"): 1,
        (ritz.span_id, "tools/call book", "error"): 3,
        (ritz.span_id, "execute_tool book", "error"): 3,
    }
