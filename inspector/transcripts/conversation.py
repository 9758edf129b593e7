"""The spans of one agent's conversation: an agent for each prompt, with its model calls and tools.

A transcript says when something was known, not when it began: a model call begins when the prompt or the last result of
a tool was known, and ends with the last part of its answer.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from dataclasses import replace as replace_agent
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec.structs import replace

from inspector import semconv as sc
from inspector.otlp import DecodedSpan, Scope
from inspector.transcripts.failures import ERROR_MESSAGE
from inspector.transcripts.lines import Json


@dataclass(frozen=True, slots=True)
class Agent:
    """Whose transcript it is."""

    name: str
    """The name of the agent: the program, or the type of a subagent."""
    service: str
    version: str
    provider: str
    session: str
    within: str = ""
    """The id of a subagent; empty for the agent that the user talks to."""


@dataclass(slots=True)
class _Answer:
    """An answer of the model that is not complete."""

    id: str
    span: DecodedSpan
    parts: list[Any] = field(default_factory=list[Any])
    last_ns: int = 0


def _id(digits: int, *of: str) -> str:
    """Return an id that is the same whenever the transcript is read."""
    return blake2b("\0".join(of).encode(), digest_size=digits // 2).hexdigest()


class Conversation:
    """Collects what is said, and makes spans of it; `take` returns those that are complete.

    Args:
        agent: Whose conversation it is.
        parts_in: The member of a message that has the parts of an answer; None if they are messages themselves.
        is_live: Whether `take` also returns prompts and tool calls that have only begun, without an end.
    """

    def __init__(self, agent: Agent, *, parts_in: str | None, is_live: bool = False) -> None:
        self._agent = agent
        self._parts_in = parts_in
        self._is_live = is_live
        self._resource = {sc.SERVICE_NAME: agent.service, "service.version": agent.version}
        self._scope = Scope(f"{agent.service}.transcript")
        self._messages: list[bytes] = []
        """What the model was told, each message as JSON."""
        self._is_instructed = False
        """Whether the first of them is the system prompt."""
        self._meanwhile: list[bytes] = []
        """What it will be told after the answer that is not complete."""
        self._prompt: DecodedSpan | None = None
        self._answer: _Answer | None = None
        self._last_said: list[Any] = []
        self._tools: dict[str, DecodedSpan] = {}
        self._failures: dict[str, str] = {}
        self._announced = ""
        """The id of the last prompt whose beginning was returned."""
        self._since_ns = self._last_ns = 0
        self._ready: list[DecodedSpan] = []

    def take(self) -> Iterator[DecodedSpan]:
        """Yield the spans that are complete, each once."""
        ready, self._ready = self._ready, []
        yield from ready

    def prompted(
        self, at_ns: int, key: str, text: str | None = None, *, root: str | None = None, above: tuple[str, ...] = ()
    ) -> None:
        """Begin to work on a prompt, which ends the work on the one before.

        Args:
            at_ns: When.
            key: What tells it from others of the session.
            text: What was asked.
            root: The key of the user's prompt, if a subagent has keys of its own.
            above: The key of the prompt that started the subagent, and that agent's id if it is a subagent too.
        """
        self.ended(self._last_ns)
        agent = self._agent
        trace_id = _id(32, agent.session, root or key)
        if agent.within:
            ids = trace_id, _id(16, agent.session, key, agent.within), _id(16, agent.session, *(above or (key,)))
        else:
            ids = trace_id, _id(16, agent.session, key), None
        told = {sc.OPERATION_NAME: "invoke_agent"}
        self._prompt = self._span(ids, f"invoke_agent {agent.name}", at_ns, told)
        if text is not None:
            self.asked(text)
        self._since_ns = self._last_ns = at_ns
        self._last_said = []

    def belongs_to(self, name: str) -> None:
        """Tell the name of the agent, if it is known only later."""
        if name != self._agent.name:
            self._agent = replace_agent(self._agent, name=name)
            if self._prompt is not None:
                self._prompt = replace(self._prompt, name=f"invoke_agent {name}")
                self._prompt.attributes[sc.AGENT_NAME] = name

    def asked(self, text: str) -> None:
        """Tell what the prompt is."""
        if self._prompt is not None and sc.INPUT_MESSAGES not in self._prompt.attributes:
            self._with(self._prompt, {sc.INPUT_MESSAGES: [{"role": "user", "content": text}]})
            self._announce_prompt()

    def instructed(self, text: str) -> None:
        """Tell the system prompt, which replaces the one before."""
        self._messages[: self._is_instructed] = [msgspec.json.encode({"role": "system", "content": text})]
        self._is_instructed = True

    def continues(self, messages: list[bytes]) -> None:
        """Tell what was said before everything else, but for the system prompt."""
        self._messages[self._is_instructed : self._is_instructed] = messages

    def heard(self, at_ns: int, message: Json) -> None:
        """Add a message to what the model is told."""
        # Results may come before the last part of the answer that asks for them.
        (self._messages if self._answer is None else self._meanwhile).append(msgspec.json.encode(message))
        self._since_ns = self._last_ns = at_ns

    def forgot(self, kept: Iterable[Json] = ()) -> None:
        """Replace what the model is told, but for its system prompt, since it was summed up."""
        self.answered()
        self._messages[self._is_instructed :] = map(msgspec.json.encode, kept)

    def messages(self) -> list[bytes]:
        """Complete the answer, and return what the model would be told next."""
        self.answered()
        return self._messages

    def remember(self, messages: list[bytes]) -> None:
        """Begin with the messages of another conversation."""
        self._messages = messages

    def began(self, at_ns: int, answer_id: str, model: str | None) -> None:
        """Begin a model call whose beginning is known; another begins when the last message was heard."""
        if self._prompt is not None:
            self._announce_prompt()
            self._since_ns = at_ns
            self._announce(self._begun(answer_id, model).span)

    def said(self, at_ns: int, answer_id: str, model: str | None, part: Any) -> None:
        """Add a part of an answer; those of one id are one model call."""
        if self._prompt is None:
            return
        self._announce_prompt()
        answer = self._answer
        if answer is None or answer.id != answer_id:
            answer = self._begun(answer_id, model)
        answer.parts.append(part)
        answer.last_ns = self._last_ns = at_ns

    def _begun(self, answer_id: str, model: str | None) -> _Answer:
        self.answered()
        prompt = (b"[%b]" % b",".join(self._messages)).decode()
        told = {sc.OPERATION_NAME: "chat", sc.REQUEST_MODEL: model, sc.INPUT_MESSAGES: prompt}
        ids = self._below("answer", answer_id)
        span = self._span(ids, f"chat {model or ''}".rstrip(), self._since_ns, told, kind=sc.KIND_CLIENT)
        self._answer = _Answer(answer_id, span, last_ns=self._since_ns)
        return self._answer

    def noted(self, told: Json) -> None:
        """Add attributes to the model call whose answer comes."""
        if self._answer is not None:
            self._answer.span.attributes.update({key: value for key, value in told.items() if value is not None})

    def last_said(self) -> list[Json]:
        """Complete the answer, and return the last one as messages."""
        self.answered()
        return self._said(self._last_said) if self._last_said else []

    @property
    def is_working(self) -> bool:
        """Whether a prompt is being worked on."""
        return self._prompt is not None

    @property
    def is_answering(self) -> bool:
        """Whether an answer is not complete."""
        return self._answer is not None

    def finish(self, at_ns: int = 0, *, status: str | None = None, why: str | None = None) -> None:
        """End the work on the prompt with the last that is known of it, or later."""
        self.ended(max(at_ns, self._last_ns), status=status, why=why)

    def failed(self, at_ns: int, why: str, *, answer_id: str | None = None) -> None:
        """Add a model call that failed.

        Args:
            at_ns: When.
            why: Why.
            answer_id: The answer that failed, if a part of it may be known.
        """
        if self._prompt is None:
            return
        self._announce_prompt()
        answer = self._answer
        if answer is None or answer.id != answer_id:
            answer = self._begun(answer_id or f"failed at {at_ns}", None)
        self._answer = None
        said = self._said(answer.parts) if answer.parts else None
        span = self._with(answer.span, {sc.OUTPUT_MESSAGES: said})
        self._ready.append(replace(span, end_ns=at_ns, status_code=sc.CODE_ERROR, status_message=why))
        self._last_ns = at_ns

    def called(self, at_ns: int, call_id: str, name: str, arguments: Any) -> None:
        """Begin a tool call."""
        if self._prompt is None:
            return
        told = {sc.OPERATION_NAME: "execute_tool", sc.TOOL_NAME: name, sc.TOOL_CALL_ID: call_id}
        told[sc.TOOL_CALL_ARGUMENTS] = arguments
        self._tools[call_id] = self._span(self._below("tool", call_id), f"execute_tool {name}", at_ns, told)
        self._announce(self._tools[call_id])

    def broke(self, call_id: str, why: str) -> None:
        """Note that a tool call failed whose result is still to come."""
        self._failures[call_id] = why

    def returned(
        self, at_ns: int, call_id: str, result: Any, *, why: str | None = None, status: str | None = None
    ) -> None:
        """End a tool call.

        Args:
            at_ns: When its result was known.
            call_id: Its id.
            result: What the model was told.
            why: Why it failed, if it did.
            status: How it ended if it neither failed nor succeeded: it was not allowed, or cancelled.
        """
        span = self._tools.pop(call_id, None)
        why = self._failures.pop(call_id, None) if why is None else why
        if span is None:
            return
        span = self._with(span, {sc.TOOL_CALL_RESULT: result})
        if status is not None:
            span = self._with(span, {sc.STATUS: status, ERROR_MESSAGE: why})
        elif why is not None:
            span = replace(span, status_code=sc.CODE_ERROR, status_message=why)
        self._ready.append(replace(span, end_ns=max(at_ns, span.start_ns)))
        self._last_ns = at_ns

    def ended(self, at_ns: int, *, status: str | None = None, why: str | None = None) -> None:
        """End the work on the prompt, and everything in it.

        Args:
            at_ns: When.
            status: How it ended, if it was cancelled.
            why: Why it failed, if it did.
        """
        self.answered()
        prompt, self._prompt = self._prompt, None
        if prompt is None:
            return
        for span in self._tools.values():
            self._ready.append(self._with(replace(span, end_ns=at_ns), {sc.STATUS: status or "abandoned"}))
        self._tools.clear()
        output = self._said(self._last_said) if self._last_said else None
        prompt = self._with(replace(prompt, end_ns=at_ns), {sc.OUTPUT_MESSAGES: output, sc.STATUS: status})
        self._ready.append(prompt if why is None else replace(prompt, status_code=sc.CODE_ERROR, status_message=why))

    def _announce_prompt(self) -> None:
        prompt = self._prompt
        if prompt is not None and prompt.span_id != self._announced:
            self._announced = prompt.span_id
            self._announce(prompt)

    def _announce(self, span: DecodedSpan) -> None:
        """Return the beginning of a span; its attributes go on to change."""
        if self._is_live:
            self._ready.append(replace(span, attributes=dict(span.attributes)))

    def answered(self) -> None:
        """Complete the answer, if there is one."""
        answer, self._answer = self._answer, None
        if answer is None:
            return
        said = self._said(answer.parts) if answer.parts else []
        self._last_said = answer.parts
        self._messages += map(msgspec.json.encode, said)
        self._messages += self._meanwhile
        self._meanwhile = []
        self._ready.append(self._with(replace(answer.span, end_ns=answer.last_ns), {sc.OUTPUT_MESSAGES: said}))

    def _said(self, parts: list[Any]) -> list[Any]:
        return parts if self._parts_in is None else [{"role": "assistant", self._parts_in: parts}]

    def _below(self, *of: str) -> tuple[str, str, str]:
        assert self._prompt is not None
        trace_id, parent_id = self._prompt.trace_id, self._prompt.span_id
        return trace_id, _id(16, trace_id, parent_id, *of), parent_id

    def _span(
        self, ids: tuple[str, str, str | None], name: str, at_ns: int, told: Json, *, kind: int = sc.KIND_INTERNAL
    ) -> DecodedSpan:
        agent = self._agent
        about = {sc.SESSION_ID: agent.session, sc.AGENT_NAME: agent.name, sc.PROVIDER_NAME: agent.provider}
        rest = kind, at_ns, None, 0, None, dict[str, Any](about), (), (), self._resource, self._scope
        return self._with(DecodedSpan(*ids, name, *rest), told)

    def _with(self, span: DecodedSpan, told: Json) -> DecodedSpan:
        """Add attributes to a span, as JSON unless they are texts or numbers; None is left out."""
        for key, value in told.items():
            if value is not None:
                is_plain = isinstance(value, str | int | float)
                span.attributes[key] = value if is_plain else msgspec.json.encode(value).decode()
        return span
