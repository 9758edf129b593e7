"""Builders of events, traces and spans, a home with spans in it, and the real command in a process of its own."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from emitted import watching
from msgspec import structs

from inspector.cli.app import run as command
from inspector.model import Event, Run, Span, Trace

ROOT = Path(__file__).parents[2]
START_NS = 1_795_000_000_000_000_000
TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def event() -> Callable[..., Event]:
    """Build an event by number; times are milliseconds after ``START_NS``."""

    def build(number, parent=None, *, start_ms=0, end_ms=1, **changes) -> Event:
        plain = Event(
            seq=number,
            trace_id=TRACE_ID,
            span_id=f"{number:016x}",
            parent_id=None if parent is None else f"{parent:016x}",
            session_id=None,
            kind="tool",
            name=f"execute_tool t{number}",
            status="running" if end_ms is None else "ok",
            hook=None,
            dialect=None,
            service=None,
            agent=None,
            model=None,
            tool=None,
            start_time_unix_nano=str(START_NS + start_ms * 1_000_000),
            end_time_unix_nano=None if end_ms is None else str(START_NS + end_ms * 1_000_000),
            duration_ms=None if end_ms is None else float(end_ms - start_ms),
            input_tokens=None,
            output_tokens=None,
            cached_tokens=None,
            cost_usd=None,
            error=None,
        )
        return replace(plain, **changes)

    return build


@pytest.fixture
def trace() -> Trace:
    return Trace(
        trace_id=TRACE_ID,
        run_id="job-17",
        session_id="trip-1",
        name="invoke_workflow trip",
        kind="workflow",
        status="ok",
        service="planner",
        agent=None,
        question=None,
        answer=None,
        start_time_unix_nano=str(START_NS),
        end_time_unix_nano=str(START_NS + 1_000_000),
        duration_ms=1.0,
        spans=3,
        calls=2,
        errors=1,
        llm_calls=0,
        tool_calls=3,
        models=(),
        input_tokens=0,
        output_tokens=0,
        cached_tokens=0,
        cost_usd=None,
        unpriced_calls=1,
        seq=3,
    )


@pytest.fixture
def a_run() -> Run:
    return Run(
        run_id="job-17",
        origin="program",
        name="planner",
        status="ok",
        service="planner",
        agent=None,
        question="Where is my parcel?",
        answer="On its way.",
        trace_id=TRACE_ID,
        trace_name="invoke_workflow trip",
        start_time_unix_nano=str(START_NS),
        end_time_unix_nano=str(START_NS + 1_000_000),
        duration_ms=1.0,
        traces=2,
        failed_traces=0,
        open_calls=0,
        spans=4,
        calls=4,
        errors=0,
        llm_calls=0,
        tool_calls=4,
        models=(),
        input_tokens=0,
        output_tokens=0,
        cached_tokens=0,
        cost_usd=None,
        unpriced_calls=0,
        seq=4,
    )


@pytest.fixture
def span() -> Callable[..., Span]:
    numbers = count(1)

    def build(**changes) -> Span:
        number = next(numbers)
        plain = Span(
            trace_id=TRACE_ID,
            span_id=f"{number:016x}",
            name=f"execute_tool t{number}",
            kind="tool",
            status="ok",
            start_ns=START_NS + number * 1_000_000_000,
            end_ns=START_NS + number * 1_000_000_000 + 312_000_000,
        )
        return structs.replace(plain, **changes)

    return build


@pytest.fixture
def home(tmp_path) -> Path:
    """A data directory of its own, that does not exist yet."""
    return tmp_path / "home"


@pytest.fixture
def write_spans(home) -> Callable[..., None]:
    from inspector.store.sqlite import SqliteStore

    def write(*spans: Span) -> None:
        path = home / "inspector.db"
        store = SqliteStore(path)
        store.write(spans)
        while store.index():
            pass
        store.close()

    return write


@pytest.fixture
def break_index(home) -> Callable[[str], bytes]:
    """Overwrite the first page of an index of the database of ``home``; what is in the table stays readable."""

    def broken(name="ix_contents_span") -> bytes:
        path = home / "inspector.db"
        with closing(sqlite3.connect(path)) as connection:
            (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        content = bytearray(path.read_bytes())
        content[(page - 1) * 16384 : page * 16384] = b"\xff" * 16384
        path.write_bytes(content)
        return bytes(content)

    return broken


@pytest.fixture
def environment(home) -> dict[str, str]:
    """What the command is started with: the machine's locale, colours and pager play no part."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("INSPECTOR_")}
    for name in (
        "COLUMNS",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "INSPECTOR_PAGER",
        "LC_ALL",
        "PYTHONIOENCODING",
    ):
        kept.pop(name, None)
    return kept | {
        **watching(ROOT),
        "INSPECTOR_HOME": str(home),
        "INSPECTOR_RETENTION_DAYS": "36500",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "xterm",
        "PAGER": "cat",
    }


@pytest.fixture
def inspector_anew(environment) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run ``inspector`` to its end in a process that starts as any does: what Python reads at its start counts."""

    def run(*arguments, stdin=b"", **variables) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", "inspector.cli", *arguments],
            input=stdin,
            env=environment | variables,
            capture_output=True,
            timeout=60,
        )

    return run


def _read_at_start(variables: Iterable[str]) -> list[str]:
    """The variables of Python's own that a process which is forked no longer reads."""
    return [name for name in variables if name.startswith("PYTHON") and name != "PYTHONIOENCODING"]


@pytest.fixture
def inspector(environment, fork_python) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run ``inspector`` to its end in a process of its own."""

    def run(*arguments, stdin=b"", **variables) -> subprocess.CompletedProcess[bytes]:
        read_once = _read_at_start(variables)
        assert not read_once, f"Python reads {read_once} at its start: take inspector_anew"
        command = ("-W", "error", "-m", "inspector.cli", *arguments)
        return fork_python.run(*command, stdin=stdin, env=environment | variables)

    return run


@pytest.fixture
def start_inspector(environment, fork_python) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start ``inspector`` and leave it running; it is killed when the test ends."""
    running: list[subprocess.Popen[bytes]] = []

    def start(*arguments, stdout=subprocess.PIPE, **variables) -> subprocess.Popen[bytes]:
        process = fork_python(
            "-m",
            "inspector.cli",
            *arguments,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=environment | variables,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def run(inspector, inspector_anew) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run a program to its end under ``inspector run``; the program itself starts as any does."""

    def go(*words, **options) -> subprocess.CompletedProcess[bytes]:
        start = inspector_anew if _read_at_start(options) else inspector
        return start("run", *words, **options)

    return go


@pytest.fixture
def script(tmp_path) -> Callable[..., str]:
    def write(text, name="app.py") -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


@pytest.fixture
def call() -> Callable[[str], str]:
    def write(name) -> str:
        return (
            "\nfrom instrument import around\n"
            f"with around('tool_call', tool_name={name!r}, args={{}}, context=None):\n"
            "    pass\n"
        )

    return write


@pytest.fixture
def mcp_program(script) -> str:
    """Write a program that starts a server over stdio, ``server.py``, and has it add 1 and 2."""
    server = script(
        "from mcp.server import MCPServer\n"
        "desk = MCPServer('desk')\n"
        "@desk.tool()\n"
        "def add(a: int, b: int) -> int:\n"
        "    return a + b\n"
        "desk.run()\n",
        "server.py",
    )
    return script(
        "import asyncio, sys\n"
        "from mcp import ClientSession, StdioServerParameters, stdio_client\n"
        "async def main():\n"
        f"    server = StdioServerParameters(command=sys.executable, args=[{server!r}])\n"
        "    async with stdio_client(server) as streams, ClientSession(*streams) as session:\n"
        "        await session.initialize()\n"
        "        await session.call_tool('add', {'a': 1, 'b': 2})\n"
        "asyncio.run(main())\n"
    )


@pytest.fixture
def recorded(home) -> Callable[[], list[Event]]:
    from inspector.ingest import Owner
    from inspector.model import Filter
    from inspector.settings import Settings

    def read() -> list[Event]:
        with Owner(Settings(home=home)) as owner:
            owner.ingest_spools()
            return list(owner.store.events(Filter(), order="asc", limit=500, full=True).items)

    return read


@pytest.fixture
def ask(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command in this process; returns its exit code, output and errors."""
    monkeypatch.setenv("INSPECTOR_RETENTION_DAYS", "36500")

    def run_command(*arguments: str) -> tuple[int, str, str]:
        code = command([*arguments, "--home", str(home)])
        return code, *capsys.readouterr()

    return run_command
