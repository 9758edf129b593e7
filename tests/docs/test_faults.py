import ast
import re


def rows_of(page):
    """The tests that each check names, by the number of its fault; ``None`` is what stands beside them."""
    fault, rows = None, []
    for line in page.splitlines():
        if line.startswith("## "):
            number = re.match(r"## (\d+)\.", line)
            fault = int(number[1]) if number else None
        elif line.startswith("| ") and not line.startswith("| Check"):
            rows.append((fault, re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", line.split(" | ")[1])))
    return rows


def test_every_test_that_shows_a_fault_exists(root):
    named = {}
    for _, tests in rows_of((root / "docs" / "faults.md").read_text()):
        for file, test in tests:
            named.setdefault(file, set()).add(test)
    assert named
    for file, tests in named.items():
        tree = ast.parse((root / file).read_text())
        there = {each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert tests <= there, f"{file} lacks {sorted(tests - there)}"


def test_the_page_counts_its_faults_and_checks(root):
    page = (root / "docs" / "faults.md").read_text()
    checks = [(fault, tests) for fault, tests in rows_of(page) if fault is not None]
    stated = re.search(r"There are (\d+) faults with (\d+) checks, each shown by a test", page).groups()
    faults = {fault for fault, _ in checks}
    assert faults == set(range(1, len(faults) + 1))
    assert [int(each) for each in stated] == [len(faults), len(checks)]
    assert [fault for fault, tests in checks if not tests] == []
