import subprocess
import sys
from pathlib import Path


def test_help_explains_the_program_and_runs_nothing(environment, home):
    done = subprocess.run(
        [sys.executable, "-m", "inspector.demo", "--help"], env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: python -m inspector.demo [-h] [--hang]")
    assert "stay inside a tool call for ever, to be killed" in done.stdout
    assert not home.exists()


def test_an_unknown_option_is_refused_and_runs_nothing(environment, home):
    done = subprocess.run([sys.executable, "-m", "inspector.demo", "--hnag"], env=environment, capture_output=True)
    assert done.returncode == 2
    assert b"--hnag" in done.stderr
    assert not home.exists()


def test_without_the_extras_it_says_how_to_install_them(environment):
    done = subprocess.run(
        [sys.executable, "-S", "-m", "inspector.demo"],
        cwd=Path(__file__).parents[2],
        env=environment,
        capture_output=True,
        text=True,
    )
    missing = 'inspector: the demo is not installed; run: pip install "mcp-agent-inspector[inspector,mcp]"\n'
    assert (done.returncode, done.stdout, done.stderr) == (1, "", missing)
