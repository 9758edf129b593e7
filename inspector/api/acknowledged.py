"""How many bytes the other side has acknowledged, according to TCP."""

import socket
import struct
import sys

_TCP_INFO_BYTES = 128
_BYTES_ACKED_AT = 120
"""The offset of ``tcpi_bytes_acked`` in ``struct tcp_info`` of Linux 4.1 and later (``linux/tcp.h``)."""


def acknowledged_bytes(connection: socket.socket) -> int | None:
    """Return how many bytes the other side has ever acknowledged; None if the system does not say.

    The queue of the process cannot tell: the kernel asks for more only when a third of a long queue is gone, and what
    is added meanwhile hides what was sent.
    """
    if sys.platform != "linux":
        return None
    try:
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
    except OSError:
        return None
    return struct.unpack_from("=Q", info, _BYTES_ACKED_AT)[0] if len(info) >= _TCP_INFO_BYTES else None
