"""Addresses of views of the page: the part behind ``#``, which is never sent to a server."""

from urllib.parse import quote


def trace_view(trace_id: str, span_id: str | None = None) -> str:
    """Return the address of a trace, opened at one of its spans."""
    return f"#/traces/{trace_id}?span={span_id}" if span_id else f"#/traces/{trace_id}"


def service_view(service: str) -> str:
    """Return the address of the runs of a program, or of all programs if it has no name."""
    return f"#/?service={quote(service)}" if service else "#/"


def run_view(run_id: str) -> str:
    """Return the address of a run with all of its traces."""
    return f"#/runs/{run_id}"
