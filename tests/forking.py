"""Python in processes of their own that start in a tenth of the time: forked from one that has imported it all.

Run as a program it is that process: it takes requests from a socket, and forks a process for each. What it forks has
the arguments, environment, directory and standard streams of the request, and is no different to whoever looks at its
output, its exit code or its files. Where the start itself is looked at, or what a variable of Python's or of the locale
changes, a test starts a process in the usual way.
"""

import atexit
import gc
import inspect
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from runpy import run_module
from typing import Any

LARGEST = 1 << 20
PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


@contextmanager
def forking(*packages: str) -> Iterator[Callable[..., "subprocess.Popen[Any]"]]:
    """Import all modules of packages in a process of its own; gives what starts Python as ``Popen`` does.

    It takes the arguments of ``python``, of which it knows ``-W error``, ``-c`` and ``-m``, and the options of
    ``Popen``.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LARGEST)
    command = [sys.executable, __file__, str(theirs.fileno()), *packages]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("INSPECTOR_")}
    environment |= {"PYTHONPATH": str(Path(__file__).parents[1]), "LANG": "C.UTF-8"}
    # It ends when nobody can ask it any more.
    with subprocess.Popen(command, env=environment, pass_fds=[theirs.fileno()]), ours:
        theirs.close()

        def start(*arguments: str | bytes, **options: Any) -> "subprocess.Popen[Any]":
            return _Forked([sys.executable, *arguments], zygote=ours, **options)

        yield start


class _Forked(subprocess.Popen[Any]):
    """A process that another one has forked, and says how it ended; all the rest is as ``Popen`` has it."""

    def __init__(self, arguments: list[str | bytes], *, zygote: socket.socket, **options: Any) -> None:
        self._zygote = zygote
        super().__init__(arguments, **options)

    def _execute_child(self, *given: Any) -> None:
        asked = inspect.signature(subprocess.Popen._execute_child).bind(self, *given).arguments
        wanted = {
            "argv": [os.fsdecode(argument) for argument in asked["args"]],
            "env": dict(os.environ if asked["env"] is None else asked["env"]),
            "cwd": os.fspath(asked["cwd"] or Path.cwd()),
        }
        ends = enumerate((asked["p2cread"], asked["c2pwrite"], asked["errwrite"]))
        streams = [inherited if end == -1 else end for inherited, end in ends]
        told, tell = os.pipe()
        with os.fdopen(tell, "wb"):
            socket.send_fds(self._zygote, [json.dumps(wanted).encode()], [*streams, tell])
        self._told = os.fdopen(told, "rb")
        self._child_created = True
        self.pid = int(self._told.readline())
        self._close_pipe_fds(*(asked[end] for end in PIPES))

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags & os.WNOHANG and not select.select([self._told], [], [], 0)[0]:
            return 0, 0
        with self._told:
            return self.pid, int(self._told.readline())

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None and not self._told.closed:
            pid, status = self._try_wait(os.WNOHANG)
            if pid:
                self._handle_exitstatus(status)
        return self.returncode


def _serve(requests: socket.socket) -> list[str]:
    """Fork a process for each request; returns in each of them, with its arguments, and exits where no more come."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, LARGEST, 4)
        if not message:
            requests.close()
            sys.exit()
        *streams, tell = descriptors
        with os.fdopen(tell, "wb", buffering=0) as says:
            keeper = os.fork()
            if not keeper:
                child = os.fork()
                if not child:
                    says.close()
                    requests.close()
                    return _become(streams=streams, **json.loads(message))
                for stream in (requests.detach(), *streams):
                    os.close(stream)
                says.write(f"{child}\n".encode())
                says.write(f"{os.waitpid(child, 0)[1]}\n".encode())
                os._exit(0)
        for stream in streams:
            os.close(stream)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _become(argv: list[str], env: dict[str, str], cwd: str, streams: list[int]) -> list[str]:
    """Take on what a process starts with, and return its arguments without the interpreter."""
    for standard, stream in enumerate(streams):
        os.dup2(stream, standard)
        os.close(stream)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    sys.stdout.reconfigure(line_buffering=os.isatty(sys.stdout.fileno()))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return argv[1:]


def _import_all(package: str) -> None:
    for module in walk_packages(import_module(package).__path__, f"{package}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


def _run(arguments: list[str]) -> None:
    if arguments[:2] == ["-W", "error"]:
        warnings.simplefilter("error")
        arguments = arguments[2:]
    kind, what, *sys.argv[1:] = arguments
    if kind == "-m":
        run_module(what, run_name="__main__", alter_sys=True)
    else:
        assert kind == "-c", kind
        sys.argv[0] = kind
        exec(what, {"__name__": "__main__"})


def _leave() -> None:
    """End without taking apart all that was imported, which costs more than most commands do.

    Python has waited for threads by then, and done what was registered for the exit. What nobody refers to is collected
    first, with its warnings. A program that failed, or cannot write any more, ends as Python has it.
    """
    for code in _ended:
        gc.collect()
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


_ended: list[int] = []
"""The exit code of the program, once it ended well."""

if __name__ == "__main__":
    atexit.register(_leave)  # before all others, and so called after them
    descriptor, *packages = sys.argv[1:]
    for package in packages:
        _import_all(package)
    gc.freeze()
    try:
        _run(_serve(socket.socket(fileno=int(descriptor))))
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        _ended.append(end.code or 0)
    else:
        _ended.append(0)
