"""The environment in which Codex tells us which sessions are its own."""

from collections.abc import Mapping
from pathlib import Path

_NAME = "codex"
_TRACES = "CODEX_ROLLOUT_TRACE_ROOT"
"""Names a directory for diagnostic traces, which begin with the id of the session."""


def is_codex(program: str) -> bool:
    """Tell whether the path of a program is that of Codex."""
    return Path(program).name == _NAME


def environment_of_codex(environ: Mapping[str, str], traces: Path) -> tuple[dict[str, str], Path]:
    """Return the environment in which Codex writes diagnostic traces, and where: whoever has chosen a place keeps it.

    Args:
        environ: Its environment otherwise.
        traces: A private directory.
    """
    chosen = environ.get(_TRACES)
    return {**environ, _TRACES: chosen or str(traces)}, Path(chosen or traces)


def sessions_of_codex(environ: Mapping[str, str]) -> Path:
    """Return the directory where Codex keeps its sessions."""
    return Path(environ.get("CODEX_HOME") or Path(environ.get("HOME", "/")) / ".codex") / "sessions"
