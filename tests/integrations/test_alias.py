"""The bus by its first name, where no `mcp_agent` is installed."""

import asyncio
import importlib
import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import inspector
import inspector.recording
import instrument
from inspector.integrations.alias import provide_alias, take_alias_back
from inspector.integrations.mcp_agent.contract import has_contract, pass_on
from inspector.integrations.patches import Patches


@pytest.fixture(autouse=True)
def alias():
    assert importlib.util.find_spec("mcp_agent") is None
    yield
    take_alias_back()


def test_while_the_inspector_is_attached_the_bus_has_the_contracts_first_name(tmp_path):
    inspector.attach(home=tmp_path)
    try:
        from mcp_agent.core import instrument as theirs

        assert theirs is instrument is importlib.import_module("mcp_agent.core.instrument")
        with pytest.raises(ImportError):
            importlib.import_module("mcp_agent.app")
        assert importlib.util.find_spec("mcp_agent").submodule_search_locations == []
    finally:
        inspector.detach()
    assert not [name for name in sys.modules if name.startswith("mcp_agent")]


def test_a_package_of_that_name_is_left_alone(tmp_path, monkeypatch):
    (tmp_path / "mcp_agent").mkdir()
    (tmp_path / "mcp_agent" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    provide_alias()
    assert "mcp_agent" not in sys.modules
    assert list((tmp_path / "mcp_agent").iterdir()) == [tmp_path / "mcp_agent" / "__init__.py"]


REFERENCE = Path(__file__).parents[2] / "benchmarks" / "seed_reference.py"


@pytest.fixture
def fork(monkeypatch):
    """A fork whose module is the first version's reference code, with more of its own."""

    def make(more="", code=None):
        modules = [ModuleType(name) for name in ("mcp_agent", "mcp_agent.core", "mcp_agent.core.instrument")]
        for module in modules:
            monkeypatch.setitem(sys.modules, module.__name__, module)
        exec((REFERENCE.read_text() if code is None else code) + more, vars(modules[-1]))
        return modules[-1]

    return make


@pytest.fixture
def seen():
    """What our bus has emitted of some hooks."""
    found = []

    def note(*args, **keywords):
        found.append((args, keywords))

    for name in ("fork_planned", "before_rpc_request"):
        instrument.register(name, note)
    yield found
    for name in ("fork_planned", "before_rpc_request"):
        instrument.unregister(name, note)


def test_all_hooks_of_a_fork_are_seen_whatever_their_names(fork, seen):
    fork = fork()
    patches = Patches("mcp_agent")
    assert has_contract()
    pass_on(patches)
    asyncio.run(fork._emit("fork_planned", 1, steps=2))
    asyncio.run(fork._emit("before_rpc_request", envelope={"id": 1, "method": "ping"}, transport="http"))
    asyncio.run(fork._emit("before_rpc_request", {"id": 2, "method": "ping"}, "http"))
    patches.undo()
    asyncio.run(fork._emit("fork_planned", 3))
    assert not any(fork._hooks.values())
    assert seen == [
        ((1,), {"steps": 2}),
        ((), {"envelope": {"id": 1, "method": "ping"}, "transport": "http"}),
        ((), {"envelope": {"id": 2, "method": "ping"}, "transport": "http"}),
    ]


EMIT_SYNC = """

def _emit_sync(name, **k):
    for cb in _hooks.get(name, []):
        cb(**k)
"""


def test_hooks_that_a_fork_emits_synchronously_are_seen(fork, seen):
    fork = fork(EMIT_SYNC)
    patches = Patches("mcp_agent")
    pass_on(patches)
    fork._emit_sync("fork_planned", steps=1)
    fork._emit_sync("before_rpc_request", envelope={"id": 1, "method": "ping"}, transport="http")
    patches.undo()
    fork._emit_sync("fork_planned", steps=2)
    assert seen == [((), {"steps": 1}), ((), {"envelope": {"id": 1, "method": "ping"}, "transport": "http"})]


GUARDED = """
from mcp_agent.core.instrument import _emit_sync, _hooks

def plan():
    if _hooks.get("fork_planned"):
        _emit_sync("fork_planned", steps=1)
    elif _hooks["fork_planned"] or "fork_planned" in _hooks:
        _emit_sync("fork_planned", steps=0)
"""


def test_hooks_behind_a_forks_guard_are_seen_also_in_modules_imported_before(fork, seen, monkeypatch):
    fork = fork(EMIT_SYNC)
    planner = ModuleType("mcp_agent.planner")
    monkeypatch.setitem(sys.modules, planner.__name__, planner)
    exec(GUARDED, vars(planner))
    table = fork._hooks
    patches = Patches("mcp_agent")
    pass_on(patches)
    planner.plan()
    theirs = []
    fork.register("fork_planned", lambda **keywords: theirs.append(keywords))
    assert len(planner._hooks["fork_planned"]) == 2
    patches.undo()
    planner.plan()
    assert seen == [((), {"steps": 1})]
    assert planner._hooks is fork._hooks is table
    assert theirs == [{"steps": 1}]
    assert sum(map(len, table.values())) == 1


WITHOUT_A_TABLE = """
class Bus:
    def __init__(self):
        self.callbacks = []

    def register(self, name, fn):
        if name == "closed":
            raise ValueError(name)
        self.callbacks.append((name, fn))

    def unregister(self, name, fn):
        self.callbacks.remove((name, fn))

bus = Bus()
register, unregister = bus.register, bus.unregister

async def _emit(name, **k):
    emit_now(name, **k)

def emit_now(name, **k):
    for each, cb in bus.callbacks:
        if each == name:
            cb(**k)
"""


def test_hooks_of_a_fork_without_a_table_are_seen_once(fork, seen, caplog):
    fork = fork(code=WITHOUT_A_TABLE)
    patches = Patches("mcp_agent")
    pass_on(patches)
    fork.emit_now("fork_planned", steps=1)
    asyncio.run(fork._emit("fork_planned", steps=2))
    asyncio.run(fork._emit("closed"))
    patches.undo()
    assert fork.bus.callbacks == []
    assert seen == [((), {"steps": 1}), ((), {"steps": 2})]


def test_a_package_of_that_name_that_becomes_importable_later_is_found_and_recorded(tmp_path, monkeypatch):
    inspector.attach(home=tmp_path / "home")
    try:
        package = tmp_path / "vendored" / "mcp_agent"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "app.py").write_text("NAME = 'vendored'")
        monkeypatch.syspath_prepend(tmp_path / "vendored")
        app = importlib.import_module("mcp_agent.app")
        assert app.NAME == "vendored"
        assert "mcp_agent" in inspector.recording.frameworks()
    finally:
        inspector.detach()
        for name in [name for name in sys.modules if name.startswith("mcp_agent")]:
            del sys.modules[name]


def test_a_package_of_that_name_that_a_later_finder_finds_is_left_alone(monkeypatch):
    provide_alias()
    found = importlib.machinery.ModuleSpec("mcp_agent", None)

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            return found if name == "mcp_agent" else None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    assert importlib.util.find_spec("mcp_agent") is found


def test_the_bus_by_that_name_is_no_framework_however_often_the_inspector_is_attached(tmp_path):
    inspector.attach(home=tmp_path)
    try:
        importlib.import_module("mcp_agent.core.instrument")
        inspector.attach()
        assert "mcp_agent" not in inspector.recording.frameworks()
        assert instrument.__spec__.name == "instrument"
    finally:
        inspector.detach()
    assert not [name for name in sys.modules if name.startswith("mcp_agent")]
