"""How many connections the process has file descriptors for."""

import contextlib
import resource

DESCRIPTORS = 4096
"""What the soft limit is raised to where the hard limit allows; more than this no server of one user needs."""
RESERVED = 96
"""Descriptors that no connection takes: for the database, spool and log, and for what is just being accepted."""
MOST_CONNECTIONS = 2000
"""Where there are descriptors for more, since a half-sent head costs up to 64 KiB."""


def connections_at_most() -> int:
    """Raise the descriptor limit of the process as far as is useful and allowed, and say how many connections fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, max(soft - RESERVED, soft // 4))
