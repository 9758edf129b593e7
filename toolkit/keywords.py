"""Says what a class takes where it is made with a keyword that it does not know."""

from collections.abc import Collection, Iterable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, Unpack, get_args, get_origin

from toolkit.errors import DefinitionInvalid, did_you_mean

K = TypeVar("K")

_THEIRS = {
    "agents": ("participants", "tools"),
    "args": ("inputs",),
    "arguments": ("inputs",),
    "channel": ("output",),
    "cmd": ("command",),
    "desc": ("description",),
    "middleware": ("tool_hooks",),
    "model": ("name",),
    "orchestrator": ("agents",),
    "output": ("content",),
    "prompt": ("instruction",),
    "servers": ("tools",),
    "system_prompt": ("instruction",),
}
"""Keywords of other frameworks and what they mean here, the first that is known, where no likeness says it."""


def require_known(kind: type, keywords: Iterable[str]) -> None:
    """Refuse a keyword that ``kind`` does not take, with the nearest one that it does."""
    known: list[str] = []
    for each in list(signature(kind.__init__).parameters.values())[1:]:
        if each.kind is each.VAR_KEYWORD:
            if get_origin(each.annotation) is not Unpack:
                return  # whatever it is given
            [options] = get_args(each.annotation)
            known += options.__annotations__
        elif each.kind is not each.POSITIONAL_ONLY:
            known.append(each.name)
    for name in keywords:
        if name not in known:
            near = suggestion(name, known)
            raise DefinitionInvalid(f"{kind.__name__} takes no {name!r}{near}; it takes {', '.join(known) or 'none'}")


def suggestion(name: str, known: Collection[str], needed: Iterable[str] = ()) -> str:
    """Return the one of ``known`` that ``name`` is likely to mean, as the end of a message, or nothing.

    ``needed`` are meant before others that are hardly nearer.
    """
    words = name.split("_")
    same = [each for each in known if each in words or name in each.split("_")]
    theirs = [each for each in _THEIRS.get(name, ()) if each in known]
    return (
        did_you_mean(name, known, 0.8)
        or did_you_mean(name, needed)
        or next((f"; did you mean {each!r}?" for each in (*theirs, *same)), "")
        or did_you_mean(name, known)
    )


def checks_keywords(kind: type[K]) -> type[K]:
    """Have a class say so of an unknown keyword, once Python has refused it."""
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
