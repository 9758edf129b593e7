import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from spooled import spans_of

# Warnings are errors, but for one that langchain-core causes on Python 3.14.
ALLOW = """
import warnings
warnings.filterwarnings("ignore", "'asyncio.iscoroutinefunction' is deprecated", DeprecationWarning)
"""

# Runs an example as a user would, and writes down the hooks that it emits.
WATCH = """
import json, pathlib, runpy, sys
import instrument.testing

def told(name, kwargs):
    noun = next((key for key in ("tool_name", "agent", "llm", "workflow", "envelope") if key in kwargs), None)
    value = kwargs[noun]
    if noun == "envelope":
        value = " ".join([kwargs["direction"], value.get("method", "")])
    return f"{name} {getattr(value, 'name', value if isinstance(value, str) else type(value).__name__)}".strip()

with instrument.testing.capture() as calls:
    runpy.run_path(sys.argv[1], run_name="__main__")
pathlib.Path("hooks.json").write_text(json.dumps([told(*each) for each in calls]))
"""

RECORD = """
import runpy, sys
import inspector

inspector.attach()
runpy.run_path(sys.argv[1], run_name="__main__")
inspector.detach()
"""

AT_ONCE = ("mcp_server", "parallel_calls", "safety_guard", "structured_host")
"""Examples in which calls are under way at the same time, so that the order of their hooks and spans may differ."""

EXPECTED = sorted((Path(__file__).parent / "expected").glob("*.txt"))
"""By the name of an example, what it prints, the hooks that it emits, and the spans that are recorded of it."""


@pytest.fixture
def examples(root):
    return root / "examples" / "toolkit"


@pytest.mark.sweep(1)
@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.stem)
def test_an_example_prints_and_emits_what_it_should(expected, examples, run, tmp_path):
    printed, hooks, _ = sections(expected)
    file = str(examples / f"{expected.stem}.py")
    done = run(sys.executable, "-W", "error", "-c", ALLOW + WATCH, file, PYTHONIOENCODING="utf-8")
    assert (done.stdout + done.stderr, done.returncode) == (printed, 0)
    emitted = json.loads((tmp_path / "hooks.json").read_text())
    assert (sorted(emitted) if expected.stem in AT_ONCE else emitted) == hooks.splitlines()


@pytest.mark.sweep(3)
@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.stem)
def test_an_example_is_recorded_as_the_calls_it_made(expected, examples, environment, fork_recorded, tmp_path):
    command = ("-W", "error", "-c", ALLOW + RECORD, str(examples / f"{expected.stem}.py"))
    env = environment | {"INSPECTOR_HOME": str(tmp_path)}
    with fork_recorded(*command, env=env, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    drawn = list(tree(recorded(tmp_path / "spool"), by_name=expected.stem in AT_ONCE))
    assert drawn == sections(expected)[2].splitlines()


def sections(expected):
    printed, rest = expected.read_text().split("--- hooks\n")
    return printed, *rest.split("--- spans\n")


def recorded(spool):
    spans = [span for file in spool.glob("*.jsonl") for span in spans_of(file.read_text().splitlines())]
    return {span["spanId"]: span for span in spans if "endTimeUnixNano" in span}


CHANGING = re.compile(
    r"_ms$|time_to_first|traceback|stacktrace|^thread\.id$|^server\.port$|_command$"
    r"|^inspector\.(call_id|raw|task|clock|sequence|span\.id)"
)
"""Attributes that no two runs have alike, and those that only a replay needs."""
IDS = re.compile(
    r"\b[0-9a-f]{16,32}\b|(?<=call_)[0-9a-f]{16}\b|(?<=127\.0\.0\.1:)\d+|(?<=/tmp/)[\w./-]+| at 0x[0-9a-f]+"
    r"|(?<= #)[0-9a-f]{4}(?=\])"
)


def facts(span):
    told = {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}
    text = json.dumps({key: told[key] for key in sorted(told) if not CHANGING.search(key)}, ensure_ascii=False)
    return IDS.sub("…", text)


def tree(spans, *, by_name, parent=None, depth=0):
    """Names below each other, with the status of those that failed, and below each name what is known of it."""
    below = [each for each in spans.values() if (each.get("parentSpanId") if depth else root_of(each, spans)) == parent]
    below.sort(key=lambda each: (by_name and each["name"] + facts(each), int(each["startTimeUnixNano"])))
    for each in below:
        told = {key["key"]: next(iter(key["value"].values())) for key in each["attributes"]}
        status = told.get("inspector.status", "running")
        yield "  " * depth + each["name"] + ("" if status == "ok" else f" ({status})")
        yield "  " * depth + "  " + facts(each)
        yield from tree(spans, by_name=by_name, parent=each["spanId"], depth=depth + 1)


def root_of(span, spans):
    """None for a span whose parent is not there."""
    return span.get("parentSpanId") if span.get("parentSpanId") in spans else None


def test_every_example_of_the_toolkit_is_run_here_and_listed(examples):
    files = sorted(each.stem for each in examples.glob("*.py"))
    assert files == [each.stem for each in EXPECTED]
    listed = re.findall(r"\(toolkit/(\w+)\.py\)", (examples.parent / "README.md").read_text())
    assert sorted(listed) == files
