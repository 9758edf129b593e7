"""A program's Python needs no more than the extra ``record`` to be recorded."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def required(names, known):
    """The distributions of these names, and of all that they require."""
    for name in names:
        if name not in known:
            known[name] = distribution(name)
            required((re.match(r"[\w.-]+", each)[0] for each in known[name].requires or () if ";" not in each), known)
    return known


@pytest.fixture(scope="module")
def smallest_python(tmp_path_factory):
    """A Python that has what the extra ``record`` names, copied from this one, and nothing else."""
    made = tmp_path_factory.mktemp("smallest") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
    (site,) = (made / "lib").glob("python*/site-packages")
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["record"]
    for found in required([each.partition(">")[0] for each in extra], {}).values():
        for file in found.files:
            target = site / file
            if target.is_relative_to(site) and ".." not in file.parts and "__pycache__" not in file.parts:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), target)
    return str(made / "bin" / "python")


def test_a_python_with_the_extra_record_alone_is_recorded(run, script, call, smallest_python, recorded):
    done = run("--", smallest_python, script("import sys\n" + call("add") + "print('fastapi' in sys.modules)"))
    assert done.stdout == b"False\n"
    assert b"recorded 1 call in 1 trace" in done.stderr
    assert [event.name for event in recorded()] == ["execute_tool add"]


def test_the_extra_otel_that_is_missing_is_named_and_the_program_is_recorded_without_it(
    run, script, call, smallest_python, recorded
):
    span = "from opentelemetry import trace\nwith trace.get_tracer('lib').start_as_current_span('request'):\n    pass\n"
    done = run("--otel", "--", smallest_python, script(span + call("add") + "print('as ever')"))
    assert (done.returncode, done.stdout) == (0, b"as ever\n")
    (line,) = [line for line in done.stderr.decode().splitlines() if "OpenTelemetry" in line]
    assert line == (
        "inspector: spans of the OpenTelemetry API are not recorded: opentelemetry-sdk is not installed; to have them: "
        f'{smallest_python} -m pip install "mcp-agent-inspector[otel]"'
    )
    assert [event.name for event in recorded()] == ["execute_tool add"]
