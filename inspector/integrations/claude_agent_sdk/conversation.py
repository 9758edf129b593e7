"""What passes between the SDK and one process of Claude Code, as calls.

A prompt begins an agent, and a ``result`` ends it. Messages name the tool call that started the subagent they are from.
A model call begins when the prompt, or the last result of a tool, was known: Claude Code does not say when it asks.
"""

from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from time import time_ns
from typing import Any, Final, cast

from opentelemetry import trace

from inspector import context as session
from inspector.integrations.calls import Call, Describe, Model, announce, opened
from inspector.integrations.claude_agent_sdk import facts
from inspector.integrations.claude_agent_sdk.answers import Answer
from inspector.integrations.claude_agent_sdk.facts import Frame, blocks_of, frames_of, member
from instrument.keywords import Noun

_SUCCEEDED: Final = "completed"


class _Thread:
    """The messages of one agent: that of the prompts, or a subagent."""

    def __init__(self) -> None:
        self.agent: Call | None = None
        self.context = copy_context()
        """The context of what the agent does."""
        self.messages: list[Frame] = []
        self.answer: Answer | None = None
        self.past_id: object = None
        """The id of the last message that is complete."""
        self.since_ns = time_ns()
        """When the last message to the model was known."""
        self.known_tokens = 0
        """The output tokens of the current prompt that are known."""

    @property
    def is_open(self) -> bool:
        """Whether its agent is at work."""
        return self.agent is not None and self.agent.is_open

    def begin(self, describe: Describe, context: Context) -> None:
        """Begin to work."""
        self.agent = opened("agent_call", describe, emitter="claude_agent_sdk", context=context)
        self.context = self.agent.inside()
        self.since_ns = time_ns()
        self.known_tokens = 0

    def opened(self, noun: Noun, describe: Describe) -> Call:
        """Open a call of the agent."""
        return opened(noun, describe, emitter="claude_agent_sdk", context=self.context.copy())

    def heard(self, message: Any) -> None:
        """Add a message to the model; results of tools that arrive one by one are one message."""
        self.since_ns = time_ns()
        if not isinstance(message, dict):
            return
        heard = cast("Frame", message)
        before = self.messages[-1] if self.messages else {}
        if before.get("role") == heard.get("role") and isinstance(before.get("content"), list):
            content = [*before["content"], *blocks_of({"message": heard})]
            self.messages[-1] = {**before, "content": content}
        else:
            self.messages.append(heard)

    def complete(self, output_tokens: int | None = None) -> None:
        """End the model call, since everything of its answer has come."""
        answer, self.answer = self.answer, None
        if answer is not None:
            answer.ended(output_tokens)
            self.known_tokens += answer.output_tokens or 0
            self.past_id = answer.message_id

    def end(self, exc: BaseException | None) -> None:
        """End everything: with an exception, or because the program closed the connection."""
        answer, self.answer = self.answer, None
        if answer is not None:
            answer.cut(exc)
        if self.agent is not None:
            if exc is None:
                self.agent.closed()
            else:
                self.agent.failed(exc)


class Conversation:
    """The calls of one connection.

    Args:
        system: The system prompt, if it is known.
    """

    def __init__(self, system: Any) -> None:
        self.is_followed = False
        """Whether its messages are read already."""
        self._system = system
        self._main = _Thread()
        self._subagents: dict[str, _Thread] = {}
        self._tools: dict[str, Call] = {}
        self._requests: dict[Any, Call] = {}
        self._asked: deque[tuple[Frame, Context]] = deque()
        """Prompts that wait for the one before them."""
        self._session: str | None = None
        self._model: Any = None
        self._is_interrupting = False
        self._has_answered = False

    def sent(self, data: Any) -> None:
        """Take in what the SDK writes."""
        for frame in frames_of(data):
            if frame.get("type") == "user":
                self._asked.append((frame, copy_context()))
                if not self._main.is_open:
                    self._begin()
            elif member(frame, "request", "subtype") == "interrupt":
                self._is_interrupting = True
            else:
                self._replied(member(frame, "response"))

    def received(self, frame: Frame) -> None:
        """Take in a message of Claude Code."""
        match frame.get("type"):
            case "system":
                self._noted(frame)
            case "assistant":
                self._answered(frame)
            case "stream_event":
                self._streamed(frame)
            case "user":
                self._told(frame)
            case "result":
                self._concluded(frame)
            case _:
                pass

    def enter(self, frame: Frame) -> Callable[[], None] | None:
        """Make the call that a request of Claude Code belongs to the innermost one; return how to undo that."""
        if frame.get("type") != "control_request":
            return None
        request = member(frame, "request")
        tool_id = member(request, "message", "params", "_meta", "claudecode/toolUseId")
        call = self._tools.get(tool_id or member(request, "tool_use_id")) or self._main.agent
        if call is None or not call.is_open:
            return None
        if tool_id is not None:
            self._requested(frame, call)
        return call.enter()

    def _requested(self, frame: Frame, tool: Call) -> None:
        """Report the request to a server in the program as that of the tool call, so that the two count once."""
        message = member(frame, "request", "message")
        told = {"envelope": message, "transport": "memory", "direction": "outbound"}
        context = tool.inside()
        self._requests[frame.get("request_id")] = opened(
            "rpc_request", lambda: told, emitter="claude_agent_sdk", context=context
        )

    def _replied(self, response: Any) -> None:
        request = self._requests.pop(member(response, "request_id"), None)
        if request is not None:
            request.ended(lambda: {"envelope": member(response, "response", "mcp_response")})

    def failed(self, exc: BaseException) -> None:
        """End everything, since the connection failed."""
        self._end(exc)

    def left(self) -> None:
        """End everything, since Claude Code ended the connection."""
        self._end(facts.ResultError("Claude Code ended without a result"))

    def closed(self) -> None:
        """End everything, since the program closed the connection."""
        self._end(None)

    def _end(self, exc: BaseException | None) -> None:
        for call in (*self._requests.values(), *self._tools.values()):
            call.interrupted()
        self._requests.clear()
        self._tools.clear()
        for thread in (*self._subagents.values(), self._main):
            thread.end(exc)
        self._subagents.clear()

    def _begin(self) -> None:
        """Begin the agent of the next prompt, or of a turn that nobody asked for: a background agent is done."""
        asked, context = self._asked.popleft() if self._asked else ({}, copy_context())
        if self._session is not None and context.run(session.get) is None:
            context.run(session.set, self._session)
        message = member(asked, "message")
        self._main.begin(lambda: facts.main_agent(self._system, member(message, "content")), context)
        self._main.heard(message)

    def _begin_subagent(self, tool_id: str, frame: Frame) -> _Thread:
        prompt = member(frame, "prompt")
        tool = self._tools.get(tool_id)
        thread = self._subagents[tool_id] = _Thread()
        # A tool that only starts an agent ends at once, and what ended encloses nothing.
        is_within = tool is not None and tool.is_open and frame.get("is_backgrounded") is not True
        context = tool.inside() if tool is not None and is_within else self._main.context.copy()
        thread.begin(lambda: facts.subagent(member(frame, "subagent_type"), prompt), context)
        if prompt is not None:
            thread.heard({"role": "user", "content": prompt})
        return thread

    def _thread_of(self, frame: Frame) -> _Thread:
        tool_id = frame.get("parent_tool_use_id")
        if tool_id is not None:
            return self._subagents.get(tool_id) or self._begin_subagent(tool_id, frame)
        if not self._main.is_open:
            self._begin()
        return self._main

    def _noted(self, frame: Frame) -> None:
        match frame.get("subtype"):
            case "init":
                if not self._main.is_open and self._has_answered:
                    self._begin()
                self._model = frame.get("model")
                self._named(frame.get("session_id"))
            case "task_started" if isinstance(tool_id := frame.get("tool_use_id"), str):
                if tool_id in self._tools and tool_id not in self._subagents and frame.get("subagent_type"):
                    self._begin_subagent(tool_id, frame)
            case "task_notification":
                self._end_subagent(frame.get("tool_use_id"), frame.get("status"), frame.get("summary"))
            case _:
                pass

    def _named(self, session_id: Any) -> None:
        if isinstance(session_id, str) and session_id != self._session:
            self._session = session_id
            told = {"session_id": session_id, "context": None}
            self._main.context.copy().run(announce, "session_started", lambda: told)

    def _answered(self, frame: Frame) -> None:
        thread, message = self._thread_of(frame), frame["message"]
        if message.get("model") == facts.MADE_UP:
            if frame.get("error") is not None:
                thread.complete()
                call = thread.opened("llm_generate", lambda: self._asking(thread, self._model))
                call.add(at_ns=time_ns())
                call.failed(facts.ApiError(facts.text_of(message.get("content"))))
            return
        if message.get("id") != thread.past_id:
            self._answer(thread, message).take(frame)
        for block in blocks_of(frame, "tool_use"):
            self._tools[block["id"]] = thread.opened(
                "tool_call", lambda block=block: facts.tool(block, thread.agent and thread.agent.keyword("agent").name)
            )

    def _answer(self, thread: _Thread, message: Frame) -> Answer:
        answer = thread.answer
        if answer is None or answer.message_id != message.get("id"):
            thread.complete()
            call = thread.opened("llm_generate", lambda: self._asking(thread, message.get("model")))
            answer = thread.answer = Answer(call, message)
            thread.messages.append(answer.message)
        return answer

    def _asking(self, thread: _Thread, model: Any) -> dict[str, Any]:
        prompt = {"model": model, "messages": list(thread.messages)}
        if isinstance(self._system, str) and thread is self._main:
            prompt["system"] = self._system
        return {"llm": Model("anthropic", model), "prompt": prompt, "at_ns": thread.since_ns}

    def _streamed(self, frame: Frame) -> None:
        event = frame["event"]
        if event.get("type") == "message_start":
            self._answer(self._thread_of(frame), event["message"])
        thread = self._thread_of(frame)
        if thread.answer is not None and thread.answer.take_event(event):
            thread.complete()

    def _told(self, frame: Frame) -> None:
        thread = self._thread_of(frame)
        for block in blocks_of(frame, "tool_result"):
            tool_id = block.get("tool_use_id")
            call = self._tools.pop(str(tool_id), None)
            if call is None:
                continue
            failure = facts.tool_failure(block, frame)
            if member(frame, "tool_use_result", "status") != "async_launched":
                self._end_subagent(tool_id, _SUCCEEDED if failure is None else "failed", block.get("content"))
            if failure is None:
                call.ended(lambda block=block: {"result": block.get("content")})
            elif self._is_interrupting:
                call.interrupted()
            else:
                call.failed(failure)
        if frame.get("isReplay") is not True:
            thread.heard(frame.get("message"))

    def _end_subagent(self, tool_id: Any, status: Any, result: Any) -> None:
        thread = self._subagents.pop(str(tool_id), None)
        if thread is None or thread.agent is None:
            return
        thread.complete()
        if status == _SUCCEEDED:
            thread.agent.ended(lambda: {"result": result})
        elif status == "failed" and not self._is_interrupting:
            thread.agent.failed(facts.ToolFailed(facts.text_of(result)))
        else:
            thread.agent.interrupted()

    def _concluded(self, frame: Frame) -> None:
        main, self._has_answered = self._main, True
        if not main.is_open:
            self._begin()
        spent = member(frame, "usage", "output_tokens")
        # Of several answers, only the tokens of all are told, and only here.
        main.complete(spent - main.known_tokens if isinstance(spent, int) else None)
        agent, failure = main.agent, facts.turn_failure(frame)
        assert agent is not None
        main.context.copy().run(_note, facts.totals(frame))
        if facts.was_interrupted(frame) or (self._is_interrupting and failure is not None):
            agent.interrupted()
        elif failure is not None:
            agent.failed(failure)
        else:
            agent.ended(lambda: {"result": frame.get("result")})
        self._is_interrupting = False


def _note(attributes: dict[str, Any]) -> None:
    trace.get_current_span().set_attributes(attributes)
