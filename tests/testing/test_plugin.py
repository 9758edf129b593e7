"""The plugin, in pytests of their own: in a project whose model is gone, and without a key."""

from xml.etree import ElementTree as ET

import pytest

from inspector.page_file import packed_file_page

TEST = "tests/test_app.py"
INSIDE = """
import pytest


@pytest.mark.cassette("app")
def test_inside(trace):
    from app import main

    main(*WORDS)
    assert trace.tools == ["search", "book"]


def test_the_next_one():
    pass
"""

ENDS_LATE = """
import httpx
import pytest
from app import asked
from instrument import _emit_sync


@pytest.mark.cassette("late")
def test_late(trace):
    question = [{"role": "user", "content": "one two"}]
    _emit_sync("before_agent_call", agent="reader", call_id="reader")
    with httpx.stream("POST", **asked(messages=question, stream=True)) as stream:
        _emit_sync("after_agent_call", agent="reader", call_id="reader", result="read")
        # Has the call written as it is by now: left open by the agent.
        assert trace.answer is None
        stream.read()
    assert trace.answer
"""

COSTS = """
import sys

import pytest
from instrument import _emit_sync

# This process is a fork of one that may have loaded it.
for name in [name for name in sys.modules if name.partition(".")[0] == "genai_prices"]:
    del sys.modules[name]


@pytest.mark.cassette("app")
def test_costs(trace):
    from app import main

    main()
    _emit_sync("before_llm_generate", llm="gpt-4.1-mini", prompt="one two", call_id="1")
    usage = {"input_tokens": 1000, "output_tokens": 1000}
    _emit_sync("after_llm_generate", llm="gpt-4.1-mini", response="three", usage=usage, call_id="1")
    assert trace.tokens > 2000
    assert "genai_prices" not in sys.modules
    with pytest.raises(Exception) as caught:
        trace.cost
    # That of a server of one's own has none.
    assert str(caught.value).startswith("no price is known for gpt-4o, or")
"""


@pytest.mark.slow
def test_a_test_that_was_made_passes_without_a_key_and_without_a_model(anew):
    done = anew.pytest()
    assert done.code == 0, done.out
    assert "1 passed" in done.out
    assert not (anew.directory / "inspector-failures").exists()


@pytest.mark.slow
def test_it_needs_no_more_than_the_extra_record(anew):
    anew.write(
        "conftest.py",
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('sqlalchemy', 'click', 'pydantic', 'fastapi', 'genai_prices'):\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Missing())\n",
    )
    anew.change(TEST, "# assert trace.errors", "assert trace.cost < 1\n    # assert trace.errors")
    done = anew.pytest()
    assert done.code == 1
    assert 'CostUnknown: trace.cost needs a price list: pip install "mcp-agent-inspector[inspector]"' in done.out
    assert 'no page of it:     pip install "mcp-agent-inspector[inspector]"' in done.out
    assert "inspector show inspector-failures/tests-test_app.py-test_app.jsonl" in done.out
    anew.change(TEST, "assert trace.cost < 1\n", "")
    assert anew.pytest().code == 0


def test_the_price_list_is_loaded_only_by_a_test_that_asks_for_the_cost(with_test):
    with_test.write(TEST, COSTS)
    done = with_test.pytest()
    assert done.code == 0, done.out


@pytest.mark.slow
def test_a_program_may_write_what_is_no_text(with_test):
    with_test.change(
        "app.py", "    main(*sys.argv[1:])", r"    main(*sys.argv[1:])" + "\n    sys.stdout.buffer.write(bytes([255]))"
    )
    with_test.change(TEST, "trace.run(", "completed = trace.run(")
    with_test.change(
        TEST, "# assert trace.errors", r'assert completed.stdout.endswith("\ufffd")' + "\n    # assert trace.errors"
    )
    done = with_test.pytest()
    assert done.code == 0, done.out


def test_other_results_in_a_prompt_fail_it_with_one_named_step(with_test):
    with_test.change("app.py", "json.dumps(found)", "json.dumps([found])")
    done = with_test.pytest()
    assert done.code == 1
    assert "direct cause" not in done.out
    told = done.out[done.out.index("the program diverged from its recording") :].splitlines()
    assert told[0] == (
        "the program diverged from its recording: its model call 2, of gpt-4o, is not in the recording; "
        "the closest is call 4, chat gpt-4o"
    )
    assert told[1] == "message 3 differs"
    assert (told[2].lstrip()[0], told[3].lstrip()[0]) == ("-", "+")
    assert told[4] == "3 of 5 calls of app replayed"
    assert told[5] == "to see the run:    inspector show inspector-failures/tests-test_app.py-test_app.jsonl"
    assert told[6] == (
        "to see both:       inspector diff tests/cassettes/app.jsonl "
        "inspector-failures/tests-test_app.py-test_app.jsonl"
    )
    assert len(told[:8]) <= 10


@pytest.mark.slow
def test_what_was_kept_of_a_failure_is_shown_and_compared(with_test):
    with_test.change(TEST, '"search", "book"', '"book", "search"')
    done = with_test.pytest()
    assert "At index 0 diff: 'search' != 'book'" in done.out
    kept = "inspector-failures/tests-test_app.py-test_app"
    assert (with_test.directory / "inspector-failures/.gitignore").read_text() == "*\n"
    assert "execute_tool book" in with_test.inspector("show", f"{kept}.jsonl", "--no-pager").out
    compared = with_test.inspector("diff", "tests/cassettes/app.jsonl", f"{kept}.jsonl", "--no-pager")
    assert "The runs are equal." in compared.out
    if packed_file_page() is not None:
        assert f"as a page:         {kept}.html" in done.out
        assert (with_test.directory / f"{kept}.html").read_text().startswith("<!doctype html>")


@pytest.mark.slow
def test_what_was_kept_of_a_program_that_was_ended_runs_no_more_and_advises_nothing_that_is_not_there(with_test):
    with_test.change("app.py", "on the hills", "in the fields")
    assert with_test.pytest().code == 1
    shown = with_test.inspector("show", "inspector-failures/tests-test_app.py-test_app.jsonl", "--no-pager")
    assert (shown.code, shown.err) == (0, "")
    assert "chat gpt-4o" in shown.out
    assert "running" not in shown.out
    assert "a replay of app" in shown.out
    assert "inspector diff" not in shown.out


@pytest.mark.slow
def test_a_failure_is_told_to_ci(with_test):
    with_test.change("app.py", "on the hills", "in the fields")
    done = with_test.pytest("--junitxml=report.xml", GITHUB_STEP_SUMMARY="summary.md")
    assert done.code == 1
    (case,) = ET.parse(with_test.directory / "report.xml").iter("testcase")
    known = {each.get("name"): each.get("value") for each in case.iter("property")}
    assert known["inspector.divergence"].startswith("the program diverged from its recording: its model call 1, of")
    assert known["inspector.run"].endswith("/inspector-failures/tests-test_app.py-test_app.jsonl")
    summary = with_test.read("summary.md").splitlines()
    assert summary[0] == "### Agent tests that failed"
    assert summary[4].startswith("| `tests/test_app.py::test_app` | `the program diverged from its recording: its ")
    assert "message 1 differs" in summary[4]
    with_test.change("app.py", "in the fields", "on the hills")
    assert with_test.pytest("--inspector-summary=other.md").code == 0
    assert not (with_test.directory / "other.md").exists()


def test_a_function_of_the_program_is_called_in_the_process_of_the_test(with_test):
    with_test.write(TEST, INSIDE.replace("*WORDS", ""))
    done = with_test.pytest()
    assert done.code == 0, done.out
    assert "2 passed" in done.out


def test_a_miss_ends_the_test_alone_even_where_the_program_catches_errors(with_test):
    caught = "    try:\n        main('Bergen?')\n    except Exception:\n        pass"
    with_test.write(TEST, INSIDE.replace("    main(*WORDS)", caught))
    done = with_test.pytest()
    assert done.code == 1
    assert "1 failed, 1 passed" in done.out
    assert "the program diverged from its recording: its model call 1, of gpt-4o" in done.out
    assert "Bergen?" in done.out


def test_a_miss_on_another_thread_fails_the_test(with_test):
    threaded = "    from threading import Thread\n    thread = Thread(target=main, args=('Bergen?',))\n"
    threaded += "    thread.start()\n    thread.join()"
    with_test.write(TEST, INSIDE.replace("    main(*WORDS)", threaded))
    done = with_test.pytest("-p", "no:threadexception")
    assert done.code == 1
    assert "the program diverged from its recording: its model call 1, of gpt-4o" in done.out


def test_calls_that_are_not_made_again_fail_the_test(with_test):
    with_test.write(TEST, 'import pytest\n\n\n@pytest.mark.cassette("app")\ndef test_nothing(trace):\n    pass\n')
    done = with_test.pytest()
    assert done.code == 1
    assert "the program did not repeat every call of its recording: chat gpt-4o (" in done.out
    assert "0 of 5 calls of app replayed" in done.out


@pytest.mark.parametrize("place", ["198.51.100.1", "a.invalid"])
def test_no_other_machine_is_reached_and_only_while_the_test_goes_on(with_test, place):
    reach = f"    import socket\n    socket.create_connection(({place!r}, 80), 1)"
    with_test.write(TEST, INSIDE.replace("    main(*WORDS)", reach))
    done = with_test.pytest()
    assert done.code == 1
    assert f"it connects to {place}" in done.out
    assert "if it can do without: offline=True in the marker" in done.out
    assert "1 failed, 1 passed" in done.out


def test_a_program_that_can_do_without_other_machines_passes_if_the_marker_says_so(with_test):
    reach = "    import socket\n    with pytest.raises(socket.gaierror):\n        socket.gethostbyname('a.invalid')\n"
    marked = INSIDE.replace('cassette("app"', 'cassette("app", offline=True')
    with_test.write(TEST, marked.replace("    main(*WORDS)", f"{reach}    main()"))
    done = with_test.pytest()
    assert done.code == 0, done.out


@pytest.mark.slow
def test_a_program_that_fails_fails_the_test_with_what_it_wrote(with_test):
    with_test.change(
        "app.py", "    print(answer(question))", "    print(answer(question))\n    raise SystemExit('no room')"
    )
    done = with_test.pytest()
    assert done.code == 1
    assert "no room" in done.out


def test_a_missing_recording_is_made_once_and_then_given_back(with_test):
    file = with_test.directory / "tests/cassettes/app.jsonl"
    before = file.read_bytes()
    file.unlink()
    done = with_test.record_tests()
    assert done.code == 0, done.out
    assert "recorded tests/cassettes/app.jsonl" in done.out
    assert file.read_bytes() == before
    assert with_test.pytest().code == 0


def test_a_stream_that_ends_after_the_agent_around_it_is_recorded_to_its_end(with_test):
    with_test.write("tests/test_late.py", ENDS_LATE)
    done = with_test.record_tests("tests/test_late.py", OPENAI_API_KEY="planted")
    assert done.code == 0, done.out
    assert "recorded tests/cassettes/late.jsonl" in done.out
    assert with_test.pytest("tests/test_late.py").code == 0


@pytest.mark.sweep(1)
@pytest.mark.parametrize("options", [{"CI": "true"}, {}])
def test_nothing_is_recorded_in_ci_or_where_that_is_said(with_test, options):
    file = with_test.directory / "tests/cassettes/app.jsonl"
    file.unlink()
    done = with_test.record_tests(*([] if options else ["--record=none"]), **options)
    assert done.code == 1
    assert "tests/cassettes/app.jsonl is not there, nor any other recording" in done.out
    assert "to record it: pytest --record=once tests/test_app.py::test_app" in done.out
    assert not file.exists()


def test_a_recording_that_failed_or_has_a_secret_is_not_written(with_test):
    file = with_test.directory / "tests/cassettes/app.jsonl"
    before = file.read_bytes()
    with_test.change(TEST, '"search", "book"', '"book", "search"')
    assert with_test.record_tests("--record=all").code == 1
    with_test.change(TEST, '"book", "search"', '"search", "book"')
    with_test.change("app.py", 'f"booked {hotel}"', '"the key is sk-proj-" + "A1b2C3d4" * 6')
    done = with_test.record_tests("--record=all")
    assert done.code == 1
    assert "was not written: the call execute_tool book (" in done.out
    assert "\ntake the secret out of what the program sends or returns there, and record the run again\n" in done.out
    assert "to see the run:    inspector show inspector-failures/tests-test_app.py-test_app.jsonl" in done.out
    assert file.read_bytes() == before


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ("", "the fixture trace needs the name of a recording"),
        ("@pytest.mark.cassette\n", "the marker cassette takes the name of a recording"),
        ('@pytest.mark.cassette("../app")\n', "the marker cassette takes the name of a recording, with no directory"),
    ],
)
def test_a_test_without_a_name_says_how_one_is_given(with_test, marker, said):
    with_test.write(TEST, f"import pytest\n\n\n{marker}def test_it(trace):\n    pass\n")
    done = with_test.pytest()
    assert said in done.out
    assert '@pytest.mark.cassette("NAME")' in done.out


@pytest.mark.slow
def test_parallel_workers_have_each_their_own(anew):
    test = anew.read(TEST)
    more = "".join(
        test[test.index("@pytest") :].replace("test_app", f"test_app_{number}") + "\n\n" for number in range(4)
    )
    failing = more.replace('"search", "book"', '"book", "search"', 1)
    anew.write(TEST, f"import pytest\n\n\n{failing}")
    done = anew.pytest("-n", "2", "--inspector-summary=summary.md")
    assert "1 failed, 3 passed" in done.out
    summary = anew.read("summary.md")
    assert summary.count("`tests/test_app.py::test_app_0`") == 1
    assert summary.count("### Agent tests that failed") == 1


def test_another_plugin_keeps_the_option(with_test):
    with_test.write("other.py", "def pytest_addoption(parser):\n    parser.addoption('--record')\n")
    done = with_test.pytest("-p", "other", "--inspector-record=none")
    assert done.code == 0, done.out


def test_pytest_loads_nothing_of_it_but_the_plugin_where_no_test_uses_it(anew):
    anew.write(
        TEST,
        "import sys\n\n\ndef test_it():\n"
        "    ours = ('inspector', 'instrument')\n"
        "    found = sorted(name for name in sys.modules if name.partition('.')[0] in ours)\n"
        "    assert found == ['inspector', 'inspector.pytest_plugin']\n",
    )
    done = anew.pytest()
    assert done.code == 0, done.out


def test_the_plugin_is_found_by_its_entry_point(anew):
    assert "@pytest.mark.cassette(name" in anew.pytest("--markers").out
