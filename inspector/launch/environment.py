"""The environment variables that tell the recorder inside a program what to do."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

from inspector.environment import read_environment
from inspector.frozen import FREEZE, Frozen
from inspector.integrations import HTTP_CLIENTS, INTEGRATIONS, JOBS, SERVERS, STANDARD_LIBRARY, chosen
from inspector.tally import RUN_ABOVE
from inspector.this_run import REPLAYED

STARTUP = Path(__file__).parent / "startup"
"""The directory whose ``sitecustomize`` Python runs before the program."""

REPLAY = "INSPECTOR_REPLAY"
"""Names the tape file for a replay."""

LENT = "INSPECTOR_LENT"
"""Says where the packages are that a program's Python may lack, and for which Pythons they are."""
_NEEDED = ("inspector", "instrument", "msgspec", "opentelemetry", "typing_extensions")

_ALWAYS = "*"
_KEYS = (
    "ANTHROPIC_API_KEY",
    "CO_API_KEY",
    "GEMINI_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "OPENAI_API_KEY",
)
UNSENT = {
    "AGNO_TELEMETRY": "false",
    "ANONYMIZED_TELEMETRY": "false",
    "CREWAI_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "true",
    "MEM0_TELEMETRY": "false",
}
"""Turns off what would reach other machines during a replay: telemetry of frameworks, and LiteLLM's list of prices."""


@dataclass(frozen=True, slots=True)
class Choices:
    """How to record a program; None and False leave it to the environment."""

    service: str | None = None
    home: Path | None = None
    content: bool = True
    integrations: tuple[str, ...] = ()
    """The only integrations to use, by name; empty for all."""
    without: tuple[str, ...] = ()
    """Integrations to leave out."""
    otel: bool = False
    logs: bool = False
    quiet: bool = False
    replay: Path | None = None
    """The tape to replay."""
    goes_live: bool = False
    """Whether the replay may continue with real calls, and so starts servers."""
    replayed: str | None = None
    """The run whose replay this is recorded as."""
    frozen: Frozen | None = None
    """The time at which its clock stands, and the seed of its random numbers."""


def environment_of(environ: Mapping[str, str], choices: Choices, run: Path) -> dict[str, str]:
    """Return an environment in which a program, and every Python that it starts, records.

    Args:
        environ: The environment of the program otherwise.
        choices: How to record it.
        run: The directory for the counts of its processes.

    Raises:
        IntegrationUnknown: A name is none of an integration.
    """
    variables = dict(environ)
    variables["PYTHONPATH"] = os.pathsep.join(
        filter(None, (str(STARTUP), _without_ours(environ.get("PYTHONPATH", ""))))
    )
    variables[LENT] = os.pathsep.join((EXTENSION_SUFFIXES[0], *dict.fromkeys(_places())))
    if choices.service is not None:
        variables["INSPECTOR_SERVICE"] = choices.service
    if choices.home is not None:
        variables["INSPECTOR_HOME"] = str(choices.home.absolute())
    if not choices.content:
        variables["INSPECTOR_CAPTURE_CONTENT"] = "false"
    if choices.otel:
        variables["INSPECTOR_OTEL"] = "true"
    if choices.logs:
        variables["INSPECTOR_LOGS"] = "true"
    off = switched_off(environ, choices)
    if off:
        variables["INSPECTOR_INTEGRATIONS_OFF"] = ",".join(off)
    if choices.replay is not None:
        variables |= {REPLAY: str(choices.replay), REPLAYED: choices.replayed or ""}
        variables |= keys_of_a_replay(variables) | UNSENT
        # An answer that DSPy has kept from the recorded run would be one that nobody asked for.
        variables["DSPY_CACHEDIR"] = str(run / "dspy")
        # The recording of a replay stays here.
        variables.pop("INSPECTOR_ENDPOINT", None)
    if choices.frozen is not None:
        variables[FREEZE] = choices.frozen.written
        if choices.frozen.seed is not None:
            # The order of sets of texts.
            variables["PYTHONHASHSEED"] = str(choices.frozen.seed)
    is_eager = choices.replay is not None or choices.frozen is not None or read_environment(environ=variables).otel
    variables[RUN_ABOVE] = _for_startup(choices, off, is_eager, run)
    return variables


def _places() -> Iterator[str]:
    """Yield the directories that have what recording needs."""
    for spec in filter(None, map(find_spec, _NEEDED)):
        found = spec.submodule_search_locations or [spec.origin or ""]
        yield from (str(Path(each).parent) for each in found)


def keys_of_a_replay(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the keys that SDKs need to start, with a word for those that are not set; a replay sends them nowhere."""
    # With both of its names set, Google's SDK warns.
    needed = (name for name in _KEYS if name != "GEMINI_API_KEY" or not environ.get("GOOGLE_API_KEY"))
    return {name: environ.get(name) or "replayed" for name in needed}


def _without_ours(path: str) -> str:
    """Return the original ``PYTHONPATH`` if a run is started inside another one."""
    return os.pathsep.join(each for each in path.split(os.pathsep) if each != str(STARTUP))


def switched_off(environ: Mapping[str, str], choices: Choices) -> list[str]:
    """Return the names of the integrations to switch off.

    Raises:
        IntegrationUnknown: A name among the choices is none of an integration.
    """
    before = read_environment(environ=environ).integrations_off
    names = {each.name for each in INTEGRATIONS}
    off = {*choices.without, *(name for name in before if name in names)}
    on = {each.name for each in chosen(choices.integrations or None, without=off)}
    return sorted(each.name for each in INTEGRATIONS if each.name not in on)


def _for_startup(choices: Choices, off: list[str], eager: bool, run: Path) -> str:  # noqa: FBT001 - see the caller
    idle = STANDARD_LIBRARY.union(off)
    if choices.replay is not None:
        # A Python that cannot be answered is stopped where it imports one of the others, which call models or tools.
        idle |= HTTP_CLIENTS | JOBS | SERVERS
        if choices.goes_live:
            # A server of MCP may be such a Python, and calls no model by itself.
            idle |= {"mcp"}
    triggers = ["instrument", *(each.trigger for each in INTEGRATIONS if each.name not in idle)]
    if eager:
        # Other libraries' instrumentation has to be installed before their targets are imported, a replay before the
        # first connection, and a frozen clock before anybody reads it.
        triggers.append(_ALWAYS)
    return ":".join((str(os.getpid()), "quiet" if choices.quiet else "", ",".join(triggers), str(run)))
