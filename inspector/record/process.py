"""Describes this process, for every line that it writes."""

import os
import socket
import sys
from typing import TypeAlias

from inspector import semconv as sc
from inspector.plain import well_formed
from inspector.record.served import served_program
from inspector.this_run import replayed_run, this_run

Process: TypeAlias = dict[str, str | int]
"""Resource attributes, with OpenTelemetry's names."""


def describe_process(process: str, *, service: str | None, version: str) -> Process:
    """Return the description of this process.

    Args:
        process: Its key, with which the names of its files begin.
        service: The name of its program, if it was set.
        version: The version of this package.
    """
    replayed = replayed_run()
    return {
        sc.SERVICE_NAME: well_formed(service or program_name()),
        sc.PROCESS_PID: os.getpid(),
        sc.HOST_NAME: socket.gethostname(),
        sc.SDK_NAME: sc.SCOPE_NAME,
        sc.SDK_LANGUAGE: "python",
        sc.SDK_VERSION: version,
        sc.PROCESS: process,
        sc.RUN_ID: this_run(),
        **({} if replayed is None else {sc.REPLAYED_RUN: replayed}),
    }


def program_name() -> str:
    """Return the name of this program: OpenTelemetry's setting, the application of a server, its script or module."""
    if name := os.environ.get("OTEL_SERVICE_NAME"):
        return name
    launcher = _started()
    return served_program(launcher, sys.argv[1:], os.environ.get("FLASK_APP")) or launcher


def _started() -> str:
    """Return the script or module that Python was started with."""
    script = sys.argv[0] if sys.argv else ""
    if script == "-m":
        return _module() or "python"
    stem = os.path.splitext(os.path.basename(script))[0]  # noqa: PTH119, PTH122 - argv may not be a path
    if stem == "__main__":
        stem = os.path.basename(os.path.dirname(script))  # noqa: PTH119, PTH120 - see above
    return stem if stem and stem not in ("-c", "-") else "python"


def _module() -> str:
    """Return the module that ``python -m`` is about to run: Python only adds its file to ``argv`` later."""
    before = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
    option = before[-1] if before else ""
    module = option.partition("m")[2] if option.startswith("-") else option
    return module.removesuffix(".__main__").rpartition(".")[2]
