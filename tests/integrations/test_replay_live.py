import json
import os
import pty
import sys
from urllib.request import urlopen

import pytest
from replaying import KEYS, runs_of, written

TRIP = """
import socket, sys
import openai
from instrument.control import Denied
from instrument.tools import tool

client = openai.OpenAI()
city = sys.argv[1]

def ask(text):
    answer = client.chat.completions.create(model="m-1", messages=[{"role": "user", "content": text}])
    return answer.choices[0].message.content

@tool(read_only=True)
def weather(city):
    return f"sun in {city}"

@tool
def book(city):
    return f"booked {city}"

print(ask("first"))
print(weather(city))
print(ask("second"))
try:
    print(book(city), book(city))
except Denied as error:
    print(error)
"""
OUT = "echo: first\nsun in Bergen\necho: second\n"


@pytest.fixture(scope="module")
def trip(tmp_path_factory, make_bench):
    """The program, recorded once with one city; whoever replays it leaves the recording as it is."""
    bench = make_bench(tmp_path_factory.mktemp("trip"))
    program = written(bench, TRIP)
    assert bench.record(program, "Oslo") == "echo: first\nsun in Oslo\necho: second\nbooked Oslo booked Oslo\n"
    (run,) = {each.run_id for each in runs_of(bench)}
    return bench, run, program


@pytest.fixture(scope="module")
def spans(trip):
    """The ids of its calls, in the order they were made."""
    bench, _, _ = trip
    found = [each for each in bench.events() if "inspector.replay.run" not in json.loads(bytes(each.attributes))]
    return [each.span_id for each in found]


def asked(base):
    with urlopen(f"{base}/requests") as answer:
        return [each["body"]["messages"][-1]["content"] for each in json.load(answer)["data"]]


def test_from_the_first_call_that_differs_on_models_and_reading_tools_are_called_and_others_refused(trip):
    bench, run, program = trip
    with bench.models() as base:
        done = bench.inspector("replay", "--live-after-divergence", run, "--", program, "Bergen", base=base, **KEYS)
        assert asked(base) == ["second"]
    assert done.code == 0, done.err
    refused = "the replay has no terminal to ask whether book may run; to allow it: --allow book"
    assert done.out == f"{OUT}{refused}\n"
    said = done.err.splitlines()
    assert said[0].startswith("replay: the program diverged from its recording and continued live: its tool call 1, of")
    assert said[1:4] == ["replay: argument city differs", '  - "Oslo"', '  + "Bergen"']
    assert said[4] == f"replay: 1 of 5 calls of {run} replayed"
    assert said[5] == "replay: 2 calls made live: weather, m-1"
    assert said[6] == "replay: not allowed to run: book; to allow it: --allow book"
    # In the place of the tool and the model that were called live nothing is missing.
    assert [line.partition(" (")[0] for line in said[7:9]] == [
        "replay: not repeated: execute_tool book",
        "replay: not repeated: execute_tool book",
    ]


def test_a_python_that_ignores_what_would_answer_is_not_started(trip):
    bench, run, program = trip
    done = bench.inspector("replay", run, "--", "python3", "-E", program, "Oslo", **KEYS)
    assert (done.code, done.out) == (1, ""), done.err
    assert "-E makes Python ignore what answers its calls; leave it out" in done.err


def test_a_tool_that_is_allowed_runs_without_a_question(trip):
    bench, run, program = trip
    words = ("--live-after-divergence", "--allow", "book", run, "--", program, "Bergen")
    with bench.models() as base:
        done = bench.inspector("replay", *words, base=base, **KEYS)
    assert (done.code, done.out) == (0, f"{OUT}booked Bergen booked Bergen\n"), done.err
    assert "replay: 4 calls made live: weather, m-1, book (2 times)" in done.err


def test_a_run_goes_on_live_from_the_call_that_is_named(trip, spans):
    bench, run, program = trip
    with bench.models() as base:
        words = ("--from", spans[2][:12], "--allow", "*", run, "--", program, "Oslo")
        done = bench.inspector("replay", *words, base=base, **KEYS)
        assert asked(base) == ["second"]
    assert done.code == 0, done.err
    assert done.out == "echo: first\nsun in Oslo\necho: second\nbooked Oslo booked Oslo\n"
    assert f"replay: 2 of 5 calls of {run} replayed\n" in done.err
    assert "replay: 3 calls made live: m-1, book (2 times)\n" in done.err
    assert "diverged from its recording" not in done.err
    assert "not repeated" not in done.err


def test_before_the_call_that_is_named_a_replay_is_strict(trip, spans):
    bench, run, program = trip
    done = bench.inspector("replay", "--from", spans[-1], run, "--", program, "Bergen")
    assert (done.code, done.out) == (3, "echo: first\n"), done.err


def at_a_terminal(bench, words, answers, **environment):
    """Run the command with a terminal of its own; what is typed waits there until somebody asks."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(bench.directory)
        env = os.environ | {"INSPECTOR_HOME": str(bench.home), "NO_COLOR": "1"} | KEYS | environment
        os.execve(sys.executable, [sys.executable, "-m", "inspector.cli", *map(str, words)], env)
    os.write(terminal, answers)
    shown = b""
    try:
        while piece := os.read(terminal, 4096):
            shown += piece
    except OSError:
        # What a terminal says whose last process has ended.
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode().replace("\r\n", "\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "printed"),
    [
        (b"y\nn\n", "book was refused at the terminal"),
        (b"always\n", "booked Bergen booked Bergen"),
        (b"\n", "book was refused at the terminal"),
    ],
)
def test_a_person_at_the_terminal_says_whether_a_tool_runs(trip, answers, printed):
    bench, run, program = trip
    with bench.models() as base:
        words = ("replay", "--live-after-divergence", run, "--", program, "Bergen")
        code, shown = at_a_terminal(bench, words, answers, OPENAI_BASE_URL=f"{base}/v1")
    assert code == 0, shown
    assert 'replay: run the tool "book" with {"city": "Bergen"}? [y/N/always] ' in shown
    assert f"\n{printed}\n" in shown or f"] {printed}\n" in shown, shown


PLANTED = "sk-proj-" + "A1b2C3d4" * 6


def test_a_call_that_cannot_be_given_back_is_where_the_program_goes_on_live(bench):
    program = written(bench, TRIP.replace('"second"', f'"the key is {PLANTED}"'))
    bench.record(program, "Oslo")
    with bench.models() as base:
        done = bench.inspector("replay", "--live-after-divergence", "last", "--", program, "Oslo", base=base, **KEYS)
        assert len(asked(base)) == 1
    assert done.code == 0, done.err
    assert "and continued live: the call chat m-1 (" in done.err
    assert "cannot be replayed: a secret was taken out of its answer" in done.err


@pytest.mark.slow
def test_connections_are_let_go_on_only_once_the_program_has_left_its_recording(trip, tmp_path):
    bench, run, _ = trip
    program = tmp_path / "app.py"
    reach = "\ntry:\n    socket.getaddrinfo('a.invalid', 80)\nexcept OSError:\n    print('not found')\n"
    live = TRIP.replace("print(ask", f"{reach}print(ask")
    program.write_text(live)
    done = bench.inspector("replay", "--live-after-divergence", run, "--", program, "Bergen", **KEYS)
    assert (done.code, done.out) == (3, ""), done.err
    program.write_text(live.replace(reach, "", 1))
    with bench.models() as base:
        done = bench.inspector("replay", "--live-after-divergence", run, "--", program, "Bergen", base=base, **KEYS)
    assert done.code == 0, done.err
    assert done.out.startswith("echo: first\nsun in Bergen\nnot found\necho: second\n")


RAISING = """
import sys, traceback
import openai
from instrument.tools import tool

@tool
def book(city):
    if city == "Rome":
        raise KeyError("no such place")

openai.OpenAI().chat.completions.create(model="m-1", messages=[{"role": "user", "content": "first"}])
try:
    book("Rome")
except KeyError:
    traceback.print_exc(file=sys.stdout)
book("Oslo")
"""


@pytest.mark.slow
def test_errors_of_recorded_and_refused_tools_have_the_lines_of_the_program_alone(bench):
    program = written(bench, RAISING)
    bench.record(program)
    last = bench.events()[-1].span_id
    with bench.models() as base:
        done = bench.inspector("replay", "--from", last, "last", "--", sys.executable, program, base=base, **KEYS)
    assert done.code == 1, done.err
    said = done.out + done.err[: done.err.index("replay: ")]
    assert [line for line in said.splitlines() if line.strip(" ~^")] == [
        "Traceback (most recent call last):",
        f'  File "{program}", line 13, in <module>',
        '    book("Rome")',
        "KeyError: 'no such place'",
        "Traceback (most recent call last):",
        f'  File "{program}", line 16, in <module>',
        '    book("Oslo")',
        "instrument.control.Denied: the replay has no terminal to ask whether book may run; to allow it: --allow book",
    ]
    assert "replay: not allowed to run: book; to allow it: --allow book" in done.err


STREAMS = """
import openai
client = openai.OpenAI()
said = []
with client.chat.completions.create(
    model="m-1", messages=[{"role": "user", "content": "one"}], stream=True, stream_options={"include_usage": True}
) as stream:
    said.append("".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices))
with client.responses.stream(model="m-1", input=said[0]) as stream:
    said.append(stream.get_final_response().output_text)
print(*said, client.responses.create(model="m-1", input="three").output_text, sep="; ")
"""


@pytest.mark.slow
def test_another_answer_goes_through_the_clients_own_parsing_and_the_run_goes_on_from_it(bench):
    program = written(bench, STREAMS)
    assert bench.record(program) == "echo: one; echo: echo: one; echo: three\n"
    one, two, three = (each.span_id for each in bench.events())
    answer, other = bench.directory / "answer.txt", bench.directory / "other.txt"
    # As Windows writes it.
    answer.write_bytes(b"\xef\xbb\xbfuno\r\n")
    other.write_text("dos")
    done = bench.inspector("replay", "--set", f"{two}={other}", "--set", f"{three}={other}", "last", "--", program)
    assert (done.code, done.out) == (0, "echo: one; dos; dos\n"), done.err
    assert f"replay: answered by --set: chat m-1 ({two[:8]})" in done.err
    done = bench.inspector("replay", f"--set={one}={answer}", "last~1", "--", program)
    assert (done.code, done.out) == (3, ""), done.err
    assert "replay: parameter input differs" in done.err
    with bench.models() as base:
        words = (f"--set={one}={answer}", "--live-after-divergence", "last~2", "--", program)
        done = bench.inspector("replay", *words, base=base, **KEYS)
    assert (done.code, done.out) == (0, "uno; echo: uno; echo: three\n"), done.err


def test_what_the_options_do_not_fit_is_refused_before_anything_runs(trip):
    bench, run, program = trip
    done = bench.inspector("replay", "--from", "ffffffffffffffff", run, "--", program, "Oslo")
    assert (done.code, done.out) == (1, "")
    assert f"no call that a replay answers begins with ffffffffffffffff in the run {run}; it has chat m-1 (" in done.err
    # Options may come before the run and after it.
    done = bench.inspector("replay", run, "--allow", "book", "--", program, "Oslo")
    assert (done.code, done.out) == (2, "")
    assert "--allow is about calls that are made: add --live-after-divergence or --from SPAN" in done.err
    done = bench.inspector("replay", "--set", "a=nowhere.txt", run, "--", program, "Oslo")
    assert (done.code, done.out) == (1, "")
    assert "cannot read nowhere.txt, the answer of a: No such file or directory" in done.err
    done = bench.inspector("replay", "--set", "a", run, "--", program, "Oslo")
    assert (done.code, done.out) == (2, "")
    assert "--set takes SPAN=FILE, not 'a'" in done.err


@pytest.mark.slow
def test_figures_count_of_a_replay_only_the_calls_that_were_made_live(make_bench, tmp_path):
    bench = make_bench(tmp_path)
    program = written(bench, TRIP)
    bench.record(program, "Oslo")
    assert _model_calls(bench) == (2, 0)
    bench.inspector("replay", "last", "--", program, "Oslo")
    assert _model_calls(bench) == (2, 1)
    with bench.models() as base:
        bench.inspector("replay", "--live-after-divergence", "last~1", "--", program, "Bergen", base=base, **KEYS)
    assert _model_calls(bench) == (3, 2)
    assert _model_calls(bench, "--replays") == (6, 0)


def _model_calls(bench, *options):
    figures = json.loads(bench.inspector("stats", "--kind", "llm", "--json", *options).out)
    return figures["total"]["count"], figures["replays_left_out"]
