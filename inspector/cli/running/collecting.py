"""What ``inspector run`` records of programs that make their calls in no Python: coding agents, and what Node runs."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

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
from inspector.tally import RUN_ABOVE


class Collector(Protocol):
    """Records a program that is not written in Python, from `start` to `close`."""

    def start(self) -> None:
        """Record, in a thread."""
        ...

    def close(self, exit_code: int, /) -> None:
        """Record what is left."""
        ...


_Collected: TypeAlias = tuple[Collector, dict[str, str]]


def _no_reason(_: Mapping[str, str]) -> None:
    """Return why a coding agent is not recorded that always can be."""


class _CodingAgent(NamedTuple):
    """How one coding agent is recorded."""

    collect: Callable[[Choices, dict[str, str], Path], _Collected]
    """Returns what records it, and the environment that it needs, which begins as the given one."""
    why_nothing: str
    """Why nothing was recorded although it could have been."""
    why_not: Callable[[Mapping[str, str]], str | None] = _no_reason
    """Returns why it is not recorded in an environment; None if it can be."""


_NODE_CALLED_NOTHING = (
    "it sent no request to a model that is known by its path, or over HTTP/2, which is not seen: docs/frameworks.md"
)


def collected(
    program: Program, choices: Choices, environment: dict[str, str], directory: Path
) -> tuple[Collector | None, dict[str, str]]:
    """Return what records a coding agent or Node, and the environment that it needs; None for another program.

    Args:
        program: The program.
        choices: How to record it.
        environment: Its environment otherwise.
        directory: The private directory of the run.
    """
    if (agent := _CODING_AGENTS.get(program.name)) is not None:
        is_recorded, collect = agent.why_not(environment) is None, agent.collect
    else:
        is_recorded, collect = is_node(program.path) and why_not_node(program, environment) is None, _of_node
    if not is_recorded:
        return None, environment
    # This process is part of the run that it starts.
    os.environ[RUN_ABOVE] = environment[RUN_ABOVE]
    return collect(choices, environment, directory)


def why_of_another(program: Program) -> str | None:
    """Say why nothing was recorded of a coding agent or of Node; None for another program."""
    if (agent := _CODING_AGENTS.get(program.name)) is not None:
        return agent.why_not(os.environ) or agent.why_nothing
    return why_not_node(program, os.environ) or (_NODE_CALLED_NOTHING if is_node(program.path) else None)


def _of_claude_code(choices: Choices, environment: dict[str, str], directory: Path) -> _Collected:
    from inspector.coding_agents.claude_code import Collector

    bodies = directory / "bodies" if _has_content(choices) else None
    if bodies is not None:
        bodies.mkdir(mode=0o700)
    collector = Collector(choices.home, bodies)
    return collector, environment_of_claude_code(
        environment, endpoint=collector.endpoint, token=collector.token, bodies=bodies
    )


def _of_codex(choices: Choices, environment: dict[str, str], directory: Path) -> _Collected:
    from inspector.coding_agents.codex import Collector

    environment, traces = environment_of_codex(environment, directory / "codex")
    collector = Collector(choices.home, traces, sessions_of_codex(environment), content=_has_content(choices))
    return collector, environment


def _of_gemini_cli(choices: Choices, environment: dict[str, str], directory: Path) -> _Collected:
    from inspector.coding_agents.gemini_cli import Collector

    telemetry, projects = directory / "gemini.json", projects_of_gemini_cli(environment)
    collector = Collector(choices.home, telemetry, projects, content=_has_content(choices))
    return collector, environment_of_gemini_cli(environment, telemetry)


def _of_copilot(choices: Choices, environment: dict[str, str], directory: Path) -> _Collected:
    from inspector.coding_agents.copilot import Collector

    telemetry, content = directory / "copilot.jsonl", _has_content(choices)
    collector = Collector(choices.home, telemetry, content=content)
    return collector, environment_of_copilot(environment, telemetry, content=content)


def _of_opencode(choices: Choices, environment: dict[str, str], directory: Path) -> _Collected:
    from inspector.coding_agents.opencode import PLUGIN, Collector

    notes = directory / "opencode.jsonl"
    collector = Collector(choices.home, notes, content=_has_content(choices))
    return collector, environment_of_opencode(environment, plugin=PLUGIN, notes=notes)


def _of_node(choices: Choices, environment: dict[str, str], directory: Path) -> _Collected:
    from inspector.node import Collector

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


_CODING_AGENTS: Mapping[str, _CodingAgent] = {
    "claude": _CodingAgent(
        _of_claude_code,
        "Claude Code sent nothing: it worked off no prompt, or its settings set another place for telemetry",
        why_not_claude_code,
    ),
    "codex": _CodingAgent(
        _of_codex,
        "Codex kept no session: it worked off no prompt, or with --ephemeral, or in another process, "
        "or is an old version",
    ),
    "copilot": _CodingAgent(
        _of_copilot,
        "GitHub Copilot wrote no telemetry: it worked off no prompt, or is an old version",
        why_not_copilot,
    ),
    "gemini": _CodingAgent(
        _of_gemini_cli,
        "Gemini CLI kept no session: it worked off no prompt, or in a container (--sandbox), or is an old version",
        why_not_gemini_cli,
    ),
    "opencode": _CodingAgent(
        _of_opencode,
        "opencode worked off no prompt, or without plugins (--pure), or in another process (attach), "
        "or is an old version",
        why_not_opencode,
    ),
}
"""By the names of their programs."""
