"""The options of agents, defined once for Python, decorators and cards."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, cast, get_type_hints

from toolkit.agents.limits import Limits
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.extras import need
from toolkit.middleware.contexts import ToolHook
from toolkit.models.model import Message

if TYPE_CHECKING:
    # Options are read by pydantic, and an agent without any does without it.
    from pydantic import BaseModel, BeforeValidator, Strict

    from toolkit.schemas.reading import Count, Functions, read_as

FUNCTIONS = "functions, as 'module.py:function'"
"""What lists of functions hold, in messages."""


def as_output(value: object) -> object:
    """Return a type, or where there is one."""
    from toolkit.schemas.reading import spec, type_name

    if isinstance(value, bool | int | float | list | Mapping):
        raise ValueError(f"expected a type, as 'module.py:Type', found {type_name(cast('object', value))}")  # noqa: TRY004 - as pydantic takes it
    return spec(value, "Type") if isinstance(value, str) else value


class SharedOptions(TypedDict, total=False):
    """Options of every agent, however it is made."""

    description: "Annotated[str, Strict()]"
    """What it does, for agents that have it as a tool."""
    tool_hooks: "Annotated[Sequence[ToolHook | str], read_as(Functions)]"
    """Middleware around every tool call, the first one outermost."""
    max_turns: "Count"
    """Maximum model calls in one run."""
    max_parallel: "Count | None"
    """How many of its tools run in parallel; all of them by default."""
    limits: Limits | None
    """Limits of a run, including the agents that it calls: ``depth``, ``turns``, ``calls``, ``tokens``."""
    output: "Annotated[Any, BeforeValidator(as_output)]"
    """The type of its answer, as ``module.py:Type``; in Python the type itself, such as a pydantic model."""


class AgentOptions(SharedOptions, total=False):
    """The options of ``Agent``, besides its name, its instruction and its model."""

    tools: Iterable[object] | Callable[..., Any]
    """Tools as for ``ToolNode``: functions, ``Tool`` objects, MCP servers; and other agents, as ``AgentTool``."""
    context: ToolContext | None
    """The context for its tools; the context of a run takes precedence."""
    messages: Sequence[Message]
    """The first messages of each conversation."""


KEYS = tuple(AgentOptions.__annotations__)
SHARED_KEYS = tuple(SharedOptions.__annotations__)
LIMITS = tuple(limit.name for limit in fields(Limits) if not limit.name.startswith("cost"))
"""Keys of ``limits`` in a card."""


def checked(options: AgentOptions, agent: str, kind: type) -> AgentOptions:
    """Return the checked options of an agent of this kind; a single function becomes a list."""
    values = cast("Mapping[str, Any]", options)
    shared = {key: value for key, value in values.items() if key in SHARED_KEYS or key not in KEYS}
    if not shared:
        return options
    need("pydantic", extra="toolkit", purpose=f"the options of {agent}")
    from toolkit.schemas.reading import Misfit, Words, validated

    try:
        keys = {*KEYS, *signature(kind).parameters} - {"options"}
        words = Words(lambda path: LIMITS if len(path) > 1 else keys, what=lambda _: FUNCTIONS)
        model = validated(rules(), shared, words)
    except Misfit as error:
        raise DefinitionInvalid(f"agent {agent!r}: {error}") from None
    return cast("AgentOptions", {**values, **options_of(model)})


@cache
def rules() -> "type[BaseModel]":
    """Return ``SharedOptions`` as a model of pydantic's."""
    from pydantic import create_model

    from toolkit.schemas import reading

    hints: dict[str, Any] = get_type_hints(SharedOptions, localns=vars(reading), include_extras=True)
    parts: Any = {key: (hint, None) for key, hint in hints.items()}
    return create_model("options", __config__=reading.WRITTEN, **parts)


def options_of(model: "BaseModel") -> SharedOptions:
    """Return what was said of the options that ``rules`` read."""
    return cast("SharedOptions", {key: getattr(model, key) for key in SHARED_KEYS if key in model.model_fields_set})
