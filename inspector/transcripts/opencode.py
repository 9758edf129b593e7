"""Sessions of opencode: messages of the user and of the model, and their parts.

Its plugins are told of them as they change, and ``opencode export`` writes them whole
(https://opencode.ai/docs/sdk/#types). Times are in milliseconds.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from inspector import semconv as sc
from inspector.otlp import DecodedSpan
from inspector.plain import fields_of
from inspector.transcripts.conversation import Agent, Conversation
from inspector.transcripts.failures import EXIT_CODE
from inspector.transcripts.lines import Json, counts_in, objects_in

_SERVICE: Final = "opencode"
_MS: Final = 1_000_000
_NO_TIME_MS: Final = 1 << 53
"""What a time is below; above it, JavaScript's numbers are not whole."""
_COST: Final = "gen_ai.usage.cost"
_ABORTED: Final = "MessageAbortedError"
_CANCELLED: Final = ("Tool execution aborted", "User aborted the command")
"""What is said of a tool call that the user interrupted; of a command below what it printed."""
_REFUSALS: Final = ("The user rejected permission", "The user has specified a rule which prevents")
"""How the error of a tool call begins that was not allowed."""
_INVALID: Final = "invalid"
"""The tool that opencode calls instead of one that is not there, or whose arguments are wrong."""


def is_of_opencode(document: Json) -> bool:
    """Tell whether a document is a session, as ``opencode export`` writes it."""
    return isinstance(document.get("info"), dict) and isinstance(document.get("messages"), list)


class Exported:
    """Reads a document of ``opencode export``, which has one session."""

    def spans(self, document: Json) -> Iterator[DecodedSpan]:
        """Yield the spans of the session."""
        session = OpenCode(fields_of(document.get("info")))
        session.read(objects_in(document.get("messages")))
        yield from session.take()

    def rest(self) -> Iterator[DecodedSpan]:
        """Yield nothing: the session is complete."""
        yield from ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where the session of a subagent belongs."""

    session: str
    """The session that the user talks to."""
    prompt: str
    """The user's prompt that is worked on there."""
    above: tuple[str, ...]
    """The prompt that started the subagent, and that agent's session if it is a subagent too."""


class OpenCode:
    """Reads one session.

    Args:
        session: Its ``id`` and ``version``.
        place: Where it belongs, if it is a subagent's.
        is_live: Whether prompts, model calls and tool calls are also returned when they begin, without an end.
    """

    def __init__(self, session: Json, *, place: Place | None = None, is_live: bool = False) -> None:
        self._id, self._version = str(session.get("id")), str(session.get("version") or "")
        self._place, self._is_live = place, is_live
        self._waiting: dict[str, tuple[int, list[Json]]] = {}
        """Prompts that are not worked on: when each was given, and what it says."""
        self._prompt = ""
        """The id of the prompt that is worked on."""
        self._answer: Json = {}
        """The message of the model that was last begun."""
        self._steps = 0
        self._broken: object = None
        """The id of the message whose error is known."""
        self._has_called = False
        """Whether it asks for a tool."""
        self._is_last = False
        """Whether it is complete, and nothing has to follow it."""
        self._tools: set[str] = set()
        """Tool calls that have begun."""
        self._status: str | None = None
        """How the work on the prompt ends, if it was cancelled."""
        self._why: str | None = None
        """Why it failed, if it did."""
        self._conversation: Conversation | None = None
        self._before: list[bytes] = []
        """What was said before the first message that is read."""

    def subagent(self, session: Json) -> "OpenCode":
        """Return a reader for a session that the work on the prompt started."""
        place = self._place
        if place is None:
            place = Place(self._id, self._prompt, (self._prompt,))
        else:
            place = Place(place.session, place.prompt, (self._prompt, self._id))
        return OpenCode(session, place=place, is_live=self._is_live)

    def take(self) -> Iterator[DecodedSpan]:
        """Yield the spans that have begun or ended, each once."""
        if self._conversation is not None:
            yield from self._conversation.take()

    def read(self, messages: Iterable[Json]) -> None:
        """Read messages that are complete, each with its parts, and end the work on the last prompt."""
        for message in messages:
            info = fields_of(message.get("info"))
            time = {key: value for key, value in fields_of(info.get("time")).items() if key != "completed"}
            self.message({**info, "time": time, "error": None})
            for part in _as_they_came(objects_in(message.get("parts"))):
                self.part(part)
            self.message(info)
        self.idle(0)

    def continues(self, messages: Iterable[Json]) -> None:
        """Tell what was said before, which may be known only after the prompt: messages, each with its parts."""
        before = OpenCode({"id": self._id})
        before.read(messages)
        self._before = [] if before._conversation is None else before._conversation.messages()
        if self._conversation is not None:
            self._conversation.continues(self._before)

    def message(self, info: Json) -> None:
        """Take in what is known of a message."""
        message_id, time = str(info.get("id")), fields_of(info.get("time"))
        if info.get("role") == "user":
            if message_id != self._prompt:
                self._waiting.setdefault(message_id, (_ns(time.get("created")), []))
            return
        if self._answer.get("id") != message_id:
            self._begin(info, _ns(time.get("created")))
        if info.get("error"):
            self.broke(_ns(time.get("completed")), fields_of(info["error"]))
        elif "completed" in time:
            self._ended(info)

    def part(self, part: Json) -> None:
        """Take in what is known of a part of a message."""
        message_id, conversation = str(part.get("messageID")), self._conversation
        if message_id in self._waiting:
            self._waiting[message_id][1].append(part)
        elif conversation is not None and message_id == self._answer.get("id"):
            self._say(conversation, part)

    def asks(self, at_ns: int, agent: str, system: object) -> None:
        """Tell when the model is asked, and with which system prompt, if it is another one than before.

        Args:
            at_ns: When.
            agent: For which agent. That of titles has no message.
            system: The system prompt; None if it is that of the last time.
        """
        if self._conversation is None or agent != _agent_of(self._answer):
            return
        if isinstance(system, str):
            self._conversation.instructed(system)
        self._conversation.began(at_ns, self._answer_id, _model_of(self._answer))

    def broke(self, at_ns: int, error: Json) -> None:
        """Tell that the work on the last answer ended by an error."""
        conversation, message_id = self._conversation, self._answer.get("id")
        if conversation is None or message_id == self._broken:
            return
        self._broken, self._is_last = message_id, True
        if error.get("name") == _ABORTED:
            # Its tools say so themselves, if they are still at work; an answer that asked for them was complete.
            self._status = "cancelled"
            if not self._has_called:
                conversation.noted({sc.STATUS: self._status})
            conversation.answered()
        else:
            self._why = _reason_in(error)
            conversation.failed(at_ns, self._why, answer_id=self._answer_id)

    def left(self) -> None:
        """Tell that opencode has ended; work that it left in the middle stays open."""
        if self._is_last:
            self.idle(0)

    def idle(self, at_ns: int) -> None:
        """Tell that nothing is worked on."""
        if self._conversation is not None:
            self._conversation.finish(at_ns, status=self._status, why=self._why)
        self._status = self._why = None

    def _ended(self, info: Json) -> None:
        if self._conversation is None:
            return
        self._is_last = not self._has_called
        if info.get("summary") is True:
            # From now on the model is told the summary alone.
            self._conversation.forgot(self._conversation.last_said())
        else:
            self._conversation.answered()

    @property
    def _answer_id(self) -> str:
        return f"{self._answer.get('id')} {self._steps}"

    def _begin(self, info: Json, at_ns: int) -> None:
        if self._conversation is None:
            session, within = (self._id, "") if self._place is None else (self._place.session, self._id)
            provider = str(info.get("providerID") or "")
            agent = Agent(_agent_of(info), _SERVICE, self._version, provider, session, within)
            self._conversation = Conversation(agent, parts_in="content", is_live=self._is_live)
            self._conversation.continues(self._before)
        self._answer, self._steps, self._has_called, self._is_last = info, 0, False, False
        self._work_on(self._conversation, str(info.get("parentID")))
        if not self._is_live:
            self._conversation.began(at_ns, self._answer_id, _model_of(info))

    def _work_on(self, conversation: Conversation, prompt: str) -> None:
        """Hear the prompts up to one, which is a new one unless work on it goes on."""
        if prompt not in self._waiting:
            return
        # The one before, with how it ended.
        self.idle(0)
        at_ns, parts = self._waiting[prompt]
        texts = [str(part.get("text")) for part in parts if part.get("type") == "text" and not part.get("synthetic")]
        self._prompt = prompt
        conversation.belongs_to(_agent_of(self._answer))
        place = self._place
        root, above = (None, ()) if place is None else (place.prompt, place.above)
        conversation.prompted(at_ns, prompt, root=root, above=above)
        conversation.asked("\n".join(texts))
        for message_id in list(self._waiting):
            if message_id <= prompt:
                at_ns, parts = self._waiting.pop(message_id)
                conversation.heard(at_ns, {"role": "user", "content": [*map(_block_of, parts)]})

    def _say(self, conversation: Conversation, part: Json) -> None:
        time, model = fields_of(part.get("time")), _model_of(self._answer)
        match part.get("type"):
            case "text" if part.get("text"):
                conversation.said(_ns(time.get("end")), self._answer_id, model, _block_of(part))
            case "reasoning" if part.get("text"):
                block = {"type": "thinking", "thinking": part["text"]}
                conversation.said(_ns(time.get("end")), self._answer_id, model, block)
            case "tool":
                self._tool(conversation, part)
            case "retry":
                why = _reason_in(fields_of(part.get("error")))
                conversation.failed(_ns(time.get("created")), why, answer_id=self._answer_id)
                self._steps += 1
            case "step-finish":
                conversation.noted({**_usage(part), sc.PROVIDER_NAME: self._answer.get("providerID")})
                conversation.answered()
                self._steps += 1
                self._is_last = not self._has_called
            case _:
                pass

    def _tool(self, conversation: Conversation, part: Json) -> None:
        call_id, state = str(part.get("callID")), fields_of(part.get("state"))
        time, given = fields_of(state.get("time")), fields_of(state.get("input"))
        is_invalid = part.get("tool") == _INVALID
        name = str(given.get("tool") if is_invalid else part.get("tool"))
        if call_id not in self._tools and state.get("status") != "pending":
            self._tools.add(call_id)
            self._has_called = True
            block = {"type": "tool_use", "id": call_id, "name": name, "input": given}
            conversation.said(_ns(time.get("start")), self._answer_id, _model_of(self._answer), block)
            conversation.called(_ns(time.get("start")), call_id, name, given)
        if "end" in time:
            why = str(given.get("error")) if is_invalid else _failure_in(state)
            told = state.get("output") if state.get("error") is None else state.get("error")
            conversation.returned(_ns(time["end"]), call_id, state.get("output"), why=why, status=_status_of(str(told)))
            block = {"type": "tool_result", "tool_use_id": call_id, "content": told}
            block["is_error"] = state.get("status") == "error"
            conversation.heard(_ns(time["end"]), {"role": "user", "content": [block]})


def _agent_of(info: Json) -> str:
    return str(info.get("agent") or info.get("mode") or _SERVICE)


def _model_of(info: Json) -> str | None:
    model = info.get("modelID")
    return model if isinstance(model, str) else None


def _ns(at_ms: object) -> int:
    return int(at_ms * _MS) if isinstance(at_ms, int | float) and 0 <= at_ms < _NO_TIME_MS else 0


def _as_they_came(parts: Iterable[Json]) -> Iterator[Json]:
    """Yield the parts of a message that is complete in the order in which they became known: a tool call twice."""
    ended: list[Json] = []
    for part in parts:
        state = fields_of(part.get("state"))
        if part.get("type") == "tool":
            ended.append(part)
            started = {"start": fields_of(state.get("time")).get("start")}
            part = {**part, "state": {"input": state.get("input"), "time": started}}  # noqa: PLW2901 - its beginning
        yield part
        if part.get("type") == "step-finish":
            yield from sorted(ended, key=_ended_at)
            ended.clear()
    yield from ended


def _ended_at(part: Json) -> int:
    return _ns(fields_of(fields_of(part.get("state")).get("time")).get("end"))


def _block_of(part: Json) -> Json:
    """Return a part of a prompt, or of an answer, as a block of a message."""
    if part.get("type") == "text":
        return {"type": "text", "text": part.get("text")}
    kind, _, data = str(part.get("url")).partition(";base64,")
    if kind.startswith("data:image/") and data:
        return {"type": "image", "source": {"type": "base64", "media_type": kind[5:], "data": data}}
    return {"type": "text", "text": f"[{part.get('filename') or part.get('mime')}]"}


def _usage(part: Json) -> Json:
    """Return the tokens of an answer under the conventions' names, in which those of a cache are input too."""
    tokens, cost = fields_of(part.get("tokens")), part.get("cost")
    is_known = isinstance(cost, int | float) and cost > 0
    counts, cache = counts_in(tokens), counts_in(tokens.get("cache"))
    if "input" not in counts:
        return {}
    return {
        sc.USAGE_INPUT_TOKENS: counts["input"] + cache.get("read", 0) + cache.get("write", 0),
        sc.USAGE_OUTPUT_TOKENS: counts.get("output", 0) + counts.get("reasoning", 0),
        sc.USAGE_CACHE_READ: cache.get("read"),
        sc.USAGE_CACHE_WRITE: cache.get("write"),
        sc.USAGE_REASONING: counts.get("reasoning"),
        # Of a model whose price it does not know, opencode says zero.
        _COST: cost if is_known else None,
    }


def _reason_in(error: Json) -> str:
    message = fields_of(error.get("data")).get("message") or error.get("message") or error.get("name")
    return str(message or "failed")


def _failure_in(state: Json) -> str | None:
    exit_code = fields_of(state.get("metadata")).get("exit")
    if state.get("status") == "error":
        return str(state.get("error") or "failed")
    return f"{EXIT_CODE} {exit_code}" if type(exit_code) is int and exit_code else None


def _status_of(told: str) -> str | None:
    if told.startswith(_REFUSALS):
        return "denied"
    is_cancelled = told.removesuffix("\n</shell_metadata>").endswith(_CANCELLED)
    return "cancelled" if is_cancelled else None
