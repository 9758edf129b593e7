"""What a tool gets from its caller besides the arguments."""

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from types import MappingProxyType
from typing import Any, Literal, Self, TypeVar

from instrument import _emit, enabled  # pyright: ignore[reportPrivateUsage] - the contract's name
from toolkit.call import ToolCall
from toolkit.errors import DefinitionInvalid, DependencyMissing, ToolRefused
from toolkit.keywords import checks_keywords
from toolkit.middleware.changes import Change
from toolkit.middleware.checks import check_tool_hook
from toolkit.middleware.contexts import ToolHook
from toolkit.people.asking import PATIENCE_S, ApprovalRequest, Approver, answered

T = TypeVar("T")

_NOTHING: Mapping[Any, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a call."""

    progress: float
    total: float | None = None
    message: str | None = None


Output = Callable[[object], Awaitable[None]]
"""The channel for what a tool shows while it still runs: text, content, its own progress."""


@checks_keywords
@dataclass(frozen=True, kw_only=True)  # without slots, for `announced`
class ToolContext:
    """The caller, and what the tool may use. Models never see any of it."""

    agent_name: str = ""
    state: Any = None
    """The run's state; every tool of a run gets the same object, so changes need the usual care."""
    thread: Any = None
    """The conversation that the call is part of; a ``toolkit.Thread`` if an agent calls."""
    dependencies: Mapping[Any, Any] = field(default_factory=lambda: _NOTHING, repr=False)
    """What ``Inject[T]`` finds: by type, or by name."""
    credentials: Mapping[str, str] = field(default_factory=lambda: _NOTHING, repr=False)
    """Secrets by name. Hooks never get them."""
    permissions: frozenset[str] | None = None
    """What the caller may do; None for everything."""
    output: Output | None = field(default=None, repr=False)
    approver: Approver | None = field(default=None, repr=False)
    """Asks a person for approval."""
    approval_timeout_s: float | None = PATIENCE_S
    """How long ``ask`` waits for an answer; None for no limit. No answer is a no."""
    tool_hooks: tuple[ToolHook, ...] = ()
    """The middleware around every call that is made with this context, the first one outermost."""
    correlation_id: str | None = None
    """The application's own id of what the call belongs to; a run of an agent or workflow without one creates one."""
    errors: Literal["tell", "raise"] = "tell"
    """How an exception from middleware or an ``on_error`` is handled: with ``tell``, the model reads it as the result;
    with ``raise``, it ends the run. ``EndRun`` ends the run in any case."""
    outlives_exit: bool = False
    """Whether ``sys.exit`` in a tool ends only its own call: no client of a server may end the server."""
    call: ToolCall | None = None
    """The current call; set when a tool is called."""
    call_id: str | None = None
    """The call's id in its hooks; set when a tool is called and a hook has subscribers."""
    changes: list[Change] | None = field(default=None, repr=False)
    """Receives what middleware and guardrails do to the call; set like ``call_id``."""

    def __post_init__(self) -> None:
        # Other collections do as well, and one permission is no collection of letters.
        if type(self.tool_hooks) is not tuple or not all(map(callable, self.tool_hooks)):
            hooks = (self.tool_hooks,) if callable(self.tool_hooks) else self.tool_hooks
            object.__setattr__(self, "tool_hooks", tuple(map(check_tool_hook, hooks)))
        for name in ("dependencies", "credentials"):
            if not isinstance(given := getattr(self, name), Mapping):
                raise DefinitionInvalid(f"{name} are of type {type(given).__name__}; expected a mapping")
        for name in ("output", "approver"):
            if (given := getattr(self, name)) is not None and not callable(given):
                raise DefinitionInvalid(f"{name} is {given!r}; expected a function that takes what is sent or asked")
        if self.errors not in ("tell", "raise"):
            raise DefinitionInvalid(f"errors is {self.errors!r}; expected 'tell' or 'raise'")
        if self.permissions is not None and type(self.permissions) is not frozenset:
            permissions = (self.permissions,) if isinstance(self.permissions, str) else self.permissions
            object.__setattr__(self, "permissions", frozenset(permissions))

    def during(self, call: ToolCall) -> "ToolContext":
        """Return the context of a call that is this one's, with other arguments perhaps."""
        return self.announced(call, self.call_id, self.changes)

    def announced(
        self, call: ToolCall, call_id: str | None = None, changes: list[Change] | None = None
    ) -> "ToolContext":
        """Return the context of a call under this id in its hooks; without one, nobody is told of the call."""
        if self.call is call and self.call_id == call_id and self.changes is changes:
            return self
        if type(self) is not ToolContext:
            return replace(self, call=call, call_id=call_id, changes=changes)
        # On the way of every call, where `replace` would take ten times as long.
        own = object.__new__(ToolContext)
        fields = vars(self) | {"call": call, "call_id": call_id, "changes": changes}
        object.__setattr__(own, "__dict__", fields)
        return own

    def identified(self) -> Self:
        """Return it with a correlation id, a new one if it has none."""
        return self if self.correlation_id is not None else replace(self, correlation_id=os.urandom(8).hex())

    def dependency(self, key: type[T] | str) -> T:
        """Return the dependency with this key, or, for a type, the first that is an instance of it."""
        if key in self.dependencies:
            return self.dependencies[key]
        if isinstance(key, type):
            for each in self.dependencies.values():
                if isinstance(each, key):
                    return each
        name = key if isinstance(key, str) else getattr(key, "__name__", str(key))
        raise DependencyMissing(f"no dependency {name!r}; pass it as ToolContext(dependencies={{{name}: …}})")

    def credential(self, name: str) -> str:
        """Return the secret ``name``."""
        if name not in self.credentials:
            raise DependencyMissing(f"no credential {name!r}; pass it as ToolContext(credentials={{{name!r}: …}})")
        return self.credentials[name]

    async def send(self, value: object) -> None:
        """Send ``value`` to the output channel, if there is one."""
        if self.output is not None:
            sent: object = self.output(value)
            if isawaitable(sent):
                await sent

    async def ask(self, question: str) -> None:
        """Ask a person to approve the current call; anything but a yes in time is a ``ToolRefused``."""
        name = self.call.name if self.call is not None else "a tool"
        if self.approver is None:
            raise ToolRefused(f"{name} needs a person's approval and nobody can be asked")
        arguments = self.call.arguments if self.call is not None else None
        request = ApprovalRequest(name, arguments, question)
        answer = await answered(request, self.approver, bool, timeout_s=self.approval_timeout_s, changes=self.changes)
        if answer is None:
            raise ToolRefused(f"nobody answered whether {name} may go on: {question}")
        if not answer:
            raise ToolRefused(f"a person refused {name}: {question}")

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Report the progress of the current call; the output channel gets it as ``Progress``."""
        await self.send(Progress(progress, total, message))
        if enabled("progress_update"):
            await _emit(
                "progress_update",
                progress=progress,
                total=total,
                message=message,
                context=self.correlation_id,
                call_id=self.call_id,
            )


def context_of(given: object) -> ToolContext:
    """Return the given context, or an empty one for None; refuse anything else."""
    if isinstance(given, ToolContext):
        return given
    if given is None:
        return ToolContext()
    raise DefinitionInvalid(f"the context is of type {type(given).__name__}; expected ToolContext(…)")
