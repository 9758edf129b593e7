"""How long files and functions may be."""

import ast

import pytest

PACKAGES = ("inspector", "instrument", "toolkit")
MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 50


@pytest.fixture(scope="module")
def sources(checkout):
    """The text of each module, by its path."""
    paths = [path for package in PACKAGES for path in (checkout / package).rglob("*.py")]
    return {path.relative_to(checkout).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def test_no_file_is_longer_than_one_can_keep_in_mind(sources):
    assert len(sources) > 100
    lengths = {path: len(text.splitlines()) for path, text in sources.items()}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES_OF_A_FILE} == {}


def test_no_function_is_longer_than_a_screen(sources):
    lengths = {
        f"{path}: {function.name}": function.end_lineno - function.lineno + 1
        for path, text in sources.items()
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES_OF_A_FUNCTION} == {}
