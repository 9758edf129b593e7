"""Starts and stops the recording of this process."""

import atexit
import functools
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from opentelemetry import trace

from inspector import semconv as sc
from inspector.environment import read_environment
from inspector.logger import unnoticed, until_interrupted, warn_once
from inspector.ownfile import make_table_large
from inspector.plain import Plain
from inspector.record.lines.renderer import Renderer
from inspector.record.lines.texts import Texts
from inspector.record.mirror import Mirror
from inspector.record.process.children import write_before_results
from inspector.record.process.identity import describe_process, program_name
from inspector.record.process.leaving import write_before_leaving
from inspector.record.process.program import Versions, describe_program
from inspector.record.process.uncaught import uncaught
from inspector.record.recorder import Recorder
from inspector.record.spool.writer import SpoolWriter
from inspector.redaction import Redactor
from inspector.salt import salt_of
from inspector.tally import tally_of

_LAST_FLUSH_S = 0.5
_RESULT_FLUSH_S = 1.0
"""How long a child's result, or ``os._exit``, waits if the file cannot be written."""

MAX_VALUE_BYTES = 4 << 20
"""The maximum length of one value as JSON text; longer ones are shortened."""

_attached: "Attachment | None" = None
_attaching = threading.Lock()


class Attachment:
    """This process's recording, from ``attach`` to ``detach``."""

    def __init__(
        self,
        directory: Path,
        texts: Texts,
        service: str | None,
        tracer: trace.Tracer | None,
        versions: Versions,
        *,
        keeps_requests: bool,
    ) -> None:
        self._directory = directory
        self._versions = versions
        self._texts = texts
        self._service = service
        self.on_start: Callable[[], object] | None = None
        """Called when the writer's thread starts, see `SpoolWriter.on_start`."""
        mirror = None if tracer is None else Mirror(tracer, texts)
        self.recorder = Recorder(self._new_spool(), mirror=mirror, keeps_raw=texts.raw, keeps_requests=keeps_requests)
        atexit.register(self._exit)
        # Finalizers of the program may end open calls, and run later than this one if they were registered before it.
        self._after_finalizers = weakref.finalize(self, self.retire, _LAST_FLUSH_S)
        self._follow_forks()
        self._leave_as_before = write_before_leaving(self._write_news)
        self.recorder.subscribe()

    def _follow_forks(self) -> None:
        this: weakref.ref[Attachment] = weakref.ref(self)
        os.register_at_fork(
            before=lambda: _of(this, Attachment.park),
            after_in_parent=lambda: _of(this, Attachment.unpark),
            after_in_child=lambda: _of(this, Attachment.restart, otherwise=Attachment.drop),
        )

    def _new_spool(self) -> SpoolWriter:
        # Before the writer's thread exists: with two threads, this would delay the first record.
        make_table_large()
        started = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        process = f"{started}-{os.getpid()}-{os.urandom(4).hex()}"
        described = describe_process(process, service=self._service, version=_version())
        tally = tally_of(process)
        if tally is not None:
            tally.name(self._service or program_name())
            tally.save()
        spool = SpoolWriter(
            self._directory, process, Renderer(self._texts, described, program=self._describe_program), tally=tally
        )
        spool.on_begin = self._join_multiprocessing
        spool.on_start = self._started
        return spool

    def _describe_program(self) -> dict[str, Plain]:
        return describe_program(lambda: {"mcp-agent-inspector": _version(), **self._versions()})

    def flush(self, timeout_s: float = 2.0) -> bool:
        """Wait until everything that was recorded so far is in the spool file.

        Returns:
            False if nothing was written for ``timeout_s``, or if the file cannot be written.
        """
        return self.recorder.spool.flush(timeout_s)

    @until_interrupted
    def retire(self, timeout_s: float = 2.0) -> None:
        """Write what is waiting, and use no thread from now on."""
        self.recorder.spool.retire(timeout_s)

    @until_interrupted
    def _exit(self) -> None:
        with unnoticed("how the program ended"):
            if (exc := uncaught()) is not None:
                self.recorder.moments.record_uncaught(exc)
        self.retire()

    def _write_news(self) -> None:
        with unnoticed("what was recorded last"):
            if self.recorder.spool.has_news:
                self.recorder.spool.flush(_RESULT_FLUSH_S)

    def fail(self, exc: BaseException) -> None:
        """End the open calls here with the exception that ends the process."""
        self.recorder.fail(exc)

    def close(self) -> None:
        """Stop recording and finish the spool file."""
        self._unsubscribe()
        self.recorder.spool.close()

    def _unsubscribe(self) -> None:
        self.recorder.unsubscribe()
        atexit.unregister(self._exit)
        self._leave_as_before()
        self._after_finalizers.detach()

    def park(self) -> None:
        """Stop the thread while the process forks."""
        if not _forks_for_a_terminal():
            self.recorder.announce()
        self.recorder.spool.park()

    def unpark(self) -> None:
        """Continue in the parent."""
        self.recorder.spool.unpark()

    def restart(self) -> None:
        """Continue in a forked child with its own spool."""
        self.recorder.spool.abandon()
        self.recorder.restart(self._new_spool())

    def drop(self) -> None:
        """Stop recording in a child that was forked while another thread attached or detached."""
        self._unsubscribe()
        self.recorder.spool.abandon()

    def _started(self) -> None:
        if self.on_start is not None:
            self.on_start()

    def _join_multiprocessing(self) -> None:
        # When the first call is recorded, because by then a multiprocessing child knows that it is one.
        write_before_results(
            lambda: self.recorder.spool.flush(_RESULT_FLUSH_S),
            # As at the end of a program: it waits for a thread that gets hardly any CPU time, and reports what is left.
            at_end=self.retire,
            if_news=lambda: self.recorder.spool.has_news,
        )


def _of(
    attachment: "weakref.ref[Attachment]",
    action: Callable[[Attachment], None],
    otherwise: Callable[[Attachment], None] = lambda _: None,
) -> None:
    current = attachment()
    if current is not None:
        (action if current is _attached else otherwise)(current)


def _forks_for_a_terminal() -> bool:
    """Tell whether the process forks by ``os.forkpty``, as ``pty`` and ``pexpect`` do.

    Such a child runs a shell or another program, so it records nothing below what is open here: without this, each
    ``!ls`` in a notebook would leave an empty run.
    """
    frame = sys._getframe()  # noqa: SLF001 - a fork does not say what it is for  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_globals is globals():
        frame = frame.f_back
    return frame is not None and "forkpty" in frame.f_code.co_names


def _renew_lock() -> None:
    """Replace a lock that another thread held when this process was forked."""
    global _attaching  # noqa: PLW0603 - a lock has no public way to be reset
    _attaching = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


@functools.cache
def _version() -> str:
    try:
        return version("mcp-agent-inspector")
    except PackageNotFoundError:
        return "0"


def attach(  # noqa: PLR0913 - as `inspector.attach`, which says what it is for
    *,
    service: str | None = None,
    home: str | Path | None = None,
    capture_content: bool | None = None,
    redact: Callable[[str, str], str] | None = None,
    redact_patterns: Sequence[str] = (),
    tracer_provider: trace.TracerProvider | None = None,
    spool: Path | None = None,
    versions: Versions = dict,
) -> Attachment:
    """Record every hook that this process emits from now on; a second call changes nothing.

    Spans go to a file of this process under ``home``, where ``inspector serve`` and the other commands find them, now
    or later, or under ``spool``. Nothing is sent, and nothing blocks. ``versions`` returns the versions of further
    packages to record; the other arguments are those of `inspector.attach`.

    Returns:
        The recording; its ``flush()`` waits until everything is in the file.

    Raises:
        ValueError: A pattern is not a valid regular expression.
        TypeError: The service is not a string.
    """
    global _attached  # noqa: PLW0603 - the process has one recorder, as it has one bus
    if not isinstance(service, str | None):  # pyright: ignore[reportUnnecessaryIsInstance] - not all check their types
        raise TypeError(f"service is the name of this program, a str, not {type(service).__name__}")
    with _attaching:
        if _attached is None:
            settings = read_environment(home=home)
            for sentence in settings.ignored:
                warn_once(sentence)
            content = settings.capture_content is not False if capture_content is None else capture_content
            # Recordings that are sent elsewhere are seldom replayed.
            raw = settings.capture_raw is not False if spool is None else settings.capture_raw is True
            redactor = Redactor(redact_patterns, redact, partial(salt_of, settings.home))
            texts = Texts(redactor, max_bytes=MAX_VALUE_BYTES, content=content, raw=raw)
            tracer = None if tracer_provider is None else tracer_provider.get_tracer(sc.SCOPE_NAME, _version())
            _attached = Attachment(
                spool or settings.spool,
                texts,
                service or settings.service,
                tracer,
                versions,
                keeps_requests=settings.requests == "all",
            )
        return _attached


def attached() -> Attachment | None:
    """Return the recording of this process, or None."""
    return _attached


def detach() -> None:
    """Stop recording and write what is waiting; ``attach`` begins a new spool. Without a recorder, nothing happens."""
    global _attached
    with _attaching:
        attachment, _attached = _attached, None
    if attachment is not None:
        attachment.close()
