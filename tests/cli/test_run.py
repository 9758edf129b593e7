import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import zipfile

import pytest


def test_a_python_file_is_recorded_and_the_end_says_where_to_look(run, script, inspector, call):
    done = run(script(call("add")), "--debug", "-x")
    assert (done.returncode, done.stdout) == (0, b"")
    first, second = done.stderr.decode().splitlines()
    found = re.fullmatch(r"inspector: recorded 1 call in 1 trace; to see it: inspector (show [0-9a-f]{32})", first)
    assert second == "inspector: in the browser: inspector serve"
    assert b"execute_tool add" in inspector(*found[1].split()).stdout


@pytest.mark.slow
def test_a_server_that_the_program_starts_over_stdio_is_recorded_too(run, mcp_program, recorded):
    # No secret of ours is handed to a server, which may be anybody's.
    done = run(mcp_program, INSPECTOR_TOKEN="0123456789abcdef-secret")
    assert done.returncode == 0, done.stderr
    events = {(event.service, event.kind, event.tool): event for event in recorded()}
    at_the_client, at_the_server = events["app", "tool", "add"], events["server", "tool", "add"]
    request = events["server", "rpc", "add"]
    assert (request.parent_id, at_the_server.parent_id) == (at_the_client.span_id, request.span_id)
    assert at_the_server.folded_into == at_the_client.span_id


def test_what_follows_the_program_is_its_own(run, script):
    done = run("--quiet", script("import sys; print(sys.argv[1:])"), "--debug", "--quiet", "--", "-m", "--help")
    assert done.stdout.decode().strip() == "['--debug', '--quiet', '--', '-m', '--help']"


@pytest.mark.sweep(1)
@pytest.mark.parametrize("words", [["--"], []])
def test_a_module_is_run_as_python_runs_it(run, environment, tmp_path, recorded, words, call):
    package = tmp_path / "pack" / "mypack"
    package.mkdir(parents=True)
    (package / "__main__.py").write_text("import sys; print(sys.argv[1:])" + call("add"))
    path = os.pathsep.join((environment["PYTHONPATH"], str(package.parent)))
    done = run(*words, "-m", "mypack", "-m", PYTHONPATH=path)
    assert done.stdout == b"['-m']\n"
    (event,) = recorded()
    assert (event.name, event.service) == ("execute_tool add", "mypack")


@pytest.mark.slow
def test_a_server_is_named_by_its_application(run, environment, tmp_path, recorded, call):
    (tmp_path / "shop.py").write_text(call("add") + "\nraise SystemExit(0)\n")
    path = os.pathsep.join((environment["PYTHONPATH"], str(tmp_path)))
    done = run("-m", "uvicorn", "--port", "0", "shop:create", PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    assert [event.service for event in recorded()] == ["shop"]


@pytest.mark.slow
def test_a_console_script_beside_the_inspector_needs_no_activated_environment(run, tmp_path, call):
    (tmp_path / "test_one.py").write_text(f"def test_one():\n    exec({call('add')!r})\n")
    variables = {"PATH": "/usr/bin:/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = run("pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_one.py"), **variables)
    assert done.returncode == 0, done.stdout
    assert b"recorded 1 call in 1 trace" in done.stderr


def test_a_script_is_read_from_standard_input(run, call):
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
    assert set(variables_) - set(variables) == {"INSPECTOR_LENT", "INSPECTOR_RUN"}


def test_a_keyword_that_the_contract_lacks_is_seen_in_what_the_program_starts(run, script, environment):
    sends = "_emit_sync('before_tool_call', tool_name='add', args={}, context=None, emitter='openai', unheard_of=1)"
    child = script(f"from instrument import _emit_sync\n{sends}\n", "child.py")
    run(script(f"import subprocess, sys\nsubprocess.run([sys.executable, {child!r}], check=True)"))
    unknown = pathlib.Path(environment["INSPECTOR_EMITTED_UNKNOWN"])
    found = unknown.read_text()
    # Else the test fails for it, as every other one does.
    unknown.unlink()
    assert found == "('before_tool_call', 'openai', ['unheard_of'])\n"


@pytest.mark.parametrize("code", [0, 1, 3, 255])
def test_the_exit_code_is_the_programs(run, code):
    assert run("--quiet", "-c", f"raise SystemExit({code})").returncode == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGSEGV, signal.SIGPIPE])
def test_a_program_that_a_signal_ended_is_seen_to_end_by_it(run, number):
    done = run("-c", f"import os, signal; signal.signal(13, signal.SIG_DFL); os.kill(os.getpid(), {number})")
    assert done.returncode == -number
    assert b"nothing was recorded" in done.stderr


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("options", "says"),
    [((), b"inspector: the program runs, but is not recorded: No usable temporary directory"), (("--quiet",), b"")],
)
def test_without_a_temporary_directory_the_program_runs_and_is_not_recorded(environment, options, says):
    command = (sys.executable, "-m", "inspector.cli", "run", *options, "-c", "print('ran'); raise SystemExit(4)")
    # No file may be written, as on a full disk.
    limited = ("sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *command)
    done = subprocess.run(limited, env=environment, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (4, b"ran\n")
    assert done.stderr.startswith(says) and bool(done.stderr) == bool(says), done.stderr


def test_a_broken_pipe_ends_the_program_as_it_does_alone(environment):
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m inspector.cli run --quiet sh -c 'yes; echo $? >&2' | head -1"],
        env=environment,
        capture_output=True,
    )
    assert (done.stdout, done.stderr) == (b"y\n", b"141\n")


@pytest.mark.slow
def test_a_zip_file_is_run_as_python_runs_it(run, script, tmp_path, recorded, call):
    script("import sys; print(sys.argv[1:])" + call("add"), "__main__.py")
    archive = tmp_path / "packed.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(tmp_path / "__main__.py", "__main__.py")
    assert run(str(archive), "-m").stdout == b"['-m']\n"
    assert [event.tool for event in recorded()] == ["add"]


@pytest.mark.slow
def test_a_command_is_meant_also_where_a_directory_has_its_name(environment, tmp_path):
    """As `toolkit` in this checkout: run as a directory, its modules would hide those that it imports."""
    directory = tmp_path / "true"
    directory.mkdir()
    (directory / "__main__.py").write_text("print('the directory')")

    def printed(program):
        words = [sys.executable, "-m", "inspector.cli", "run", program]
        return subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, check=True).stdout

    assert printed("true") == b""
    assert printed("./true") == b"the directory\n"


def test_a_directory_without_a_program_is_said_to_be_one(environment, tmp_path):
    (tmp_path / "own").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "inspector.cli", "run", "own"], env=environment, cwd=tmp_path, capture_output=True
    )
    told = b"inspector: cannot run own: it is a directory without a __main__.py\n"
    assert (done.returncode, done.stderr) == (126, told)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["no-such-program"], 127, b"inspector: cannot run no-such-program: there is no such program on PATH\n"),
        (["./no-such"], 127, b"inspector: cannot run ./no-such: there is no such file\n"),
        (["no_such.py"], 127, b"inspector: cannot run no_such.py: there is no such file in "),
        (["/no/such.py"], 127, b"inspector: cannot run /no/such.py: there is no such file\n"),
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
