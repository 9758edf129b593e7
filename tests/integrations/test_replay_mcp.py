"""Clients of MCP servers recorded, then replayed with the servers gone: their files removed, nobody on their ports."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
PROGRAM = PROGRAMS / "replayed_mcp.py"


class Desks:
    """A bench with a desk to start, and what desks did."""

    def __init__(self, bench, python, killable=None):
        self.bench = bench
        self.python = python
        self.killable = killable
        self.desk = bench.directory / "desk.py"
        self.ledger = bench.directory / "ledger"

    @property
    def words(self):
        return self.python, PROGRAM, self.desk, self.ledger

    def record(self, *ways, program=PROGRAM):
        shutil.copy(PROGRAMS / "replayed_desk.py", self.desk)
        try:
            return self.bench.record(program, self.desk, self.ledger, *ways, python=self.python)
        finally:
            self.desk.unlink()

    def record_over_http(self):
        # Not by what stands in for Python: whoever kills that leaves the server running.
        line = [self.killable, PROGRAMS / "replayed_desk.py", self.ledger, "far", "http"]
        server = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
        try:
            url = f"http://127.0.0.1:{server.stdout.readline().strip()}/mcp"
            return url, self.record(url)
        finally:
            server.kill()
            server.wait()
            server.stdout.close()

    def done(self):
        return self.ledger.read_text().splitlines()


GENERATIONS = ["current", pytest.param("earlier", marks=pytest.mark.slow)]


@pytest.fixture(params=GENERATIONS)
def desks(request, bench, forked_python, framework_python):
    return Desks(bench, forked_python(request.param), framework_python(request.param))


@pytest.fixture(scope="module", params=GENERATIONS)
def talked(request, tmp_path_factory, make_bench, forked_python):
    """Desks with which a program talked over stdio, once; whoever replays it leaves the recording as it is."""
    desks = Desks(make_bench(tmp_path_factory.mktemp("talked")), forked_python(request.param))
    out = desks.record("stdio")
    (run,) = trees(desks.bench)
    return desks, run, out


def trees(bench):
    """The spans of each run, below those around them, without what servers recorded themselves."""
    trees = {}
    for event in bench.events():
        held = json.loads(bytes(event.attributes))
        if event.service != "desk" and held.get("mcp.rpc.direction") != "inbound" and event.kind != "other":
            trees.setdefault(held["inspector.run.id"], []).append((event.name, event.status, event.hook))
    return {run: sorted(tree) for run, tree in trees.items()}


def test_no_server_is_started_and_the_client_gets_what_it_got(talked):
    desks, run, out = talked
    done, before = desks.done(), trees(desks.bench)
    replayed = desks.bench.inspector("replay", run, "--", *desks.words, "stdio")
    assert (replayed.code, replayed.out) == (0, out), replayed.err
    assert "north: sun in Oslo" in out
    assert "south: sun in Oslo" in out
    assert desks.done() == done
    (again,) = (tree for made, tree in trees(desks.bench).items() if made not in before)
    assert before[run] == again
    assert ("execute_tool wipe", "error", "tool_call") in again


def test_another_argument_ends_the_program_and_is_named(talked):
    desks, run, _ = talked
    done = desks.bench.inspector("replay", run, "--", *desks.words, "stdio", CITY="Bergen")
    assert done.code == 3
    assert "its model call 1, of m-1, is not in the recording" in done.err
    assert "Bergen" in done.err


@pytest.fixture
def asking_more(talked, tmp_path):
    """The program as it is when it asks for something that was not recorded."""
    desks, _, _ = talked
    program = tmp_path / "more.py"
    program.write_text(PROGRAM.read_text().replace('"wipe", {}', '"wipe", {"all": True}'))
    return desks.python, program, *desks.words[2:], "stdio"


def test_a_request_that_was_not_recorded_ends_the_program(talked, asking_more):
    desks, run, _ = talked
    done = desks.bench.inspector("replay", run, "--", *asking_more)
    assert done.code == 3
    assert "of tools/call, is not in the recording; the closest is call" in done.err
    assert "replay: argument arguments differs" in done.err


def test_a_program_that_goes_on_live_misses_the_server_that_was_not_started(talked, asking_more):
    desks, run, _ = talked
    done = desks.done()
    replayed = desks.bench.inspector("replay", "--live-after-divergence", run, "--", *asking_more)
    assert replayed.code == 3
    assert "its tools/call is for an MCP server that this replay has done without so far" in replayed.err
    assert desks.done() == done


@pytest.mark.slow
def test_no_server_is_reached_over_http(desks):
    url, out = desks.record_over_http()
    done = desks.done()
    replayed = desks.bench.inspector("replay", "last", "--", *desks.words, url)
    assert (replayed.code, replayed.out, desks.bench.connected) == (0, out, []), replayed.err
    assert desks.done() == done


@pytest.mark.slow
def test_a_server_in_the_program_itself_is_asked_nothing(desks):
    out = desks.record("memory")
    done = desks.done()
    replayed = desks.bench.inspector("replay", "last", "--", *desks.words, "memory")
    assert (replayed.code, replayed.out) == (0, out), replayed.err
    assert desks.done() == [*done, "start memory"]


STARTS_LATE = """
import asyncio, os, sys
import openai
from mcp import ClientSession, StdioServerParameters, stdio_client

*desk, city = sys.argv[1:]

async def main():
    async with openai.AsyncOpenAI() as model:
        for text in ("first", city):
            await model.chat.completions.create(model="m-1", messages=[{"role": "user", "content": text}])
    # In another directory, so that what it is called does not say which server it is.
    server = StdioServerParameters(command=sys.executable, args=[*desk, "desk"], cwd=os.getcwd())
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        print((await session.call_tool("weather", {"city": city})).content[0].text)

asyncio.run(main())
"""


@pytest.mark.slow
def test_a_server_that_is_started_only_after_the_program_went_on_live_is_asked(bench, framework_python):
    desks = Desks(bench, framework_python("current"))
    program = desks.bench.directory / "app.py"
    program.write_text(STARTS_LATE)
    assert desks.record("Oslo", program=program) == "desk: sun in Oslo\n"
    shutil.copy(PROGRAMS / "replayed_desk.py", desks.desk)
    words = desks.python, program, desks.desk, desks.ledger, "Bergen"
    with desks.bench.models() as base:
        live = ("--live-after-divergence", "--allow", "weather")
        replayed = desks.bench.inspector("replay", *live, "last", "--", *words, base=base)
    assert (replayed.code, replayed.out) == (0, "desk: sun in Bergen\n"), replayed.err


CALLS_AT_ONCE = """
import asyncio, sys
from mcp import ClientSession, StdioServerParameters, stdio_client

async def main():
    server = StdioServerParameters(command=sys.executable, args=[*sys.argv[1:], "desk"])
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        print((await session.call_tool("weather", {"city": "Oslo"})).content[0].text)

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("within", GENERATIONS)
def test_what_the_sdk_itself_asks_of_a_server_for_a_call_is_answered(bench, framework_python, within):
    desks = Desks(bench, framework_python(within))
    program = desks.bench.directory / "app.py"
    program.write_text(CALLS_AT_ONCE)
    out = desks.record(program=program)
    done = desks.done()
    words = desks.python, program, desks.desk, desks.ledger
    replayed = desks.bench.inspector("replay", "last", "--", *words)
    assert (replayed.code, replayed.out) == (0, out), replayed.err
    # The request that connects, the call, and the tools that its result is checked by.
    assert "replay: 3 of 3 calls" in replayed.err
    assert desks.done() == done


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "within", "why"),
    [
        ("elicit", "current", "elicitation/create"),
        ("elicit", "earlier", "elicitation/create"),
        ("sample", "current", "sampling/createMessage"),
        ("sample", "earlier", "sampling/createMessage"),
        ("rounds", "current", "its server asked the program for input in the middle of it"),
    ],
)
def test_a_server_that_asks_back_is_refused_before_anything_runs(way, within, why, bench, forked_python):
    python = forked_python(within)
    program = PROGRAMS / "replayed_asking.py"
    assert "asked" in bench.record(program, way, python=python)
    done = bench.inspector("replay", "last", "--", python, program, way)
    assert (done.code, done.out) == (1, "")
    assert why in done.err
    assert "cannot be replayed" in done.err
