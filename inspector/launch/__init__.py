"""Starts a program so that it records itself, without changing it: what ``inspector run`` does, outside and inside.

``startup/`` is put in front of ``PYTHONPATH``, so that every Python that the program starts records too.
"""

from inspector.launch.claude_code import environment_of_claude_code, why_not_claude_code
from inspector.launch.codex import environment_of_codex, sessions_of_codex
from inspector.launch.copilot import environment_of_copilot, why_not_copilot
from inspector.launch.directory import PrivateDirectory
from inspector.launch.environment import Choices, environment_of, switched_off
from inspector.launch.errors import LaunchError
from inspector.launch.exit_status import record_failure, why_failed
from inspector.launch.gemini_cli import (
    environment_of_gemini_cli,
    projects_of_gemini_cli,
    why_not_gemini_cli,
)
from inspector.launch.node import environment_of_node, is_node, why_not_node
from inspector.launch.opencode import environment_of_opencode, why_not_opencode
from inspector.launch.outcome import LeftOut, Outcome, outcome_of
from inspector.launch.process import end_like, run_to_the_end
from inspector.launch.program import Program, program_of

__all__ = [
    "Choices",
    "LaunchError",
    "LeftOut",
    "Outcome",
    "PrivateDirectory",
    "Program",
    "end_like",
    "environment_of",
    "environment_of_claude_code",
    "environment_of_codex",
    "environment_of_copilot",
    "environment_of_gemini_cli",
    "environment_of_node",
    "environment_of_opencode",
    "is_node",
    "outcome_of",
    "program_of",
    "projects_of_gemini_cli",
    "record_failure",
    "run_to_the_end",
    "sessions_of_codex",
    "switched_off",
    "why_failed",
    "why_not_claude_code",
    "why_not_copilot",
    "why_not_gemini_cli",
    "why_not_node",
    "why_not_opencode",
]
