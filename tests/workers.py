"""Runs tests in several processes, forked once all tests are listed: what these import is imported once, for all.

Each process takes one file after the other, so that what a file sets up is set up once; the first process reports what
they find. A test that ends its process has failed, and another process goes on with the rest of its file.
"""

import os
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import mmap
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from tempfile import TemporaryFile
from types import SimpleNamespace
from typing import Any

import pytest


@dataclass
class Worker:
    """A process that runs tests, as the first process knows it."""

    pid: int
    left: list[pytest.Item]
    """What it has taken and not run yet."""
    why: str = ""
    """What broke it, if it could still say so."""


class Workers:
    """A plugin of pytest that runs the tests in forked processes."""

    def __init__(self, config: pytest.Config, count: int) -> None:
        self._config = config
        self._count = count
        self._running: dict[Connection, Worker] = {}
        self.stopping = mmap(-1, 1)
        """One byte that all processes see: whether no further test is to begin."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed or session.config.option.collectonly:
            return None
        # Created before there are others, so that they share it, and removed by this process.
        self._config._tmp_path_factory.getbasetemp()  # noqa: SLF001
        by_path: dict[Path, list[pytest.Item]] = {}
        for test in session.items:
            by_path.setdefault(test.path, []).append(test)
        self._files = list(by_path.values())
        # Whoever reads two bytes has taken a file; there is nothing to read once all are taken.
        self._untaken, numbers = os.pipe()
        os.write(numbers, b"".join(number.to_bytes(2, sys.byteorder) for number in range(len(self._files))))
        os.close(numbers)
        try:
            for _ in range(min(self._count, len(self._files))):
                self._start(session, [])
            while self._running:
                self._listen(session)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
                if session.shouldstop:
                    raise session.Interrupted(session.shouldstop)
        finally:
            self.stopping[0] = 1
            while self._running:
                self._listen(session)
            os.close(self._untaken)
        return True

    def _start(self, session: pytest.Session, rest: list[pytest.Item]) -> None:
        """Fork a process that runs what is left of another one's tests, and then files."""
        hears, says = Pipe(duplex=False)
        pid = os.fork()
        if not pid:
            try:
                for other in (hears, *self._running):
                    other.close()
                self._work(session, says, rest)
            except BaseException:  # noqa: BLE001 - the first process reports it
                says.send(traceback.format_exc())
                os._exit(1)
            os._exit(0)
        says.close()
        self._running[hears] = Worker(pid, [*rest])

    def _work(self, session: pytest.Session, says: Connection, rest: list[pytest.Item]) -> None:
        plugins = self._config.pluginmanager
        plugins.unregister(name="terminalreporter")
        plugins.register(_Reports(self._config, says))
        if self._config.option.capture == "fd":
            _capture_apart(plugins.getplugin("capturemanager"))
        tests = self._tests(says, rest)
        test = next(tests, None)
        while test and not (session.shouldfail or session.shouldstop):
            following = next(tests, None)
            self._config.hook.pytest_runtest_protocol(item=test, nextitem=following)
            says.send(None)
            test = following

    def _tests(self, says: Connection, rest: list[pytest.Item]) -> Iterator[pytest.Item]:
        yield from rest
        while taken := os.read(self._untaken, 2):
            number = int.from_bytes(taken, sys.byteorder)
            says.send(number)
            for test in self._files[number]:
                if self.stopping[0]:
                    return
                yield test

    def _listen(self, session: pytest.Session) -> None:
        """Take what the processes say: the number of a file they begin, a report, the end of a test, or what broke."""
        for hears in wait([*self._running]):
            worker = self._running[hears]
            try:
                said = hears.recv()
            except EOFError:
                hears.close()
                del self._running[hears]
                self._ended(session, worker)
                continue
            if said is None:
                worker.left.pop(0)
            elif isinstance(said, int):
                worker.left += self._files[said]
            elif isinstance(said, str):
                worker.why = said
            else:
                report = self._config.hook.pytest_report_from_serializable(config=self._config, data=said)
                self._report(report, worker)

    def _ended(self, session: pytest.Session, worker: Worker) -> None:
        code = os.waitstatus_to_exitcode(os.waitpid(worker.pid, 0)[1])
        if not code or not worker.left:
            return
        test, *rest = worker.left
        why = worker.why or f"its process ended with {code}"
        self._report(pytest.TestReport(test.nodeid, test.location, {}, "failed", why, "call"), worker)
        if not self.stopping[0]:
            self._start(session, rest)

    def _report(self, report: Any, worker: Worker) -> None:
        # While a report names a process, the terminal shows it without beginning a line for its file.
        report.node = SimpleNamespace(gateway=SimpleNamespace(id=worker.pid))
        self._config.hook.pytest_runtest_logreport(report=report)
        del report.node


def _capture_apart(capture: Any) -> None:
    """Put files of this process below what pytest captures in: forked processes share their place in a file.

    The streams stay the same, since modules may have kept them as they were imported.
    """
    capture.resume_global_capture()
    for stream in (sys.stdout, sys.stderr):
        with TemporaryFile() as own:
            os.dup2(own.fileno(), stream.fileno(), inheritable=False)
    capture.suspend_global_capture()


class _Reports:
    """The plugin by which a forked process sends its reports to the first one."""

    def __init__(self, config: pytest.Config, says: Connection) -> None:
        self._config = config
        self._says = says

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._says.send(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))
