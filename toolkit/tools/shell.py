"""Runs commands on this machine."""

import asyncio
import os
import signal
from asyncio import SubprocessProtocol, SubprocessTransport
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from toolkit.call import ToolCall
from toolkit.content import TextContent
from toolkit.context import ToolContext
from toolkit.definition import Schema, ToolDefinition
from toolkit.errors import DefinitionInvalid, ToolkitError, ToolRefused, ToolTimedOut
from toolkit.middleware.selection import above_zero
from toolkit.plain import texts_of
from toolkit.result import ToolResult
from toolkit.tools.runtime import RuntimeTool

# What programs need to find themselves and the user's language; anything else may be a secret.
_INHERITED = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER")
# A process that left its group may hold the pipes for ever.
_PIPES_CLOSE_S = 1.0

_ARGV: Schema = {
    "type": "object",
    "properties": {
        "argv": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "description": "The program and its arguments, as in ['ls', '-l']; no shell reads it.",
        }
    },
    "required": ["argv"],
    "additionalProperties": False,
}
_OUTPUT: Schema = {
    "type": "object",
    "properties": {
        "exit_code": {"type": ["integer", "null"]},
        "stdout": {"type": "string"},
        "stderr": {"type": "string"},
        "truncated": {"type": "boolean"},
    },
    "required": ["exit_code", "stdout", "stderr", "truncated"],
}


class ShellTool(RuntimeTool):
    """``shell.execute``: runs a program, ended with all that it started when it takes too long or nobody waits for it.

    The allow-list and the environment keep a model from what it should not do; they are no sandbox: a program that is
    allowed does what it likes, and so does what it runs.

    Args:
        allow: What may run: each entry is the beginning of an ``argv``, as a list or as words (``"git status"``).
            None allows everything.
        cwd: Where it runs; by default where this process does.
        timeout_s: After how long it is ended.
        env: Added to the few variables that are inherited (``PATH``, ``HOME``, language, time zone).
        max_output_bytes: How much of each output is kept; what is beyond is read and left out.
    """

    def __init__(
        self,
        *,
        allow: str | Iterable[str | Sequence[str]] | None,
        cwd: str | Path | None = None,
        timeout_s: float = 30.0,
        env: Mapping[str, str] | None = None,
        max_output_bytes: int = 100_000,
    ) -> None:
        entries = [allow] if isinstance(allow, str) else allow
        self._allow = None if entries is None else [_beginning(each) for each in entries]
        self._cwd = Path.cwd() if cwd is None else Path(cwd)
        if not self._cwd.is_dir():
            raise DefinitionInvalid(f"cwd={str(self._cwd)!r} is not a directory")
        self._timeout_s = above_zero(timeout_s, "ShellTool(timeout_s=…)")
        self._env = {name: os.environ[name] for name in _INHERITED if name in os.environ} | dict(env or {})
        self._max_output_bytes = int(above_zero(max_output_bytes, "ShellTool(max_output_bytes=…)"))
        allowed = "" if self._allow is None else f" {_allowed(self._allow).capitalize()}."
        description = f"Run a program on this machine.{allowed}"
        super().__init__(
            ToolDefinition(name="shell.execute", description=description, input_schema=_ARGV, output_schema=_OUTPUT)
        )

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:  # noqa: ARG002 - the signature of tools
        """Run it; an exit code other than 0 is an error that the model reads with the output."""
        argv: list[str] = (call.arguments or {})["argv"]
        if self._allow is not None and not any(argv[: len(each)] == each for each in self._allow):
            raise ToolRefused(f"{' '.join(argv)[:200]!r} is not allowed; {_allowed(self._allow)}")
        if any("\0" in each for each in argv):
            raise ToolkitError("argv: an argument cannot hold a NUL character")
        output = _Output(self._max_output_bytes)
        timed_out = False
        transport = await self._start(argv, output)
        try:
            async with asyncio.timeout(self._timeout_s):
                await output.exited.wait()
        except TimeoutError:
            timed_out = True
        finally:
            await _end(transport, output)
        return self._result(output, None if timed_out else transport.get_returncode())

    async def _start(self, argv: list[str], output: "_Output") -> SubprocessTransport:
        loop = asyncio.get_running_loop()
        try:
            transport, _ = await loop.subprocess_exec(
                lambda: output, *argv, cwd=self._cwd, env=self._env, stdin=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise ToolkitError(f"{argv[0]!r} cannot be started: {error.strerror or error}") from error
        return transport

    def _result(self, output: "_Output", exit_code: int | None) -> ToolResult:
        stdout, stderr = (bytes(output.kept[fd]).decode(errors="replace") for fd in (1, 2))
        value = {"exit_code": exit_code, "stdout": stdout, "stderr": stderr, "truncated": output.truncated}
        lines = [stdout.rstrip("\n")] if stdout else []
        if stderr:
            lines.append(f"[standard error]\n{stderr.rstrip(chr(10))}")
        if output.truncated:
            lines.append(f"[only the first {self._max_output_bytes:,} bytes of each output are shown]")
        error: Exception | None = None
        if exit_code is None:
            error = ToolTimedOut(f"ended after {self._timeout_s:g} s")
            lines.append(f"[{error}]")
        elif exit_code != 0:
            lines.append(f"[exit code {exit_code}]")
        failed = exit_code != 0
        return ToolResult([TextContent("\n".join(lines))], is_error=failed, structured=value, exception=error)


class _Output(SubprocessProtocol):
    """Keeps the beginning of what a process writes."""

    def __init__(self, max_bytes: int) -> None:
        self.kept = {1: bytearray(), 2: bytearray()}
        self.truncated = False
        self.exited = asyncio.Event()
        self.closed = asyncio.Event()
        self._max_bytes = max_bytes

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        kept = self.kept[fd]
        free = self._max_bytes - len(kept)
        kept += data[:free]
        self.truncated = self.truncated or len(data) > free

    def process_exited(self) -> None:
        self.exited.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the signature of protocols
        self.closed.set()


async def _end(transport: SubprocessTransport, output: _Output) -> None:
    """End the process's group, what it left in the background included, and take in what is still in the pipes."""
    # The group's number is the process's, and stays taken as long as anything is in the group.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(transport.get_pid(), signal.SIGKILL)
    try:
        async with asyncio.timeout(_PIPES_CLOSE_S):
            await output.closed.wait()
    except TimeoutError:
        pass
    finally:
        transport.close()


def _beginning(entry: str | Sequence[str]) -> list[str]:
    words = list(texts_of(entry.split() if isinstance(entry, str) else entry, "an entry in ShellTool(allow=…)"))
    if not words:
        raise DefinitionInvalid("an empty entry in allow would allow everything; pass allow=None for that")
    return words


def _allowed(allow: list[list[str]]) -> str:
    listed = ", ".join(repr(" ".join(each)) for each in allow)
    return f"allowed are commands that begin with: {listed}" if allow else "nothing is allowed"
