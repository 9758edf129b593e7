"""Runs a program in the foreground: it gets every signal, keeps the terminal, and we exit as it does."""

import errno
import os
import resource
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread

from inspector.launch.errors import LaunchError, ProgramNotExecutable, ProgramNotFound
from inspector.launch.program import Program

_OF_THE_TERMINAL = frozenset({signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGWINCH, signal.SIGHUP})
"""Signals that a terminal sends to all foreground processes, including the program."""
_PASSED_ON = _OF_THE_TERMINAL | {signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGCONT}
_AWAITED = _PASSED_ON | {signal.SIGCHLD}
_SENT_BY_A_PROCESS = 0
"""The greatest ``si_code`` of a signal that a process has sent; those of the kernel are above (POSIX, 2.4.3)."""
_NO_PROGRAM = (errno.ENOEXEC, errno.EISDIR, errno.ELOOP, errno.ENOTDIR)


def run_to_the_end(
    program: Program, environment: Mapping[str, str], *, meanwhile: Callable[[], object] | None = None
) -> int:
    """Start a program and wait for it, passing on every signal.

    It stays in our process group, so that it can use the terminal.

    Args:
        program: The program to start.
        environment: Its complete environment.
        meanwhile: Called in a thread while the program runs; not waited for.

    Returns:
        The wait status, as ``os.waitpid`` returns it.

    Raises:
        LaunchError: It could not be started.
    """
    # A signal must not be lost before we wait for it, nor end us before the program.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    # By default this signal is discarded, on some systems even while it is blocked.
    signal.signal(signal.SIGCHLD, _unheard)
    try:
        pid = _start(program, environment, before)
        if meanwhile is not None:
            # Started here, so that it inherits the mask: a signal delivered to this thread would be lost.
            Thread(target=meanwhile, daemon=True).start()
        return _wait(pid)
    finally:
        # The program has ended by these signals; we need not handle them again.
        while pending := signal.sigpending() & _AWAITED:
            signal.sigwait(pending)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _unheard(number: int, frame: object) -> None:
    """Do nothing: a signal is pending only if its action is not the default one."""


def _start(program: Program, environment: Mapping[str, str], mask: set[signal.Signals | int]) -> int:
    try:
        return os.posix_spawn(
            program.path,
            program.arguments,
            environment,
            setsigmask=mask,
            # Python ignores these two, and the program would inherit that.
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
    except FileNotFoundError as error:
        raise ProgramNotFound(f"cannot run {program.path}: the interpreter in its first line does not exist") from error
    except PermissionError as error:
        raise ProgramNotExecutable(f"cannot run {program.path}: {error.strerror}") from error
    except OSError as error:
        kind = ProgramNotExecutable if error.errno in _NO_PROGRAM else LaunchError
        raise kind(f"cannot run {program.path}: {error.strerror}") from error
    except ValueError as error:
        raise LaunchError(f"cannot run {program.path!r}: {error}") from error


def _wait(pid: int) -> int:
    while True:
        number, is_ours = _next_signal()
        if number == signal.SIGCHLD:
            status = _news_of(pid)
            if status is None:
                continue
            if not os.WIFSTOPPED(status):
                return status
            # A shell sees us instead of the program: we stop and continue with it.
            if _foreground() is not None:
                os.kill(os.getpid(), signal.SIGSTOP)
        elif is_ours:
            os.kill(pid, number)


def _news_of(pid: int) -> int | None:
    process, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
    return status if process else None


def _next_signal() -> tuple[int, bool]:
    """Wait for a signal; return its number and whether it was sent only to us."""
    if hasattr(signal, "sigwaitinfo"):
        received = signal.sigwaitinfo(_AWAITED)
        return received.si_signo, received.si_code <= _SENT_BY_A_PROCESS
    # If the system does not say who sent it (macOS), signals that a terminal can send count as the terminal's.
    number = signal.sigwait(_AWAITED)
    return number, number not in _OF_THE_TERMINAL or _foreground() != os.getpgrp()


def _foreground() -> int | None:
    """Return the foreground process group; None without a terminal or a shell with job control."""
    try:
        with Path("/dev/tty").open("rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno())
    except OSError:
        return None


def end_like(status: int) -> int:
    """End by the signal that ended the program; otherwise return its exit code."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return code
    number = -code
    # The program has written its core dump; ours would overwrite it.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    # Process 1 of a container survives signals without a handler.
    return 128 + number
