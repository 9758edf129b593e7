"""``inspector run``: the program runs as it does alone, and is recorded."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings

CALL = """
from instrument import around
with around("tool_call", tool_name={name!r}, args={{}}, context=None):
    pass
"""
WAIT_S = 30.0


@pytest.fixture
def run(inspector):
    """Run a program to its end under ``inspector run``."""

    def go(*words, **options):
        return inspector("run", *words, **options)

    return go


@pytest.fixture
def script(tmp_path):
    """Write a Python program."""

    def write(text, name="app.py"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


@pytest.fixture
def recorded(home):
    """Names of all that was recorded, in the order it began."""

    def read():
        with Owner(Settings(home=home)) as owner:
            owner.take_in()
            return list(owner.store.events(Filter(), order="asc", limit=500, full=True).items)

    return read


def call(name):
    return CALL.format(name=name)


def names(events):
    return [event.tool or event.name for event in events]


@pytest.fixture
def as_terminal(environment):
    """Run a command line with a terminal of its own as stdin, stdout and stderr; stopped and killed at the end."""
    started = []

    def start(*command, **variables):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(command[0], command, environment | variables)
        started.append((pid, terminal))
        return Terminal(pid, terminal)

    yield start
    for pid, terminal in started:
        try:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(terminal)


class Terminal:
    def __init__(self, pid, fd):
        self.pid, self.fd, self.text = pid, fd, ""

    def until(self, words):
        deadline = time.monotonic() + WAIT_S
        while words not in self.text:
            ready, _, _ = select.select([self.fd], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"no {words!r} in {self.text!r}"
            try:
                self.text += os.read(self.fd, 4096).decode()
            except OSError as error:
                raise AssertionError(f"the terminal closed before {words!r}: {self.text!r}") from error

    def write(self, data):
        os.write(self.fd, data)

    def status(self, options=0):
        return os.waitpid(self.pid, options)[1]

    def rest(self):
        while True:
            try:
                more = os.read(self.fd, 4096)
            except OSError:
                return self.text
            if not more:
                return self.text
            self.text += more.decode()


# What is run, and how it is told of.


def test_a_python_file_is_recorded_and_the_end_says_where_to_look(run, script, inspector):
    done = run(script(call("add")), "--debug", "-x")
    assert (done.returncode, done.stdout) == (0, b"")
    first, second = done.stderr.decode().splitlines()
    found = re.fullmatch(r"inspector: recorded 1 call in 1 run; to see it: inspector (show [0-9a-f]{32})", first)
    assert second == "inspector: in the browser: inspector serve"
    assert b"execute_tool add" in inspector(*found[1].split()).stdout


def test_several_runs_of_one_program_can_be_looked_at_together(run, script, inspector):
    run(script(call("before")))
    done = run(script(call("one") + call("two")))
    assert b"recorded 2 calls in 2 runs" in done.stderr
    (listing,) = re.findall(rb"all of them: inspector (events --attr inspector\.run\.id=\w+)\n", done.stderr)
    listed = json.loads(inspector(*listing.decode().split(), "--json").stdout)["items"]
    assert [event["tool"] for event in listed] == ["two", "one"]


def test_a_server_that_the_program_starts_over_stdio_is_recorded_too(run, script, recorded):
    server = script(
        "from mcp.server import MCPServer\n"
        "desk = MCPServer('desk')\n"
        "@desk.tool()\n"
        "def add(a: int, b: int) -> int:\n"
        "    return a + b\n"
        "desk.run()\n",
        "server.py",
    )
    client = script(
        "import asyncio, sys\n"
        "from mcp import ClientSession, StdioServerParameters, stdio_client\n"
        "async def main():\n"
        f"    server = StdioServerParameters(command=sys.executable, args=[{server!r}])\n"
        "    async with stdio_client(server) as streams, ClientSession(*streams) as session:\n"
        "        await session.initialize()\n"
        "        await session.call_tool('add', {'a': 1, 'b': 2})\n"
        "asyncio.run(main())\n"
    )
    # No secret of ours is handed to a server, which may be anybody's.
    done = run(client, INSPECTOR_TOKEN="0123456789abcdef-secret")
    assert done.returncode == 0, done.stderr
    events = {(event.service, event.kind, event.tool): event for event in recorded()}
    at_the_client, at_the_server = events["app", "tool", "add"], events["server", "tool", "add"]
    request = events["server", "rpc", "add"]
    assert (request.parent_id, at_the_server.parent_id) == (at_the_client.span_id, request.span_id)
    assert at_the_server.folded_into == at_the_client.span_id


def test_what_follows_the_program_is_its_own(run, script):
    done = run("--quiet", script("import sys; print(sys.argv[1:])"), "--debug", "--quiet", "--", "-m", "--help")
    assert done.stdout.decode().strip() == "['--debug', '--quiet', '--', '-m', '--help']"


@pytest.mark.parametrize("words", [["--"], []])
def test_a_module_is_run_as_python_runs_it(run, environment, tmp_path, recorded, words):
    package = tmp_path / "pack" / "mypack"
    package.mkdir(parents=True)
    (package / "__main__.py").write_text("import sys; print(sys.argv[1:])" + call("add"))
    path = os.pathsep.join((environment["PYTHONPATH"], str(package.parent)))
    done = run(*words, "-m", "mypack", "-m", PYTHONPATH=path)
    assert done.stdout == b"['-m']\n"
    (event,) = recorded()
    assert (event.name, event.service) == ("execute_tool add", "mypack")


def test_a_console_script_beside_the_inspector_needs_no_activated_environment(run, tmp_path):
    (tmp_path / "test_one.py").write_text(f"def test_one():\n    exec({call('add')!r})\n")
    done = run("pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_one.py"), PATH="/usr/bin:/bin")
    assert done.returncode == 0, done.stdout
    assert b"recorded 1 call in 1 run" in done.stderr


def test_a_script_is_read_from_standard_input(run):
    done = run(sys.executable, "-", "x", stdin=b"import sys; print(sys.argv)" + call("add").encode())
    assert done.stdout == b"['-', 'x']\n"
    assert b"recorded 1 call" in done.stderr


def test_standard_input_and_output_are_passed_byte_for_byte(run, script):
    echo = script("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])")
    every_byte = bytes(range(256)) * 400
    done = run("--quiet", echo, stdin=every_byte)
    assert (done.stdout, done.stderr) == (every_byte[::-1], b"")


def test_the_program_sees_the_path_and_arguments_it_sees_alone(run, script, environment, inspector):
    show = script(
        "import json, os, sys\n"
        "found = [sys.argv, sys.path, sorted(sys.modules), sorted(os.environ), os.getcwd(), sys.flags, __name__]\n"
        "print(json.dumps(found))"
    )
    alone = subprocess.run([sys.executable, show, "a"], env=environment, capture_output=True, check=True).stdout
    under = run("--quiet", show, "a").stdout
    (argv, path, modules, variables, *rest), (argv_, path_, modules_, variables_, *rest_) = map(
        json.loads, (alone, under)
    )
    assert (argv, path, rest) == (argv_, path_, rest_)
    assert set(modules_) - set(modules) == set()
    assert set(variables_) - set(variables) == {"INSPECTOR_RUN"}


@pytest.mark.parametrize("code", [0, 1, 3, 255])
def test_the_exit_code_is_the_programs(run, code):
    assert run("--quiet", "-c", f"raise SystemExit({code})").returncode == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGSEGV, signal.SIGPIPE])
def test_a_program_that_a_signal_ended_is_seen_to_end_by_it(run, number):
    done = run("-c", f"import os, signal; signal.signal(13, signal.SIG_DFL); os.kill(os.getpid(), {number})")
    assert done.returncode == -number
    assert b"nothing was recorded" in done.stderr


def test_a_broken_pipe_ends_the_program_as_it_does_alone(environment):
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m inspector.cli run --quiet sh -c 'yes; echo $? >&2' | head -1"],
        env=environment,
        capture_output=True,
    )
    assert (done.stdout, done.stderr) == (b"y\n", b"141\n")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["no-such-program"], 127, b"inspector: cannot run no-such-program: there is no such program on PATH\n"),
        (["./no-such"], 127, b"inspector: cannot run ./no-such: there is no such file\n"),
        (["no_such.py"], 127, b"inspector: cannot run no_such.py: there is no such file in "),
        ([""], 127, b"inspector: cannot run '': give a program\n"),
        ([__file__ + "c"], 127, b"inspector: cannot run "),
        (["/etc"], 126, b"inspector: cannot run /etc: it is a directory without a __main__.py\n"),
        (["--without", "nothing", "true"], 1, b"inspector: there is no integration 'nothing'; there are: "),
    ],
)
def test_what_cannot_be_started_is_one_line_and_the_code_of_a_shell(run, words, code, told):
    done = run(*words)
    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr.startswith(told)
    assert done.stderr.count(b"\n") == 1


def test_a_file_whose_first_line_names_nothing_is_not_executable(run, tmp_path):
    for name, text, code, told in (
        ("none", "no program", 126, b"Exec format error"),
        ("plain", "#!/bin/sh\n", 126, b"it is not executable; a Python file: inspector run python "),
        ("lost", "#!/no/such/interpreter\n", 127, b"the interpreter in its first line does not exist"),
    ):
        path = tmp_path / name
        path.write_text(text)
        path.chmod(0o644 if name == "plain" else 0o755)
        done = run(str(path))
        assert (done.returncode, done.stderr.count(b"\n")) == (code, 1)
        assert told in done.stderr


def test_nothing_to_run_is_a_command_line_that_was_not_understood(run):
    done = run("--quiet")
    assert done.returncode == 2
    assert b"Missing argument 'PROGRAM...'" in done.stderr


# Why there may be nothing to see.


def test_a_program_that_imports_nothing_of_interest_is_told_so(run):
    done = run("-c", "pass")
    assert done.stderr.startswith(b"inspector: nothing was recorded: it imported nothing that is recorded: ")
    assert done.stderr.count(b"\n") == 1


def test_a_program_that_is_quiet_about_its_calls_is_told_so(run):
    done = run("-c", "import instrument")
    assert done.stderr == (
        b"inspector: nothing was recorded: it made no call "
        b"(of a program that is killed or leaves by os._exit, the last 0.1 s are not kept)\n"
    )


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


def test_a_python_without_the_inspector_runs_and_says_how_to_install_it(run, bare_python, tmp_path):
    done = run(bare_python, "-c", "print(1)", PYTHONPATH="")
    assert (done.returncode, done.stdout) == (0, b"1\n")
    first, second = done.stderr.decode().splitlines()
    assert first == (
        f"inspector: {bare_python} is not recorded: the inspector is not installed there; to record it: "
        f'{bare_python} -m pip install "mcp-agent-inspector[inspector]"'
    )
    assert second == "inspector: nothing was recorded"


def test_a_python_without_the_inspector_below_another_program_is_told_of_at_the_end(run, bare_python):
    done = run("sh", "-c", f"{bare_python} -c 'print(1)'; true", PYTHONPATH="")
    assert done.stdout == b"1\n"
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith(f"inspector: nothing was recorded: in {bare_python} the inspector is not installed there")


def test_a_module_of_the_program_that_hides_ours_runs_unharmed(run, script, tmp_path):
    script("hidden = 1", "instrument.py")
    script("hidden = 2", "inspector.py")
    done = run(script("import instrument, inspector; print(instrument.hidden, inspector.hidden)"))
    assert done.stdout == b"1 2\n"
    assert b"is not the inspector's module of that name" in done.stderr
    assert b"Traceback" not in done.stderr


def test_an_impossible_setting_leaves_the_program_alone(run):
    done = run("-c", "import instrument; print(1)", INSPECTOR_LOGS="maybe")
    assert (done.returncode, done.stdout) == (0, b"1\n")
    assert done.stderr == (
        b"inspector: nothing was recorded: INSPECTOR_LOGS=maybe: takes true or false; correct it or leave it out\n"
    )


# Beside the program.


def test_a_sitecustomize_that_ours_hides_is_run(run, environment, tmp_path, recorded):
    (tmp_path / "sitecustomize.py").write_text("import builtins; builtins.customized = __file__")
    path = os.pathsep.join((str(tmp_path), environment["PYTHONPATH"]))
    done = run("-c", "import sitecustomize; print(customized == sitecustomize.__file__)" + call("add"), PYTHONPATH=path)
    assert done.stdout == b"True\n"
    assert names(recorded()) == ["add"]


def test_a_run_inside_a_run_records_once(run, script, recorded):
    inner = script(call("add"))
    done = run(sys.executable, "-m", "inspector.cli", "run", inner)
    assert names(recorded()) == ["add"]
    assert done.stderr.count(b"recorded 1 call in 1 run") == 1


def test_the_programs_own_attach_has_the_last_word(run, script, recorded):
    done = run(
        script(
            call("before")
            + "import inspector\n"
            + "inspector.attach(service='mine', redact=lambda key, text: text.replace('tea', 'cup'))\n"
            + call("tea")
        )
    )
    assert [(event.name, event.service) for event in recorded()] == [
        ("execute_tool before", "app"),
        ("execute_tool cup", "mine"),
    ]
    assert b"recorded 2 calls in 2 runs; to see the last: " in done.stderr


def test_attaching_first_thing_works_as_without_us(run, script, recorded):
    run(script("import inspector\ninspector.attach(service='mine')\n" + call("add")))
    (event,) = recorded()
    assert event.service == "mine"


def test_a_decorator_of_ours_alone_does_not_keep_a_program_from_being_recorded(run, script, recorded):
    run(script("from inspector import dump_state\nimport decimal\n" + call("add")))
    assert names(recorded()) == ["add"]


def test_a_program_that_empties_its_environment_leaves_nothing_in_its_directory(run, script, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    app = script(f"import os\n{CALL.format(name='add')}\nos.chdir({str(place)!r})\nos.environ.clear()\n")
    assert b"recorded 1 call" in run(app).stderr
    assert list(place.iterdir()) == []


def test_what_a_program_writes_into_our_directory_does_not_change_its_exit_code(run, script):
    app = script(
        "import os, pathlib\n"
        "place = pathlib.Path(os.environ['INSPECTOR_RUN'].split(':', 3)[3])\n"
        '(place / \'recorded-x.json\').write_text(\'{"pid": 1, "calls": "x"}\')\n'
    )
    ended = run(app)
    assert ended.returncode == 0
    assert b"cannot say more" in ended.stderr


def test_options_choose_service_home_and_content(run, script, tmp_path):
    home = tmp_path / "else where"
    told = (
        "from instrument import around\nwith around('tool_call', tool_name='add', args={'tea': 1}, context=None): pass"
    )
    done = run("--service", "shop", "--home", str(home), "--no-content", script(told))
    with Owner(Settings(home=home)) as owner:
        owner.take_in()
        (event,) = owner.store.events(Filter(), full=True).items
    assert (event.service, event.input) == ("shop", None)
    assert f"--home '{home}'".encode() in done.stderr


def test_a_server_that_runs_at_the_same_time_is_where_to_look(run, script, start_inspector, home):
    server = start_inspector("serve", "--port", "0", "--no-open")
    line = server.stdout.readline().decode()
    url = re.search(r"http://127\.0\.0\.1:\d+", line)[0]
    # Long enough that the server has taken in what was recorded, and deleted it, when the end is told.
    spool = home / "spool"
    waiting = (
        "import os, time\n" + call("add") + "pid = os.fork()\n"
        "if pid == 0:\n"
        + "".join(f"    {each}\n" for each in call("child").splitlines())
        + "    time.sleep(0.3)\n    os._exit(0)\n"
        "os.waitpid(pid, 0)\n"
        f"deadline = time.monotonic() + {WAIT_S}\n"
        f"while len(os.listdir({str(spool)!r})) > 1 and time.monotonic() < deadline: time.sleep(0.02)\n"
    )
    done = run(script(waiting))
    assert b"recorded 2 calls in 2 runs" in done.stderr
    assert re.search(rf"in the browser: {url}/#/\?attr=inspector\.run\.id%3D\w+\n".encode(), done.stderr)


# Processes of the program.


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_of_multiprocessing_are_recorded(run, script, recorded, method):
    done = run(
        script(
            "import multiprocessing\n"
            "from instrument import around\n"
            "def work(name):\n"
            "    with around('tool_call', tool_name=name, args={}, context=None): pass\n"
            "if __name__ == '__main__':\n"
            f"    multiprocessing.set_start_method({method!r})\n"
            "    work('parent')\n"
            "    with multiprocessing.Pool(2) as pool:\n"
            "        pool.map(work, ['a', 'b'], chunksize=1)\n"
            "        pool.close(); pool.join()\n"
        )
    )
    assert done.returncode == 0, done.stderr
    assert sorted(names(recorded())) == ["a", "b", "parent"]
    assert b"recorded 3 calls in 3 runs" in done.stderr


def test_a_subprocess_of_the_same_python_is_recorded(run, script, recorded):
    child = script(call("inner"), "child.py")
    run(script(call("outer") + f"import subprocess, sys; subprocess.run([sys.executable, {child!r}])"))
    assert sorted((event.tool, event.service) for event in recorded()) == [("inner", "child"), ("outer", "app")]


def test_threads_that_import_at_once_are_all_recorded(run, script, recorded):
    run(
        script(
            "import threading\n"
            "def work(number):\n"
            "    from instrument import around\n"
            "    with around('tool_call', tool_name=f't{number}', args={}, context=None): pass\n"
            "threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]\n"
            "[t.start() for t in threads]; [t.join() for t in threads]\n"
        )
    )
    assert sorted(names(recorded())) == sorted(f"t{n}" for n in range(16))


def test_what_a_program_recorded_before_it_becomes_another_one_is_kept(run, script, recorded):
    child = script(call("second"), "second.py")
    done = run(
        script(
            call("first")
            + "import inspector, os, sys\nfrom inspector.record import attach\nassert attach().flush()\n"
            + f"os.execv(sys.executable, [sys.executable, {child!r}])"
        )
    )
    assert names(recorded()) == ["first", "second"]
    assert b"recorded 2 calls in 2 runs" in done.stderr


def test_a_program_that_leaves_at_once_keeps_what_is_older_than_a_moment(run, script, recorded, home):
    leave = (
        call("add") + "import os, time\n"
        f"deadline = time.monotonic() + {WAIT_S}\n"
        f"while not (os.path.isdir({str(home / 'spool')!r}) and os.listdir({str(home / 'spool')!r})):\n"
        "    assert time.monotonic() < deadline; time.sleep(0.01)\n"
        "time.sleep(0.1)\nos._exit(7)\n"
    )
    done = run(script(leave))
    assert done.returncode == 7
    assert names(recorded()) == ["add"]
    assert b"recorded 1 call in 1 run" in done.stderr


def test_a_program_that_is_killed_in_a_call_has_been_recorded_up_to_there(run, script, recorded):
    killed = script(
        "import os, time\nfrom instrument import around\nfrom inspector.record import attach\n"
        "with around('tool_call', tool_name='slow', args={}, context=None):\n"
        "    attach().flush(); os.kill(os.getpid(), 9)"
    )
    done = run(killed)
    assert done.returncode == -signal.SIGKILL
    assert [(event.tool, event.status) for event in recorded()] == [("slow", "lost")]
    assert b"recorded 1 call in 1 run" in done.stderr


def test_a_daemon_goes_on_and_is_named(run, script, tmp_path):
    stop = tmp_path / "stop"
    done = run(
        script(
            call("first") + "import os, time\n"
            "r, w = os.pipe()\n"
            "if os.fork() == 0:\n"
            "    os.setsid()\n"
            "    if os.fork(): os._exit(0)\n"
            "    for fd in (0, 1, 2): os.dup2(os.open(os.devnull, os.O_RDWR), fd)\n"
            + "".join(f"    {each}\n" for each in call("daemon").splitlines())
            + "    os.write(w, str(os.getpid()).encode())\n"
            f"    deadline = time.monotonic() + {WAIT_S}\n"
            f"    while not os.path.exists({str(stop)!r}) and time.monotonic() < deadline: time.sleep(0.05)\n"
            "    os._exit(0)\n"
            "print(os.read(r, 100).decode())\n"
        )
    )
    stop.touch()
    daemon = done.stdout.decode().strip()
    assert f"inspector: still running, and being recorded: process {daemon}\n".encode() in done.stderr


# Signals and the terminal.

LISTENING = """
import os, signal, sys, time
def tell(number, frame):
    print(signal.Signals(number).name, flush=True)
    if number == signal.SIGTERM: sys.exit(5)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH):
    signal.signal(number, tell)
print("ready", flush=True)
while True: signal.pause()
"""


def test_each_signal_that_is_sent_to_us_reaches_the_program_once(start_inspector, script):
    process = start_inspector("run", script(LISTENING))
    assert process.stdout.readline() == b"ready\n"
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH, signal.SIGTERM):
        process.send_signal(number)
        assert process.stdout.readline().decode().strip() == number.name
    assert process.wait(WAIT_S) == 5
    assert process.stdout.read() == b""


def test_ctrl_c_at_a_terminal_reaches_the_program_once(as_terminal, script):
    terminal = as_terminal(sys.executable, "-m", "inspector.cli", "run", script(LISTENING))
    terminal.until("ready")
    terminal.write(b"\x03")
    terminal.until("SIGINT")
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.until("nothing was recorded")
    assert os.waitstatus_to_exitcode(terminal.status()) == 5
    assert terminal.rest().count("SIGINT") == 1


def test_a_program_that_ctrl_c_ends_is_seen_to_end_by_it(as_terminal):
    terminal = as_terminal(
        sys.executable, "-m", "inspector.cli", "run", "-c", "print('ready', flush=True); import time; time.sleep(60)"
    )
    terminal.until("ready")
    terminal.write(b"\x03")
    terminal.until("nothing was recorded")
    assert os.WTERMSIG(terminal.status()) == signal.SIGINT
    assert terminal.rest().count("KeyboardInterrupt") == 1


def test_the_terminal_is_the_programs(as_terminal):
    show = (
        "import os, sys\n"
        "print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty(), os.tcgetpgrp(0) == os.getpgrp())\n"
        "print('you said', input('name? '))\n"
    )
    terminal = as_terminal(sys.executable, "-m", "inspector.cli", "run", "--quiet", "-c", show)
    terminal.until("name? ")
    terminal.write(b"Ada\n")
    assert "True True True True\r\n" in terminal.rest()
    assert "you said Ada" in terminal.text
    assert terminal.status() == 0


def test_a_shell_can_stop_the_program_and_let_it_go_on(as_terminal, script, environment):
    steps = script("import sys\nprint('ready', flush=True)\nfor line in sys.stdin: print('got', line, flush=True)")
    terminal = as_terminal("/bin/bash", "--norc", "--noprofile", "-i", PS1="$ ", HISTFILE="/dev/null")
    terminal.until("$ ")
    terminal.write(f"{sys.executable} -m inspector.cli run --quiet {steps}\n".encode())
    terminal.until("ready")
    terminal.write(b"\x1a")
    terminal.until("Stopped")
    terminal.write(b"fg\n")
    terminal.write(b"hello\n")
    terminal.until("got hello")
    terminal.write(b"\x04")
    terminal.write(b"echo code=$?\n")
    terminal.until("code=0")


def test_a_stdio_mcp_server_answers_byte_for_byte_as_it_does_alone(script, environment):
    server = script(
        "from mcp.server import MCPServer\n"
        "server = MCPServer('desk')\n"
        "@server.tool()\n"
        "def add(a: int, b: int) -> int:\n"
        "    'Adds.'\n"
        "    return a + b\n"
        "server.run()\n"
    )
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    }

    def answers(*command):
        """Ask one thing after the other, as clients do: a server may drop what it was asked when its input ends."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen([sys.executable, *command], env=environment, **pipes) as process:

            def say(**message):
                process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
                process.stdin.flush()

            say(id=1, method="initialize", params=hello)
            first = process.stdout.readline()
            say(method="notifications/initialized")
            say(id=2, method="tools/list")
            second = process.stdout.readline()
            rest, _ = process.communicate(timeout=WAIT_S)
        return first, second, rest

    alone = answers(server)
    assert answers("-m", "inspector.cli", "run", "--logs", server) == alone
    assert [json.loads(line)["id"] for line in alone[:2]] == [1, 2]
    assert alone[2] == b""


# OpenTelemetry and logs.


def test_spans_of_the_opentelemetry_api_and_logs_are_recorded_where_they_are_asked_for(run, script, recorded):
    program = script(
        "import logging\n"
        "from opentelemetry import trace\n"
        "with trace.get_tracer('lib', '1').start_as_current_span('request', attributes={'a': 1}):\n"
        "    logging.getLogger('app').warning('careful, %s', 'Ada')\n" + "    exec(" + repr(call("add")) + ")\n"
    )
    done = run("--otel", "--logs", program)
    assert b"careful, Ada" in done.stderr
    assert b"recorded 2 calls in 1 run" in done.stderr
    request, tool = recorded()
    assert (request.name, tool.name, tool.parent_id) == ("request", "execute_tool add", request.span_id)
    attributes = json.loads(bytes(request.attributes))
    assert (attributes["a"], attributes["otel.scope.name"]) == (1, "lib")
    (event,) = json.loads(bytes(request.events))
    assert event["attributes"] == {"log.level": "WARNING", "log.logger": "app", "log.message": "careful, Ada"}


def test_without_being_asked_for_they_are_not(run, script, recorded):
    run(
        script(
            "import logging\n"
            "from opentelemetry import trace\n"
            "with trace.get_tracer('lib').start_as_current_span('request'):\n"
            "    logging.getLogger('app').warning('careful')\n" + "    exec(" + repr(call("add")) + ")\n"
        )
    )
    (event,) = recorded()
    assert (event.name, json.loads(bytes(event.events))) == ("execute_tool add", [])


def test_an_installed_instrumentor_is_started_where_it_is_asked_for(run, script, environment, tmp_path, recorded):
    (tmp_path / "stub_instrumentation.py").write_text(
        "from opentelemetry import trace\n"
        "class Stub:\n"
        "    def instrument(self):\n"
        "        import json\n"
        "        load = json.loads\n"
        "        def loads(*args, **kwargs):\n"
        "            with trace.get_tracer('stub').start_as_current_span('json.loads'): return load(*args, **kwargs)\n"
        "        json.loads = loads\n"
    )
    info = tmp_path / "stub-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stub\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[opentelemetry_instrumentor]\nstub = stub_instrumentation:Stub\n")
    path = os.pathsep.join((environment["PYTHONPATH"], str(tmp_path)))
    run("--otel", script("import json; json.loads('1')"), PYTHONPATH=path)
    assert [event.name for event in recorded()] == ["json.loads"]
