"""Runs the demo like ``inspector run``: as a separate program that knows nothing about the inspector."""

import os
import shutil
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from inspector.demo.errors import DemoError
from inspector.launch import Choices, LaunchError, Program, environment_of, outcome_of, run_to_the_end
from inspector.settings import Settings

PROGRAM = "inspector.demo.program"
"""The module that is run; nothing of it is imported here."""
_INSTALL = 'pip install "mcp-agent-inspector[inspector,mcp]"'


def run_demo(settings: Settings, *, hang: bool = False) -> str:
    """Run the demo agent, recorded into ``settings.home``, and return the id of its trace.

    Raises:
        DemoError: The demo did not come to its end, or the MCP SDK is not installed, or too old for it.
    """
    _refuse_other_sdks()
    # `-P` leaves the working directory out of the path, where another `toolkit` could be.
    arguments = (sys.executable, "-P", "-m", PROGRAM, "--quiet", *(("--hang",) if hang else ()))
    directory = Path(tempfile.mkdtemp(prefix="inspector-run-"))
    try:
        choices = Choices(home=settings.home, content=settings.capture_content, quiet=True)
        environment = environment_of(_environ(), choices, directory)
        status = run_to_the_end(Program(sys.executable, arguments), environment)
        shown = outcome_of(directory).shown_trace
    except LaunchError as error:
        raise DemoError(f"the demo cannot be started: {error}") from error
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    if status or shown is None:
        code = os.waitstatus_to_exitcode(status)
        raise DemoError(f"the demo did not come to its end (exit code {code}); see above, and 'inspector doctor'")
    return shown.trace_id


def _environ() -> dict[str, str]:
    """Return the environment for the program: what this process imports has to be there in it as well."""
    ours = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (ours, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, "OTEL_SERVICE_NAME": "trip-planner"}


def _refuse_other_sdks() -> None:
    # Recording works with the SDK that another package may hold back; only the demo is written for this one.
    try:
        installed = version("mcp")
    except PackageNotFoundError:
        raise DemoError(f"the demo runs an MCP server, and mcp is not installed; run: {_INSTALL}") from None
    if tuple(map(int, installed.split(".")[:2])) < (2, 3):
        raise DemoError(
            f"the demo needs mcp 2.3 or newer, and {installed} is installed; in an environment of its own: {_INSTALL}"
        )
