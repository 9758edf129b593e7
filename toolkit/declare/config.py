"""What is declared about an agent: one model for decorators and cards, read by pydantic."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from toolkit.agents.options import FUNCTIONS, LIMITS, SharedOptions, options_of, rules
from toolkit.agents.thread import HistoryMergeTarget, HistorySource
from toolkit.errors import CardProblem
from toolkit.models.model import Model
from toolkit.schemas.reading import (
    WRITTEN,
    Count,
    Different,
    Functions,
    Misfit,
    OneOrMore,
    Seconds,
    Text,
    Words,
    type_name,
    unknown_key,
    validated,
)
from toolkit.tool_class import Tool

_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


def _agent_name(value: str) -> str:
    name = value.replace(" ", "_")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot be an agent's name: 1 to 100 letters, digits, '_' or '-'")
    return name


def _name_or_model(value: object) -> object:
    if isinstance(value, bool | int | float | list | Mapping):
        raise ValueError(f"expected the name of a model, found {type_name(cast('object', value))}")  # noqa: TRY004 - as pydantic takes it
    return value.strip() or None if isinstance(value, str) else value


def _filters(value: object) -> object:
    if not isinstance(value, Mapping):
        raise ValueError(  # noqa: TRY004 - pydantic takes it as what is wrong
            f"expected the tools of each server, as in {{time: [get_time]}}, found {type_name(value)}; "
            "functions go into function_tools"
        )
    return dict(cast("Mapping[Any, Any]", value))


AgentName = Annotated[Text, AfterValidator(_agent_name)]
"""A name that can follow ``agent__`` in the name of a tool; blanks become ``_``."""
Names: TypeAlias = Different[Text]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an agent was declared."""

    source: str = "<python>"
    """The file or address."""
    line: int = 1
    lines: Mapping[str, int] = field(default_factory=dict[str, int])
    """Line of each key, where they are known."""
    base_path: FilePath | None = None
    """What relative paths are relative to; None for the working directory."""
    is_card: bool = False
    is_remote: bool = False

    def problem(self, message: str, key: str = "") -> CardProblem:
        """Return ``message`` as a problem of ``key``."""
        return CardProblem(self.source, self.lines.get(key, self.line), message)


class Declared(SharedOptions, total=False):
    """What a decorator takes beside a name and an instruction; ``AgentConfig`` says what each of it means."""

    model: Model | str
    default: bool
    servers: Sequence[str]
    tools: Mapping[str, Sequence[str]]
    function_tools: Sequence[Tool | Callable[..., Any] | str]
    agents: Sequence[str]
    use_history: bool
    messages: str | Sequence[str]
    history_source: HistorySource
    history_merge_target: HistoryMergeTarget
    child_timeout_sec: float
    max_display_instances: int


if TYPE_CHECKING:
    Shared = BaseModel
else:
    Shared = rules()


class AgentConfig(Shared):
    """One declared agent; nothing in it is loaded, connected or checked against other agents yet."""

    model_config = WRITTEN

    name: AgentName
    """Its name; by default that of the file."""
    instruction: Text
    """The system prompt; in Markdown, the text below the front matter."""
    default: bool = False
    """Whether the application's messages go to it. Without one, the first declared agent gets them."""
    model: Annotated[Any, BeforeValidator(_name_or_model)] = None
    """``openai:NAME``, ``NAME`` or ``scripted:FILE``; in Python also a model. By default that of the application."""
    servers: Names = ()
    """Names of configured MCP servers."""
    tools: Annotated[dict[Text, Names], BeforeValidator(_filters)] = Field(default_factory=dict)
    """By server, the tools to offer; all tools of a server that is not named here."""
    function_tools: Functions = ()
    """Local tools, as ``module.py:name``: functions, tools, or lists of them; in Python also the objects."""
    agents: Different[AgentName] = ()
    """Names of agents that it can call, as the tools ``agent__<name>``."""
    use_history: bool = True
    """Whether it remembers earlier messages."""
    messages: Annotated[Names, OneOrMore] = ()
    """Files with the first messages of its conversation; one file, or a list."""
    history_source: HistorySource = "none"
    """Earlier messages that its child agents see: ``none``, ``messages``, ``child``, ``orchestrator``."""
    history_merge_target: HistoryMergeTarget = "none"
    """Who remembers the conversation with a child agent: ``none``, ``child``, ``orchestrator``."""
    child_timeout_sec: Seconds | None = None
    """Timeout of a call to a child agent, in seconds; none by default."""
    max_display_instances: Count = 20
    """How many parallel children ``toolkit run`` shows individually."""
    agent_class: type[Any] | None = Field(default=None, exclude=True)
    """What is made of it, from ``fast.custom``; None for ``toolkit.Agent``."""
    origin: Origin = Field(default_factory=Origin, exclude=True)
    """Where it was declared."""

    @property
    def options(self) -> SharedOptions:
        """What ``Agent`` takes of it."""
        return options_of(self)


class Card(AgentConfig):
    """What a card can say besides."""

    type: Literal["agent"] = "agent"
    """The kind of card: ``agent``, the only one; workflows are written in Python."""
    schema_version: Literal[1] = 1
    """The version of this format: 1."""


_UNWRITTEN = {"agent_class", "origin"}
"""What is known of a declaration without being in it."""


def _keys(kind: type[AgentConfig]) -> tuple[str, ...]:
    return tuple(sorted(kind.model_fields.keys() - _UNWRITTEN))


CARD_KEYS = _keys(Card)
"""What a card can have."""
PYTHON_KEYS = _keys(AgentConfig)
"""What a decorator takes."""
CODE_KEYS = ("function_tools", "tool_hooks", "output")
"""Keys whose values are run."""


def read_config(kind: type[AgentConfig], values: Mapping[str, Any]) -> AgentConfig:
    """Return what a card or a decorator says."""
    keys = CARD_KEYS if kind is Card else PYTHON_KEYS
    if unwritten := sorted(_UNWRITTEN & values.keys()):
        raise Misfit([((key,), unknown_key(key, keys)) for key in unwritten])
    words = Words(
        lambda path: LIMITS if len(path) > 1 else keys,
        what=lambda path: FUNCTIONS if path[-1] in CODE_KEYS else "names",
    )
    config = validated(kind, values, words)
    fields = {key: getattr(config, key) for key in AgentConfig.model_fields}
    return AgentConfig.model_construct(config.model_fields_set & fields.keys(), **fields)
