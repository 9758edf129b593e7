"""What ``inspector run`` says at the end: where to look, or why there is nothing to see."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli.output.losses import loss_sentences
from inspector.launch import Choices, environment_of
from inspector.model import Losses

NO_CALL = (
    b"inspector: nothing was recorded: it made no call that is recorded, "
    b"by hooks of its own (instrument) or by a framework\n"
)
ANOTHER_WAY = (
    b"inspector: other calls can be recorded with --otel and an instrumentor of the library, with hooks, or as OTLP: "
    b"docs/frameworks.md\n"
)
FAILING = """
try:
    with around("tool_call", tool_name="book", args={}, context=None):
        raise TimeoutError
except TimeoutError:
    pass
"""


@pytest.mark.slow
def test_several_traces_of_one_program_are_drawn_together(run, script, inspector, call):
    run(script(call("before")))
    nested = 'with around("agent_call", agent="planner"):\n    ' + "    ".join(call("two").lstrip().splitlines(True))
    done = run(script(call("one") + nested))
    first, second, third = done.stderr.decode().splitlines()
    told = r"inspector: recorded 3 calls in 2 traces; to see them: inspector (show (\w+))"
    command, run_id = re.fullmatch(told, first).groups()
    (largest,) = re.fullmatch(r"inspector: the largest: inspector (show [0-9a-f]{32})", second).groups()
    assert third == "inspector: in the browser: inspector serve"
    assert b"invoke_agent planner" in inspector(*largest.split()).stdout
    facts, *shown = inspector(*command.split()).stdout.decode().splitlines()
    tree = shown[: shown.index("")]
    assert re.fullmatch(rf"run {run_id} · [\d:.]+ · 2 traces · 3 calls · service app", facts)
    assert [line[: line.index("  ")] for line in tree] == [
        "✓ execute_tool one",
        "✓ invoke_agent planner",
        "└─ ✓ execute_tool two",
    ]
    assert tree[1].endswith(f"trace {largest.split()[1][:8]}")
    assert inspector("show", "--run", "last").stdout.decode().splitlines() == [facts, *shown]


@pytest.mark.slow
def test_a_trace_in_which_something_failed_is_named_before_a_larger_one(run, script, inspector, call):
    nested = 'with around("agent_call", agent="planner"):\n    ' + "    ".join(call("two").lstrip().splitlines(True))
    done = run(script("from instrument import around\n" + FAILING + nested))
    assert b"recorded 3 calls (1 failed) in 2 traces; to see them: " in done.stderr
    (failed,) = re.findall(rb"inspector: where something failed: inspector (show \w+)\n", done.stderr)
    assert b"execute_tool book" in inspector(*failed.decode().split()).stdout


CHAT = "with around('llm_generate', llm='gpt-4.1', prompt='hi', emitter={!r}):\n"
TOOL = "with around('tool_call', tool_name={!r}, args={{}}, context=None):\n"
FAIL = "from contextlib import suppress\nfrom instrument import around\nwith suppress(TimeoutError):\n"


def counts_of_last_run(inspector):
    return inspector("show", "--run", "last").stdout.decode().splitlines()[0].split(" · ")[2:-1]


def test_nested_calls_of_one_recorder_are_counted_each_as_they_are_once_stored(run, script, inspector):
    chats = f"    {CHAT.format('a')}        {CHAT.format('a')}            raise TimeoutError\n"
    tools = f"{TOOL.format('add')}    {TOOL.format('add')}        {TOOL.format('other')}            pass\n"
    done = run(script(FAIL + chats + tools))
    assert b"recorded 5 calls (2 failed) in 2 traces" in done.stderr
    assert counts_of_last_run(inspector) == ["2 traces", "5 calls", "2 failed"]


def test_spans_that_may_be_duplicates_are_not_called_calls_before_they_are_stored(run, script, inspector):
    chats = f"    {CHAT.format('framework')}        {CHAT.format('sdk')}            raise TimeoutError\n"
    done = run(script(FAIL + chats + f"{TOOL.format('add')}    pass\n"))
    assert b"recorded 3 spans (at least 1 call failed) in 2 traces" in done.stderr
    assert counts_of_last_run(inspector) == ["2 traces", "2 calls", "1 failed", "1 duplicate"]


@pytest.mark.slow
def test_the_calls_that_are_counted_are_those_that_count_once_they_are_stored(run, mcp_program, recorded):
    done = run(mcp_program)
    counting = [event for event in recorded() if event.folded_into is None]
    assert f"recorded {len(counting)} calls in 2 traces".encode() in done.stderr
    # The server's side of three requests, and the tool as the server ran it.
    assert len(counting) == len(recorded()) - 4


@pytest.mark.slow
def test_what_is_switched_off_is_named_where_nothing_was_recorded(run, script, call):
    done = run("--without", "openai,litellm", script("import mcp"))
    # The SDK brings the servers that its own can run in.
    none = b"inspector: nothing was recorded: no call was made through what it imported (mcp, starlette, uvicorn); "
    assert done.stderr.startswith(none)
    assert b"; switched off: litellm, openai (INSPECTOR_INTEGRATIONS_OFF, --without or --integrations)\n" in done.stderr
    done = run("-c", "import json", INSPECTOR_INTEGRATIONS_OFF="openai")
    none, _, off = done.stderr.decode().partition("; switched off: ")
    assert "litellm" in none
    assert "openai," not in none
    assert off.startswith("openai (")
    assert b"switched off" not in run("--without", "openai", script(call("add"))).stderr


def test_impossible_settings_are_ignored_and_named_at_the_end(run, script, call):
    wrong = {"INSPECTOR_ENDPOINT": "localhost:7922", "INSPECTOR_INTEGRATIONS_OFF": "opnai", "INSPECTOR_LOGS": "maybe"}
    done = run(script(call("add") + "print(1)"), **wrong)
    assert (done.returncode, done.stdout) == (0, b"1\n")
    recorded, _, *warnings = done.stderr.decode().splitlines()
    assert recorded.startswith("inspector: recorded 1 call in 1 trace")
    assert [warning.partition(": ")[2].partition(" is ignored: ")[0] for warning in warnings] == [
        "INSPECTOR_LOGS=maybe",
        "INSPECTOR_INTEGRATIONS_OFF=opnai",
        "INSPECTOR_ENDPOINT",
    ]
    assert b"INSPECTOR" not in run("--quiet", "-c", "pass", **wrong).stderr


UNMATCHED = """
import asyncio, instrument
for number in range(3):
    asyncio.run(instrument._emit("after_tool_call", tool_name=f"t{number}", result=None, context=None))
"""


@pytest.mark.slow
def test_calls_that_ended_without_a_beginning_are_said_wherever_one_looks(run, script, inspector, call):
    said = "3 calls{} ended that had not begun there"
    done = run(script(UNMATCHED + call("add")))
    first, _, *others = done.stderr.decode().splitlines()
    assert first.startswith("inspector: recorded 1 call in 1 trace")
    assert others == ["inspector: " + said.format("")]
    for _ in ("waits in the spool", "is taken in"):
        checked = inspector("doctor", INSPECTOR_PORT="0").stdout.decode()
        assert said.format("") in checked
        assert "everything is in order" not in checked
        shown = inspector("show").stdout.decode().splitlines()
        assert shown[1] == said.format(" of its processes")
        assert inspector("show", "--run", "last").stdout.decode().splitlines()[1] == said.format("")
    assert json.loads(inspector("show", "--json").stdout)["trace"]["losses"]["unmatched"] == 3
    assert json.loads(inspector("show", "--run", "last", "--json").stdout)["losses"]["unmatched"] == 3


@pytest.mark.slow
def test_a_run_of_which_calls_are_missing_does_not_say_that_it_can_be_replayed(run, script, inspector):
    tool = "from instrument import tools\n@tools.tool\ndef add():\n    pass\nadd()\n"
    for program, says in (
        (tool, "can be replayed: inspector replay "),
        (UNMATCHED + tool, "not known whether it can be replayed: not all of its calls were recorded in full"),
    ):
        run(script(program))
        for which in ((), ("--run", "last")):
            lines = inspector("show", *which).stdout.decode().splitlines()
            assert [line for line in lines if line.startswith(says)], lines


def test_calls_that_could_not_be_written_are_said_and_not_taken_for_none(run, script, call, home):
    home.write_text("a file in the home's place")
    done = run(script(call("add")))
    nothing, lost, *warned = done.stderr.decode().splitlines()
    assert nothing == "inspector: nothing was recorded"
    assert lost == "inspector: 1 call was not recorded in full: the file could not be written"
    assert warned and "cannot write the spool" in warned[0]
    assert warned[0].endswith("; INSPECTOR_HOME names another place")


@pytest.mark.slow
def test_calls_that_a_full_disk_had_no_room_for_are_said_wherever_one_looks(run, script, inspector, call):
    fill = (
        "from inspector import record\nimport resource\n"
        "assert record.attach().flush()\nresource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))\n"
    )
    more = "for _ in range(200):" + call("add").replace("\n", "\n    ")
    done = run(script(call("add") + fill + more))
    (lost,) = re.findall(
        r"inspector: (\d+) calls were not recorded in full: the file could not be written", done.stderr.decode()
    )
    assert 0 < int(lost) < 201
    said = f"{lost} calls{{}} were not recorded in full: the file could not be written"
    for _ in ("waits in the spool", "is taken in"):
        assert said.format("") in inspector("doctor", INSPECTOR_PORT="0").stdout.decode()
        assert inspector("show", "--run", "last").stdout.decode().splitlines()[1] == said.format("")
    assert inspector("show").stdout.decode().splitlines()[1] == said.format(" of its processes")


def test_each_reason_has_its_sentence():
    losses = Losses(dropped=24_225, unwritten=1, unencodable=2, undecodable=1, unmatched=1, dropped_segments=1)
    assert list(loss_sentences(losses)) == [
        "24,225 calls were not recorded in full: the queue was full",
        "1 call was not recorded in full: the file could not be written",
        "2 calls were not recorded in full: no record could be made",
        "1 line or span was unreadable, and not stored",
        "1 call ended that had not begun there",
        "1 spool file was removed to make room before being stored",
    ]


def test_what_the_recorder_warns_of_is_said_once_at_the_end(run, script):
    warn = "import instrument, logging; logging.getLogger('mcp.inspector').warning('%s is\\nodd', 'it')\n"
    done = run(script(f"{warn * 2}import subprocess, sys; subprocess.run([sys.executable, '-c', {warn!r}])"))
    assert done.stderr.decode().splitlines()[2:] == ["inspector: it is odd"]


def test_a_program_that_imports_nothing_of_interest_is_told_so(run):
    done = run("-c", "pass")
    assert done.stderr.startswith(b"inspector: nothing was recorded: it imported nothing that is recorded: ")
    assert done.stderr.endswith(ANOTHER_WAY)
    assert done.stderr.count(b"\n") == 2


def test_of_a_program_that_fails_before_its_imports_only_that_is_said(run):
    done = run("-m", "no_such_module")
    assert done.returncode == 1
    python, ours = done.stderr.decode().splitlines()
    assert python.endswith("No module named no_such_module")
    assert ours == (
        "inspector: nothing was recorded: it failed (exit code 1) before it imported anything that is recorded"
    )


def test_of_a_program_that_a_signal_ends_before_its_imports_only_that_is_said(run):
    done = run("-c", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)")
    assert done.stderr == (
        b"inspector: nothing was recorded: it was ended by SIGTERM before it imported anything that is recorded\n"
    )


def test_of_a_program_that_a_signal_ends_before_python_has_begun_only_that_is_said(run):
    done = run("--", "sh", "-c", "kill -INT $$")
    assert done.returncode == -signal.SIGINT
    assert done.stderr == (
        b"inspector: nothing was recorded: sh was ended by SIGINT before it started a Python that is recorded\n"
    )


def test_asking_whether_a_framework_is_installed_is_not_importing_it(run):
    done = run("-c", "import importlib.util; print(bool(importlib.util.find_spec('openai')))")
    assert done.stdout == b"True\n"
    assert done.stderr.startswith(b"inspector: nothing was recorded: it imported nothing that is recorded: ")


@pytest.mark.slow
def test_a_framework_that_is_imported_after_it_was_asked_for_is_seen(run):
    ask = "import importlib.util; importlib.util.find_spec('openai'); "
    for importing in ("import openai", "import importlib; importlib.import_module('openai.types')"):
        done = run("-c", ask + importing)
        assert b"no call was made through what it imported (openai)\n" + ANOTHER_WAY in done.stderr


def test_a_program_that_is_quiet_about_its_calls_is_told_so(run):
    done = run("-c", "import instrument")
    assert done.stderr == NO_CALL + ANOTHER_WAY


# The writer waits for its turn as long as this thread holds the interpreter.
ENDED_AT_ONCE = "import os, sys\nsys.setswitchinterval(60){}{}"


def test_a_program_that_was_killed_at_once_is_not_said_to_have_made_no_call(run, script, call):
    done = run(script(ENDED_AT_ONCE.format(call("add"), "os.kill(os.getpid(), 11)")))
    assert done.stderr == (
        b"inspector: nothing was recorded: it was killed or left by os._exit; "
        b"what ended in its last few milliseconds may be missing\n"
    )


def test_a_program_that_left_at_once_has_its_calls(run, script, call):
    done = run(script(ENDED_AT_ONCE.format(call("add"), "os._exit(3)")))
    assert done.returncode == 3
    assert done.stderr.startswith(b"inspector: recorded 1 call in 1 trace; ")


def test_an_isolated_python_runs_and_is_told_why_it_is_not_recorded(run):
    for option in ("-I", "-E", "-S", "-IB"):
        done = run(sys.executable, option, "-c", "print(1)")
        assert done.stdout == b"1\n"
        assert (
            done.stderr
            == (
                f"inspector: nothing was recorded: {option} makes Python ignore what starts the recorder; "
                "leave it out, or call inspector.attach()\n"
            ).encode()
        )


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory):
    """A Python without our packages."""
    made = tmp_path_factory.mktemp("bare") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
    return str(made / "bin" / "python")


CALL = """
import asyncio, sys
from importlib.metadata import distributions, entry_points
from instrument import around

async def look():
    async with around("tool_call", tool_name="look", args={}, context=None):
        pass

asyncio.run(look())
print([*entry_points(group="pytest11")], {each.metadata["Name"] for each in distributions()})
"""


@pytest.mark.slow
def test_a_python_of_this_version_without_the_inspector_is_recorded_with_what_is_installed_here(run, bare_python):
    done = run(bare_python, "-c", CALL, PYTHONPATH="")
    assert (done.returncode, done.stdout) == (0, b"[] {'opentelemetry-api'}\n")
    assert done.stderr.startswith(b"inspector: recorded 1 call in 1 trace")


def test_directories_with_names_of_what_is_lent_are_found_together_with_it(run, bare_python, tmp_path):
    # On the path, each is a package, however much of one is in it.
    for name in ("inspector", "instrument", "msgspec", "opentelemetry"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "of_the_program.py").write_text(f"print({name!r})\n")
    own = "import inspector.of_the_program, opentelemetry.of_the_program\nimport opentelemetry.trace\n"
    (tmp_path / "app.py").write_text(own + CALL)
    done = run(bare_python, str(tmp_path / "app.py"), PYTHONPATH="")
    assert done.stdout == b"inspector\nopentelemetry\n[] {'opentelemetry-api'}\n"
    assert done.stderr.startswith(b"inspector: recorded 1 call in 1 trace")


LISTED = """
import importlib.metadata, sys
print(*(each.name for each in importlib.metadata.distributions(path=sys.path[-1:])), sep=",")
print(importlib.metadata.version("opentelemetry-api") > "1", importlib.metadata.version("opentelemetry_api") > "1")
"""


def test_what_is_lent_is_in_no_directory_of_packages_that_pip_looks_into(run, bare_python):
    # Else it would install nothing that needs OpenTelemetry's API, as if that were there.
    done = run(bare_python, "-c", LISTED, PYTHONPATH="")
    assert (done.returncode, done.stdout) == (0, b"\nTrue True\n")


def test_another_python_without_the_inspector_runs_and_says_how_to_install_it(run, bare_python):
    done = run("env", "-u", "INSPECTOR_LENT", bare_python, "-c", "print(1)", PYTHONPATH="")
    assert (done.returncode, done.stdout) == (0, b"1\n")
    first, second = done.stderr.decode().splitlines()
    assert first == (
        f"inspector: {bare_python} is not recorded: the inspector is not installed there; to record it: "
        f'uv pip install --python {bare_python} "mcp-agent-inspector[record]"'
    )
    assert second == "inspector: nothing was recorded"


@pytest.mark.parametrize("option", ["--quiet", "--otel"])
@pytest.mark.parametrize("name", ["inspector", "instrument"])
def test_a_program_with_a_module_of_one_of_our_names_gets_its_own_also_where_recording_starts_at_once(
    run, tmp_path, name, option
):
    (tmp_path / f"{name}.py").write_text("MINE = 'mine'\n")
    (tmp_path / "app.py").write_text(f"import {name}\nprint({name}.MINE)\n")
    done = run(option, str(tmp_path / "app.py"))
    assert (done.returncode, done.stdout) == (0, b"mine\n"), done.stderr


def replayed_without_us(python, directory, imported, *, live=False):
    (directory / f"{imported}.py").write_text("print('really called')\n")
    (directory / "app.py").write_text(f"print('begun')\nimport {imported}\n")
    choices = Choices(replay=directory / "tape.json", goes_live=live)
    environment = environment_of({"PATH": "/usr/bin:/bin"}, choices, directory)
    del environment["INSPECTOR_LENT"]
    return subprocess.run([python, directory / "app.py"], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(("imported", "live"), [("openai", False), ("openai", True), ("mcp", False)])
def test_a_python_that_cannot_be_answered_in_a_replay_is_stopped_before_its_calls(
    bare_python, tmp_path, imported, live
):
    done = replayed_without_us(bare_python, tmp_path, imported, live=live)
    assert (done.returncode, done.stdout) == (3, "begun\n")
    said = f"inspector: {bare_python} cannot be replayed, and is stopped before its calls are real: the "
    assert done.stderr.startswith(said)


def test_a_server_of_mcp_in_a_python_that_no_replay_can_answer_goes_on_in_one_that_goes_live(bare_python, tmp_path):
    done = replayed_without_us(bare_python, tmp_path, "mcp", live=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "begun\nreally called\n", "")


def test_a_python_with_pip_is_told_to_use_it(run, bare_python):
    pip = Path(bare_python).with_name("pip")
    pip.touch()
    done = run("env", "-u", "INSPECTOR_LENT", bare_python, "-c", "print(1)", PYTHONPATH="")
    pip.unlink()
    assert f"to record it: {bare_python} -m pip install ".encode() in done.stderr


def test_a_python_without_the_inspector_below_another_program_is_told_of_at_the_end(run, bare_python):
    done = run("sh", "-c", f"env -u INSPECTOR_LENT {bare_python} -c 'print(1)'; true", PYTHONPATH="")
    assert done.stdout == b"1\n"
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith(f"inspector: nothing was recorded: in {bare_python} the inspector is not installed there")


def test_a_module_of_the_program_that_hides_ours_runs_unharmed(run, script, tmp_path):
    script("hidden = 1", "instrument.py")
    script("hidden = 2", "inspector.py")
    done = run(script("import instrument, inspector; print(instrument.hidden, inspector.hidden)"))
    assert done.stdout == b"1 2\n"
    assert (
        done.stderr
        == (
            f"inspector: nothing was recorded: {tmp_path / 'inspector.py'} hides the inspector's module of that name; "
            "rename it\n"
        ).encode()
    )
    assert b"Traceback" not in done.stderr


def test_a_program_that_failed_before_its_first_call_is_said_to_have_failed(run):
    done = run("-c", "import instrument, sys; sys.exit(4)")
    assert done.stderr == NO_CALL.rstrip() + b" before it failed (exit code 4)\n" + ANOTHER_WAY


def test_an_impossible_setting_leaves_the_program_alone(run):
    done = run("-c", "import instrument; print(1)", INSPECTOR_LOGS="maybe")
    assert (done.returncode, done.stdout) == (0, b"1\n")
    assert done.stderr == (
        NO_CALL + ANOTHER_WAY + b"inspector: INSPECTOR_LOGS=maybe is ignored: it takes true or false\n"
    )


BLOCKS = """
import inspector
from instrument import around
for name in ("job 1", "job 2"):
    with inspector.run(name), around("tool_call", tool_name="look", args={}, context=None):
        pass
"""


def test_runs_inside_of_a_program_are_listed_where_it_has_none_of_its_own(run, script, inspector):
    first, second, third = run(script(BLOCKS)).stderr.decode().splitlines()
    told = r"inspector: recorded 4 calls in 2 runs; to see them: inspector (runs --service app)"
    (listing,) = re.fullmatch(told, first).groups()
    (largest,) = re.fullmatch(r"inspector: the largest: inspector (show [0-9a-f]{32})", second).groups()
    assert third == "inspector: in the browser: inspector serve"
    assert [row["name"] for row in json.loads(inspector(*listing.split(), "--json").stdout)["items"]] == [
        "job 2",
        "job 1",
    ]
    assert b"execute_tool look" in inspector(*largest.split()).stdout


@pytest.mark.slow
def test_runs_beside_what_the_program_calls_itself_are_listed_with_it(run, script, inspector, call):
    done = run("--service", "night shift", script(BLOCKS + call("after")))
    told = b"inspector: recorded 5 calls in 3 traces; to see them: inspector runs --service 'night shift'\n"
    assert done.stderr.startswith(told)
    listed = json.loads(inspector("runs", "--service", "night shift", "--json").stdout)["items"]
    assert [row["name"] for row in listed] == ["night shift", "job 2", "job 1"]


SERVER = """
import asyncio, httpx, uvicorn
from instrument import around

async def app(scope, receive, send):
    with around("tool_call", tool_name="look", args={}, context=None):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

async def main():
    server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan="off", log_level="critical"))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        base = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        async with httpx.AsyncClient() as client:
            for at in range(2):
                await client.get(f"{base}/{at}", headers=HEADERS)
        server.should_exit = True

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("headers", [{}, {"traceparent": f"00-{'ab' * 16}-{'cd' * 8}-01"}])
def test_requests_of_a_server_are_listed_by_its_module(run, environment, tmp_path, inspector, headers):
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("import uvicorn")
    (package / "__main__.py").write_text(f"HEADERS = {headers}\n{SERVER}")
    done = run("-m", "shop", PYTHONPATH=str(tmp_path))
    first, *_ = done.stderr.decode().splitlines()
    told = r"inspector: recorded 4 \w+ in 2 runs; to see them: inspector (runs --service shop)"
    (listing,) = re.fullmatch(told, first).groups()
    assert len(json.loads(inspector(*listing.split(), "--json").stdout)["items"]) == (1 if headers else 2)
