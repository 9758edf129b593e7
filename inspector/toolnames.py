"""Names of tools, which a framework may prefix with the name of their server: `clock__shout` is `shout`."""

import re
from collections.abc import Iterator
from typing import Final

_JOINTS: Final = ("__", ".", "/", ":", "-", "_")
"""Separators between the two names; the longer ones first."""
_ENDS: Final = frozenset(joint[-1] for joint in _JOINTS)
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")


def is_same_tool(outer: str, inner: str) -> bool:
    """Tell whether `inner` may be the same tool as `outer`: the same name, or without the name of a server before it.

    Not in the other direction: a tool ``search`` that calls ``web_search`` of a server is a tool of its own.
    """
    return outer == inner or (bool(inner) and outer.endswith(inner) and outer[-len(inner) - 1] in _ENDS)


def own_names(name: str) -> tuple[str, ...]:
    """Return the possible names of a tool without the name of its server."""
    return tuple(dict.fromkeys(own for _, own in parted(name)))


def parted(name: str) -> tuple[tuple[str, str], ...]:
    """Return the possible pairs of a server's and a tool's name that `name` consists of."""
    joints = (match for joint in _JOINTS for match in re.finditer(re.escape(joint), name))
    places = {(match.end(), match.start()) for match in joints if match.start() > 0 and match.end() < len(name)}
    return tuple((name[:start], name[end:]) for end, start in sorted(places))


def served_name(tool: str | None, server: str | None) -> str | None:
    """Return the name that distinguishes a tool from another server's tool of the same name; see `parted`."""
    return tool if tool is None or server is None else f"{server}/{tool}"


def unsafe_names(name: str) -> tuple[str, ...]:
    """Return the names that models may know as `name`: ``shell__execute`` may be ``shell.execute``.

    Providers allow neither dots nor slashes; the toolkit writes ``__`` for both.
    """
    written = (name.replace("__", sign, times) for sign in "./" for times in (1, -1))
    return tuple(dict.fromkeys(each for each in written if each != name))


def without_server(name: str, server: str) -> str:
    """Return the tool's own name; all of ``name`` if it does not begin with the server's."""
    for joint in _JOINTS:
        if name.startswith(server + joint):
            return name[len(server) + len(joint) :]
    return name


def plain_name(name: str) -> str:
    """Return a name in the form that all its spellings share: a model knows ``shell.execute`` as ``shell__execute``."""
    return _BETWEEN_WORDS.sub("_", name).strip("_") or name


def plain_names(called: str) -> Iterator[str]:
    """Yield the `plain_name` of each tool that a call of this name may be of, with or without a server's name."""
    plain = plain_name(called)
    yield plain
    for at, letter in enumerate(plain[:-1]):
        if letter == "_":
            yield plain[at + 1 :]
