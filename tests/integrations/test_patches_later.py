import importlib
import sys
from uuid import uuid4

import pytest

from inspector.integrations.patches import Patches


@pytest.fixture
def module(tmp_path, monkeypatch):
    name = f"framework_{uuid4().hex}"
    (tmp_path / f"{name}.py").write_text("class Agent: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    sys.modules.pop(name, None)


@pytest.fixture
def patches():
    made = Patches("framework")
    yield made
    made.undo()


def want(patches, module):
    patches.wrap_once_imported(module, "Agent", {"run": lambda original: original})


def test_what_is_missing_in_a_module_that_is_imported_later_is_told_of_then(patches, module, caplog):
    want(patches, module)
    assert (patches.missing, caplog.messages) == ((), [])
    importlib.import_module(module)
    assert caplog.messages == ["not recorded, since the installed version does not have it: Agent.run"]


def test_what_is_missing_in_a_module_that_is_there_is_left_to_whoever_installs(patches, module, caplog):
    importlib.import_module(module)
    want(patches, module)
    assert (patches.missing, caplog.messages) == (("Agent.run",), [])
