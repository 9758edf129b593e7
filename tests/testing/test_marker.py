import pytest

TEST, CASSETTE = "tests/test_app.py", "tests/cassettes/app.jsonl"
MARKED = '@pytest.mark.cassette("app"'
ASKED = "print(answer(question))"
WITH_A_CLOCK = "print(answer(question + f\"\\nIt is {__import__('time').time_ns()}.\"))"
PATTERN = r"It is \d+"


@pytest.fixture
def with_a_clock(project):
    """A project whose program has a clock in its prompt, with a test of a run of it."""
    project.change("app.py", ASKED, WITH_A_CLOCK)
    assert project.record("run", "app.py").code == 0
    project.make_test()
    return project


@pytest.mark.slow
def test_what_the_marker_ignores_is_not_compared(with_a_clock):
    done = with_a_clock.pytest()
    assert done.code == 1
    assert "message 1 differs" in done.out
    with_a_clock.change(TEST, MARKED, f'{MARKED}, ignore=r"{PATTERN}"')
    assert with_a_clock.pytest().code == 0
    with_a_clock.change("app.py", "on the hills", "in the fields")
    done = with_a_clock.pytest()
    assert done.code == 1
    assert "in the fields" in done.out
    assert f"not compared: {PATTERN} (1x)" in done.out


def test_what_the_settings_ignore_is_not_compared_in_any_test(with_a_clock):
    with_a_clock.write("pytest.ini", f"[pytest]\ninspector_ignore =\n    no such\n    {PATTERN}\n")
    done = with_a_clock.pytest()
    assert done.code == 0, done.out


@pytest.mark.slow
def test_what_a_frozen_test_records_is_given_back_and_recorded_again_to_the_letter(with_a_clock):
    with_a_clock.change(TEST, MARKED, f"{MARKED}, freeze=True")
    done = with_a_clock.record_tests("--record=all")
    assert done.code == 0, done.out
    before = with_a_clock.read(CASSETTE)
    assert "It is 1767268800000000000." in before
    assert with_a_clock.pytest().code == 0
    assert with_a_clock.record_tests("--record=all").code == 0
    assert with_a_clock.read(CASSETTE) == before
    with_a_clock.change(TEST, "freeze=True", 'freeze="2026-03-01T09:30:00+01:00"')
    # A replay is frozen as its recording was.
    assert with_a_clock.pytest().code == 0
    assert with_a_clock.record_tests("--record=all").code == 0
    assert "It is 1772353800000000000." in with_a_clock.read(CASSETTE)


@pytest.fixture
def of_frozen_run(project):
    """A project whose program has a clock in its prompt, with a test of a run with ``--freeze``."""
    project.change("app.py", ASKED, WITH_A_CLOCK)
    assert project.record("run", "--freeze", "app.py").code == 0
    project.make_test()
    return project


@pytest.mark.slow
def test_a_test_of_a_frozen_run_is_frozen_as_that_was_and_recorded_again_to_the_letter(of_frozen_run):
    assert f"{MARKED}, freeze=True)" in of_frozen_run.read(TEST)
    done = of_frozen_run.pytest()
    assert done.code == 0, done.out
    before = of_frozen_run.read(CASSETTE)
    assert of_frozen_run.record_tests("--record=all").code == 0
    assert of_frozen_run.read(CASSETTE) == before


@pytest.mark.slow
@pytest.mark.parametrize("written", ["freeze=True", 'freeze="1790000000000000000:7"', ""])
def test_a_test_that_is_kept_runs_with_the_recording_of_another_frozen_run(of_frozen_run, written):
    of_frozen_run.change(TEST, "freeze=True", written)
    assert of_frozen_run.record("run", "--freeze", "app.py").code == 0
    assert "kept tests/test_app.py" in of_frozen_run.make_test()
    done = of_frozen_run.pytest()
    assert done.code == 0, done.out


def test_a_replay_of_a_cassette_is_frozen_as_its_recording_was(of_frozen_run):
    done = of_frozen_run.inspector("replay", CASSETTE, "--", "app.py")
    assert done.code == 0, done.err
    assert "replay: 5 of 5 calls of app replayed" in done.err


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ('ignore="("', "the marker cassette ignores '(', which is not a valid regular expression: "),
        ('freeze="at noon"', "the marker cassette freezes at 'at noon'; say True, or a moment as in freeze="),
        ("frozen=True", "the marker cassette takes the name of a recording"),
    ],
)
def test_what_cannot_be_meant_is_said(with_test, words, said):
    with_test.change(TEST, MARKED, f"{MARKED}, {words}")
    done = with_test.pytest()
    assert done.code == 1
    assert said in done.out


SENDING = """
class BackendSpanExporter:
    def export(self, spans):
        return "sent"
"""
TESTS = """
import pytest

from agents.tracing.processors import BackendSpanExporter


@pytest.mark.cassette("app")
def test_replayed(trace):
    trace.run("app.py")
    assert BackendSpanExporter().export([]) is None


def test_afterwards():
    assert BackendSpanExporter().export([]) == "sent"
"""


def test_nothing_is_sent_to_vendors_while_a_test_is_replayed(with_test):
    # As openai-agents has it.
    for name, text in {"__init__": "", "tracing/__init__": "", "tracing/processors": SENDING}.items():
        with_test.write(f"agents/{name}.py", text)
    with_test.write(TEST, TESTS)
    done = with_test.pytest()
    assert done.code == 0, done.out
    assert "2 passed" in done.out


@pytest.mark.slow
def test_a_test_that_is_kept_runs_with_the_recording_of_a_run_that_was_not_frozen(project):
    assert project.record("run", "--freeze", "app.py").code == 0
    project.make_test()
    project.change("app.py", "import os\n", "import os\nimport time\n")
    project.change("app.py", "    messages = [", "    assert time.time() > 1_780_000_000\n    messages = [")
    assert project.record("run", "app.py").code == 0
    assert "kept tests/test_app.py" in project.make_test()
    done = project.pytest()
    assert done.code == 0, done.out
