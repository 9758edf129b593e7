import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from instrument.testing import capture
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.errors import ArgumentsInvalid, DefinitionInvalid, ToolRefused, ToolTimedOut
from toolkit.formats import offer
from toolkit.result import ToolResult
from toolkit.tools.shell import ShellTool

PYTHON = sys.executable


def call(tool: ShellTool, *argv: str, context: ToolContext | None = None) -> ToolResult:
    async def bounded() -> ToolResult:
        async with asyncio.timeout(60):
            return await tool({"argv": list(argv)}, context)

    return asyncio.run(bounded())


def is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def test_output_and_exit_code_are_told_apart_for_programs_and_together_for_models() -> None:
    program = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    result = call(ShellTool(allow=None), PYTHON, "-c", program)
    assert result.structured == {"exit_code": 3, "stdout": "out\n", "stderr": "err\n", "truncated": False}
    assert (result.is_error, result.text) == (True, "out\n[standard error]\nerr\n[exit code 3]")


def test_no_shell_reads_the_arguments(tmp_path: Path) -> None:
    result = call(ShellTool(allow=["echo"], cwd=tmp_path), "echo", "$HOME", ";", "touch", "x", "*", "`id`")
    assert (result.text, result.is_error, list(tmp_path.iterdir())) == ("$HOME ; touch x * `id`", False, [])


@pytest.mark.parametrize(
    ("argv", "allowed"),
    [
        (["echo", "hello", "you"], True),
        (["echo", "hello"], True),
        (["echo"], False),
        (["echo", "helloo"], False),
        (["/bin/echo", "hello"], False),
        (["printf", "x"], True),
        (["hello"], False),
        (["echo hello"], False),
    ],
)
def test_only_what_begins_as_listed_may_run(argv: list[str], allowed: bool) -> None:
    result = call(ShellTool(allow=["echo hello", ["printf"]]), *argv)
    assert isinstance(result.exception, ToolRefused) is not allowed
    if not allowed:
        assert result.text.endswith("allowed are commands that begin with: 'echo hello', 'printf'")


def test_an_empty_list_allows_nothing_and_an_empty_entry_is_no_entry() -> None:
    assert isinstance(call(ShellTool(allow=[]), "true").exception, ToolRefused)
    with pytest.raises(DefinitionInvalid, match="would allow everything"):
        ShellTool(allow=["  "])


def test_what_is_no_list_of_words_is_refused() -> None:
    tool = ShellTool(allow=None)
    assert isinstance(asyncio.run(tool({"argv": "ls -l"})).exception, ArgumentsInvalid)
    assert isinstance(call(tool).exception, ArgumentsInvalid)
    assert call(tool, "echo", "a\0b").text == "argv: an argument cannot hold a NUL character"


def test_a_program_that_is_not_there_is_said() -> None:
    assert call(ShellTool(allow=None), "no-such-program").text == (
        "'no-such-program' cannot be started: No such file or directory"
    )


def test_secrets_of_the_environment_are_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    told = call(ShellTool(allow=None, env={"MINE": "yes"}), "env").structured["stdout"]
    names = {line.partition("=")[0] for line in told.splitlines()}
    assert {"PATH", "LANG", "MINE"} <= names <= {
        "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "MINE", "PATH", "TMPDIR", "TZ", "USER"
    }  # fmt: skip


def test_standard_input_is_empty() -> None:
    assert call(ShellTool(allow=None), "cat").structured["exit_code"] == 0


FAMILY = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
"""


def test_a_command_that_takes_too_long_is_ended_with_its_children() -> None:
    # A shell says who its child is long before its time is over; Python takes seconds to start on a busy machine.
    result = call(ShellTool(allow=None, timeout_s=1.5), "sh", "-c", "sleep 60 & echo $!; wait")
    assert isinstance(result.exception, ToolTimedOut)
    assert result.structured["exit_code"] is None
    assert result.text.endswith("[ended after 1.5 s]")
    until(lambda: is_gone(int(result.structured["stdout"])))


def test_what_a_command_leaves_in_the_background_is_ended() -> None:
    result = call(ShellTool(allow=None), PYTHON, "-c", FAMILY)
    assert result.structured["exit_code"] == 0
    until(lambda: is_gone(int(result.structured["stdout"])))


def test_a_process_that_left_the_group_is_not_waited_for() -> None:
    program = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
print(child.pid)
"""
    result = call(ShellTool(allow=None), PYTHON, "-c", program)
    pid = int(result.structured["stdout"])
    try:
        assert result.structured["exit_code"] == 0
        assert not is_gone(pid)
    finally:
        os.kill(pid, 9)


def test_a_cancelled_call_ends_its_command(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    program = f"import os, time; open({str(marker)!r}, 'w').write(str(os.getpid())); time.sleep(60)"

    async def cancelled() -> None:
        task = asyncio.ensure_future(ShellTool(allow=None)({"argv": [PYTHON, "-c", program]}))
        await asyncio.to_thread(until, lambda: marker.exists() and marker.read_text())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    until(lambda: is_gone(int(marker.read_text())))


def test_output_has_a_limit_and_the_command_still_ends() -> None:
    program = "import sys; sys.stdout.write('x' * 3_000_000); sys.stderr.write('y' * 5)"
    result = call(ShellTool(allow=None, max_output_bytes=1000), PYTHON, "-c", program)
    assert result.structured == {"exit_code": 0, "stdout": "x" * 1000, "stderr": "yyyyy", "truncated": True}
    assert result.text.endswith("[only the first 1,000 bytes of each output are shown]")


def test_bytes_that_are_no_text_do_not_hurt() -> None:
    program = "import sys; sys.stdout.buffer.write(b'\\xff\\xfe ok')"
    assert call(ShellTool(allow=None), PYTHON, "-c", program).structured["stdout"] == "\ufffd\ufffd ok"


def test_middleware_knows_it_as_the_seen_runtime_and_can_block_it() -> None:
    async def block(ctx: Any, args: Any, call_next: Any) -> Any:
        assert (ctx.tool_source, ctx.server_name, ctx.tool_name) == ("runtime", "shell", "shell.execute")
        return ToolResult.error("blocked")

    with capture() as captured:
        tool = ShellTool(allow=None)
        result = asyncio.run(tool(ToolCall("shell__execute", {"argv": ["true"]}), ToolContext(tool_hooks=(block,))))

    assert (result.is_error, result.text) == (True, "blocked")
    assert [(name, told["tool_name"], told["args"]) for name, told in captured] == [
        ("before_tool_call", "shell.execute", {"argv": ["true"]}),
        ("after_tool_call", "shell.execute", {"argv": ["true"]}),
    ]


def test_its_name_is_made_safe_for_providers() -> None:
    assert offer(ShellTool(allow=None).definition)["function"]["name"] == "shell__execute"
    assert ShellTool(allow=["ls"]).description == (
        "Run a program on this machine. Allowed are commands that begin with: 'ls'."
    )


def test_a_folder_to_run_in_has_to_be_there() -> None:
    with pytest.raises(DefinitionInvalid, match="cwd='/nowhere' is not a directory"):
        ShellTool(allow=None, cwd="/nowhere")
