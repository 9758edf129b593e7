"""Arguments that the caller's context gives, and models never see."""

from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.errors import DependencyMissing

T = TypeVar("T")

MISSING: Any = object()
"""Stands for no default."""

_MARK = object()

Inject: TypeAlias = Annotated[T, _MARK]
"""``db: Inject[Database]`` is a ``Database`` to type checkers; ``Annotated[Database, Inject]`` says the same."""

Injection = Callable[[ToolCall, ToolContext], Any]
"""Finds what an argument gets."""

_WORDS = (str, int, float, bool)


def injection_of(name: str, hint: Any, default: Any) -> Injection | None:
    """Return how the argument ``name`` is injected; None for one that the model gives.

    ``tool_call_id`` is injected by its name; so is ``state``, unless its hint is text, a number, a choice or the like,
    and ``context`` without a hint: else they are the model's. ``ToolContext`` and ``Inject[T]`` have any name.
    """
    if (kind := _marked(default)) is not None:
        # `db: Database = Inject[Database]`, as others write it.
        return _dependency(name, kind, MISSING, optional=False)
    options = _options(hint)
    for each in options:
        if (kind := _marked(each)) is not None:
            return _dependency(name, kind, default, optional=type(None) in options)
    if name == "tool_call_id":
        return lambda call, _context: call.id
    if ToolContext in options or (name == "context" and hint is Any):
        return lambda _call, context: context
    if name == "state" and not all(map(_is_word, options)):
        return lambda _call, context: context.state
    return None


def _options(hint: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the one."""
    if get_origin(hint) is Annotated and _marked(hint) is None:
        hint = get_args(hint)[0]
    is_union = get_origin(hint) is not Annotated and type(None) in get_args(hint)
    return get_args(hint) if is_union else (hint,)


def _marked(hint: Any) -> Any:
    """Return the type that ``Inject`` is written around, None where it is not."""
    if get_origin(hint) is not Annotated:
        return None
    kind, *notes = get_args(hint)
    return kind if any(note is _MARK or note is Inject for note in notes) else None


def _is_word(hint: Any) -> bool:
    is_word = isinstance(hint, type) and issubclass(hint, (*_WORDS, Enum))
    return is_word or hint is type(None) or get_origin(hint) is Literal


def _dependency(name: str, kind: Any, default: Any, *, optional: bool) -> Injection:
    if type(None) in get_args(kind):
        others = [each for each in get_args(kind) if each is not type(None)]
        kind, optional = others[0] if len(others) == 1 else kind, True
    fallback = None if optional and default is MISSING else default

    def find(_call: ToolCall, context: ToolContext) -> Any:
        try:
            return context.dependency(kind)
        except DependencyMissing as error:
            if fallback is not MISSING:
                return fallback
            raise DependencyMissing(f"argument {name!r}: {error}") from None

    return find
