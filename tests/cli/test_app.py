import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli.app import COMMANDS
from inspector.cli.reference import reference

ROOT = Path(__file__).parents[2]


def test_help_lists_every_command(inspector):
    done = inspector("--help")
    assert done.returncode == 0
    for name, summary in COMMANDS.items():
        assert f"{name}  ".encode() in done.stdout
        assert summary.encode() in done.stdout


def test_without_a_command_the_help_is_the_answer(inspector):
    done = inspector()
    assert (done.returncode, done.stdout, done.stderr) == (0, inspector("--help").stdout, b"")


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_one_line(inspector, option):
    done = inspector(option)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == inspector("version").stdout.splitlines(keepends=True)[0]


def test_help_loads_click_and_no_other_package(environment):
    show = "import sys; from inspector.cli.app import run; run(['--help']); print(set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", show], env=environment, capture_output=True, check=True, text=True)
    loaded = done.stdout.splitlines()[-1]
    for package in ("msgspec", "pydantic", "sqlalchemy", "fastapi", "opentelemetry"):
        assert f"'{package}'" not in loaded


def test_every_command_explains_itself_without_loading_what_it_works_with(environment):
    show = f"""
import sys
from inspector.cli.app import run
for name in {[*COMMANDS]}:
    print(run([name, "--help"]))
    print("loaded by then:", set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", show], env=environment, capture_output=True, check=True, text=True)
    explained = done.stdout.split("loaded by then:")
    for name, text, loaded in zip(COMMANDS, explained[:-1], explained[1:], strict=True):
        assert f"Usage: inspector {name}" in text
        for package in ("'pydantic'", "'sqlalchemy'", "'fastapi'", "'opentelemetry'"):
            assert package not in loaded.splitlines()[0], name


@pytest.mark.sweep(1)
@pytest.mark.parametrize("words", [["show"], ["runs"]])
def test_what_was_recorded_is_shown_without_loading_the_recorder_or_redaction(environment, write_spans, span, words):
    write_spans(span())
    show = f"import sys; from inspector.cli.app import run; run({words}); print(set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", show], env=environment, capture_output=True, check=True, text=True)
    *shown, loaded = done.stdout.splitlines()
    assert shown
    for package in ("inspector.record", "inspector.redaction", "opentelemetry"):
        assert f"'{package}'" not in loaded


def test_the_reference_page_is_what_the_commands_say():
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == reference(), "run: python -m inspector.cli.reference > docs/cli.md"


def test_without_the_extra_every_command_says_in_one_line_what_to_install(environment):
    for command in ("serve", "--help", "events"):
        done = subprocess.run(
            [sys.executable, "-S", "-m", "inspector.cli", command], env=environment, capture_output=True
        )
        assert done.returncode == 1
        assert done.stdout == b""
        assert done.stderr == (
            b'inspector: the command line is not installed; run: pip install "mcp-agent-inspector[inspector]"\n'
        )


def test_with_click_alone_installed_a_command_says_the_same(environment, tmp_path):
    import click

    (tmp_path / "click").symlink_to(Path(click.__file__).parent)
    only_click = environment | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    done = subprocess.run(
        [sys.executable, "-S", "-m", "inspector.cli", "sessions"], env=only_click, capture_output=True
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.count(b"\n") == 1
    assert b'pip install "mcp-agent-inspector[inspector]"' in done.stderr


@pytest.mark.sweep(12)
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["evnets"], b"No such command 'evnets'. Did you mean 'events'?"),
        (["sow", "last"], b"No such command 'sow'. Did you mean 'show'?"),
        (["xyz"], b"No such command 'xyz'.\n"),
        (["events", "--limt", "5"], b"--limit"),
        (["events", "--limit", "0"], b"--limit"),
        (["events", "--limit", "1001"], b"--limit"),
        (["events", "--limit", "abc"], b"takes a whole number from 1 to 1000, not 'abc'"),
        (["tail", "--last", "abc"], b"takes a whole number from 0 to 1000, not 'abc'"),
        (["serve", "--port", "abc"], b"takes a whole number from 0 to 65535, not 'abc'"),
        (["events", "--trace-id", "abc"], b"'--trace-id': 'abc' is not an id; give all 32 hexadecimal digits"),
        (["events", "--trace-id", "last"], b"'last' is not an id"),
        (["tail", "--parent-id", "g" * 16], b"give all 16 hexadecimal digits"),
        (["show", "--span", "abc"], b"give 4 to 16 hexadecimal digits"),
        (["show", "last", "--span"], b"See: inspector show --help"),
        (["db", "ddl", "--cluster"], b"See: inspector db ddl --help"),
        (["events", "--q", ""], b"'--q': give at least one word"),
        (["events", "--q", "  "], b"'--q': give at least one word"),
        (["events", "--name", ""], b"'--name': is empty"),
        (["tail", "--cursor", ""], b"No such option"),
        (["sessions", "--cursor", ""], b"'--cursor': is empty"),
        (["show", ""], b"'[RUN|TRACE|SPAN]': is empty; say which, or leave it out"),
        (["show", "--run", ""], b"'--run': is empty"),
        (["export", "last", ""], b"is empty"),
        (["export", "--all", "last"], b"--all exports everything"),
        (["prune", "--trace", ""], b"'--trace': is empty"),
        (["prune", "--session", ""], b"'--session': is empty"),
        (["events", "--home", ""], b"'--home': is empty; name a directory, or leave the option out"),
        (["events", "--since", "1h", "--until", "2h"], b"--since is later than --until"),
        (["tail", "--since", "1h", "--until", "2h"], b"--since is later than --until"),
        (["sessions", "--since", "1h", "--until", "2h"], b"--since is later than --until"),
        (["events", "--kind", "tools"], b"'tools' is not one of workflow, agent, llm, tool, "),
        (["events", "--kind", "tools"], b"; did you mean 'tool'?"),
        (["events", "--status", "ERROR"], b"; did you mean 'error'?"),
        (["token", "--scope", "reed"], b"'reed' is not one of read, ingest, control; did you mean 'read'?"),
        (["events", "--since", "yestrday"], b"'yestrday' is not a time; did you mean 'yesterday'?"),
        (["events", "--attr", "novalue"], b"KEY=VALUE"),
        (["events", "--arg", "INV-7"], b"'INV-7' is not KEY=VALUE; for example invoice=INV-7"),
        (["events", "--min-duration-ms", "nan"], b"'nan' is not a number"),
        (["events", "--max-cost-usd", "-1"], b"'-1' is not a number"),
        (["prune"], b"say what to delete"),
        (["reindex"], b"name a run or a trace to read again, or give --all"),
        (["reindex", "last", "--all"], b"name a run or a trace to read again, or give --all"),
        (["prune", "--older-than", "30"], b"'30' is not an age"),
        (["prune", "--max-size", "big"], b"'big' is not a size"),
        (["serve", "--port", "70000"], b"--port"),
        (["events", b"--name=\xff\xfe"], b"not valid UTF-8"),
        (["events", "--name-\x1b]0;x\x07"], b"No such option"),
    ],
)
def test_a_command_line_that_is_not_understood_ends_with_2_and_two_lines(inspector, arguments, told):
    done = inspector(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"inspector: ")
    assert told in done.stderr
    assert done.stderr.count(b"\n") <= 2
    assert b"\x1b" not in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"INSPECTOR_PORT": "abc"}, b"INSPECTOR_PORT=abc: should be a valid integer; correct it or leave it out\n"),
        ({"INSPECTOR_REDACT_OTLP": "x"}, b"INSPECTOR_REDACT_OTLP=x: should be true or false; correct it"),
        ({"INSPECTOR_PORT": "70000"}, b"INSPECTOR_PORT=70000: should be less than or equal to 65535"),
        ({"INSPECTOR_RETENTION_DAYS": "-1"}, b"INSPECTOR_RETENTION_DAYS=-1: should be greater than 0"),
        (
            {"INSPECTOR_PROXIES": "*"},
            b"INSPECTOR_PROXIES=*: '*' is not an address or network; write it as 10.0.0.7 or ",
        ),
        ({"INSPECTOR_ALLOWED_HOSTS": "*"}, b"INSPECTOR_ALLOWED_HOSTS=*: '*' is not a host; write it as box.example, "),
        ({"INSPECTOR_ALLOWED_HOSTS": "a,http://b"}, b"INSPECTOR_ALLOWED_HOSTS=a,http://b: 'http://b' is not a host; "),
        ({"INSPECTOR_LOG_LEVEL": "loud\x1b[2J"}, "INSPECTOR_LOG_LEVEL=loud␛[2J".encode()),
        ({"INSPECTOR_HOME": "/dev/null"}, b"/dev/null is not a directory"),
    ],
)
def test_a_bad_setting_is_told_in_one_line_with_its_name_value_and_the_way_out(inspector, variables, told):
    done = inspector("events", **variables)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"inspector: ")
    assert told in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_a_name_that_nobody_has_cannot_be_listened_on(inspector):
    done = inspector("serve", "--no-open", "--host", "nohost.invalid")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"inspector: cannot listen on 'nohost.invalid': ")
    assert done.stderr.endswith(b"; give --host or set INSPECTOR_HOST\n")


def test_the_traceback_is_shown_when_it_is_asked_for(inspector):
    assert b"Traceback" not in inspector("events", INSPECTOR_PORT="abc").stderr
    assert b"Traceback" in inspector("--debug", "events", INSPECTOR_PORT="abc").stderr
    assert b"Traceback" in inspector("events", "--debug", INSPECTOR_PORT="abc").stderr


def test_version_names_the_inspector_python_and_sqlite(inspector):
    names = [line.split()[0] for line in inspector("version").stdout.decode().splitlines()]
    assert names[:3] == ["mcp-agent-inspector", "python", "sqlite"]


def test_a_reader_that_goes_away_ends_the_command_quietly(environment):
    command = f"{sys.executable} -W error -m inspector.cli version | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True)
    assert done.returncode in (0, 141)
    assert done.stderr == b""


def test_closed_standard_output_is_told_in_one_line(environment):
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m inspector.cli version >&-"], env=environment, capture_output=True
    )
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"standard output is closed" in done.stderr


@pytest.mark.slow
def test_a_working_directory_that_is_gone_is_no_traceback(environment, tmp_path):
    command = f"mkdir gone && cd gone && rmdir ../gone && {sys.executable} -m inspector.cli events --home relative"
    done = subprocess.run(["bash", "-c", command], env=environment, cwd=tmp_path, capture_output=True)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr


def test_ctrl_c_while_the_command_is_still_loading_ends_it_without_a_traceback(inspector_anew, environment, tmp_path):
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt")
    path = os.pathsep.join((str(tmp_path), environment["PYTHONPATH"]))
    ended = inspector_anew("stats", PYTHONPATH=path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")
