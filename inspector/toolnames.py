"""Names of tools, which a framework may prefix with the name of their server: `clock__shout` is `shout`."""

import re
from collections.abc import Iterator
from typing import Final

_JOINTS: Final = ("__", ".", "/", ":", "-", "_")
"""What may stand between the two; the longer first."""
_ENDS: Final = frozenset(joint[-1] for joint in _JOINTS)
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")


def is_same_tool(outer: str, inner: str) -> bool:
    """Tell whether a call of `inner` can be what a call of `outer` is: the same name, or that behind a server's.

    Not the other way round: a tool ``search`` that calls ``web_search`` of a server is a tool of its own.
    """
    return outer == inner or (bool(inner) and outer.endswith(inner) and outer[-len(inner) - 1] in _ENDS)


def own_names(name: str) -> tuple[str, ...]:
    """Return what a tool's own name may be, where its server's stands before it in `name`."""
    return tuple(dict.fromkeys(own for _, own in parted(name)))


def parted(name: str) -> tuple[tuple[str, str], ...]:
    """Return what the names of a server and of its tool may be, where `name` is one behind the other."""
    joints = (found for joint in _JOINTS for found in re.finditer(re.escape(joint), name))
    places = {(found.end(), found.start()) for found in joints if found.start() > 0 and found.end() < len(name)}
    return tuple((name[:start], name[end:]) for end, start in sorted(places))


def served_name(tool: str | None, server: str | None) -> str | None:
    """Return the name that tells a tool from one of the same name of another server; one of `parted`."""
    return tool if tool is None or server is None else f"{server}/{tool}"


def unsafe_names(name: str) -> tuple[str, ...]:
    """Return the names that models may be told as `name`: ``shell__execute`` is that of ``shell.execute``.

    Providers take neither a dot nor a slash; the toolkit writes ``__`` for either.
    """
    written = (name.replace("__", sign, times) for sign in "./" for times in (1, -1))
    return tuple(dict.fromkeys(each for each in written if each != name))


def without_server(name: str, server: str) -> str:
    """Return the tool's own name; all of ``name`` where it does not begin with the server's."""
    for joint in _JOINTS:
        if name.startswith(server + joint):
            return name[len(server) + len(joint) :]
    return name


def plain_name(name: str) -> str:
    """Return a name as all of its spellings have it: models are told ``shell__execute`` of a tool ``shell.execute``."""
    return _BETWEEN_WORDS.sub("_", name).strip("_") or name


def plain_names(asked: str) -> Iterator[str]:
    """Yield the `plain_name` of each tool that a call of this name can be of; a server may stand before its own."""
    plain = plain_name(asked)
    yield plain
    for at, letter in enumerate(plain[:-1]):
        if letter == "_":
            yield plain[at + 1 :]
