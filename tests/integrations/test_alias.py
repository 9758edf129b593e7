"""The bus by its first name, where no `mcp_agent` is installed."""

import importlib
import importlib.machinery
import importlib.util
import sys

import pytest

import inspector
import inspector.recording
import instrument
from inspector.integrations.alias import provide_alias, take_alias_back


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


def test_all_hooks_of_a_fork_are_seen_whatever_their_names(monkeypatch):
    """The fork's module is the first version's reference code, with hooks of its own."""
    import asyncio
    from pathlib import Path
    from types import ModuleType

    from inspector.integrations.mcp_agent.contract import has_contract, pass_on
    from inspector.integrations.patches import Patches

    fork = ModuleType("mcp_agent.core.instrument")
    exec((Path(__file__).parents[2] / "benchmarks" / "seed_reference.py").read_text(), vars(fork))
    for name in ("mcp_agent", "mcp_agent.core"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "mcp_agent.core.instrument", fork)
    seen = []
    patches = Patches("mcp_agent")

    def note(*args, **keywords):
        seen.append((args, keywords))

    instrument.register("fork_planned", note)
    instrument.register("before_rpc_request", note)
    try:
        assert has_contract()
        pass_on(patches)
        asyncio.run(fork._emit("fork_planned", 1, steps=2))
        asyncio.run(fork._emit("before_rpc_request", envelope={"id": 1, "method": "ping"}, transport="http"))
        asyncio.run(fork._emit("before_rpc_request", {"id": 2, "method": "ping"}, "http"))
        patches.undo()
        asyncio.run(fork._emit("fork_planned", 3))
        assert not any(fork._hooks.values())
    finally:
        instrument.unregister("fork_planned", note)
        instrument.unregister("before_rpc_request", note)
    assert seen == [
        ((1,), {"steps": 2}),
        ((), {"envelope": {"id": 1, "method": "ping"}, "transport": "http"}),
        ((), {"envelope": {"id": 2, "method": "ping"}, "transport": "http"}),
    ]


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
