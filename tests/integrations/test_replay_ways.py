import sys

import pytest
from replaying import KEYS, runs_of, written

APP = """
import os
import openai

client = openai.OpenAI()


def ask(text):
    answer = client.chat.completions.create(model="m-1", messages=[{"role": "user", "content": text}])
    return answer.choices[0].message.content


if __name__ == "__main__":
    print(ask(f"It is {os.environ.get('NOW', '12:00')}."))
    print(ask("second"))
"""
OUT = "echo: It is 12:00.\necho: second\n"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, make_bench):
    bench = make_bench(tmp_path_factory.mktemp("ways"))
    assert bench.record(written(bench, APP)) == OUT
    (run,) = {each.run_id for each in runs_of(bench)}
    return bench, run


def test_what_is_not_compared_may_differ_and_is_said(recorded):
    bench, run = recorded
    done = bench.inspector("replay", "--ignore", r"\d\d:\d\d", run, "--", "app.py", NOW="13:05")
    assert (done.code, done.out) == (0, OUT), done.err
    assert "replay: not compared: \\d\\d:\\d\\d (1x)\n" in done.err
    done = bench.inspector("replay", "--ignore", "(", run, "--", "app.py")
    assert (done.code, done.out) == (2, "")
    assert "'(' is not a valid regular expression: missing )" in done.err


@pytest.mark.slow
def test_a_program_is_debugged_by_pdb_against_its_recording(recorded):
    bench, run = recorded
    typed = "break ask\ncontinue\nup\nprint(6 * 7)\nclear 1\ncontinue\nquit\n"
    done = bench.inspector("replay", run, "--", sys.executable, "-m", "pdb", "app.py", typed=typed)
    assert done.code == 0, done.err
    assert "42\n" in done.out
    assert OUT.splitlines()[0] in done.out
    assert OUT.splitlines()[1] in done.out
    assert f"replay: 2 of 2 calls of {run} replayed" in done.err


@pytest.mark.slow
def test_a_program_is_debugged_by_debugpy_against_its_recording(recorded):
    bench, run = recorded
    words = (sys.executable, "-X", "frozen_modules=off", "-m", "debugpy", "--listen", "127.0.0.1:0", "app.py")
    done = bench.inspector("replay", run, "--", *words)
    assert (done.code, done.out) == (0, OUT), done.err
    assert f"replay: 2 of 2 calls of {run} replayed" in done.err


TESTS = """
from app import ask

def test_it_answers(capsys):
    assert ask("It is 12:00.") == "echo: It is 12:00."

def test_it_answers_again():
    assert ask("WORD") == "echo: second"
"""


def test_tests_run_against_the_recording_and_one_that_asks_something_else_ends_them(recorded):
    bench, run = recorded
    (bench.directory / "test_app.py").write_text(TESTS.replace("WORD", "second"))
    # Plugins that are here for tests of ours take most of a short run to import.
    left_out = ("-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:langsmith_plugin")
    words = (sys.executable, "-m", "pytest", "-q", *left_out, "test_app.py")
    done = bench.inspector("replay", run, "--", *words)
    assert done.code == 0, done.out + done.err
    assert "2 passed" in done.out
    assert f"replay: 2 of 2 calls of {run} replayed" in done.err
    (bench.directory / "test_app.py").write_text(TESTS.replace("WORD", "third"))
    done = bench.inspector("replay", run, "--", *words)
    assert done.code == 3, done.out
    assert (
        'message 1 differs\n  - {"content":"second","role":"user"}\n  + {"content":"third","role":"user"}' in done.err
    )


NOW = """
import random, time, uuid
from datetime import datetime

from app import ask

words = {"one", "two", "three", "four", "five"}
print(ask(f"{datetime.now()} {time.time()} {uuid.uuid4()} {random.random()} {sorted(words, key=hash)}"))
"""


@pytest.mark.slow
def test_a_run_that_was_recorded_frozen_is_replayed_as_it_was(bench):
    written(bench, APP)
    (bench.directory / "now.py").write_text(NOW)
    with bench.models() as base:
        recorded = bench.inspector("run", "--freeze", "now.py", base=base, **KEYS)
    assert recorded.code == 0, recorded.err
    # The order of what is in a set is chosen as an interpreter starts.
    done = bench.inspector("replay", "last", "--", sys.executable, "now.py")
    assert (done.code, done.out) == (0, recorded.out), done.err
    assert ", and random numbers were the recorded ones\n" in done.err
    # Of the replay, which its recorder saw go on.
    first, second = (int(each.start_time_unix_nano) for each in bench.events())
    assert first < second


def test_a_run_that_was_recorded_as_it_is_has_its_clock_stand_where_it_began(recorded):
    bench, run = recorded
    (bench.directory / "clock.py").write_text(APP + "    import time\n    print(time.time_ns())\n")
    done = bench.inspector("replay", "--freeze", run, "--", "clock.py")
    began = min(int(each.start_time_unix_nano) for each in bench.events())
    assert (done.code, done.out) == (0, f"{OUT}{began}\n"), done.err
    assert "random numbers were new: record with 'inspector run --freeze' to repeat them\n" in done.err


OF_A_CLASS = """
import dataclasses
import os

import openai
from instrument.tools import tool

@dataclasses.dataclass
class Hotel:
    name: str


@tool
def find():
    return Hotel("Casa")


if os.environ.get("RENAMED"):
    del Hotel
client = openai.OpenAI()
name = find().name
answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": name}])
print(answer.choices[0].message.content)
"""


@pytest.mark.slow
def test_a_result_whose_class_is_gone_ends_the_replay_in_words(bench):
    assert bench.record(written(bench, OF_A_CLASS)) == "echo: Casa\n"
    (run,) = {each.run_id for each in runs_of(bench)}
    done = bench.inspector("replay", run, "--", "app.py")
    assert (done.code, done.out) == (0, "echo: Casa\n"), done.err
    done = bench.inspector("replay", run, "--", "app.py", RENAMED="1")
    assert (done.code, done.out) == (3, "")
    assert (
        "replay: the program diverged from its recording: the result of execute_tool find cannot be restored: "
        "there is no class __main__:Hotel in what the program has imported\n" in done.err
    )
