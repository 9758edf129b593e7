"""Which commands a shell tool may run."""

import shlex
from collections.abc import Iterable, Sequence
from typing import Any, cast

from toolkit.errors import DefinitionInvalid, ToolRefused
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.selection import ToolMiddleware, Tools, failed, matches
from toolkit.plain import several
from toolkit.result import ToolResult

SHELLS = ("*shell*", "*bash*", "*terminal*", "*command*", "*cmd*", "*exec*")
"""Names of tools that are taken for shells, upper and lower case alike."""

OTHERS = ("*cwd", "*dir", "*directory", "description", "*timeout*", "*background*", "*id")
"""Patterns of arguments that shells have beside the command, and that are none."""

_COMMAND = ("command", "cmd", "argv")
_REST = ("args", "arguments")
_ENVIRONMENT = ("env", "environment")

# What a shell does not take as it is written, quotes apart: they are taken off before a word is looked at.
_SHELL = frozenset(";&|<>()$`\\*?[]{}!#\n\r\0")


class AllowCommands(ToolMiddleware):
    """Lets a shell tool run the listed commands alone; any other call is refused.

    A rule is how a command line begins, word for word: ``"git status"`` allows ``git status --short`` and neither
    ``git push`` nor ``git -c … status``. A rule of one word allows all that the program can do, which is often
    everything. What means something to a shell (``;``, ``|``, ``$``, ``*``, …) is refused in every word, also where
    the tool uses no shell, and so is an environment, which can change what a program does.

    The command is read from the arguments ``command``, ``cmd`` or ``argv``, text or list, followed by ``args``. A call
    with another argument that has text in it, which may be a command too, is refused unless its name is in ``others``.

    Args:
        rules: How allowed command lines begin, as text or as lists of words.
        others: Patterns of arguments that are no commands.
        tools: Whose calls it stands around, by default those whose name tells of a shell (``SHELLS``).

    Raises:
        DefinitionInvalid: A rule is empty, or is no text or list of texts.
    """

    def __init__(
        self,
        rules: str | Iterable[str | Sequence[str]],
        *,
        others: str | Iterable[str] = OTHERS,
        tools: Tools | None = None,
    ) -> None:
        super().__init__("*" if tools is None else tools)
        self._guesses = tools is None
        listed = [rules] if isinstance(rules, str) else list(rules)
        self._rules = [several(shlex.split(each) if isinstance(each, str) else each, "a rule") for each in listed]
        if not all(self._rules):
            raise DefinitionInvalid("AllowCommands: an empty rule would allow every command")
        self._others = several(others, "AllowCommands(others=…)")

    async def around(self, ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Let an allowed command through."""
        if self._guesses and not matches(ctx.tool_name.lower(), SHELLS):
            return await call_next(args)
        try:
            self._check(ctx.tool_name, args or {})
        except ToolRefused as error:
            return failed(error)
        return await call_next(args)

    def _check(self, tool_name: str, args: dict[str, Any]) -> None:
        if any(args.get(name) for name in _ENVIRONMENT):
            raise ToolRefused(f"{tool_name} may not set an environment")
        lines = [words for name in _COMMAND if name in args for words in (_words(tool_name, args[name]),)]
        if not lines:
            raise ToolRefused(f"{tool_name} names no command in {', '.join(_COMMAND)}")
        for name, value in args.items():
            is_known = name in (*_COMMAND, *_REST, *_ENVIRONMENT) or matches(name.lower(), self._others)
            if not is_known and _has_text(value):
                raise ToolRefused(f"{tool_name}: {name} may be a command; if not, AllowCommands(others=…) can say so")
        for name in _REST:
            if name in args:
                lines = [[*words, *_words(tool_name, args[name])] for words in lines]
        for words in lines:
            if not any(tuple(words[: len(rule)]) == rule for rule in self._rules):
                allowed = ", ".join(repr(" ".join(rule)) for rule in self._rules) or "none"
                raise ToolRefused(
                    f"{tool_name} may not run {' '.join(words)[:200]!r}; allowed to begin with: {allowed}"
                )


def _has_text(value: object) -> bool:
    if isinstance(value, list | dict):
        parts = cast("list[Any] | dict[str, Any]", value)
        return any(map(_has_text, parts.values() if isinstance(parts, dict) else parts))
    return isinstance(value, str) and value != ""


def _words(tool_name: str, command: object) -> list[str]:
    if isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ToolRefused(f"{tool_name}: the command cannot be read: {error}") from None
        written = [command]
    elif isinstance(command, list) and all(isinstance(each, str) for each in cast("list[object]", command)):
        words = written = cast("list[str]", command)
    else:
        raise ToolRefused(f"{tool_name}: the command has to be text or a list of texts")
    for text in written:
        if signs := sorted(_SHELL.intersection(text)):
            raise ToolRefused(f"{tool_name} may not use {' '.join(map(ascii, signs))} in a command")
    if any(word.startswith("~") for word in words):
        raise ToolRefused(f"{tool_name} may not use a word that begins with '~' in a command")
    return words
