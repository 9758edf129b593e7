"""What a shell completes, in a real bash; where zsh and fish are not installed, that they are written."""

import subprocess
import sys

import pytest


def completed(environment, line, tmp_path):
    (tmp_path / "inspector").write_text(f'#!/bin/sh\nexec {sys.executable} -W error -m inspector.cli "$@"\n')
    (tmp_path / "inspector").chmod(0o700)
    words = " ".join(f"'{word}'" for word in line.split(" "))
    script = (
        'eval "$(inspector completion bash)"\n'
        f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n"
        '_inspector_completion inspector; printf "%s\\n" "${COMPREPLY[@]}"\n'
        "complete -p inspector\n"
    )
    done = subprocess.run(
        ["bash", "--norc", "-e", "-c", script],
        env=environment | {"PATH": f"{tmp_path}:{environment['PATH']}"},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stderr == ""
    *words, registered = done.stdout.splitlines()
    assert registered == "complete -o nosort -F _inspector_completion inspector"
    return words


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("inspector e", ["events", "export"]),
        ("inspector events --kind w", ["workflow"]),
        ("inspector events --session", ["--session-id"]),
        ("inspector completion ", ["bash", "zsh", "fish"]),
    ],
)
def test_bash_completes_commands_options_and_values(environment, tmp_path, line, words):
    assert completed(environment, line, tmp_path) == words


@pytest.mark.parametrize(
    ("shell", "begins"),
    [("bash", "_inspector_completion()"), ("zsh", "#compdef inspector"), ("fish", "function _inspector_completion")],
)
def test_each_shell_gets_a_script_of_its_own(inspector, shell, begins):
    done = inspector("completion", shell)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().startswith(begins)
    assert inspector("completion", SHELL=f"/usr/bin/{shell}").stdout == done.stdout


@pytest.mark.parametrize(
    ("shell", "path", "next_step"),
    [
        ("bash", ".local/share/bash-completion/completions/inspector", "new shells with the package bash-completion"),
        ("zsh", ".zfunc/_inspector", "add to .zshrc, before compinit: fpath+=("),
        ("fish", ".config/fish/completions/inspector.fish", "new shells read it"),
    ],
)
def test_installed_it_lies_where_the_shell_looks(inspector, tmp_path, shell, path, next_step):
    user = tmp_path / "user"
    own = {"HOME": str(user), "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": "", "ZDOTDIR": ""}
    done = inspector("completion", shell, "--install", **own)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode().startswith(f"wrote {user / path}; {next_step}")
    assert (user / path).read_bytes() == inspector("completion", shell).stdout


def test_bash_looks_where_its_own_variable_says(inspector, tmp_path):
    inspector("completion", "bash", "--install", BASH_COMPLETION_USER_DIR=str(tmp_path / "mine"))
    assert (tmp_path / "mine" / "completions" / "inspector").exists()


def test_a_place_that_cannot_be_written_is_said_with_the_way_out(inspector, tmp_path):
    (tmp_path / "file").write_text("")
    done = inspector("completion", "fish", "--install", XDG_CONFIG_HOME=str(tmp_path / "file"))
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"print it instead: inspector completion fish" in done.stderr


def test_a_shell_that_is_not_known_has_to_be_named(inspector):
    done = inspector("completion", SHELL="/bin/tcsh")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"say for which shell: bash, zsh or fish" in done.stderr
