import re
import shlex

import pytest

NOT_SHOWN = "inspector: in the browser: "


def without_ids(text):
    text = re.sub(r"\b(?:[0-9a-f]{32}|[0-9a-f]{8})\b", "ID", text)
    return re.sub(r"\d{4}-\d\d-\d\d |\d\d:\d\d:\d\d\.\d{3}", "", text)


def skeleton(tree):
    """A drawn tree without its figures: how deep each line is, its sign, its name."""
    return re.findall(r"^((?:[│├└─ ]{3})*)([✓✗] \S+(?: \S+)*)", tree, re.MULTILINE)


@pytest.mark.slow
def test_the_drawn_tree_is_that_of_the_demo(blocks, run, tmp_path):
    (picture,) = blocks("docs/demo.md", "console")
    home = {"INSPECTOR_HOME": str(tmp_path / "home")}
    assert run("inspector", "demo", "--once", **home).returncode == 0
    done = run("inspector", "show", "last", COLUMNS="110", PYTHONIOENCODING="utf-8", **home)
    assert done.returncode == 0, done.stderr
    assert skeleton(picture.text) == skeleton(done.stdout)


@pytest.mark.slow
def test_the_demo_is_replayed_broken_and_explained_as_the_page_shows_it(run, blocks, tmp_path):
    home = {"INSPECTOR_HOME": str(tmp_path / "home"), "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"}
    demo = run("inspector", "demo", "--once", **home)
    assert demo.returncode == 0, demo.stderr
    shown = [block.text for block in blocks("docs/demo.md", "text")]
    codes = []
    for text in shown:
        command, _, printed = text.partition("\n")
        done = run(*shlex.split(command.removeprefix("$ ")), **home)
        codes.append(done.returncode)
        lines = (done.stdout + done.stderr).splitlines(keepends=True)
        assert without_ids("".join(line for line in lines if not line.startswith(NOT_SHOWN))) == without_ids(printed)
    assert codes == [0, 3, 0]
