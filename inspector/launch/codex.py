"""The environment in which Codex tells us which sessions are its own."""

from collections.abc import Mapping
from pathlib import Path

_TRACES = "CODEX_ROLLOUT_TRACE_ROOT"
"""Names a directory for diagnostic traces, which begin with the id of the session."""


def environment_of_codex(environ: Mapping[str, str], traces: Path) -> tuple[dict[str, str], Path]:
    """Return the environment in which Codex writes diagnostic traces, and where.

    Below the place that its user has chosen, if any. There it is a directory of this run alone: in one of several,
    whose session is whose could not be told.

    Args:
        environ: Its environment otherwise.
        traces: A private directory, whose parent has the name of the run.
    """
    chosen = environ.get(_TRACES)
    if chosen:
        traces = Path(chosen) / f"inspector-{traces.parent.name}"
    return {**environ, _TRACES: str(traces)}, traces


def sessions_of_codex(environ: Mapping[str, str]) -> Path:
    """Return the directory where Codex keeps its sessions."""
    return Path(environ.get("CODEX_HOME") or Path(environ.get("HOME", "/")) / ".codex") / "sessions"
