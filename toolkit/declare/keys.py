"""The keys that a declaration can have, and what each of them takes."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, cast, get_args

from toolkit.agents.thread import HistoryMergeTarget, HistorySource
from toolkit.declare.documents import Key, type_name
from toolkit.errors import did_you_mean

Read: TypeAlias = Callable[[object], Any]
"""Returns the value of a key, or raises ``Unfit``."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


class Unfit(Exception):
    """A value is not what its key takes; ``path`` leads to the part that is not."""

    def __init__(self, message: str, *path: Key) -> None:
        super().__init__(message)
        self.path = path


def text(value: object) -> str:
    """Return text that is not empty."""
    if not isinstance(value, str):
        quotes = "; put it into quotes" if isinstance(value, bool | int | float) else ""
        raise Unfit(f"expected text, found {type_name(value)}{quotes}")
    if not value.strip():
        raise Unfit("expected text, found only blanks")
    return value.strip()


def agent_name(value: object) -> str:
    """Return a name that can follow ``agent__`` in the name of a tool; blanks become ``_``."""
    name = text(value).replace(" ", "_")
    if not _NAME.fullmatch(name):
        raise Unfit(f"{name!r} cannot be an agent's name: 1 to 100 letters, digits, '_' or '-'")
    return name


def flag(value: object) -> bool:
    """Return a truth value."""
    if not isinstance(value, bool):
        raise Unfit(f"expected true or false, found {type_name(value)}")
    return value


def count(value: object) -> int:
    """Return a whole number above zero."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise Unfit(f"expected a whole number above 0, found {_told(value)}")
    return value


def seconds(value: object) -> float:
    """Return a number of seconds above zero."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise Unfit(f"expected seconds above 0, found {_told(value)}")
    return float(value)


def names(value: object) -> tuple[str, ...]:
    """Return different names, in order."""
    return _items(value, text, "names")


def agent_names(value: object) -> tuple[str, ...]:
    """Return different names of agents, in order."""
    return _items(value, agent_name, "names")


def filters(value: object) -> Mapping[str, tuple[str, ...]]:
    """Return the tools of each server."""
    if not isinstance(value, Mapping):
        raise Unfit(f"expected the tools of each server, as in {{time: [get_time]}}, found {type_name(value)}")
    found: dict[str, tuple[str, ...]] = {}
    for server, tools in cast("Mapping[object, object]", value).items():
        name = text(server)
        try:
            found[name] = names(tools)
        except Unfit as error:
            raise Unfit(str(error), name, *error.path) from None
    return found


def specs(value: object) -> tuple[str, ...]:
    """Return ``module.py:function`` specifications; nothing is loaded."""
    return _items(value, _spec, "'module.py:function'")


def functions(value: object) -> tuple[Any, ...]:
    """Return callables and specifications."""
    return _items(value, _spec_or_callable, "functions or 'module.py:function'")


def source(value: object) -> HistorySource:
    """Return where a child's conversation comes from."""
    return cast("HistorySource", _one_of(value, get_args(HistorySource)))


def merge_target(value: object) -> HistoryMergeTarget:
    """Return where a child's conversation goes."""
    return cast("HistoryMergeTarget", _one_of(value, get_args(HistoryMergeTarget)))


def files(value: object) -> tuple[str, ...]:
    """Return paths; a single one may stand alone."""
    return names([value] if isinstance(value, str) else value)


def agent_type(value: object) -> None:
    """Accept the one type of agent that is declared in cards."""
    if text(value) != "agent":
        raise Unfit(f"{value!r} is not a type of card: leave it out or write agent; workflows are written in Python")


def version(value: object) -> None:
    """Accept the one version of this format."""
    if value != 1 or isinstance(value, bool):
        raise Unfit(f"expected 1, found {_told(value)}")


CARD_KEYS: dict[str, Read] = {
    "agents": agent_names,
    "child_timeout_sec": seconds,
    "default": flag,
    "description": text,
    "function_tools": specs,
    "history_merge_target": merge_target,
    "history_source": source,
    "instruction": text,
    "max_display_instances": count,
    "max_parallel": count,
    "max_turns": count,
    "messages": files,
    "model": text,
    "model_hooks": specs,
    "name": agent_name,
    "schema_version": version,
    "servers": names,
    "tool_hooks": specs,
    "tools": filters,
    "type": agent_type,
    "use_history": flag,
}
"""What a card can have; every key but ``type`` and ``schema_version`` is a field of ``AgentConfig``."""

NOT_KEPT = frozenset({"type", "schema_version"})
"""Keys that are only looked at."""

CODE_KEYS = ("function_tools", "tool_hooks", "model_hooks")
"""Keys whose values are run."""

PYTHON_KEYS: dict[str, Read] = {
    **{key: read for key, read in CARD_KEYS.items() if key not in NOT_KEPT},
    **dict.fromkeys(CODE_KEYS, functions),
    "model": lambda value: text(value) if isinstance(value, str) else value,
}
"""What a decorator takes: the same, and callables and models as they are."""


def unknown_key(key: str, allowed: Iterable[str], needed: Iterable[str] = ()) -> str:
    """Return what is said of a key that nobody reads; ``needed`` are meant before others that are hardly nearer."""
    allowed = sorted(allowed)
    near = did_you_mean(key, allowed, 0.8) or did_you_mean(key, needed) or did_you_mean(key, allowed)
    return f"unknown key {key!r}{near}; allowed: {', '.join(allowed)}"


def _items(value: object, read: Read, what: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise Unfit(f"expected a list of {what}, found {type_name(value)}")
    found: list[Any] = []
    for index, each in enumerate(cast("list[object]", value)):
        try:
            item = read(each)
        except Unfit as error:
            raise Unfit(str(error), index) from None
        if item in found:
            raise Unfit(f"{getattr(item, '__name__', item)!r} is given twice", index)
        found.append(item)
    return tuple(found)


def _spec(value: object) -> str:
    written, _, name = text(value).rpartition(":")
    if not written.endswith(".py") or not name.isidentifier():
        raise Unfit(f"{value!r} does not name a function; write it as 'module.py:function'")
    return f"{written}:{name}"


def _spec_or_callable(value: object) -> Any:
    return _spec(value) if isinstance(value, str) else value


def _one_of(value: object, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise Unfit(f"expected one of {', '.join(allowed)}, found {_told(value)}")
    return cast("str", value)


def _told(value: object) -> str:
    return repr(value)[:60] if isinstance(value, str | int | float) and value is not True else type_name(value)
