"""While a run is replayed, only connections to this machine are allowed."""

import socket
import sys
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

_LOCAL: Final = frozenset(("", "localhost", "localhost.localdomain"))
_HOSTS: Final = Path("/etc/hosts")
_BY_NAME: Final = frozenset(("socket.getaddrinfo", "socket.gethostbyname"))
_BACKWARDS: Final = frozenset(("socket.gethostbyaddr", "socket.getnameinfo"))
"""Looks up the name of an address, so the address would leave the machine."""
_BY_ADDRESS: Final = frozenset(("socket.connect", "socket.sendto", "socket.sendmsg"))
_OF_THE_NETWORK: Final = (socket.AF_INET, socket.AF_INET6)


def forbid_network(stop: Callable[[str], object]) -> None:
    """Stop every connection of this process to another machine, for good: Python cannot remove an audit hook.

    A name is only looked up if this machine itself knows it.

    Args:
        stop: Called with the destination before it is reached.
    """
    hosts = _names_of(_HOSTS)

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event in _BY_ADDRESS:
            address = args[1]
            if args[0].family in _OF_THE_NETWORK and isinstance(address, tuple) and not _is_local(address[0]):
                stop(f"{address[0]}:{address[1]}")
        elif event in _BY_NAME:
            if not (_is_local(args[0]) or _is_address(args[0]) or _text(args[0]).lower() in hosts):
                stop(_text(args[0]))
        elif event in _BACKWARDS:
            host = args[0] if event == "socket.gethostbyaddr" else args[0][0]
            if not (_is_local(host) or _text(host).lower() in hosts):
                stop(_text(host))

    sys.addaudithook(watch)


def _names_of(hosts: Path) -> frozenset[str]:
    """Return the names and addresses in a hosts file; looking them up asks nobody else."""
    try:
        lines = hosts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    return frozenset(word.lower() for line in lines for word in line.partition("#")[0].split())


def _text(host: Any) -> str:
    return host.decode(errors="replace") if isinstance(host, bytes) else str(host)


def _is_local(host: Any) -> bool:
    if host is None or _text(host) in _LOCAL:
        return True
    try:
        return ip_address(_text(host).partition("%")[0]).is_loopback
    except ValueError:
        return False


def _is_address(host: Any) -> bool:
    """Return whether it needs no look-up; the connection itself is checked when it is made."""
    try:
        ip_address(_text(host).partition("%")[0])
    except ValueError:
        return False
    return True
