"""The page about tests does what it says, for a reader who copies it."""

import re

import pytest

PAGE = "docs/testing.md"


@pytest.fixture(scope="module")
def page(pytestconfig):
    return (pytestconfig.rootpath / PAGE).read_text()


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_a_reader_who_copies_the_page_gets_what_it_shows(page, empty_project, pytestconfig):
    program, written, inside = blocks(page, "python")
    commands, _, failure = blocks(page, "text")
    empty_project.write("app.py", program)
    record, make, _ = commands.splitlines()
    assert empty_project.record(*record.split()[1:]).code == 0
    assert empty_project.inspector(*make.split()[1:]).code == 0
    assert f"# tests/test_app.py\n{empty_project.read('tests/test_app.py')}" == written
    assert empty_project.pytest().code == 0

    empty_project.write("tests/test_ask.py", inside)
    (setting,) = blocks(page, "toml")
    empty_project.write("pyproject.toml", setting)
    # As the command `pytest` has it: without the directory that `python -m` puts in front.
    plain = {"PYTHONPATH": str(pytestconfig.rootpath), "PYTHONSAFEPATH": "1"}
    done = empty_project.record_tests(OPENAI_API_KEY="planted", **plain)
    assert "recorded tests/cassettes/ask.jsonl" in done.out, done.out
    assert empty_project.pytest(**plain).code == 0

    (empty_project.directory / "tests/test_ask.py").unlink()
    empty_project.change("app.py", '"content": found', '"content": found.upper()')
    done = empty_project.pytest()
    assert done.code == 1
    shown = [line for line in failure.splitlines() if not line.startswith("as a page")]
    assert [line for line in done.out.splitlines() if line in shown] == shown, done.out


@pytest.mark.slow
def test_every_option_of_the_plugin_is_on_the_page(page, empty_project):
    said = empty_project.pytest("--help").out
    options = re.search(r"^tests of recorded runs:\n(.*?)\n\n", said, re.MULTILINE | re.DOTALL).group(1)
    assert set(re.findall(r"--[a-z-]+", options)) == {"--record", "--inspector-summary"}
    assert "`pytest --record=`" in page
    assert "--inspector-summary=FILE" in page
