"""Python in processes of their own that start in a tenth of the time: forked from one that has imported it all.

Run as a program it is that process: it takes requests from a socket, and forks a process for each. What it forks has
the arguments, environment, directory and standard streams of the request, and is no different to whoever looks at its
output, its exit code or its files. Where the start itself is looked at, or what a variable of Python's (but PYTHONPATH,
PYTHONIOENCODING, and PYTHONWARNINGS for all warnings) or of the locale changes, a test starts a process in the usual
way.

What is tested may start its processes itself: it gets a stand-in for the interpreter, an executable that asks for a
process, forwards SIGTERM to it and ends as it does. Where it is killed itself, the program is. A forked process takes
the one that `INTERPRETER` names for its own interpreter, and so do those that it starts.
"""

import atexit
import gc
import inspect
import json
import os
import select
import signal
import site
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from runpy import run_module, run_path
from typing import Any

LARGEST = 1 << 20
INTERPRETER = "FORKING_INTERPRETER"
"""The variable that names what a forked process has as ``sys.executable``."""
RECORDER = ("inspector.recording.", "inspector.replay.", "inspector.launch.joining.")
"""What a program has imported that is recorded or replayed."""
PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")

STAND_IN = """#!{python} -IS
import json, os, signal, socket

TERM = [signal.SIGTERM]
signal.pthread_sigmask(signal.SIG_BLOCK, TERM)  # until there is a process to tell
told, tell = os.pipe()
wanted = {{"argv": __import__("sys").argv, "env": dict(os.environ), "cwd": os.getcwd()}}
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as asking:
    asking.connect({address!r})
    socket.send_fds(asking, [json.dumps(wanted).encode()], [0, 1, 2, tell])
os.close(tell)
os.closerange(0, 3)
with os.fdopen(told) as lines:
    pid = int(lines.readline())
    signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, TERM)
    code = os.waitstatus_to_exitcode(int(lines.readline()))
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
"""


class Starting:
    """Starts Python as ``Popen`` does: called with the arguments of ``python`` and the options of ``Popen``.

    Of the interpreter's own arguments it knows ``-W error``, ``-P``, ``-c`` and ``-m``.
    """

    def __init__(self, zygote: socket.socket, stand_in: Path) -> None:
        self._zygote = zygote
        self.stand_in = str(stand_in)
        """An executable to name where ``sys.executable`` would be."""

    def __call__(self, *arguments: str | bytes, **options: Any) -> "subprocess.Popen[Any]":
        return _Forked([sys.executable, *arguments], zygote=self._zygote, **options)

    def run(
        self, *arguments: str | bytes, stdin: str | bytes = b"", **options: Any
    ) -> "subprocess.CompletedProcess[Any]":
        """Run Python to its end as ``subprocess.run`` does, within a minute; what it prints is kept."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        with self(*arguments, **pipes, **options) as process:
            try:
                stdout, stderr = process.communicate(stdin or None, timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


@contextmanager
def forking(
    *packages: str, python: str | Path = sys.executable, variables: Mapping[str, str] | None = None
) -> Iterator[Starting]:
    """Import all modules of packages in a process of its own; gives what starts Python as ``Popen`` does.

    Args:
        packages: By name; of one that ends in ``.`` no more than its root.
        python: The interpreter of that process, whose packages are imported.
        variables: What the environment has besides while they are imported.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LARGEST)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("INSPECTOR_")}
    with ExitStack() as stack:
        # It has not much room in its name, which a socket has to have for those who start by themselves.
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="forking-")))
        # Packages may write to their user's home as they are imported.
        environment |= {"PYTHONPATH": str(Path(__file__).parents[1]), "LANG": "C.UTF-8", "HOME": str(directory)}
        environment |= variables or {}
        named = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        named.bind(str(directory / "asked"))
        stand_in = directory / "python"
        stand_in.write_text(STAND_IN.format(python=sys.executable, address=str(directory / "asked")))
        stand_in.chmod(0o700)
        inherited = [theirs.fileno(), named.fileno()]
        command = [python, __file__, *map(str, inherited), *packages]
        # Python asks a stream once whether it can seek, and what is forked may be given pipes.
        pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
        stack.enter_context(subprocess.Popen(command, env=environment, pass_fds=inherited, **pipes))
        # It ends when nobody can ask it any more, and whoever asks is refused once it has ended, if it cannot import.
        stack.enter_context(ours)
        theirs.close()
        named.close()
        yield Starting(ours, stand_in)


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
            "session": asked["start_new_session"],
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


class _Running:
    """The processes that were forked, each with where to say how it ended."""

    def __init__(self, ready: select.poll) -> None:
        self._ready = ready
        self._by_end: dict[int, tuple[int, int]] = {}
        self._stood_for: dict[int, int] = {}

    def add(self, pid: int, tell: int, *, is_stood_for: bool) -> None:
        """Say which process it is, and wait for its end."""
        _say(tell, pid)
        end = os.pidfd_open(pid)
        self._by_end[end] = pid, tell
        self._ready.register(end, select.POLLIN)
        if is_stood_for:
            self._stood_for[tell] = pid
            self._ready.register(tell, 0)  # an error of it, which is always told: nobody is there to read

    def take(self, descriptor: int) -> bool:
        """Whether this was about one of them: say how it ended, or kill it, which nobody else would miss."""
        if pid := self._stood_for.pop(descriptor, None):
            self._ready.unregister(descriptor)
            os.kill(pid, signal.SIGKILL)
        elif descriptor in self._by_end:
            pid, tell = self._by_end.pop(descriptor)
            self._ready.unregister(descriptor)
            if self._stood_for.pop(tell, None):
                self._ready.unregister(tell)
            _say(tell, os.waitpid(pid, 0)[1])
            os.close(descriptor)
            os.close(tell)
        else:
            return False
        return True

    def forget(self) -> None:
        """In a process that was forked itself: close what is about the others."""
        for end, (_, tell) in self._by_end.items():
            os.close(end)
            os.close(tell)

    def kill(self) -> None:
        for pid, _ in self._by_end.values():
            os.kill(pid, signal.SIGKILL)


def _say(tell: int, number: int) -> None:
    with suppress(BrokenPipeError):
        os.write(tell, f"{number}\n".encode())


def _serve(requests: socket.socket, named: socket.socket) -> list[str]:
    """Fork a process for each request; returns in each of them, with its arguments, and exits where no more come."""
    ready = select.poll()
    ready.register(requests, select.POLLIN)
    ready.register(named, select.POLLIN)
    running = _Running(ready)
    while True:
        descriptor = ready.poll()[0][0]
        if running.take(descriptor):
            continue
        is_stood_for = descriptor == named.fileno()
        message, descriptors, _, _ = socket.recv_fds(named if is_stood_for else requests, LARGEST, 4)
        if not message:
            running.kill()
            sys.exit()
        *streams, tell = descriptors
        pid = os.fork()
        if not pid:
            running.forget()
            requests.close()
            named.close()
            os.close(tell)
            return _become(streams=streams, **json.loads(message))
        for stream in streams:
            os.close(stream)
        running.add(pid, tell, is_stood_for=is_stood_for)


def _become(argv: list[str], env: dict[str, str], cwd: str, streams: list[int], *, session: bool = False) -> list[str]:
    """Take on what a process starts with, and return its arguments without the interpreter."""
    if session:
        os.setsid()
    for standard, stream in enumerate(streams):
        os.dup2(stream, standard)
        os.close(stream)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    sys.stdout.reconfigure(line_buffering=os.isatty(sys.stdout.fileno()))
    if encoding := env.get("PYTHONIOENCODING"):
        # Those there are belong to files of other kinds, and refuse to change.
        sys.stdout = os.fdopen(1, "w", encoding=encoding, closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding=encoding, errors="backslashreplace", closefd=False, buffering=1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if "PYTHONWARNINGS" in env:
        warnings.simplefilter(env["PYTHONWARNINGS"])
    path = [each for each in env.get("PYTHONPATH", "").split(os.pathsep) if each]
    sys.path[:0] = [each for each in path if each not in sys.path]
    sys.orig_argv[:] = argv
    sys.executable = env.get(INTERPRETER, sys.executable)
    return argv[1:]


def _import_all(package: str) -> None:
    if package.endswith("."):
        import_module(package.removesuffix("."))
        return
    for module in walk_packages(import_module(package).__path__, f"{package}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


def _run(arguments: list[str]) -> None:
    if arguments[:2] == ["-W", "error"]:
        warnings.simplefilter("error")
        arguments = arguments[2:]
    is_safe_path = arguments[0] == "-P"
    kind, *given = arguments[1:] if is_safe_path else arguments
    what = given.pop(0) if kind in ("-c", "-m") else kind
    sys.argv[:] = [kind, *given]
    _customize()
    if not is_safe_path:
        sys.path.insert(0, "" if kind in ("-c", "-m") else str(Path(kind).parent.absolute()))
    if kind == "-m":
        run_module(what, run_name="__main__", alter_sys=True)
    elif kind == "-c":
        exec(what, {"__name__": "__main__"})
    else:
        run_path(kind, run_name="__main__")


def _customize() -> None:
    """Run the ``sitecustomize`` of ``PYTHONPATH``, as Python does once it knows its arguments."""
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if any(each and (Path(each) / "sitecustomize.py").exists() for each in path):
        # That of the environment, if it has one, was run as the first process began.
        sys.modules.pop("sitecustomize", None)
        site.execsitecustomize()


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
    sockets = [socket.socket(fileno=int(each)) for each in sys.argv[1:3]]
    for package in sys.argv[3:]:
        _import_all(package)
    gc.freeze()
    try:
        _run(_serve(*sockets))
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        _ended.append(end.code or 0)
    else:
        _ended.append(0)
