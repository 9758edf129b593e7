"""Sessions of Gemini CLI: a line for each message, which is written again once its tools have ended.

Some lines change what was said before: they replace all messages, or remove those from a certain one on.
"""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from inspector import semconv as sc
from inspector.otlp import DecodedSpan
from inspector.plain import fields_of
from inspector.transcripts.conversation import Agent, Conversation
from inspector.transcripts.failures import EXIT_CODE
from inspector.transcripts.lines import Json, counts_in, object_on, objects_in, text_of, time_of

_SERVICE: Final = "gemini-cli"
_SUBAGENT: Final = "subagent"
_CONTEXT: Final = "<session_context>"
"""How the first message begins."""
_NO_PROMPTS: Final = (_CONTEXT, "<hook_context>", "System: ")
"""What Gemini CLI tells the model by itself, in the place of the user."""
_DONE: Final = "complete_task"
"""The tool by which a subagent ends its work."""
_CANCELLED: Final = "Request cancelled."
_REFUSALS: Final = ("denied by policy", "User denied execution", "Unauthorized tool call")
_EXIT: Final = re.compile(r"\nExit Code: (-?\d+)(?:\nProcess Group PGID: \d+)?(?:\n</untrusted_context>)?\s*$")
"""How the result of a command ends that failed; for Gemini CLI it is a success."""


def is_of_gemini_cli(line: Json) -> bool:
    """Tell whether a line is the first of a session."""
    return isinstance(line.get("sessionId"), str) and isinstance(line.get("projectHash"), str)


class GeminiCli:
    """Reads one session, line by line, or that of a subagent.

    Args:
        path: Its file; that of the session which started a subagent is beside it.
        is_live: Whether prompts are also returned when they begin, without an end.
    """

    def __init__(self, path: Path, *, is_live: bool = False) -> None:
        self._path, self._is_live = path, is_live
        self._conversation: Conversation | None = None
        self._above: str | None = None
        """The prompt on which a subagent works."""
        self._messages: list[Json] = []
        self._again = _Again()
        self._answer: Json | None = None
        """The answer whose tools may not have ended."""
        self._given_up_ns = 0
        """When the user interrupted the work on the prompt."""
        self._has_answer = False
        """Whether a model call of the prompt is known, with whatever outcome."""
        self._why: str | None = None
        """Why the last model call failed, if it did."""
        self.over_ns = 0
        """Since when nothing is awaited, if no tools follow the last answer; zero if something is."""

    def spans(self, line: Json) -> Iterator[DecodedSpan]:
        """Take in a line; yield the spans that are complete by it."""
        if is_of_gemini_cli(line):
            self._begin(line)
        if self._conversation is None:
            return
        if self._again.has(line):
            return
        if (kept := self._kept(line)) is not None:
            self._settle(self._conversation)
            self._messages = kept
            self._conversation.forgot(map(_message_of, filter(_is_message, kept)))
        elif (at_ns := time_of(line.get("timestamp"))) is not None:
            self._said(self._conversation, line, at_ns)
        yield from self._conversation.take()

    def rest(self) -> Iterator[DecodedSpan]:
        """Yield what the end of the file completes."""
        if self._conversation is not None:
            self._finish(self._conversation)
            yield from self._conversation.take()

    def rest_after(self, exit_code: int) -> Iterator[DecodedSpan]:
        """Yield what the end of Gemini CLI completes; the prompt stays open if it came in the middle of the work.

        Args:
            exit_code: How it ended; negative if by a signal.
        """
        if self._conversation is None:
            return
        is_unanswered = self._conversation.is_working and not (self._has_answer or self._answer)
        if is_unanswered and exit_code > 0:
            # It deletes a session in which nothing was answered, so the reason is not known.
            self._conversation.failed(time.time_ns(), f"no answer ({EXIT_CODE} {exit_code})")
        if exit_code == 0 or (is_unanswered and exit_code > 0):
            self._finish(self._conversation)
        self._settle(self._conversation)
        yield from self._conversation.take()

    def _begin(self, line: Json) -> None:
        if self._conversation is None:
            self._conversation = self._begun(line)
        else:
            # The session is resumed.
            self._finish(self._conversation)

    def _begun(self, line: Json) -> Conversation:
        session = within = str(line["sessionId"])
        is_subagent = line.get("kind") == _SUBAGENT
        if is_subagent:
            session = self._path.parent.name
            self._above = _prompt_at(self._path.parent.parent, session, time_of(line.get("startTime")) or 0)
        is_below = self._above is not None
        agent = Agent(
            _SUBAGENT if is_subagent else "gemini",
            _SERVICE,
            "",
            "gcp.gemini",
            session if is_below or not is_subagent else within,
            within if is_below else "",
        )
        return Conversation(agent, parts_in="parts", is_live=self._is_live)

    def _kept(self, line: Json) -> list[Json] | None:
        """Return the messages that a line leaves; None if it adds one."""
        replaced = fields_of(line.get("$set")).get("messages")
        if replaced is not None:
            return objects_in(replaced)
        if (first := line.get("$rewindTo")) is None:
            return None
        ids = [message.get("id") for message in self._messages]
        return self._messages[: ids.index(first) if first in ids else 0]

    def _said(self, conversation: Conversation, line: Json, at_ns: int) -> None:
        kind, said = line.get("type"), text_of(line.get("content"))
        if kind == "gemini" and "model" not in line:
            # It puts this into the mouth of the model.
            self._settle(conversation)
            conversation.heard(at_ns, _message_of(line))
        elif kind == "gemini":
            self._answered(conversation, line)
            self.over_ns = self._given_up_ns or (0 if line.get("toolCalls") else at_ns)
            if any(call.get("name") == _DONE for call in objects_in(line.get("toolCalls")) if _has_succeeded(call)):
                self._finish(conversation)
        elif kind == "user":
            self._heard(conversation, line, at_ns)
            self.over_ns = self._given_up_ns
        elif kind == "info" and said == _CANCELLED:
            self._given_up_ns = self.over_ns = at_ns
        elif kind == "error":
            self._settle(conversation)
            conversation.failed(at_ns, said)
            self._has_answer, self._why, self.over_ns = True, said, at_ns
        if _is_message(line):
            is_again = bool(self._messages) and self._messages[-1].get("id") == line.get("id")
            self._messages[-1 if is_again else len(self._messages) :] = [line]

    def _heard(self, conversation: Conversation, line: Json, at_ns: int) -> None:
        known = [call.get("id") for call in objects_in((self._answer or {}).get("toolCalls"))]
        if self._answer is not None:
            # Calls that were not allowed at all are only in what the model is told of them.
            refused = [_refused(response) for response in _responses_in(line) if response.get("id") not in known]
            self._answer = {**self._answer, "toolCalls": [*objects_in(self._answer.get("toolCalls")), *refused]}
        self._settle(conversation)
        # A subagent has one prompt; later it is only told to come to an end.
        if _is_prompt(line) and not (self._above is not None and conversation.is_working):
            self._finish(conversation)
            self._has_answer = False
            conversation.prompted(at_ns, self._above or str(line.get("id")), text_of(line.get("content")))
        conversation.heard(at_ns, _message_of(line))

    def _answered(self, conversation: Conversation, line: Json) -> None:
        answer = self._answer
        if answer is not None and "tokens" not in line and answer.get("id") != line.get("id"):
            # Its tools were interrupted: they are in a message of their own, because another came between them.
            calls = [*objects_in(answer.get("toolCalls")), *objects_in(line.get("toolCalls"))]
            self._answer = {**answer, "toolCalls": calls}
            return
        if answer is not None and answer.get("id") != line.get("id"):
            self._settle(conversation)
        self._answer = line

    def _settle(self, conversation: Conversation) -> None:
        """Pass on the answer, with the tools that it asked for."""
        answer, self._answer = self._answer, None
        if answer is None or (at_ns := time_of(answer.get("timestamp"))) is None:
            return
        self._has_answer, self._why = True, None
        for part in _parts_of(answer) or [{"text": ""}]:
            conversation.said(at_ns, str(answer.get("id")), answer.get("model"), part)
        conversation.noted(_usage(answer.get("tokens")))
        calls = objects_in(answer.get("toolCalls"))
        for call in calls:
            conversation.called(at_ns, str(call.get("id")), str(call.get("name")), call.get("args"))
        conversation.answered()
        for call in calls:
            _returned(conversation, call, at_ns)

    def _finish(self, conversation: Conversation) -> None:
        self._settle(conversation)
        status = "cancelled" if self._given_up_ns else None
        conversation.finish(self._given_up_ns, status=status, why=self._why if status is None else None)
        self._given_up_ns, self.over_ns, self._why = 0, 0, None


class _Again:
    """Tells which messages from before are only written again, under other ids; a line with all of them follows."""

    def __init__(self) -> None:
        self._is_on = False

    def has(self, line: Json) -> bool:
        """Tell whether the next line is one of them."""
        kind = line.get("type")
        if kind == "user" and text_of(line.get("content")).startswith(_CONTEXT):
            self._is_on = True
        elif (kind == "gemini" and "model" in line) or "messages" in fields_of(line.get("$set")):
            self._is_on = False
        return self._is_on


def _is_message(line: Json) -> bool:
    return line.get("type") in ("user", "gemini")


def _responses_in(line: Json) -> list[Json]:
    return [
        fields_of(block["functionResponse"]) for block in objects_in(line.get("content")) if "functionResponse" in block
    ]


def _has_succeeded(call: Json) -> bool:
    return call.get("status") == "success"


def _refused(response: Json) -> Json:
    return {
        **{key: response.get(key) for key in ("id", "name")},
        "result": [{"functionResponse": response}],
        "status": "error",
    }


def files_of(session: str, directory: Path) -> Iterator[Path]:
    """Yield the files of a session, whose names have only the beginning of its id; not those of its subagents."""
    for path in sorted(directory.glob(f"session-*-{session[:8]}.jsonl")):
        with path.open("rb") as file:
            if (object_on(file.readline()) or {}).get("sessionId") == session:
                yield path


def _is_prompt(line: Json) -> bool:
    """Tell whether a message is the user's."""
    if line.get("type") != "user" or _responses_in(line):
        return False
    return not text_of(line.get("content")).lstrip().startswith(_NO_PROMPTS)


def _prompt_at(directory: Path, session: str, at_ns: int) -> str | None:
    """Return the prompt of a session that was worked on at a time."""
    for path in files_of(session, directory):
        with path.open("rb") as file:
            again = _Again()
            lines = (line for line in map(object_on, file) if line is not None and not again.has(line))
            prompts = list(filter(_is_prompt, lines))
        before = [line for line in prompts if (time_of(line.get("timestamp")) or 0) <= at_ns]
        return str(before[-1].get("id")) if before else None
    return None


def _returned(conversation: Conversation, call: Json, at_ns: int) -> None:
    results = [fields_of(part.get("functionResponse")) for part in objects_in(call.get("result"))]
    response = results[0] if results else {}
    told = fields_of(response.get("response"))
    result, why = (told.get("output") if told.keys() == {"output"} else told or None), told.get("error")
    status = None
    if call.get("status") == "cancelled" or (isinstance(why, str) and any(map(why.__contains__, _REFUSALS))):
        status = "denied" if any(map(str(why).__contains__, _REFUSALS)) else "cancelled"
    elif call.get("status") == "error":
        why = why if isinstance(why, str) else "failed"
    elif (exit_code := _EXIT.search(result) if isinstance(result, str) else None) is not None:
        why = f"{EXIT_CODE} {exit_code[1]}"
    ended_ns = time_of(call.get("timestamp")) or at_ns
    conversation.returned(
        ended_ns, str(call.get("id")), result, why=why if isinstance(why, str) else None, status=status
    )


def _message_of(line: Json) -> Json:
    """Return a message as it is sent to the model."""
    return {"role": "user" if line.get("type") == "user" else "model", "parts": _parts_of(line)}


def _parts_of(line: Json) -> list[Json]:
    """Return the parts of a message: its content may have thoughts and calls, or they are beside it."""
    content = [block for block in _contents_of(line.get("content")) if block.get("text") != ""]
    if any("functionCall" in block or block.get("thought") for block in content):
        return content
    thoughts = [{"text": _thought(each), "thought": True} for each in objects_in(line.get("thoughts"))]
    calls = [
        {"functionCall": {key: call.get(key) for key in ("id", "name", "args")}}
        for call in objects_in(line.get("toolCalls"))
    ]
    return [*thoughts, *content, *calls]


def _contents_of(content: object) -> list[Json]:
    return [{"text": content}] if isinstance(content, str) else objects_in(content)


def _thought(thought: Json) -> str:
    subject, description = thought.get("subject"), thought.get("description")
    return f"**{subject}** {description}" if subject else str(description or "")


def _usage(tokens: object) -> Json:
    """Return the tokens under the conventions' names, in which thoughts are part of the output."""
    counts = counts_in(tokens)
    if "input" not in counts:
        return {}
    thoughts = counts.get("thoughts", 0)
    return {
        sc.USAGE_INPUT_TOKENS: counts["input"] + counts.get("tool", 0),
        sc.USAGE_OUTPUT_TOKENS: counts.get("output", 0) + thoughts,
        sc.USAGE_CACHE_READ: counts.get("cached"),
        sc.USAGE_REASONING: thoughts,
    }
