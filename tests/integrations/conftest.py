"""Runs a program that uses a published framework, and reads what was recorded of it."""

import fcntl
import hashlib
import importlib.util
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from emitted import VARIABLE
from forking import RECORDER, forking
from lists import walk
from recorded_events import drawn, facts
from replaying import Bench

from inspector.ingest import Owner
from inspector.integrations.calls import around_here
from inspector.model import Event, Filter
from inspector.settings import Settings

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
IMPORTED = {
    None: ("openai.",),
    "current": ("anthropic.", "openai.", "mcp.server.mcpserver."),
    "earlier": ("openai.", "mcp.server.fastmcp."),
}
"""What programs in an environment of frameworks, and in ours, have imported where they are forked."""
START = """
import inspector, logging, runpy, sys
# What the inspector warns of goes to stderr only where a program wants it there.
logging.getLogger("mcp.inspector").addHandler(logging.StreamHandler())
inspector.attach()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture(autouse=True)
def each_call_that_a_test_begins_has_ended() -> Iterator[None]:
    """Else it would be around all that later tests call."""
    yield
    assert [*around_here()] == []


def _environments() -> ModuleType:
    spec = importlib.util.spec_from_file_location("framework_environments", HERE / "environments.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Recorded:
    """What a program said of itself, and what was recorded of it."""

    ledger: Any
    """The JSON of the last line the program printed: what it counted itself."""
    events: tuple[Event, ...]
    """All events in the order they began, in full."""
    stderr: str
    home: Path

    @property
    def parts(self) -> "dict[str, Recorded]":
        """What was recorded of each part of a program that conforms, with the part's own ledger.

        All but ``off``, where integrations record nothing.
        """
        reported = self.ledger["parts"]
        begins = [index for index, event in enumerate(self.events) if event.name.startswith("execute_tool part ")]
        names = [self.events[index].name.removeprefix("execute_tool part ") for index in begins]
        assert names == list(reported)
        return {
            name: Recorded(reported[name]["ledger"], self.events[begin + 1 : end], self.stderr, self.home)
            for name, begin, end in zip(names, begins, [*begins[1:], len(self.events)], strict=True)
            if name != "off"
        }

    def counted(self, kind: str) -> list[dict[str, Any]]:
        return [each for each in self.ledger if each["kind"] == kind]

    def of(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]

    def named(self, name: str) -> Event:
        (found,) = (event for event in self.events if event.name == name)
        return found

    def first(self, name: str) -> Event:
        return next(event for event in self.events if event.name == name)

    def trace_of(self, name: str) -> list[str]:
        """The trace of the first event of this name, drawn."""
        trace = self.first(name).trace_id
        return drawn([event for event in self.events if event.trace_id == trace]).splitlines()

    def ending(self, event: Event) -> str:
        """The status; ``closed`` of a stream that the program closed before its end."""
        return "closed" if facts(event).get("inspector.closed_early") else event.status

    def parent(self, event: Event) -> Event | None:
        return next((each for each in self.events if each.span_id == event.parent_id), None)

    def tree(self) -> list[str]:
        """Each event as its name, indented below its parent, in the order they began."""
        depths: dict[str, int] = {}
        for event in self.events:
            depths[event.span_id] = depths.get(event.parent_id or "", -1) + 1
        return ["  " * depths[event.span_id] + event.name for event in self.events]

    def compared(self, ledger: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Pair what a program counted with what was recorded; return what is left of each.

        An entry has ``kind``, ``name``, ``parent`` (its name, or None) and ``status``, and any of ``arguments``,
        ``result``, ``error`` and ``tokens``.
        """
        recorded = [self._entry(event) for event in self.events]
        missing: list[dict[str, Any]] = []
        for counted in sorted(ledger, key=len, reverse=True):
            found = next((each for each in recorded if all(each[key] == counted[key] for key in counted)), None)
            if found is None:
                missing.append(counted)
            else:
                recorded.remove(found)
        return missing, recorded

    def _entry(self, event: Event) -> dict[str, Any]:
        parent = self.parent(event)
        given, answered = (json.loads(bytes(each)) if each else None for each in (event.input, event.output))
        if event.kind == "llm" and answered:
            answered = "".join(part.get("content") or "" for message in answered for part in message["parts"])
        return {
            "kind": event.kind,
            "name": _bare(event),
            "parent": parent and _bare(parent),
            "status": self.ending(event),
            "arguments": given,
            "result": answered,
            "error": event.error and event.error.message,
            "tokens": None if event.input_tokens is None else [event.input_tokens, event.output_tokens],
        }


def _bare(event: Event) -> str:
    return event.name.partition(" ")[2] or event.name


def read_home(home: Path) -> tuple[Event, ...]:
    """Take in what the home's spool holds, and return every event in full, in the order they began."""
    with Owner(Settings(home=home)) as owner:
        owner.ingest_spools()
        return tuple(walk(owner.store.events, Filter(), order="asc", limit=500, full=True))


@pytest.fixture(scope="session")
def framework_python() -> Callable[[str], Path]:
    module = _environments()

    def find(name: str) -> Path:
        try:
            return module.framework_python(name)
        except module.EnvironmentMissing as reason:
            pytest.fail(str(reason)) if os.environ.get("INSPECTOR_BROWSER") == "required" else pytest.skip(str(reason))

    return find


@pytest.fixture(scope="session")
def forked_python(framework_python: Callable[[str], Path]) -> Iterator[Callable[[str | None], str]]:
    """Stands in for the interpreter of an environment of frameworks, or for ours.

    Its programs have imported the recorder and SDKs before they begin, which takes most of a short program. What is
    imported once it is recorded, as programs do it, is tested in ``test_conformance`` and ``test_replay_frameworks``.
    """
    with ExitStack() as stack:

        @cache
        def find(within: str | None) -> str:
            python = sys.executable if within is None else framework_python(within)
            return stack.enter_context(forking(*IMPORTED[within], *RECORDER, python=python)).stand_in

        yield find


@pytest.fixture(scope="session")
def make_bench(
    fork_python: Callable[..., "subprocess.Popen[Any]"], forked_python: Callable[[str | None], str]
) -> Callable[[Path], Bench]:
    """A home in a directory, and the command in it, whose programs are forked."""
    return lambda directory: Bench(directory, fork_python, forked_python(None))


@pytest.fixture
def bench(tmp_path: Path, make_bench: Callable[[Path], Bench]) -> Bench:
    """A home of its own, and the command in it, whose programs are forked."""
    return make_bench(tmp_path)


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory, framework_python: Callable[[str], Path]) -> Callable[..., Recorded]:
    """Run ``programs/<name>`` in an environment of ``requirements/frameworks`` under the inspector, once.

    Every test that asks for the same run reads the same recording, also that of another worker's tests: some frameworks
    take seconds to import.
    """
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent

    @cache
    def run_program(program: str, *arguments: str, within: str, env: tuple[tuple[str, str], ...] = ()) -> Recorded:
        identity = repr((program, arguments, within, env))
        directory = shared / f"{program}-{within}-{hashlib.sha256(identity.encode()).hexdigest()[:8]}"
        directory.mkdir(exist_ok=True)
        kept = directory / "recorded.pickle"
        with (directory / "running").open("w") as running:
            fcntl.flock(running, fcntl.LOCK_EX)
            if not kept.exists():
                found = _run([framework_python(within), "-c", START, PROGRAMS / program, *arguments], directory, env)
                kept.write_bytes(pickle.dumps(found))
        return pickle.loads(kept.read_bytes())  # noqa: S301 - written above

    return run_program


def _run(command: list[Any], directory: Path, env: tuple[tuple[str, str], ...]) -> Recorded:
    home, unknown = directory / "home", directory / "unknown-keywords.txt"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(directory),
        "INSPECTOR_HOME": str(home),
        "PYTHONPATH": f"{PROGRAMS}:{HERE / 'stubs'}:{HERE.parent / 'watched'}",
        "PYTHONWARNINGS": "ignore",
        # Nothing is asked over TLS, and each client would read all certificates.
        "SSL_CERT_DIR": str(directory / "no-certificates"),
        VARIABLE: str(unknown),
        **dict(env),
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, cwd=directory)
    assert done.returncode == 0, done.stderr
    assert not unknown.exists(), f"not what the contract says: {unknown.read_text()}"
    lines = done.stdout.strip().splitlines()
    ledger = msgspec.json.decode(lines[-1]) if lines else None
    return Recorded(ledger, read_home(home), done.stderr, home)
