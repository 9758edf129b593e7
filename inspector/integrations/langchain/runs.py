"""LangChain's runs, which of them are calls, and the parent of each."""

from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Any
from uuid import UUID

from inspector import context
from inspector.integrations.calls import Call, Keywords, around_here, opened
from inspector.integrations.langchain.facts import thread_of
from inspector.plain import fields_of


class OpenRun:
    """One run of LangChain, whether or not it is a call of its own."""

    __slots__ = (
        "anchor",
        "call",
        "entrypoint",
        "id",
        "is_agent",
        "is_graph",
        "leave",
        "node",
        "outermost_graph",
        "session_id",
        "thread",
        "waits_for",
    )

    def __init__(self, run_id: UUID, parent: "OpenRun | None") -> None:
        self.id = run_id
        self.call: Call | None = None
        self.anchor: Call | None = None if parent is None else parent.anchor
        """The run's own call, or else the innermost call above it."""
        self.is_graph = False
        self.is_agent = False
        self.entrypoint: str | None = None
        """The name of the function that a graph was created from."""
        self.leave: Callable[[], None] | None = None
        """Stops the call from being the innermost one in the context it began in."""
        self.outermost_graph: OpenRun | None = None if parent is None else parent.outermost_graph
        self.waits_for: dict[Any, Any] = {}
        """What an outermost graph was interrupted for, by the ids of the interrupts."""
        self.node: str | None = None
        """The name of a node that is a graph, which is only recorded as the graph."""
        self.thread: str | None = None
        """The conversation that a graph continues."""
        self.session_id: str | None = None
        """The session that the run begins, if none is bound."""


class OpenRuns:
    """The runs that have begun and not ended, by LangChain's ids."""

    def __init__(self) -> None:
        self.active = True
        self._open: dict[UUID, OpenRun] = {}
        self._calls: dict[Call, OpenRun] = {}

    def begin(self, run_id: UUID, parent_id: UUID | None, metadata: Any = None) -> OpenRun:
        """Add a run that is not a call yet."""
        run = self._open[run_id] = OpenRun(run_id, self.parent(parent_id))
        if parent_id is None and context.get() is None:
            run.session_id = thread_of(metadata)
        return run

    def open_call(self, run: OpenRun, noun: Any, describe: Callable[[], Keywords]) -> Call:
        """Open the call of a run below the call that encloses its code: the current call, or the run's parent."""
        inner = self._inner_context(run.anchor)
        if run.session_id is not None:
            inner.run(context.set, run.session_id)
        run.call = run.anchor = opened(noun, describe, context=inner, emitter="langchain")
        self._calls[run.call] = run
        return run.call

    def parent(self, parent_id: UUID | None) -> OpenRun | None:
        """Return the parent of a run, if it is known."""
        return self._open.get(parent_id) if parent_id else None

    def running(self, run_id: UUID) -> OpenRun | None:
        """Return a run that has not ended."""
        return self._open.get(run_id)

    def end(self, run_id: UUID) -> OpenRun | None:
        """Remove a run, and return it if it has a call to end."""
        run = self._open.pop(run_id, None)
        if run is None or run.call is None:
            return None
        self._calls.pop(run.call, None)
        if run.leave is not None:
            run.leave()
        return run

    def cut(self, call: Call, exc: BaseException) -> None:
        """End a call whose run will get no end callback."""
        run = self._calls.get(call)
        if run is not None:
            self.end(run.id)
        call.failed(exc)

    def enter(self, config: Any) -> None:
        """Make the run whose code is about to run here the innermost call, if it is not."""
        run_id = getattr(fields_of(config).get("callbacks"), "parent_run_id", None)
        run = self._open.get(run_id) if isinstance(run_id, UUID) else None
        if run is not None and run.anchor is not None and run.anchor.is_open and not self._is_inside(run.anchor):
            run.anchor.enter()

    def step_out(self, outside: Call | None) -> None:
        """Leave the calls that began here since ``outside`` was the innermost one; they go on in another task."""
        for call in around_here():
            if call is outside:
                return
            run = self._calls.get(call)
            if run is not None and run.leave is not None:
                run.leave()

    def _inner_context(self, anchor: Call | None) -> Context:
        if anchor is None or not anchor.is_open or self._is_inside(anchor):
            return copy_context()
        return anchor.inside()

    def _is_inside(self, anchor: Call) -> bool:
        """Tell whether this code runs for a call; other calls may be in between, but none of LangChain's."""
        for call in around_here():
            if call is anchor:
                return True
            if call in self._calls:
                return False
        return False
