"""With LangChain recorded beside us, a call that both tell of counts once."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from emitted import watching

from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings

_HERE = Path(__file__).parent


@pytest.mark.slow
def test_a_tool_call_that_langchain_and_the_toolkit_tell_of_is_counted_once(tmp_path):
    done = subprocess.run(
        [sys.executable, str(_HERE / "programs" / "beside_langchain.py")],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "INSPECTOR_HOME": str(tmp_path / "home"),
            **watching(_HERE.parents[2]),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    with Owner(Settings(home=tmp_path / "home")) as owner:
        owner.ingest_spools()
        events = owner.store.events(Filter(kinds=("tool",)), order="asc", limit=50, full=True).items

    by_id = {each.span_id: each for each in events}
    told = [
        (each.tool, json.loads(bytes(each.input)), by_id[each.folded_into].tool if each.folded_into else None)
        for each in events
    ]
    assert sorted(told, key=str) == [
        ("forecast", {"city": "Rome"}, "forecast"),
        ("forecast", {"city": "Rome"}, None),
        ("shout", {"text": "hi"}, None),
    ]
