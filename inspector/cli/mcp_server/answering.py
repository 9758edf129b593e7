"""One call of a tool: opens the home as a command does, and turns every foreseeable failure into an answer."""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import click
from pydantic import ValidationError

from inspector.cli.errors import CliError
from inspector.cli.mcp_server.answer import (
    BYTES_A_TOKEN,
    DEFAULT_TOKENS,
    Continuation,
    CursorRefused,
    UncutAnswer,
    read_cursor,
    written,
)
from inspector.cli.mcp_server.lists import TimeUnknown
from inspector.cli.mcp_server.reader import Reader
from inspector.cli.mcp_server.texts import one_line
from inspector.cli.mcp_server.tools import TOOLS
from inspector.ingest import NothingRecorded, open_home
from inspector.lookup import RunUnknown, TraceUnknown
from inspector.settings import Settings
from inspector.spooling import is_run_id
from inspector.store import Store, StoreError
from inspector.tally import run_above
from inspector.this_run import RUN_ID

_MOST_MESSAGE = 600
_FORESEEABLE = (
    click.UsageError, CliError, CursorRefused, NothingRecorded, RunUnknown, StoreError, TimeUnknown, TraceUnknown
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reply:
    """The text of an answer."""

    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Recordings:
    """What is answered from, and how much of it."""

    settings: Settings
    content: bool = True
    """Whether recorded texts are answered, or only names and figures."""
    tokens: int = DEFAULT_TOKENS
    """How long an answer may be if its caller does not say."""
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def call(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        """Call a tool."""
        tool = next((each for each in TOOLS if each.name == name), None)
        if tool is None:
            return Reply(f"There is no tool of this name; there are {', '.join(each.name for each in TOOLS)}.", True)
        try:
            taken = tool.arguments.model_validate(arguments)
        except ValidationError as error:
            return self._refused(_complaint(error), self.tokens)
        tokens = self.tokens if taken.max_tokens is None else taken.max_tokens
        notes: list[str] = []
        try:
            place = read_cursor(taken.cursor)
            # Two at a time would each wait for the other's lock of the home.
            with self._turn, open_home(self.settings, as_it_is=notes.append) as store:
                answer = tool.answer(self._reader(store, tokens), taken, place)
        except _FORESEEABLE as error:
            return self._refused(str(error), tokens)
        return Reply(written(answer, place, tokens=tokens, notes=[one_line(note, 250) for note in notes]))

    def _reader(self, store: Store, tokens: int) -> Reader:
        return Reader(store, self.settings, self.content, own_run(), tokens * BYTES_A_TOKEN)

    def _refused(self, message: str, tokens: int) -> Reply:
        # A message may quote what was recorded, such as the id that a program gave its run.
        answer = UncutAnswer("This call failed:", (one_line(message, _MOST_MESSAGE),))
        return Reply(written(answer, Continuation(), tokens=tokens), is_error=True)


def own_run() -> str | None:
    """Return the run of the coding agent that started this process, if it is recorded."""
    named = run_above() or os.environ.get(RUN_ID, "")
    return named if is_run_id(named) else None


def _complaint(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
