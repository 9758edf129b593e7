"""Conversations that outlast one run, and what of them a called agent sees."""

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from copy import deepcopy
from dataclasses import dataclass
from typing import Literal, Self, get_args

from instrument import _emit, enabled  # pyright: ignore[reportPrivateUsage] - the contract's name
from toolkit.errors import DefinitionInvalid
from toolkit.keywords import checks_keywords
from toolkit.models.model import Message
from toolkit.plain import member

HistorySource = Literal["none", "messages", "child", "orchestrator"]
"""What a called agent's conversation begins with: nothing, the messages that it was made with, its own conversation
so far, or the conversation of the agent that calls it."""

HistoryMergeTarget = Literal["none", "child", "orchestrator"]
"""Whose conversation gets what was said during the call: nobody's, the called agent's own, or the caller's."""


@checks_keywords
class Thread(AbstractAsyncContextManager["Thread"]):
    """A conversation, without the instruction, which every agent that continues it has of its own.

    A run continues a fork and merges it when it is done: a run that fails or is cancelled leaves the thread as it was,
    and of runs at the same time each adds its messages in one piece. Entered with ``async with``, a thread that has an
    id is a session: everything called inside of it is recorded under that id.

    Args:
        messages: What was said so far.
        id: The session's id; None for a conversation that is no session.
    """

    def __init__(self, messages: Iterable[Message] = (), *, id: str | None = None) -> None:  # noqa: A002 - the attribute's name
        self.messages: list[Message] = [deepcopy(message) for message in messages]
        """In the order in which they were said."""
        if not all(member(message, "role") for message in self.messages):
            raise DefinitionInvalid("the messages of a conversation are a list of them, each with a role and content")
        self.id = id
        self._forked_at = 0

    def __len__(self) -> int:
        return len(self.messages)

    def fork(self) -> "Thread":
        """Return a copy that can be continued by itself, and merged later."""
        fork = Thread(self.messages, id=self.id)
        fork._forked_at = len(fork.messages)
        return fork

    def extend(self, messages: Iterable[Message]) -> None:
        """Append ``messages``."""
        self.messages.extend(deepcopy(message) for message in messages)

    def merge(self, fork: "Thread") -> None:
        """Append what ``fork`` gained since it was made; merging it again adds what it gained since then."""
        self.extend(fork.gained)
        fork._forked_at = len(fork.messages)  # noqa: SLF001 - of the same class

    @property
    def gained(self) -> list[Message]:
        """What was said since it was forked; everything where it is no fork."""
        return self.messages[self._forked_at :]

    async def __aenter__(self) -> Self:
        await self._tell("session_started")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._tell("session_finished")

    async def _tell(self, hook: str) -> None:
        if self.id is not None and enabled(hook):
            await _emit(hook, session_id=self.id, context=None)


@dataclass(frozen=True, slots=True)
class History:
    """What a called agent sees of the conversations that there are, and which of them it continues."""

    source: HistorySource = "none"
    merge_target: HistoryMergeTarget = "none"

    def __post_init__(self) -> None:
        for name, value, known in (
            ("history_source", self.source, get_args(HistorySource)),
            ("history_merge_target", self.merge_target, get_args(HistoryMergeTarget)),
        ):
            if value not in known:
                raise DefinitionInvalid(f"{name} is {value!r}; expected one of {', '.join(known)}")

    @classmethod
    def of(cls, thread: "History | Literal['none', 'fork', 'shared']") -> "History":
        """Return it for a word: ``fork`` sees the caller's conversation, ``shared`` continues it as well."""
        if isinstance(thread, History):
            return thread
        words = {"none": cls(), "fork": cls("orchestrator"), "shared": cls("orchestrator", "orchestrator")}
        if thread not in words:
            raise DefinitionInvalid(f"thread is {thread!r}; expected one of {', '.join(words)}, or a History")
        return words[thread]
