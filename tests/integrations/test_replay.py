"""Programs recorded against a server on the loopback, then replayed with that server gone and without a key."""

import re
from pathlib import Path

import pytest
from replaying import PROGRAMS, runs_of, written

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def looped(tmp_path_factory, make_bench):
    """The loop, recorded once; whoever replays it leaves the recording as it is."""
    bench = make_bench(tmp_path_factory.mktemp("looped"))
    out = bench.record(PROGRAMS / "replayed_loop.py")
    (run,) = {event.run_id for event in runs_of(bench)}
    return bench, run, out


def test_a_loop_prints_the_same_with_its_models_gone(bench):
    out = bench.record(PROGRAMS / "replayed_loop.py")
    (run,) = {each.run_id for each in runs_of(bench)}
    done = bench.inspector("replay", run, "--", PROGRAMS / "replayed_loop.py")
    assert (done.code, done.out, bench.connected) == (0, out, []), done.err
    assert f"replay: 20 of 20 calls of {run} replayed" in done.err
    recorded = bench.runs()
    assert sorted(recorded[run]) == sorted(recorded[None])
    assert len(recorded[run]) == 20
    costs = {each.run_id == run: each.cost_usd for each in runs_of(bench)}
    assert costs[True] > 0
    assert costs[False] == 0


@pytest.mark.slow
def test_a_run_is_shown_with_its_replays_and_a_replay_with_its_run_whose_name_it_has(bench):
    bench.record(PROGRAMS / "replayed_loop.py", INSPECTOR_SERVICE="looper")
    (run,) = {each.run_id for each in runs_of(bench)}
    assert bench.inspector("show", run).out.splitlines()[-2:] == [
        f"can be replayed: inspector replay {run[-8:]}",
        f"its calls with their ids: inspector events --run-id {run}",
    ]
    assert bench.inspector("replay", run).code == 0
    (again,) = {each.run_id for each in runs_of(bench)} - {run}
    assert [each.service for each in runs_of(bench)] == ["looper", "looper"]
    assert bench.inspector("show", run).out.splitlines()[-1] == f"was replayed as {again[-8:]}"
    of_run = f"a replay of {run[-8:]}: inspector diff {run[-8:]} {again[-8:]}"
    assert bench.inspector("show", again).out.splitlines()[-1] == of_run


@pytest.mark.slow
def test_the_calls_that_keep_a_run_from_being_replayed_are_shown_with_the_reason(bench):
    bench.record(PROGRAMS / "replayed_loop.py", INSPECTOR_CAPTURE_CONTENT="false")
    said, more = bench.inspector("show", "last").out.splitlines()[-2:]
    assert said.startswith("the call chat gpt-4o (")
    assert said.endswith("cannot be replayed: it was recorded without content")
    assert more == "and 19 more of its calls"


@pytest.mark.slow
def test_plain_clients_print_the_same_streams_in_their_pieces(bench):
    out = bench.record(PROGRAMS / "replayed_clients.py")
    done = bench.inspector("replay", "last", "--", PROGRAMS / "replayed_clients.py")
    assert (done.code, done.out, bench.connected) == (0, out, []), done.err
    recorded, replayed = bench.trees()
    assert replayed == recorded


@pytest.mark.slow
def test_aiohttp_gives_the_same_pieces_however_it_is_read_and_fails_the_same_way(bench, framework_python):
    python = framework_python("clients")
    out = bench.record(PROGRAMS / "replayed_aiohttp.py", python=python)
    done = bench.inspector("replay", "last", "--", python, PROGRAMS / "replayed_aiohttp.py")
    assert (done.code, done.out, bench.connected) == (0, out, []), done.err
    assert "replay: 13 of 13 calls" in done.err
    # No session and no connection is left open.
    assert "Unclosed" not in done.err
    recorded, replayed = bench.trees()
    assert replayed == recorded


@pytest.mark.slow
def test_the_sdk_of_anthropic_parses_what_it_parsed(bench, forked_python):
    python = forked_python("current")
    out = bench.record(PROGRAMS / "replayed_claude.py", python=python)
    done = bench.inspector("replay", "last", "--", python, PROGRAMS / "replayed_claude.py")
    assert (done.code, done.out, bench.connected) == (0, out, []), done.err
    recorded, replayed = bench.trees()
    assert replayed == recorded


def test_one_other_word_ends_the_program_and_names_the_part_then_and_now(looped):
    bench, run, _ = looped
    done = bench.inspector("replay", run, "--", PROGRAMS / "replayed_loop.py", "Bergen")
    assert (done.code, done.out) == (3, "")
    said = done.err.splitlines()
    assert "replay: the program diverged from its recording: its model call 1, of gpt-4o, is not in" in said[0]
    assert said[1] == "replay: message 1 differs"
    assert "Oslo?" in said[2]
    assert "Bergen?" in said[3]
    shown = bench.inspector("show", "last").out
    assert "✗ chat gpt-4o" in shown
    assert "ReplayDiverged: the program diverged from its recording: its model call 1, of gpt-4o, is not in" in shown
    assert "lost" not in shown
    assert "Traceback" not in bench.inspector("show", "last", "--full").out


def test_a_function_that_returns_something_else_is_named_by_its_message(looped):
    bench, run, _ = looped
    done = bench.inspector("replay", run, "--", PROGRAMS / "replayed_loop.py", CHANGE="tool")
    assert done.code == 3
    said = done.err.splitlines()
    assert said[1] == "replay: message 3 differs"
    assert "sun in Oslo" in said[2]
    assert "snow in Oslo" in said[3]


def test_a_call_that_was_not_recorded_ends_the_program(looped):
    bench, run, out = looped
    done = bench.inspector("replay", run, "--", PROGRAMS / "replayed_loop.py", CHANGE="more")
    assert (done.code, done.out) == (3, out)
    assert "is not in the recording: all 20 recorded calls were made" in done.err


def test_a_stream_that_was_left_is_not_read_on(looped):
    bench, run, _ = looped
    done = bench.inspector("replay", run, "--", PROGRAMS / "replayed_loop.py", CHANGE="read on")
    assert done.code == 3
    said = r"it reads the stream of chat \S+ \([0-9a-f]{8}\) further than the recorded program, which stopped there"
    assert re.search(said, done.err)


TWO = """
import openai
client = openai.OpenAI()
for text in ("first", "second"):
    answer = client.chat.completions.create(model="m-1", messages=[{"role": "user", "content": text}])
    print(answer.choices[0].message.content)
"""


@pytest.fixture(scope="module")
def doubled(tmp_path_factory, make_bench):
    """The program TWO, recorded once; whoever replays it leaves the recording as it is."""
    bench = make_bench(tmp_path_factory.mktemp("doubled"))
    bench.record(written(bench, TWO))
    (run,) = {event.run_id for event in runs_of(bench)}
    return bench, run


def test_calls_that_are_not_made_again_are_named(doubled, tmp_path):
    bench, run = doubled
    program = tmp_path / "app.py"
    program.write_text(TWO.replace(', "second"', ","))
    done = bench.inspector("replay", run, "--", program)
    assert (done.code, done.out) == (3, "echo: first\n")
    assert "replay: 1 of 2 calls" in done.err
    assert "replay: not repeated: chat m-1" in done.err


@pytest.mark.slow
def test_equal_questions_get_their_answers_in_the_order_they_were_asked_in(bench):
    program = written(bench, TWO.replace('"first", "second"', '"again\\n!fail 500 1", "again\\n!fail 500 1"'))
    out = bench.record(program)
    done = bench.inspector("replay", "last", "--", program)
    assert (done.code, done.out) == (0, out), done.err


@pytest.mark.parametrize("place", ["192.0.2.1:80", "a.invalid"])
def test_no_other_machine_is_reached_nor_looked_up(doubled, tmp_path, place):
    bench, run = doubled
    program = tmp_path / "app.py"
    host = place.partition(":")[0]
    reach = f"socket.create_connection(({host!r}, 80), 1)"
    program.write_text(f"import socket\ntry:\n    {reach}\nexcept BaseException:\n    print('on')\n")
    done = bench.inspector("replay", run, "--", program)
    assert (done.code, done.out) == (3, ""), done.err
    assert f"it connects to {place}, and a replay reaches no other machine" in done.err


def test_a_program_that_can_do_without_other_machines_goes_on_as_without_a_network(doubled, tmp_path):
    bench, run = doubled
    reaching = """
import asyncio, socket
async def looked_up():
    await asyncio.get_running_loop().getaddrinfo("a.invalid", 80)
for reach in (
    lambda: socket.create_connection(("192.0.2.1", 80), 1),
    lambda: socket.create_connection(("a.invalid", 80), 1),
    lambda: asyncio.run(looked_up()),
):
    try:
        reach()
    except OSError as error:
        print(type(error).__name__)
"""
    program = tmp_path / "app.py"
    program.write_text(reaching + TWO)
    done = bench.inspector("replay", "--offline", run, "--", program)
    assert done.code == 0, done.err
    assert done.out.startswith("OSError\ngaierror\ngaierror\necho: first\n")
    assert "replay: 2 of 2 calls" in done.err
    assert "replay: not reached, as without a network: 192.0.2.1:80, a.invalid (2 times)" in done.err


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "lookup",
    [
        "socket.getaddrinfo('a.invalid', 80)",
        "socket.gethostbyname('a.invalid')",
        "socket.gethostbyname_ex('a.invalid')",
        "socket.gethostbyaddr('192.0.2.1')",
        "socket.getnameinfo(('192.0.2.1', 80), 0)",
        "asyncio.run(looked_up())",
    ],
)
def test_no_name_and_no_address_is_looked_up_beyond_this_machine(looped, tmp_path, lookup):
    bench, run, _ = looped
    program = tmp_path / "app.py"
    made = "async def looked_up():\n    await asyncio.get_running_loop().getaddrinfo('a.invalid', 80)\n"
    program.write_text(
        f"import asyncio, socket\n{made}try:\n    {lookup}\nexcept BaseException:\n    pass\nprint('on')\n"
    )
    done = bench.inspector("replay", run, "--", program)
    assert (done.code, done.out) == (3, ""), done.err
    assert "it connects to " in done.err


def test_names_that_the_machine_knows_itself_are_looked_up(looped, tmp_path):
    bench, run, _ = looped
    program = tmp_path / "app.py"
    program.write_text(
        "import socket\nsocket.getaddrinfo('localhost', 80), socket.gethostbyaddr('127.0.0.1')\nprint('on')\n"
    )
    done = bench.inspector("replay", run, "--", program)
    assert done.out == "on\n", done.err


CHILD = """
import subprocess, sys
if len(sys.argv) == 1:
    sys.exit(subprocess.run([sys.executable, *sys.argv, "child"]).returncode)
"""


@pytest.mark.slow
def test_a_second_process_that_calls_a_model_ends_with_3(doubled, tmp_path):
    bench, run = doubled
    program = tmp_path / "app.py"
    program.write_text(TWO + CHILD)
    done = bench.inspector("replay", run, "--", program)
    assert done.code == 3
    assert "a second process of it calls a model" in done.err


TOOLS = """
import asyncio, os
from dataclasses import dataclass
from instrument.tools import tool

IS_RECORDED = "REPLAYED" not in os.environ

@dataclass
class Room:
    hotel: str
    beds: int

class FullyBooked(Exception):
    pass

@tool
def find(city, beds=1):
    assert IS_RECORDED
    return [Room(f"Casa {city}", beds)]

@tool
async def book(room):
    assert IS_RECORDED
    client.chat.completions.create(model="m-1", messages=[{"role": "user", "content": "inside"}])
    raise FullyBooked(room)

print(find("Oslo"), find("Oslo", beds=WORD))
try:
    asyncio.run(book("Casa"))
except FullyBooked as error:
    print(repr(error))
"""


@pytest.mark.slow
def test_tools_with_the_decorator_are_withheld_and_give_objects_and_errors_of_their_classes(bench):
    program = written(bench, TWO + TOOLS.replace("WORD", "2"))
    out = bench.record(program)
    done = bench.inspector("replay", "last", "--", program, REPLAYED="1")
    assert (done.code, done.out) == (0, out), done.err
    assert out.endswith("[Room(hotel='Casa Oslo', beds=1)] [Room(hotel='Casa Oslo', beds=2)]\nFullyBooked('Casa')\n")
    assert "replay: 5 of 5 calls" in done.err


def test_another_argument_of_a_tool_ends_the_program_and_is_named_then_and_now(bench):
    program = written(bench, TWO + TOOLS.replace("WORD", "2"))
    bench.record(program)
    program.write_text(TWO + TOOLS.replace("WORD", "3"))
    done = bench.inspector("replay", "last", "--", program, REPLAYED="1")
    assert (done.code, done.out) == (3, "echo: first\necho: second\n")
    said = done.err.splitlines()
    assert said[0].endswith(
        "its tool call 2, of find, is not in the recording; the closest is call 4, execute_tool find"
    )
    assert said[1:4] == ["replay: argument beds differs", "  - 2", "  + 3"]


def test_a_tool_whose_result_cannot_be_given_back_is_named_before_anything_runs(bench):
    made = "from instrument.tools import tool\n@tool\ndef lines():\n    return [iter('ab')]\nlines()\n"
    program = written(bench, TWO + made)
    bench.record(program)
    done = bench.inspector("replay", "last", "--", program)
    assert (done.code, done.out) == (1, "")
    assert "the call execute_tool lines (" in done.err
    assert "its result cannot be replayed (builtins:str_ascii_iterator, at [0])" in done.err


ANNOUNCED = """
import instrument
with instrument.around("tool_call", tool_name="wipe", args={}, context=None):
    print("wiped")
"""


def test_a_run_that_cannot_be_replayed_says_why_and_nothing_runs(bench):
    program = written(bench, TWO + ANNOUNCED)
    bench.record(program)
    done = bench.inspector("replay", "last", "--", program)
    assert (done.code, done.out) == (1, "")
    assert "the call execute_tool wipe (" in done.err
    assert "cannot be replayed: the program announces it by hooks of its own" in done.err


def test_a_tool_that_was_not_recorded_ends_the_program_before_it_runs(doubled, tmp_path):
    bench, run = doubled
    program = tmp_path / "app.py"
    program.write_text(TWO + TOOLS.replace("WORD", "2"))
    done = bench.inspector("replay", run, "--", program)
    assert (done.code, done.out) == (3, "echo: first\necho: second\n")
    assert "its tool call 1, of find, is not in the recording: nothing of the kind was recorded" in done.err


@pytest.mark.parametrize(
    ("variable", "why"),
    [
        ("INSPECTOR_CAPTURE_CONTENT", "it was recorded without content"),
        ("INSPECTOR_CAPTURE_RAW", "what its client got was not recorded"),
    ],
)
def test_a_recording_without_what_a_replay_needs_says_so(bench, variable, why):
    program = written(bench, TWO)
    bench.record(program, **{variable: "false"})
    done = bench.inspector("replay", "last", "--", program)
    assert (done.code, done.out) == (1, "")
    assert f"cannot be replayed: {why}" in done.err


def test_a_model_that_the_program_announces_itself_cannot_be_replayed_yet(bench):
    program = written(
        bench, "import instrument\nwith instrument.around('llm_generate', llm='m', prompt='p'):\n    pass\n"
    )
    bench.record(program)
    done = bench.inspector("replay", "last", "--", program)
    assert done.code == 1
    assert "cannot be replayed yet: it was recorded by the program itself" in done.err


PLANTED = "sk-proj-" + "A1b2C3d4" * 6


@pytest.mark.slow
def test_a_secret_in_a_question_is_the_same_question(bench):
    program = written(bench, TWO.replace("first", f"the key is {PLANTED}\\n!say fine"))
    out = bench.record(program)
    done = bench.inspector("replay", "last", "--", program)
    assert (done.code, done.out) == (0, out), done.err
    assert PLANTED not in done.err


def test_a_secret_in_an_answer_cannot_be_given_back(bench):
    program = written(bench, TWO.replace("first", f"the key is {PLANTED}"))
    assert PLANTED in bench.record(program)
    done = bench.inspector("replay", "last", "--", program)
    assert done.code == 1
    assert "cannot be replayed: a secret was taken out of its answer\nto answer it: --set " in done.err


def test_the_page_about_replay_says_what_happens(bench):
    page = (HERE.parents[1] / "docs" / "replay.md").read_text()
    (text,) = re.findall(r"^```python\n# app.py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    _, well, differing, *_ = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    program = written(bench, text)
    out = bench.record(program)
    done = bench.inspector("replay", "last", "--", program)
    assert (done.code, done.out) == (0, out)
    assert without_ids(done.err).startswith(well)
    program.write_text(text.replace("sun in", "snow in"))
    done = bench.inspector("replay", "last~1", "--", program)
    assert done.code == 3
    assert without_ids(done.err).startswith(differing)


def without_ids(said):
    return re.sub(
        r"calls of \w+ replayed",
        "calls of RUN replayed",
        re.sub(r'"tool_call_id":"[^"]+"', '"tool_call_id":"ID"', said),
    )


@pytest.mark.slow
def test_without_a_program_the_recorded_one_is_started_as_it_was(bench):
    program = written(bench, TWO + "import os, sys\nprint(os.getcwd(), sys.argv[1:])\n")
    out = bench.record(program, "a word", "--option")
    done = bench.inspector("replay", "last")
    assert (done.code, done.out) == (0, out), done.err
    assert f"replay: {program} 'a word' --option in {bench.directory}" in done.err


def test_a_program_that_cannot_be_started_as_it_was_has_to_be_given(bench):
    program = written(bench, TWO)
    bench.record(program)
    program.rename(bench.directory / "other.py")
    done = bench.inspector("replay", "last")
    assert (done.code, done.out) == (1, "")
    assert f"the program {program} no longer exists; give the program to run:" in done.err
    assert "inspector replay last -- app.py" in done.err


@pytest.mark.slow
def test_calls_of_several_processes_are_refused_before_anything_runs(bench):
    program = written(bench, TWO + CHILD)
    bench.record(program)
    done = bench.inspector("replay", "last", "--", program)
    assert (done.code, done.out) == (1, "")
    assert "calls of 2 processes, such as chat m-1 (" in done.err
    assert "cannot be replayed together yet" in done.err
