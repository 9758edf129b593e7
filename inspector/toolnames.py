"""Names of tools, which a framework may write with the name of their server before them: `clock__shout` is `shout`."""

from typing import Final

_JOINTS: Final = ("__", ".", "/", ":", "-", "_")
"""What may stand between the two; the longer first."""
_ENDS: Final = frozenset(joint[-1] for joint in _JOINTS)


def is_same_tool(outer: str, inner: str) -> bool:
    """Tell whether a call of `inner` can be what a call of `outer` is: the same name, or that behind a server's.

    Not the other way round: a tool ``search`` that calls ``web_search`` of a server is a tool of its own.
    """
    return outer == inner or (bool(inner) and outer.endswith(inner) and outer[-len(inner) - 1] in _ENDS)


def without_server(name: str, server: str) -> str:
    """Return the tool's own name; all of ``name`` where it does not begin with the server's."""
    for joint in _JOINTS:
        if name.startswith(server + joint):
            return name[len(server) + len(joint) :]
    return name
