"""What is said of this process in every line that it writes."""

import os
import socket
import sys
from typing import TypeAlias

from inspector import semconv as sc
from inspector.plain import well_formed
from inspector.this_run import replayed_run, this_run

Process: TypeAlias = dict[str, str | int]
"""Attributes of a resource, as OpenTelemetry names them."""


def describe_process(process: str, *, service: str | None, version: str) -> Process:
    """Return what is known of this process.

    Args:
        process: Its key: what the names of its files begin with.
        service: What its program is called, where somebody said so.
        version: Ours.
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
    """Return what OpenTelemetry SDKs would call this program: its own setting, else the script's or module's name."""
    if name := os.environ.get("OTEL_SERVICE_NAME"):
        return name
    script = sys.argv[0] if sys.argv else ""
    if script == "-m":
        return _module() or "python"
    stem = os.path.splitext(os.path.basename(script))[0]  # noqa: PTH119, PTH122 - argv may be no path at all
    if stem == "__main__":
        stem = os.path.basename(os.path.dirname(script))  # noqa: PTH119, PTH120 - see above
    return stem if stem and stem not in ("-c", "-") else "python"


def _module() -> str:
    """Return the name of the module that ``python -m`` is about to run: Python puts its file into ``argv`` later."""
    before = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
    option = before[-1] if before else ""
    module = option.partition("m")[2] if option.startswith("-") else option
    return module.removesuffix(".__main__").rpartition(".")[2]
