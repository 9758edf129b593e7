"""A program in the foreground of this one: it gets every signal, keeps the terminal, and we exit like it."""

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
"""Those that a terminal sends to all processes of the foreground, the program among them."""
_PASSED_ON = _OF_THE_TERMINAL | {signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGCONT}
_AWAITED = _PASSED_ON | {signal.SIGCHLD}
_SENT_BY_A_PROCESS = 0
"""The greatest ``si_code`` of a signal that a process has sent; those of the kernel are above (POSIX, 2.4.3)."""
_NO_PROGRAM = (errno.ENOEXEC, errno.EISDIR, errno.ELOOP, errno.ENOTDIR)


def run_to_the_end(
    program: Program, environment: Mapping[str, str], *, meanwhile: Callable[[], object] | None = None
) -> int:
    """Start a program and wait for it; whatever signal reaches us reaches it.

    It stays in our process group, so that the terminal is its own as well.

    Args:
        program: What is started.
        environment: All that is in its environment.
        meanwhile: Called in a thread while the program runs, and not waited for.

    Returns:
        The wait status, as ``os.waitpid`` returns it.

    Raises:
        LaunchError: It could not be started.
    """
    # A signal that nobody waits for yet must not be lost, nor end us before the program.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    # The default action for this one is to throw it away, on some systems even while it is blocked.
    signal.signal(signal.SIGCHLD, _unheard)
    try:
        pid = _start(program, environment, before)
        if meanwhile is not None:
            # Begun here, where it inherits the mask: a signal that this thread took would be lost.
            Thread(target=meanwhile, daemon=True).start()
        return _wait(pid)
    finally:
        # What the program has answered by ending is not for us to answer again.
        while pending := signal.sigpending() & _AWAITED:
            signal.sigwait(pending)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _unheard(number: int, frame: object) -> None:
    """Stand for an action other than the default one; it is never called."""


def _start(program: Program, environment: Mapping[str, str], mask: set[signal.Signals | int]) -> int:
    try:
        return os.posix_spawn(
            program.path,
            program.arguments,
            environment,
            setsigmask=mask,
            # Python ignores these two in itself, and what is ignored would stay so in the program.
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
            # A shell sees us in the program's place: stopped, and going on when it is told to.
            if _foreground() is not None:
                os.kill(os.getpid(), signal.SIGSTOP)
        elif is_ours:
            os.kill(pid, number)


def _news_of(pid: int) -> int | None:
    found, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
    return status if found else None


def _next_signal() -> tuple[int, bool]:
    """Wait for a signal; tell its number and whether it was sent to us alone."""
    if hasattr(signal, "sigwaitinfo"):
        found = signal.sigwaitinfo(_AWAITED)
        return found.si_signo, found.si_code <= _SENT_BY_A_PROCESS
    # Where the system does not say who sent it (macOS), what a terminal can send is taken for the terminal's.
    number = signal.sigwait(_AWAITED)
    return number, number not in _OF_THE_TERMINAL or _foreground() != os.getpgrp()


def _foreground() -> int | None:
    """Return the process group that has the terminal; None where there is no terminal, and no shell that stops jobs."""
    try:
        with Path("/dev/tty").open("rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno())
    except OSError:
        return None


def end_like(status: int) -> int:
    """End by the signal that ended the program; otherwise return the exit code that it had."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return code
    number = -code
    # The program has left its core; ours would lie over it.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    # The first process of a container outlives signals that it has not asked for.
    return 128 + number
