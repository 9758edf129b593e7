import builtins
import re
from pathlib import Path

import pytest

from instrument import control

PAGE = Path(__file__).parents[2] / "docs" / "control.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTS = re.compile(r"It prints `([^`]+)` and `([^`]+)`")


@pytest.fixture
def blocks():
    yield BLOCK.findall(PAGE.read_text())
    assert control.controller is None


def test_the_first_example_prints_what_the_page_says(blocks, capsys):
    exec(compile(blocks[0], str(PAGE), "exec"), {"__name__": "example"})
    said = PRINTS.search(PAGE.read_text())
    assert capsys.readouterr().out.splitlines() == list(said.groups())


def test_every_other_example_runs(blocks, monkeypatch):
    monkeypatch.setattr(builtins, "input", lambda _: "y")
    assert len(blocks) == 5
    for block in blocks[1:]:
        exec(compile(block, str(PAGE), "exec"), {"__name__": "example"})
