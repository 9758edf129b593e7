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
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, PrivateAttr, Strict, model_validator

from toolkit.errors import CardInvalid, ScriptInvalid
from toolkit.models.model import ModelRequest, text_of
from toolkit.models.scripted import ScriptedModel, Turn
from toolkit.schemas.documents import parse
from toolkit.schemas.reading import WRITTEN, Key, Misfit, Text, Words, short_text, type_name, validated


def _delay(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise ValueError(f"expected seconds, 0 or more, found {short_text(value)}")
    return float(value)


def _arguments(value: object) -> Mapping[str, Any] | str:
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"expected a mapping, or text that is sent as it is, found {type_name(value)}")  # noqa: TRY004 - as pydantic takes it
    return {str(key): item for key, item in cast("Mapping[Any, Any]", value).items()}


Delay = Annotated[Any, AfterValidator(_delay)]


class WrittenCall(BaseModel):
    """A tool that a turn calls."""

    model_config = WRITTEN

    name: Text
    arguments: Annotated[Any, AfterValidator(_arguments)] = {}


class WrittenTurn(BaseModel):
    """One answer; text alone stands for one that calls nothing."""

    model_config = WRITTEN

    text: str = ""
    calls: Annotated[tuple[WrittenCall, ...], Strict(False), BeforeValidator(lambda calls: calls or ())] = ()
    delay_s: Delay = 0.0

    @model_validator(mode="before")
    @classmethod
    def _text_alone(cls, value: object) -> object:
        return {"text": value} if isinstance(value, str) else value

    def turn(self, request: ModelRequest) -> Turn:
        """Return the turn as an answer to a request."""
        return Turn(_filled(self.text, request), [(call.name, call.arguments) for call in self.calls], self.delay_s)


Turns = Annotated[tuple[WrittenTurn, ...], Strict(False)]


class Script(BaseModel):
    """The answers for several agents."""

    model_config = WRITTEN

    turns: Turns | None = None
    """For agents that have none of their own."""
    agents: Annotated[dict[str, Turns], BeforeValidator(lambda agents: agents or {})] = {}
    model: Text = "scripted"
    provider: Text = "scripted"
    chunk_delay_s: Delay = 0.0
    _path: Path = PrivateAttr(default=Path())

    @classmethod
    def read(cls, path: Path | str) -> "Script":
        """Read a file, YAML or JSON."""
        path = Path(path)
        value: object = _parsed(path)
        try:
            is_list = isinstance(value, list)
            script = validated(cls, {"turns": cast("object", value)} if is_list else value, Words(_allowed))
        except Misfit as error:
            raise ScriptInvalid(f"{path}: {error}") from None
        if script.turns is None and not script.agents:
            raise ScriptInvalid(f"{path}: no turns in it; expected a list of turns, or a mapping with turns or agents")
        script._path = path  # noqa: SLF001 - of the same class
        return script

    def model_for(self, agent: str) -> ScriptedModel:
        """Return the model that answers ``agent``."""
        turns = self.agents.get(agent, self.turns)
        if turns is None:
            raise ScriptInvalid(f"{self._path}: nothing for the agent {agent!r}; it has {', '.join(self.agents)}")
        return ScriptedModel(
            [turn.turn for turn in turns],
            name=self.model,
            provider=self.provider,
            each_conversation=True,
            chunk_delay_s=self.chunk_delay_s,
        )


def _allowed(path: tuple[Key, ...]) -> tuple[str, ...]:
    kind = Script if len(path) == 1 else WrittenCall if "calls" in path[:-1] else WrittenTurn
    return tuple(kind.model_fields)


def _filled(text: str, request: ModelRequest) -> str:
    messages = request.messages
    # The pictures of tools are a message of the user, who did not write it.
    asked = [
        text_of(message)
        for at, message in enumerate(messages)
        if message["role"] == "user" and not (at and messages[at - 1]["role"] == "tool")
    ]
    answers = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    results = [
        text_of(message) for message in messages[answers[-1] + 1 if answers else 0 :] if message["role"] == "tool"
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
    try:
        return parse(text, str(path))[1]
    except CardInvalid as error:
        raise ScriptInvalid(str(error)) from error
