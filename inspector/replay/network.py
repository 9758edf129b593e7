"""While a run is replayed, only connections to this machine are allowed."""

import errno
import os
import socket
import sys
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Any, Final

_LOCAL: Final = frozenset(("", "localhost", "localhost.localdomain"))
_HOSTS: Final = Path("/etc/hosts")
_BY_NAME: Final = frozenset(("socket.getaddrinfo", "socket.gethostbyname"))
_BACKWARDS: Final = frozenset(("socket.gethostbyaddr", "socket.getnameinfo"))
"""Looks up the name of an address, so the address would leave the machine."""
_BY_ADDRESS: Final = frozenset(("socket.connect", "socket.sendto", "socket.sendmsg"))
_OF_THE_NETWORK: Final = (socket.AF_INET, socket.AF_INET6)


def watch_network(may_reach: Callable[[str], bool]) -> None:
    """Watch the connections of this process to other machines, for good: Python cannot remove an audit hook.

    Also a name is only looked up by others than this machine if they may be reached.

    Args:
        may_reach: Called with the destination before it is reached. Without its permission, the connection fails as
            on a machine without a network.
    """
    hosts = _names_of(_HOSTS)

    def watch(event: str, args: tuple[Any, ...]) -> None:
        place = _elsewhere(event, args, hosts)
        if place is None or may_reach(place):
            return
        if event in _BY_ADDRESS:
            raise OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH))
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    sys.addaudithook(watch)


def _elsewhere(event: str, args: tuple[Any, ...], hosts: frozenset[str]) -> str | None:
    """Return which other machine an event is about; None if it stays on this one."""
    if event in _BY_ADDRESS:
        address = args[1]
        if args[0].family in _OF_THE_NETWORK and isinstance(address, tuple) and not _is_local(address[0]):
            return f"{address[0]}:{address[1]}"
    elif event in _BY_NAME:
        if not (_is_local(args[0]) or _is_address(args[0]) or _text(args[0]).lower() in hosts):
            return _text(args[0])
    elif event in _BACKWARDS:
        host = args[0] if event == "socket.gethostbyaddr" else args[0][0]
        if not (_is_local(host) or _text(host).lower() in hosts):
            return _text(host)
    return None


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
        address = ip_address(_text(host).partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    # A connection to the address that stands for any is one to this machine.
    return address.is_loopback or address.is_unspecified


def _is_address(host: Any) -> bool:
    """Return whether it needs no look-up; the connection itself is checked when it is made."""
    try:
        ip_address(_text(host).partition("%")[0])
    except ValueError:
        return False
    return True
