"""Addresses of views of the page: the part behind ``#``, which is never sent to a server."""

from urllib.parse import quote


def trace_view(trace_id: str, span_id: str | None = None) -> str:
    """Return where one trace is shown, and opened at one of its spans."""
    return f"#/traces/{trace_id}?span={span_id}" if span_id else f"#/traces/{trace_id}"


def service_view(service: str) -> str:
    """Return where the runs of a program are listed; of all programs where it has no name."""
    return f"#/?service={quote(service)}" if service else "#/"


def run_view(run_id: str) -> str:
    """Return where a run is shown with all of its traces."""
    return f"#/runs/{run_id}"
