import re

import pytest

from toolkit.elsewhere import EQUIVALENTS

PAGE = "docs/toolkit-names.md"
CODE = re.compile(r"`([^`]+)`")
NAME = re.compile(r"[A-Za-z_]\w*")


def rows(root):
    lines = [each for each in (root / PAGE).read_text().splitlines() if each.startswith("| ")]
    cells = [[cell.strip() for cell in each.removesuffix("|").split("|")[1:]] for each in lines]
    return [each for each in cells if each[0] not in ("There", "---")]


def test_every_row_says_what_is_here(root):
    assert [each for each in rows(root) if len(each) != 4 or not each[0] or not each[2]] == []


def test_every_name_that_is_here_is_a_name_of_the_toolkit(root):
    places = [*(root / "toolkit").glob("**/*.py"), *(root / "instrument").glob("*.py")]
    source = "\n".join(each.read_text() for each in places)
    for there, _, here, _ in rows(root):
        for code in CODE.findall(here):
            if "/" in code or "<" in code or code.endswith(".py"):
                continue
            name = NAME.search(code)
            assert name and re.search(rf"\b{name[0]}\b", source), f"{there}: {code}"


def test_every_name_that_the_guide_has_in_another_package_is_found_from_the_root(root):
    table = (root / "docs/toolkit.md").read_text().partition("| Package | Names |")[2]
    names = re.findall(r"\b(?:[A-Z]\w+|[a-z]+_\w+)\b", re.sub(r"\[.*?\]\(.*?\)", "", table))
    strangers = {"LangChain", "Composio", "ToolkitError"}
    assert len(names) > 30
    for name in sorted(set(names) - strangers):
        with pytest.raises(ImportError, match=rf"it is in (toolkit\.\w+): from \1 import {name}$"):
            exec(f"from toolkit import {name}", {})  # noqa: S102 - as above


@pytest.mark.parametrize("name", EQUIVALENTS)
def test_a_name_of_another_framework_says_what_to_import_instead(root, name):
    assert name in (root / PAGE).read_text()
    with pytest.raises(ImportError, match=EQUIVALENTS[name].rpartition(".")[2]) as raised:
        exec(f"from toolkit import {name}", {})  # noqa: S102 - as above
    exec(str(raised.value).rpartition(": ")[2], {})  # noqa: S102 - what it advises works
