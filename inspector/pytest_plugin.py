"""The pytest plugin: the fixture ``trace``, the marker ``cassette``, the option ``--record``.

pytest imports this in every run of every project that has the package, so it imports nothing but pytest: what a test
with a cassette needs is imported by that test.
"""

import os
from argparse import ArgumentError
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from inspector.testing import Trace

_RECORD, _SUMMARY = "inspector_record", "inspector_summary"
_PREFIX = "inspector."


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("inspector", "tests of recorded runs")
    known = {
        "dest": _RECORD,
        "choices": ("none", "once", "all"),
        "help": "Record cassettes: none, those that are missing (once), or all; default: once; none in CI.",
    }
    try:
        group.addoption("--record", **known)
    except (ArgumentError, ValueError):
        # Another plugin has it, and is not to be kept from its tests.
        group.addoption("--inspector-record", **known)
    with suppress(ArgumentError, ValueError):
        group.addoption(
            "--inspector-summary",
            dest=_SUMMARY,
            metavar="FILE",
            help="Append a table of the tests whose runs differ, as Markdown; default: $GITHUB_STEP_SUMMARY.",
        )
    parser.addini(
        "inspector_ignore",
        type="linelist",
        help="Regular expressions of what is not compared in the requests of tests with a cassette, one a line.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "cassette(name, ignore=(), freeze=False, offline=False): "
        "give the test's program what cassettes/NAME.jsonl has; see the fixture trace.",
    )


@pytest.fixture
def trace(request: pytest.FixtureRequest) -> "Generator[Trace]":
    """Return the calls of this test's program, replayed from the recording that the marker ``cassette`` names."""
    from inspector.testing.fixture import traced

    yield from traced(request, request.config.getoption(_RECORD))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the cassettes that were written, and write the table."""
    if hasattr(terminalreporter.config, "workerinput"):
        # A worker of pytest-xdist; the process that started it has the results of all.
        return
    for report in terminalreporter.getreports("passed"):
        if report.when == "call" and "inspector.recorded" in (found := _known(report)):
            terminalreporter.write_line(f"recorded {found['inspector.recorded']}")
    failed = list(_failed(terminalreporter))
    file = terminalreporter.config.getoption(_SUMMARY) or os.environ.get("GITHUB_STEP_SUMMARY")
    if failed and file:
        from inspector.testing.summary import write_summary

        # A report that cannot be written fails no test.
        with suppress(OSError):
            write_summary(Path(file), failed)


def _failed(terminalreporter: pytest.TerminalReporter) -> Iterator[tuple[str, dict[str, str]]]:
    for report in terminalreporter.getreports("failed"):
        if found := _known(report):
            yield report.nodeid, found


def _known(report: Any) -> dict[str, str]:
    return {name: value for name, value in report.user_properties if name.startswith(_PREFIX)}
