"""Classes of a framework known by their names: importing the framework to ask could take seconds, or fail."""

from collections.abc import Mapping
from typing import Any, TypeVar, cast

_Kind = TypeVar("_Kind")


def inherits(cls: type[Any], *names: str, of: str | tuple[str, ...] = "") -> bool:
    """Tell whether a class, or one that it inherits from, has one of these names.

    Args:
        cls: The class.
        names: The names.
        of: How the module of such a class begins, if a program could have one of the same name.
    """
    return any(each.__name__ in names and each.__module__.startswith(of) for each in cls.__mro__)


def is_a(value: Any, *names: str, of: str | tuple[str, ...] = "") -> bool:
    """Tell the same about the class of a value."""
    return inherits(cast("type[Any]", type(value)), *names, of=of)


def kind_of(value: Any, kinds: Mapping[str, _Kind]) -> _Kind | None:
    """Return what belongs to the first name among those of a value's class and what it inherits from; else None."""
    bases: tuple[type[Any], ...] = type(value).__mro__
    return next((kinds[each.__name__] for each in bases if each.__name__ in kinds), None)
