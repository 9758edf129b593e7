"""How many connections the process has file descriptors for."""

import contextlib
import resource

DESCRIPTORS = 4096
"""The soft limit is raised to this, if the hard limit allows; the server of a single user needs no more."""
RESERVED = 96
"""Descriptors kept from connections: for the database, spool and log, and for connections being accepted."""
MOST_CONNECTIONS = 2000
"""Even if there are descriptors for more, because a half-sent head costs up to 64 KiB."""


def connections_at_most() -> int:
    """Raise the process's descriptor limit as far as useful and allowed, and return how many connections fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
            soft = limit
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, max(soft - RESERVED, soft // 4))
