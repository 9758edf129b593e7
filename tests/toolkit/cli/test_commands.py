import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from forking import INTERPRETER
from spooled import records

EXAMPLES = Path(__file__).parents[3] / "examples"
CARDS = EXAMPLES / "pmo_cards"
MESSAGE = "Run PMO report and add 1 to 3"
ANSWER = "Three projects are on track in New York, London sees steady rates, 3 + 1 = 4, and 41 + 1 = 11\n[audit]\n"
NO_MODEL = "no model; name one here, for all agents as default_model in the settings, or when they are run"
CARD = "---\nname: greeter\n---\nGreet.\n"


def test_run_prints_the_answer_of_the_default_agent_and_says_who_is_at_work(toolkit):
    out, err, code = toolkit("run", CARDS, "--message", MESSAGE)
    assert (out, code) == (ANSWER, 0)
    begun, ended = sorted(err.splitlines())[::2], sorted(err.splitlines())[1::2]
    children = [
        ("London-Project-Manager[4]", "economics review"),
        ("NY-Project-Manager[1]", "Anthropic"),
        ("NY-Project-Manager[2]", "evalstate/fast-agent"),
        ("NY-Project-Manager[3]", "OpenAI"),
    ]
    assert ended == [f"PMO-orchestrator > {name}: {topic}" for name, topic in children]
    assert begun == [f"PMO-orchestrator > {name} done" for name, _ in children]


def test_run_takes_a_message_from_standard_input_an_agent_and_a_model(toolkit, write):
    write("greeter.md", CARD)
    write("other.md", "---\ndefault: true\n---\nOther.\n")
    write("script.json", '{"agents": {"greeter": ["Hello to {message}"]}}')
    arguments = ("run", "greeter.md", "other.md", "--agent", "greeter", "--model", "scripted:script.json")
    assert toolkit(*arguments, stdin="Ada\n") == ("Hello to Ada\n\n", "", 0)


def test_only_as_many_children_are_shown_as_the_card_says(toolkit, write):
    write("parent.yaml", "instruction: Ask.\nagents: [child]\nmax_display_instances: 2\ndefault: true\n")
    write("child.yaml", "instruction: Answer.\n")
    calls = [{"name": "agent__child", "arguments": {"message": str(number)}} for number in range(5)]
    again = [{"name": "agent__child", "arguments": {"message": "once more\n" + "x" * 99}}]
    turns = {"parent": [{"calls": calls}, {"calls": again}, "Done."], "child": ["Ok."]}
    write("script.json", json.dumps({"agents": turns}))
    arguments = ("run", "parent.yaml", "child.yaml", "--model", "scripted:script.json", "--message", "go")

    out, err, code = toolkit(*arguments)
    assert (out, code) == ("Done.\n", 0)
    assert err.splitlines() == [
        "parent > child[1]: 0",
        "parent > child[2]: 1",
        "parent > child[1] done",
        "parent > child[2] done",
        "parent > 3 more, not shown (max_display_instances)",
        f"parent > child[1]: once more {'x' * 50}…",
        "parent > child[1] done",
    ]
    assert toolkit(*arguments, "--quiet") == ("Done.\n", "", 0)


def test_on_a_terminal_the_answer_comes_in_pieces_and_cannot_command_it(environment, write, tmp_path):
    write("greeter.md", CARD)
    write("script.json", json.dumps({"turns": ["one two three four\tfive \x1b[2J six"], "chunk_delay_s": 0.05}))
    ours, theirs = pty.openpty()
    command = ["run", "greeter.md", "--model", "scripted:script.json", "--message", "go"]
    program = subprocess.Popen(
        [sys.executable, "-m", "toolkit", *command],
        env=environment,
        cwd=tmp_path,
        stdout=theirs,
        stderr=subprocess.PIPE,
    )
    os.close(theirs)
    pieces = []
    try:
        while piece := os.read(ours, 4096):
            pieces.append(piece)
    except OSError:  # Linux says so when the other side is closed
        pass
    os.close(ours)
    _, err = program.communicate(timeout=60)
    assert (err, program.returncode) == (b"", 0)
    assert len(pieces) > 1
    assert b"".join(pieces).decode() == "one two three four\tfive ␛[2J six\r\n"


@pytest.mark.parametrize(
    ("arguments", "said", "code"),
    [
        (("run", "gone.md", "--message", "x"), "toolkit: gone.md:1: No such file or directory\n", 1),
        (
            ("run", "a.md", "--message", "x"),
            f"toolkit: a.md:2: greeter has {NO_MODEL}\n",
            1,
        ),
        (
            ("run", "a.md", "--message", "x", "--model", "opnai:gpt"),
            "toolkit: 'opnai:gpt' names no model; expected openai:NAME, NAME alone, or scripted:FILE\n",
            1,
        ),
        (
            ("run", "a.md", "--message", "x", "--agent", "greter"),
            "toolkit: there is no agent 'greter'; did you mean 'greeter'?; declared: greeter\n",
            1,
        ),
        (
            ("run", "a.md", "--model", "scripted:x.json"),
            "toolkit: no message; pass --message TEXT, or write it to standard input\nSee: toolkit run --help\n",
            2,
        ),
        (("run",), "toolkit: Missing argument 'CARD...'.\nSee: toolkit run --help\n", 2),
        (("walk",), "toolkit: No such command 'walk'.\nSee: toolkit --help\n", 2),
        (
            ("run", "a.md", "--message", "x", "--model", "scripted:over.json"),
            "toolkit: the script of scripted is over after 0 answers; it was asked for one more\n",
            1,
        ),
        (("tools", "a.md", "--config", "gone.yaml"), "toolkit: gone.yaml:1: No such file or directory\n", 1),
    ],
)
def test_what_goes_wrong_is_said_in_two_lines_at_most(toolkit, write, arguments, said, code):
    write("a.md", CARD)
    write("over.json", '{"turns": []}')
    assert toolkit(*arguments) == ("", said, code)


def test_alone_it_shows_its_commands_and_it_says_its_version(toolkit):
    out, err, code = toolkit()
    assert (err, code) == ("", 0)
    assert "check  Say all that is wrong with cards." in out
    out, err, code = toolkit("--version")
    assert (out.partition(" ")[0], err, code) == ("mcp-agent-inspector", "", 0)


def test_a_folder_that_is_not_there_is_called_missing(toolkit):
    assert toolkit("check", "gone") == ("gone:1: No such file or directory\n", "", 1)


def test_an_agent_without_an_answer_is_a_failure(toolkit, write):
    write("a.md", CARD)
    write("script.json", '[""]')
    out, err, code = toolkit("run", "a.md", "--model", "scripted:script.json", "--message", "x")
    assert (out, code) == ("", 1)
    assert err.startswith("toolkit: ")
    assert err.count("\n") == 1


def test_debug_shows_the_traceback(toolkit):
    _, err, code = toolkit("run", "gone.md", "--message", "x", "--debug")
    assert "Traceback" in err
    assert code == 1


def test_check_finds_nothing_wrong_with_the_example(toolkit):
    said = "3 agents, nothing wrong: London-Project-Manager, NY-Project-Manager, PMO-orchestrator\n"
    assert toolkit("check", CARDS) == (said, "", 0)


def test_check_lists_every_problem_with_its_file_and_line(toolkit, write, tmp_path):
    failure = "ModuleNotFoundError: No module named 'nothing_of_that_name'"
    write("cards/a.md", "---\nname: a\nagents: [b, c, Lodon]\nservers: [time]\n---\nHelp.\n")
    write("cards/b.md", "---\nnam: b\n---\nHelp.\n")
    write("cards/c.md", "---\nname: c\ntool_hooks:\n  - hooks.py:two\nfunction_tools: [tools.py:gone]\n---\nHelp.\n")
    write("cards/hooks.py", "async def two(ctx, args): ...\n")
    write("cards/tools.py", "import nothing_of_that_name\n")
    out, err, code = toolkit("check", "cards")
    assert (err, code) == ("", 1)
    lines = [line.split(": ", 1) for line in out.splitlines()]
    assert [(place, said.partition(";")[0]) for place, said in lines] == [
        ("cards/a.md:4", "servers: there is no server 'time'"),
        ("cards/b.md:2", "unknown key 'nam'"),
        ("cards/c.md:3", "tool_hooks: two(ctx, args) does not take three positional arguments"),
        (
            "cards/c.md:5",
            f"function_tools: 'tools.py:gone': {tmp_path}/cards/tools.py:1 failed while it was loaded: {failure}",
        ),
    ]


def test_check_reads_the_settings_too(toolkit, write):
    write("a.md", CARD)
    write("fastagent.config.yaml", "mcp:\n  servers:\n    time: {comand: uvx}\n")
    out, _, code = toolkit("check", "a.md")
    assert code == 1
    assert [line.partition(": ")[0] for line in out.splitlines()] == ["fastagent.config.yaml:3"]


def test_check_finds_models_that_are_not_there(toolkit, write):
    write("cards/a.md", "---\nname: a\nmodel: foo:bar\n---\nHelp.\n")
    write("cards/b.md", "---\nname: b\nmodel: scripted:gone.yaml\n---\nHelp.\n")
    write("cards/c.md", "---\nname: c\n---\nHelp.\n")
    write("cards/d.md", "---\nname: d\nmodel: scripted:script.yaml\n---\nHelp.\n")
    write("cards/script.yaml", "agents:\n  e: [Hi]\n")
    write("cards/fastagent.config.yaml", "default_model: openai\n")
    out, err, code = toolkit("check", "cards")
    assert (err, code) == ("", 1)
    expected = "expected openai:NAME, NAME alone, or scripted:FILE"
    assert out.splitlines() == [
        f"cards/a.md:3: model: 'foo:bar' names no model; {expected}",
        "cards/b.md:3: model: cards/gone.yaml: cannot be read: No such file or directory",
        "cards/d.md:3: model: cards/script.yaml: nothing for the agent 'd'; it has e",
        f"cards/fastagent.config.yaml:1: default_model: 'openai' names no model; {expected}",
    ]


def test_tools_lists_names_sources_and_descriptions(toolkit):
    out, err, code = toolkit("tools", CARDS)
    assert (err, code) == ("", 0)
    assert [line[:54] for line in out.splitlines()] == [
        "add_one                        function  Add one to x.",
        "agent__NY-Project-Manager      agent     You are a New",
        "agent__London-Project-Manager  agent     You are a Lon",
        "time__get_time                 mcp time  Say what time",
    ]


def test_tools_can_be_read_by_programs(toolkit):
    out, _, code = toolkit("tools", CARDS, "--agent", "London-Project-Manager", "--json")
    assert code == 0
    first, second, third = json.loads(out)
    assert (first["name"], second["name"], third["name"]) == ("time__get_time", "time__convert_time", "fetch__fetch")
    assert third == {
        "name": "fetch__fetch",
        "source": "mcp",
        "server": "fetch",
        "description": "Return the text of a page.",
        "input_schema": {
            "type": "object",
            "properties": {"url": {"type": "string"}},
            "required": ["url"],
            "additionalProperties": False,
        },
    }


def test_the_inspector_records_the_command(environment, fork_recorded, tmp_path):
    command = ["-m", "inspector.cli", "run", "-m", "toolkit", "run", str(CARDS), "--message", MESSAGE, "--quiet"]
    env = {**environment, INTERPRETER: fork_recorded.stand_in}
    # By its own interpreter the command runs the program, which is forked, and so are that one's servers.
    done = fork_recorded.run(*command, env=env, cwd=tmp_path, text=True)
    assert (done.stdout, done.returncode) == (ANSWER, 0), done.stderr
    names = {span["name"] for span in records(tmp_path / "inspector" / "spool")}
    assert names >= {"invoke_agent PMO-orchestrator", "execute_tool London-Project-Manager", "execute_tool get_time"}


def test_without_a_command_it_explains_itself(toolkit):
    assert toolkit() == toolkit("--help")


def test_every_command_explains_itself(toolkit):
    for command in ([], ["run"], ["check"], ["tools"]):
        out, err, code = toolkit(*command, "--help")
        assert out.startswith(" ".join(["Usage: toolkit", *command]))
        assert (err, code) == ("", 0)


def test_without_the_extra_the_command_says_what_to_install(environment):
    done = subprocess.run(
        [sys.executable, "-S", "-m", "toolkit", "run"], env=environment, capture_output=True, text=True
    )
    assert (done.stdout, done.returncode) == ("", 1)
    assert done.stderr == (
        'toolkit: the command line is not installed; run: pip install "mcp-agent-inspector[toolkit]"\n'
    )


def test_a_reader_that_ends_early_is_no_failure_to_talk_about(environment, write, tmp_path):
    write("a.md", CARD)
    write("script.json", json.dumps(["x" * 1000]))
    command = f"{sys.executable} -m toolkit run a.md --model scripted:script.json --message x | true"
    done = subprocess.run(["bash", "-c", command], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_an_interrupt_ends_the_run_without_a_traceback(environment, write, tmp_path):
    write("parent.yaml", "instruction: Ask.\nagents: [child]\ndefault: true\n")
    write("child.yaml", "instruction: Answer.\n")
    turns = {"parent": [{"calls": [{"name": "agent__child", "arguments": {"message": "go"}}]}]}
    write("script.json", json.dumps({"agents": {**turns, "child": [{"text": "late", "delay_s": 600}]}}))
    command = ["run", "parent.yaml", "child.yaml", "--model", "scripted:script.json", "--message", "go"]
    program = subprocess.Popen(
        [sys.executable, "-m", "toolkit", *command], env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert program.stderr.readline() == "parent > child[1]: go\n"
    program.send_signal(signal.SIGINT)
    _, err = program.communicate(timeout=60)
    assert program.returncode == 130
    assert "Traceback" not in err


def test_a_model_that_cannot_be_asked_is_said_in_a_line(toolkit, write):
    write("a.md", CARD)
    out, err, code = toolkit("run", "a.md", "--model", "openai:gpt-5-mini", "--message", "x")
    assert (out, code) == ("", 1)
    assert "OPENAI_API_KEY" in err
    assert err.count("\n") == 1
