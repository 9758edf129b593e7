"""What ``inspector run`` records of programs that make their calls in no Python: coding agents, and what Node runs."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from inspector.launch import (
    Choices,
    Program,
    environment_of_claude_code,
    environment_of_codex,
    environment_of_copilot,
    environment_of_gemini_cli,
    environment_of_node,
    environment_of_opencode,
    is_node,
    projects_of_gemini_cli,
    sessions_of_codex,
    why_not_claude_code,
    why_not_copilot,
    why_not_gemini_cli,
    why_not_node,
    why_not_opencode,
)

if TYPE_CHECKING:
    from inspector import node
    from inspector.coding_agents import claude_code, codex, copilot, gemini_cli, opencode

    Collector: TypeAlias = (
        claude_code.Collector
        | codex.Collector
        | copilot.Collector
        | gemini_cli.Collector
        | node.Collector
        | opencode.Collector
    )

_CLAUDE_CODE_SENT_NOTHING = (
    "Claude Code sent nothing: it worked off no prompt, or its settings set another place for telemetry"
)
_CODEX_KEPT_NOTHING = (
    "Codex kept no session: it worked off no prompt, or with --ephemeral, or in another process, or is an old version"
)
_GEMINI_CLI_KEPT_NOTHING = (
    "Gemini CLI kept no session: it worked off no prompt, or in a container (--sandbox), or is an old version"
)
_OPENCODE_NOTED_NOTHING = (
    "opencode worked off no prompt, or without plugins (--pure), or in another process (attach), or is an old version"
)
_COPILOT_WROTE_NOTHING = "GitHub Copilot wrote no telemetry: it worked off no prompt, or is an old version"

_NODE_CALLED_NOTHING = (
    "it sent no request to a model that is known by its path, or over HTTP/2, which is not seen: docs/frameworks.md"
)


def collected(
    program: Program, choices: Choices, environment: dict[str, str], directory: Path
) -> "tuple[Collector | None, dict[str, str]]":
    """Return what records a coding agent or Node, and the environment that it needs; None for another program.

    Args:
        program: The program.
        choices: How to record it.
        environment: Its environment otherwise.
        directory: The private directory of the run.
    """
    if (agent := _CODING_AGENTS.get(program.name)) is not None:
        collect, _ = agent
        return collect(choices, environment, directory)
    if is_node(program.path) and why_not_node(program, environment) is None:
        return _of_node(choices, environment, directory)
    return None, environment


def why_of_another(program: Program) -> str | None:
    """Say why nothing was recorded of a coding agent or of Node; None for another program."""
    if (agent := _CODING_AGENTS.get(program.name)) is not None:
        _, why = agent
        return why()
    return why_not_node(program, os.environ) or (_NODE_CALLED_NOTHING if is_node(program.path) else None)


def _of_claude_code(
    choices: Choices, environment: dict[str, str], directory: Path
) -> "tuple[Collector | None, dict[str, str]]":
    if why_not_claude_code(environment, Path.cwd()) is not None:
        return None, environment
    from inspector.coding_agents.claude_code import Collector

    _join(environment)
    bodies = directory / "bodies" if _has_content(choices) else None
    if bodies is not None:
        bodies.mkdir(mode=0o700)
    collector = Collector(choices.home, bodies)
    return collector, environment_of_claude_code(
        environment, endpoint=collector.endpoint, token=collector.token, bodies=bodies
    )


def _of_codex(
    choices: Choices, environment: dict[str, str], directory: Path
) -> "tuple[Collector | None, dict[str, str]]":
    from inspector.coding_agents.codex import Collector

    _join(environment)
    environment, traces = environment_of_codex(environment, directory / "codex")
    collector = Collector(choices.home, traces, sessions_of_codex(environment), content=_has_content(choices))
    return collector, environment


def _of_gemini_cli(
    choices: Choices, environment: dict[str, str], directory: Path
) -> "tuple[Collector | None, dict[str, str]]":
    if why_not_gemini_cli(environment, Path.cwd()) is not None:
        return None, environment
    from inspector.coding_agents.gemini_cli import Collector

    _join(environment)
    telemetry, projects = directory / "gemini.json", projects_of_gemini_cli(environment)
    collector = Collector(choices.home, telemetry, projects, content=_has_content(choices))
    return collector, environment_of_gemini_cli(environment, telemetry)


def _of_copilot(
    choices: Choices, environment: dict[str, str], directory: Path
) -> "tuple[Collector | None, dict[str, str]]":
    if why_not_copilot(environment) is not None:
        return None, environment
    from inspector.coding_agents.copilot import Collector

    _join(environment)
    telemetry, content = directory / "copilot.jsonl", _has_content(choices)
    collector = Collector(choices.home, telemetry, content=content)
    return collector, environment_of_copilot(environment, telemetry, content=content)


def _of_opencode(
    choices: Choices, environment: dict[str, str], directory: Path
) -> "tuple[Collector | None, dict[str, str]]":
    if why_not_opencode(environment) is not None:
        return None, environment
    from inspector.coding_agents.opencode import PLUGIN, Collector

    _join(environment)
    notes = directory / "opencode.jsonl"
    collector = Collector(choices.home, notes, content=_has_content(choices))
    return collector, environment_of_opencode(environment, plugin=PLUGIN, notes=notes)


def _of_node(
    choices: Choices, environment: dict[str, str], directory: Path
) -> "tuple[Collector | None, dict[str, str]]":
    from inspector.node import Collector

    _join(environment)
    notes = directory / "node"
    notes.mkdir(mode=0o700)
    service = choices.service or environment.get("INSPECTOR_SERVICE") or environment.get("OTEL_SERVICE_NAME")
    collector = Collector(choices.home, notes, service=service, content=_has_content(choices))
    return collector, environment_of_node(environment, notes)


def _has_content(choices: Choices) -> bool:
    from inspector.configured import configured

    settings = configured(home=choices.home)
    # What is sent elsewhere has no content unless that was configured.
    content = settings.capture_content is not False if settings.endpoint is None else settings.capture_content is True
    return content and choices.content


def _join(environment: dict[str, str]) -> None:
    """Make this process part of the run that it starts."""
    from inspector.tally import VARIABLE

    os.environ[VARIABLE] = environment[VARIABLE]


_CODING_AGENTS = {
    "claude": (
        _of_claude_code,
        lambda: why_not_claude_code(os.environ, Path.cwd()) or _CLAUDE_CODE_SENT_NOTHING,
    ),
    "codex": (_of_codex, lambda: _CODEX_KEPT_NOTHING),
    "copilot": (_of_copilot, lambda: why_not_copilot(os.environ) or _COPILOT_WROTE_NOTHING),
    "gemini": (
        _of_gemini_cli,
        lambda: why_not_gemini_cli(os.environ, Path.cwd()) or _GEMINI_CLI_KEPT_NOTHING,
    ),
    "opencode": (_of_opencode, lambda: why_not_opencode(os.environ) or _OPENCODE_NOTED_NOTHING),
}
"""By the names of their programs: what records them, and why nothing was recorded."""
