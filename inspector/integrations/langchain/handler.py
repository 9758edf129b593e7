"""The callback handler, which reports LangChain's runs as they begin and end."""

from collections.abc import Callable
from importlib import import_module
from inspect import CO_ASYNC_GENERATOR, CO_GENERATOR
from typing import Any, Final
from uuid import UUID

from inspector.integrations.calls import Keywords, announce, guarded, safely
from inspector.integrations.langchain import facts
from inspector.integrations.langchain.callers import (
    caller,
    entrypoint_of,
    is_agent,
    is_bound_graph,
    is_task,
    running_graph,
)
from inspector.integrations.langchain.runs import OpenRun, OpenRuns

_HIDDEN: Final = "langsmith:hidden"
_GENERATORS: Final = CO_GENERATOR | CO_ASYNC_GENERATOR
_UNREPORTED_TYPES: Final = frozenset({"prompt", "parser"})


def handler_of(runs: OpenRuns) -> Any:
    """Return a handler that reports these runs."""
    base: Any = import_module("langchain_core.callbacks.base").BaseCallbackHandler

    methods = {name: guarded(method) for name, method in vars(_Handler).items() if name.startswith("on_")}
    return type("InspectorHandler", (_Handler, base), {"run_inline": True, **methods})(runs)


class _Handler:
    """Methods of ``BaseCallbackHandler``; ``more`` has the keywords that all callbacks for a start get."""

    def __init__(self, runs: OpenRuns) -> None:
        self._runs = runs

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, **more: Any) -> None:
        if not self._runs.active:
            return
        parent = self._runs.parent(more.get("parent_run_id"))
        run = self._begin(run_id, more)
        metadata, frame = more.get("metadata"), caller()
        name = facts.chain_name(serialized, more.get("name"))
        graph = running_graph(frame)
        if graph is not None:
            run.is_graph, run.is_agent = True, is_agent(graph)
            run.entrypoint = entrypoint_of(graph)
            run.thread = facts.thread_of(metadata)
            run.outermost_graph = run.outermost_graph or run
            self._open_graph(run, run.entrypoint or facts.graph_name(name, parent and parent.node), inputs)
        elif is_task(frame, metadata, name):
            self._runs.open_call(run, "workflow_run", lambda: facts.workflow(name, "task", inputs))
        elif _is_step(parent, more.get("tags") or ()):
            if is_bound_graph(frame):
                run.node = name
            else:
                self._runs.open_call(run, "workflow_run", lambda: facts.workflow(name, "node", inputs))
        elif parent is None and more.get("run_type") not in _UNREPORTED_TYPES:
            self._runs.open_call(run, "workflow_run", lambda: facts.workflow(name, None, inputs))

    def _begin(self, run_id: UUID, more: Keywords) -> OpenRun:
        return self._runs.begin(run_id, more.get("parent_run_id"), more.get("metadata"))

    def _open_graph(self, run: OpenRun, name: str | None, inputs: Any) -> None:
        if run.is_agent:
            call = self._runs.open_call(run, "agent_call", lambda: facts.agent(name, inputs))
        else:
            call = self._runs.open_call(run, "workflow_run", lambda: facts.workflow(name or "graph", "graph", inputs))
        if run.outermost_graph is run and facts.resumes(inputs):
            call.inside().run(announce, "session_resumed", lambda: {"session_id": run.thread, "context": None})

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        run = self._runs.end(run_id)
        if run is not None and run.call is not None:
            if run.waits_for:
                run.call.inside().run(announce, "session_paused", lambda: facts.pause(run.waits_for, run.thread))
            run.call.ended(lambda: {"result": outputs})

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        run = self._runs.end(run_id)
        if run is not None:
            _fail(run, error)

    on_tool_error = on_chain_error

    def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: UUID, **more: Any) -> None:
        self._open_model(run_id, more, lambda streams: facts.chat(serialized, messages[0], more, streams=streams))

    def on_llm_start(self, serialized: Any, prompts: Any, *, run_id: UUID, **more: Any) -> None:
        self._open_model(run_id, more, lambda streams: facts.completion(serialized, prompts[0], more, streams=streams))

    def _open_model(self, run_id: UUID, more: Keywords, describe: Callable[[bool], Keywords]) -> None:
        if not self._runs.active:
            return
        frame = caller()
        streams = frame is not None and bool(frame.f_code.co_flags & _GENERATORS)
        run = self._begin(run_id, more)
        call = self._runs.open_call(run, "llm_generate", lambda: describe(streams))
        # The provider is asked in this context, without one of its own.
        run.leave = call.enter()

    def on_llm_new_token(self, *_: Any, run_id: UUID, **__: Any) -> None:
        run = self._runs.running(run_id)
        if run is None or run.call is None or run.leave is None:
            return
        run.call.add(time_to_first_chunk=run.call.seconds)
        # From here on the consumer of a stream runs in between, in the same context.
        leave, run.leave = run.leave, None
        leave()

    on_stream_event = on_llm_new_token

    def on_llm_end(self, response: Any, *, run_id: UUID, **_: Any) -> None:
        self._end(run_id, lambda: facts.answer(response))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, response: Any = None, **_: Any) -> None:
        run = self._runs.end(run_id)
        if run is not None and run.call is not None:
            run.call.add(**safely(lambda: facts.partial_answer(response), otherwise={}))
            run.call.failed(error)

    on_retriever_error = on_llm_error

    def on_tool_start(self, serialized: Any, input_str: str, *, run_id: UUID, **more: Any) -> None:
        frame = caller()
        self._open_tool(run_id, more, lambda: facts.tool(serialized, input_str, more, frame))

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        self._end(run_id, lambda: {"result": facts.tool_result(output)})

    def on_retriever_start(self, serialized: Any, query: str, *, run_id: UUID, **more: Any) -> None:
        self._open_tool(run_id, more, lambda: facts.retriever(serialized, query, more))

    def on_retriever_end(self, documents: Any, *, run_id: UUID, **_: Any) -> None:
        self._end(run_id, lambda: {"result": documents})

    def _open_tool(self, run_id: UUID, more: Keywords, describe: Callable[[], Keywords]) -> None:
        if self._runs.active:
            run = self._begin(run_id, more)
            run.leave = self._runs.open_call(run, "tool_call", describe).enter()

    def _end(self, run_id: UUID, describe: Callable[[], Keywords]) -> None:
        run = self._runs.end(run_id)
        if run is not None and run.call is not None:
            run.call.ended(describe)


def _is_step(parent: OpenRun | None, tags: Any) -> bool:
    """Tell whether a run is a node of a graph whose nodes are reported; an entrypoint is reported as the graph."""
    if parent is None or not parent.is_graph or parent.is_agent or parent.entrypoint or _HIDDEN in tags:
        return False
    return any(isinstance(tag, str) and tag.startswith("graph:step") for tag in tags)


def _fail(run: OpenRun, error: BaseException) -> None:
    if run.call is None:
        return
    if not facts.is_control_flow(error):
        run.call.failed(error)
        return
    waits_for = facts.interrupts(error)
    if run.outermost_graph is not None:
        run.outermost_graph.waits_for |= waits_for
    if waits_for:
        # Its work is done by another call when the graph is resumed.
        run.call.failed(error)
    else:
        run.call.ended()
