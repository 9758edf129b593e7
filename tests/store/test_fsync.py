"""A disk that refuses ``fsync`` once: what was not acknowledged is written again, and nothing that was is gone.

The kernel refuses it to one thread, by a filter on its system calls (seccomp), which ends with the thread.
"""

import ctypes
import errno
import platform
import sqlite3
import struct
import sys
import threading
from contextlib import closing

import pytest

from inspector.model import Filter
from inspector.store import StoreBusy

FSYNC_AND_FDATASYNC = {"x86_64": (74, 75), "aarch64": (82, 83)}.get(platform.machine())
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EIO

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not FSYNC_AND_FDATASYNC, reason="the numbers of the system calls are not known here"
)


class Program(ctypes.Structure):
    """``struct sock_fprog`` of seccomp(2)."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def refuse_fsync():
    """From now on fsync and fdatasync of the calling thread fail with EIO."""
    fsync, fdatasync = FSYNC_AND_FDATASYNC
    code = b"".join(
        struct.pack("HBBI", *each)
        for each in (
            (LOAD, 0, 0, 0),
            (JUMP_IF_EQUAL, 1, 0, fsync),
            (JUMP_IF_EQUAL, 0, 1, fdatasync),
            (RETURN, 0, 0, REFUSE),
            (RETURN, 0, 0, ALLOW),
        )
    )
    kept = ctypes.create_string_buffer(code)
    program = Program(5, ctypes.addressof(kept))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    failed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(program), 0, 0
    )
    if failed:
        pytest.skip("no system call may be refused here")


def without_fsync(do):
    """What ``do`` raises in a thread in which fsync fails, or None."""
    raised = []

    def run():
        try:
            refuse_fsync()
            do()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised and isinstance(raised[0], pytest.skip.Exception):
        raise raised[0]
    return raised[0] if raised else None


def names(store):
    return [event.name for event in store.events(Filter(), order="asc").items]


def is_whole(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_checkpoint_whose_fsync_fails_is_repeated_and_costs_nothing(store, path, make_span):
    store.write([make_span(name="first")])
    refused = without_fsync(store.sync)
    assert isinstance(refused, StoreBusy)
    assert "check the disk" in str(refused)
    assert names(store) == ["first"]
    store.write([make_span(name="second")])
    store.sync()
    assert names(store) == ["first", "second"]
    store.close()
    assert is_whole(path)


def test_a_batch_whose_fsync_fails_is_not_acknowledged_and_is_stored_once_when_repeated(store, path, make_span):
    store.write([make_span(name="first")])
    # The next commit begins the log anew, for which SQLite waits until its header is on the disk.
    store.sync()
    batch = [make_span(name="second")]
    assert isinstance(without_fsync(lambda: store.write(batch)), StoreBusy)
    assert names(store) == ["first"]
    store.write(batch)
    assert names(store) == ["first", "second"]
    assert store.health().spans == 2
    store.close()
    assert is_whole(path)
