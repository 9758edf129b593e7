"""Runs a program that uses a published framework, and reads what was recorded of it."""

import importlib.util
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from inspector.ingest import Owner
from inspector.model import Event, Filter
from inspector.settings import Settings

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
START = """
import inspector, runpy, sys
inspector.attach()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


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

    def of(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]

    def named(self, name: str) -> Event:
        (found,) = (event for event in self.events if event.name == name)
        return found

    def parent(self, event: Event) -> Event | None:
        return next((each for each in self.events if each.span_id == event.parent_id), None)

    def tree(self) -> list[str]:
        """Each event as its name, indented below its parent, in the order they began."""
        depths: dict[str, int] = {}
        for event in self.events:
            depths[event.span_id] = depths.get(event.parent_id or "", -1) + 1
        return ["  " * depths[event.span_id] + event.name for event in self.events]


def attributes(event: Event) -> dict[str, Any]:
    return json.loads(bytes(event.attributes or b"{}"))


def read_home(home: Path) -> tuple[Event, ...]:
    """Take in what the home's spool holds, and return every event in full, in the order they began."""
    with Owner(Settings(home=home)) as owner:
        owner.take_in()
        page = owner.store.events(Filter(), order="asc", limit=500, full=True)
    assert page.next_cursor is None
    return page.items


@pytest.fixture(scope="session")
def framework_python() -> Callable[[str], Path]:
    module = _environments()

    def find(name: str) -> Path:
        try:
            return module.framework_python(name)
        except module.EnvironmentMissing as reason:
            pytest.fail(str(reason)) if os.environ.get("INSPECTOR_BROWSER") == "required" else pytest.skip(str(reason))

    return find


@pytest.fixture
def run(tmp_path: Path, framework_python: Callable[[str], Path]) -> Iterator[Callable[..., Recorded]]:
    """Run ``programs/<name>`` in an environment of ``requirements/frameworks`` under the inspector."""

    def run_program(
        program: str, *arguments: str, within: str, env: Mapping[str, str] | None = None, expect: int = 0
    ) -> Recorded:
        home = tmp_path / "home"
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "INSPECTOR_HOME": str(home),
            "PYTHONWARNINGS": "ignore",
            **(env or {}),
        }
        done = subprocess.run(
            [framework_python(within), "-c", START, str(PROGRAMS / program), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
        )
        assert done.returncode == expect, done.stderr
        lines = done.stdout.strip().splitlines()
        return Recorded(
            ledger=msgspec.json.decode(lines[-1]) if lines else None,
            events=read_home(home),
            stderr=done.stderr,
            home=home,
        )

    yield run_program
