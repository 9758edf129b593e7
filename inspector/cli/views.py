"""Where the page shows what: the part of an address behind its ``#``, which never reaches a server."""

from urllib.parse import quote

from inspector.semconv import RUN_ID


def trace_view(trace_id: str, span_id: str | None = None) -> str:
    """Return where one trace is shown, and opened at one of its spans."""
    return f"#/traces/{trace_id}?span={span_id}" if span_id else f"#/traces/{trace_id}"


def run_view(run_id: str) -> str:
    """Return where the traces of one run are shown."""
    return f"#/?attr={quote(f'{RUN_ID}={run_id}')}"
