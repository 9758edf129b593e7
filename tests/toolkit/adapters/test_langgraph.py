"""In the environment of published frameworks: LangGraph's tools with us."""

import importlib.util
import json
import os
import subprocess
from pathlib import Path

import pytest
from emitted import watching

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[2]


@pytest.fixture
def python():
    spec = importlib.util.spec_from_file_location("environments", _ROOT / "tests" / "integrations" / "environments.py")
    environments = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(environments)
    try:
        return environments.framework_python("current")
    except environments.EnvironmentMissing as reason:
        pytest.fail(str(reason)) if os.environ.get("INSPECTOR_BROWSER") == "required" else pytest.skip(str(reason))


def test_tools_of_langgraph_work_in_a_node(python, tmp_path):
    done = subprocess.run(
        [python, str(_HERE / "programs" / "in_langgraph.py")],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            **watching(_ROOT),
            "PYTHONWARNINGS": "ignore",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr

    told = json.loads(done.stdout)

    assert told["arguments"] == [["x"], ["x"], []]
    assert told["results"] == ["1 Ada runtime shelf", "1 Ada Ada shelf", "updated"]
    assert told["update"] == 1
