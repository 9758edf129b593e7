"""What can be said about an agent, once for all places where it is said: Python, decorators and cards."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, GetPydanticSchema, Strict, with_config
from typing_extensions import TypedDict

from toolkit.agents.limits import Limits
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.middleware.contexts import ModelHook, ToolHook
from toolkit.model import Message
from toolkit.schemas.reading import WRITTEN, Count, Functions, Misfit, Path, Words, read, spec, type_name, unknown_key


def _as(kind: Any) -> GetPydanticSchema:
    """Have pydantic read as ``kind`` what type checkers know better."""
    return GetPydanticSchema(lambda _, handler: handler.generate_schema(kind))


def _output(value: object) -> object:
    if isinstance(value, bool | int | float | list | Mapping):
        raise ValueError(f"expected a type, as 'module.py:Name', found {type_name(cast('object', value))}")  # noqa: TRY004 - as pydantic takes it
    return spec(value) if isinstance(value, str) else value


def _limits(value: object) -> object:
    if value is None or isinstance(value, Limits | Mapping):
        return cast("object", value)
    raise ValueError(f"expected limits, as in {{depth: 3, tokens: 100000}}, found {type_name(value)}")


@with_config(WRITTEN)
class SharedOptions(TypedDict, total=False):
    """Options of every agent, however it is made."""

    description: Annotated[str, Strict()]
    """What it does, for the agents that have it as a tool."""
    tool_hooks: Annotated[Sequence[ToolHook | str], _as(Functions)]
    """Middleware around every tool call, the first one outermost."""
    model_hooks: Annotated[Sequence[ModelHook | str], _as(Functions)]
    """Middleware around every model call, the first one outermost."""
    max_turns: Count
    """How often its model may be asked in one run; 20 times by default."""
    max_parallel: Count | None
    """How many of its tools work at once; all that are called by default."""
    limits: Annotated[Limits | None, BeforeValidator(_limits)]
    """What a run may come to, with the agents that it calls: ``depth``, ``turns``, ``calls``, ``tokens``."""
    output: Annotated[Any, _as(Annotated[Any, BeforeValidator(_output)])]
    """The type of its answer, as ``module.py:Name``; in Python the type itself, such as a pydantic model."""


class AgentOptions(SharedOptions, total=False):
    """What ``Agent`` takes beside its name, its instruction and its model."""

    tools: Iterable[object] | Callable[..., Any]
    """What ``ToolNode`` takes: functions, ``Tool`` objects, MCP servers; and other agents, as ``AgentTool``."""
    context: ToolContext | None
    """What the tools may use; a run's own context goes before."""
    messages: Sequence[Message]
    """What each conversation begins with."""


SHARED_KEYS = tuple(SharedOptions.__annotations__)
LIMITS = tuple(limit.name for limit in fields(Limits) if not limit.name.startswith("cost"))
"""What ``limits`` can have in a card."""


def checked(options: AgentOptions, agent: str) -> AgentOptions:
    """Return the options of an agent as they were meant: one function alone is a list of it.

    Raises:
        DefinitionInvalid: There is no such option, or a value is not what its option takes.
    """
    values = cast("Mapping[str, Any]", options)
    shared = {key: value for key, value in values.items() if key in SHARED_KEYS}
    for key in values.keys() - AgentOptions.__annotations__.keys():
        raise DefinitionInvalid(f"agent {agent!r}: {unknown_key(key, AgentOptions.__annotations__)}")
    try:
        return cast("AgentOptions", {**values, **read(SharedOptions, shared, WORDS)})
    except Misfit as error:
        raise DefinitionInvalid(f"agent {agent!r}: {error}") from None


def _allowed(path: Path) -> tuple[str, ...]:
    return LIMITS if path[0] == "limits" and len(path) > 1 else tuple(AgentOptions.__annotations__)


WORDS = Words(_allowed, what=lambda _: "functions, as 'module.py:function'")
"""What messages about options need to know."""
