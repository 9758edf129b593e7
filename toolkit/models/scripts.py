"""Reads the scripts of scripted models from files.

A file is a list of turns, or an object::

    model: gpt-4.1-mini          # whose name the answers carry, and so whose prices; "scripted" by default
    turns:                       # for every agent that has none of its own below
      - text: Let me look.
        calls:
          - {name: add_one, arguments: {x: 3}}
      - "It is {results}."       # a turn of text alone
    agents:
      NY-Project-Manager:
        - "{message}: on track"

``{message}`` stands for the last message of the user, ``{results}`` for what the last tools answered. Every
conversation gets its script from the beginning.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from toolkit.errors import ScriptInvalid
from toolkit.extras import need
from toolkit.model import ModelRequest
from toolkit.models.scripted import ScriptedModel, Turn

_TURN_KEYS = ("text", "calls", "delay_s")
_FILE_KEYS = ("model", "provider", "chunk_delay_s", "turns", "agents")


@dataclass(frozen=True, slots=True)
class Script:
    """The answers for several agents."""

    path: Path
    turns: tuple[Turn, ...] | None = None
    """For agents that have none of their own."""
    agents: Mapping[str, tuple[Turn, ...]] = field(default_factory=dict[str, tuple[Turn, ...]])
    model: str = "scripted"
    provider: str = "scripted"
    chunk_delay_s: float = 0.0

    @classmethod
    def read(cls, path: Path | str) -> "Script":
        """Read a file, YAML or JSON.

        Raises:
            ScriptInvalid: There is no such file, or it is no script.
            ExtraMissing: It is YAML and ``pyyaml`` is not installed.
        """
        path = Path(path)
        value: object = _parsed(path)
        known: Mapping[str, Any] = {"turns": value}
        if not isinstance(value, list):
            known = _object(path, "it", value, _FILE_KEYS)
        turns = _turns(path, "turns", known["turns"]) if known.get("turns") is not None else None
        agents = _mapping(path, "agents", known.get("agents") or {})
        own = {name: _turns(path, f"agents.{name}", each) for name, each in agents.items()}
        if turns is None and not own:
            raise ScriptInvalid(f"{path}: no turns in it; expected a list of turns, or an object with turns or agents")
        return cls(
            path,
            turns,
            own,
            _text(path, "model", known.get("model", "scripted")),
            _text(path, "provider", known.get("provider", "scripted")),
            _seconds(path, "chunk_delay_s", known.get("chunk_delay_s", 0)),
        )

    def model_for(self, agent: str) -> ScriptedModel:
        """Return the model that answers ``agent``.

        Raises:
            ScriptInvalid: Nothing is written for it.
        """
        turns = self.agents.get(agent, self.turns)
        if turns is None:
            raise ScriptInvalid(f"{self.path}: nothing for the agent {agent!r}; it has {', '.join(self.agents)}")
        return ScriptedModel(
            [_step(each) for each in turns],
            name=self.model,
            provider=self.provider,
            each_conversation=True,
            chunk_delay_s=self.chunk_delay_s,
        )


def _step(turn: Turn) -> Callable[[ModelRequest], Turn]:
    def step(request: ModelRequest) -> Turn:
        return Turn(_filled(turn.text, request), turn.calls, turn.delay_s)

    return step


def _filled(text: str, request: ModelRequest) -> str:
    messages = request.messages
    asked = [each.get("content") or "" for each in messages if each["role"] == "user"]
    answers = [at for at, each in enumerate(messages) if each["role"] == "assistant"]
    results = [
        each.get("content") or "" for each in messages[answers[-1] + 1 if answers else 0 :] if each["role"] == "tool"
    ]
    # One after the other would also fill in what a message says of results.
    parts = text.split("{message}")
    return (asked[-1] if asked else "").join(part.replace("{results}", "; ".join(results)) for part in parts)


def _parsed(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScriptInvalid(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if path.suffix == ".json":
        try:
            return json.loads(text)
        except ValueError as error:
            raise ScriptInvalid(f"{path}: not valid JSON: {error}") from error
    yaml = need("yaml", extra="toolkit", purpose=f"a script in YAML ({path.name})")
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ScriptInvalid(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error


def _turns(path: Path, place: str, value: object) -> tuple[Turn, ...]:
    return tuple(_turn(path, f"{place}[{at}]", each) for at, each in enumerate(_list(path, place, value)))


def _turn(path: Path, place: str, value: object) -> Turn:
    if isinstance(value, str):
        return Turn(value)
    known = _object(path, place, value, _TURN_KEYS)
    calls = _list(path, f"{place}.calls", known.get("calls") or [])
    return Turn(
        _text(path, f"{place}.text", known.get("text", "")),
        tuple(_call(path, f"{place}.calls[{at}]", each) for at, each in enumerate(calls)),
        _seconds(path, f"{place}.delay_s", known.get("delay_s", 0)),
    )


def _call(path: Path, place: str, value: object) -> tuple[str, Mapping[str, Any] | str]:
    known = _object(path, place, value, ("name", "arguments"))
    arguments = known.get("arguments", {})
    written = arguments if isinstance(arguments, str) else _mapping(path, f"{place}.arguments", arguments)
    return _text(path, f"{place}.name", known.get("name")), written


def _object(path: Path, place: str, value: object, keys: Sequence[str]) -> Mapping[str, Any]:
    known = _mapping(path, place, value)
    for key in known:
        if key not in keys:
            raise ScriptInvalid(f"{path}: {place} has {key!r}; known are {', '.join(keys)}")
    return known


def _mapping(path: Path, place: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(path, place, "an object", value)
    return {str(key): each for key, each in cast("dict[Any, Any]", value).items()}


def _list(path: Path, place: str, value: object) -> list[object]:
    if not isinstance(value, list):
        raise _wrong(path, place, "a list", value)
    return cast("list[object]", value)


def _text(path: Path, place: str, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(path, place, "a string", value)
    return value


def _seconds(path: Path, place: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise _wrong(path, place, "seconds", value)
    return float(value)


def _wrong(path: Path, place: str, expected: str, value: object) -> ScriptInvalid:
    return ScriptInvalid(f"{path}: {place} is {value!r}; expected {expected}")
