"""Says what a class takes where it is made with a keyword that it does not know."""

from collections.abc import Iterable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from toolkit.errors import DefinitionInvalid, did_you_mean

K = TypeVar("K")


def require_known(kind: type, keywords: Iterable[str]) -> None:
    """Refuse a keyword that ``kind`` does not take, with the nearest one that it does."""
    parameters = signature(kind.__init__).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return
    known = [each.name for each in parameters if each.kind is not each.POSITIONAL_ONLY and each.name != "self"]
    for name in keywords:
        if name not in known:
            near = did_you_mean(name, known)
            raise DefinitionInvalid(f"{kind.__name__} takes no {name!r}{near}; it takes {', '.join(known) or 'none'}")


def spelled(kind: type[K]) -> type[K]:
    """Have a dataclass refuse unknown keywords so, when Python has refused them."""
    make: Any = kind.__init__

    @wraps(make)
    def checked(self: K, *args: Any, **named: Any) -> None:
        try:
            make(self, *args, **named)
        except TypeError:
            require_known(kind, named)
            raise

    kind.__init__ = checked
    return kind
