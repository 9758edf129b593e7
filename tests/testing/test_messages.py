import pytest

TEST = "tests/test_app.py"
INSIDE = """
import pytest


@pytest.mark.cassette("appp")
def test_inside(trace):
    raise RuntimeError("boom")
"""


def test_a_misspelt_recording_is_named_once_with_the_one_that_is_meant(with_test):
    with_test.change(TEST, 'cassette("app")', 'cassette("appp")')
    done = with_test.pytest(CI="1")
    assert done.code == 1
    said = done.out.partition("short test summary")[0]
    assert said.count("tests/cassettes/appp.jsonl is not there, did you mean app?") == 1
    assert '\nto replay that one: @pytest.mark.cassette("app") at the test\nto record it: ' in said
    assert "During handling" not in done.out


def test_a_misspelt_recording_makes_no_call_though_nobody_forbade_to_record(with_test):
    with_test.change(TEST, 'cassette("app")', 'cassette("appp")')
    done = with_test.pytest()
    assert done.code == 1
    assert "tests/cassettes/appp.jsonl is not there, did you mean app?" in done.out
    assert "ProgramFailed" not in done.out


def test_a_recording_that_another_test_names_is_not_the_one_that_is_meant(with_test):
    with_test.write("tests/test_more.py", INSIDE)
    done = with_test.pytest("tests/test_more.py")
    assert done.code == 1
    assert "boom" in done.out


@pytest.mark.slow
def test_a_test_that_fails_while_it_records_says_first_that_its_recording_is_not_there(with_test):
    with_test.change(TEST, 'cassette("app")', 'cassette("appp")')
    done = with_test.pytest("--record=once")
    assert done.code == 1
    problem = "no recording was written: tests/cassettes/appp.jsonl is not there, did you mean app?"
    assert f"ProgramFailed: {problem}\nE       app.py exited with 1:" in done.out
    with_test.write(TEST, INSIDE)
    done = with_test.pytest("--record=once")
    assert done.code == 1
    assert problem in done.out


@pytest.mark.slow
def test_a_program_that_fails_is_said_with_its_exit_code_and_the_last_it_wrote(with_test):
    with_test.change("app.py", "    main(*sys.argv[1:])", "    main(*sys.argv[1:])\n    raise RuntimeError('boom')")
    done = with_test.pytest()
    assert done.code == 1
    assert "ProgramFailed: app.py exited with 1:" in done.out
    assert "E         RuntimeError: boom" in done.out
    assert "if it exits with 1 as it did when it was recorded: trace.run(…, check=False)" in done.out
    assert "subprocess.py" not in done.out
    assert "inspector/testing" not in done.out


def test_a_program_that_is_not_there_is_said_in_a_line(with_test):
    with_test.change(TEST, '"app.py"', '"appp.py"')
    done = with_test.pytest()
    assert done.code == 1
    assert "ProgramNotStarted: cannot run appp.py: there is no such file in " in done.out
    assert "did not make all calls" not in done.out
    assert "program.py" not in done.out
