import re
import subprocess
import sys

import pytest

TESTS = """
import pytest

@pytest.mark.sweep(3)
@pytest.mark.parametrize("color", ["red", "green", "blue", "black"])
@pytest.mark.parametrize("engine", ["sqlite", "clickhouse"])
def test_swept(engine, color): ...

@pytest.mark.slow
def test_slow(): ...

@pytest.mark.parametrize("version", ["new", pytest.param("old", marks=pytest.mark.slow)])
def test_versions(version): ...

def test_plain(every): ...
"""
FEW = {"plain", "swept[sqlite-red]", "swept[sqlite-blue]", "swept[clickhouse-black]", "versions[new]"}
SWEPT = {
    f"swept[{engine}-{color}]" for engine in ("sqlite", "clickhouse") for color in ("red", "green", "blue", "black")
}


NEEDS_ALL = pytest.mark.slow


@pytest.mark.parametrize(
    ("options", "ran", "left_out"),
    [
        pytest.param([], FEW, 7, id="few"),
        pytest.param(["-n1"], FEW, 7, id="in a worker", marks=NEEDS_ALL),
        pytest.param(["--all"], FEW | SWEPT | {"slow", "versions[old]"}, 0, id="all", marks=NEEDS_ALL),
        pytest.param(["-kgreen"], {"swept[sqlite-green]", "swept[clickhouse-green]"}, 0, id="chosen", marks=NEEDS_ALL),
        pytest.param(["tests/test_some.py::test_slow"], {"slow"}, 0, id="named", marks=NEEDS_ALL),
    ],
)
def test_slow_tests_and_most_cases_of_a_sweep_need_all(checkout, tmp_path, options, ran, left_out):
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_some.py").write_text(TESTS)
    (tests / "conftest.py").symlink_to(checkout / "tests" / "conftest.py")
    command = [sys.executable, "-m", "pytest", f"--config-file={checkout / 'pyproject.toml'}", f"--rootdir={tmp_path}"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "-v", *options],
        cwd=tmp_path,
        env={"PATH": "", "PYTHONPATH": str(checkout / "tests")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.findall(r"::test_(\S+) PASSED|PASSED \S*::test_(\S+)", done.stdout)
    assert {"".join(each) for each in found} == ran
    assert re.findall(r"(\d+) tests were left out", done.stdout) == ([str(left_out)] if left_out else [])
