import re

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
