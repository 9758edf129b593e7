"""Rollouts of Codex: the items of the Responses API, and events of its turns."""

import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from inspector import semconv as sc
from inspector.otlp import DecodedSpan
from inspector.plain import fields_of
from inspector.transcripts.conversation import Agent, Conversation
from inspector.transcripts.failures import EXIT_CODE
from inspector.transcripts.lines import Json, counts_in, object_on, objects_in, text_of, time_of

_SERVICE: Final = "codex"
_CALLS: Final = ("function_call", "custom_tool_call", "local_shell_call")
_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output")
_ID: Final = re.compile(r"[0-9a-f-]{36}")
_MCP: Final = "mcp__"
_ABORTED: Final = "aborted by user"
_UNKNOWN: Final = "unsupported call: "
_REFUSALS: Final = ("; reject command", "patch rejected: ", "rejected by user", "rejected by configuration")
"""What the model is told instead of a result, if a call was not allowed."""


def is_of_codex(line: Json) -> bool:
    """Tell whether a line is the first of a rollout."""
    return line.get("type") == "session_meta" and isinstance(line.get("payload"), dict)


def rollouts_of(thread: str, sessions: Path) -> Iterator[Path]:
    """Return the file of a thread, if it is in the directory of sessions."""
    return sessions.glob(f"*/*/*/rollout-*-{thread}.jsonl")


class Codex:
    """Reads one rollout, line by line: that of a session, or of a subagent.

    Args:
        path: Its file; a fork has what was said before it in that of another session.
        is_live: Whether prompts and tool calls are also returned when they begin, without an end.
    """

    def __init__(self, path: Path, *, is_live: bool = False) -> None:
        self._path, self._is_live = path, is_live
        self._parent: tuple[str, ...] = ()
        """The id of the subagent that started this one, if one did."""
        self._instructions: list[Json] = []
        """The system prompt, if there is one."""
        self._ran: set[str] = set()
        """Ids of tool calls that were carried out, with whatever outcome."""
        self._conversation: Conversation | None = None
        self._model: str | None = None
        self._answers = 0
        self._tells_turns = False
        """Whether it says when the work on a prompt begins, as earlier versions did not."""

    def spans(self, line: Json) -> Iterator[DecodedSpan]:
        """Take in a line; yield the spans that are complete by it."""
        kind, payload, at_ns = line.get("type"), fields_of(line.get("payload")), time_of(line.get("timestamp"))
        if at_ns is None:
            return
        if kind == "session_meta" and self._conversation is None:
            self._begin(payload, at_ns)
            self._remember(self._conversation, payload, line.get("ordinal"))
        if self._conversation is None:
            return
        match kind:
            case "turn_context":
                self._model = payload.get("model")
            case "response_item":
                self._item(self._conversation, payload, at_ns)
            case "event_msg":
                self._event(self._conversation, payload, at_ns)
            case "token_usage_record":
                self._spent(self._conversation, payload.get("usage"), payload.get("response_id"))
            case "compacted":
                self._conversation.forgot([*self._instructions, *_kept(payload)])
            case _:
                pass
        yield from self._conversation.take()

    def rest(self) -> Iterator[DecodedSpan]:
        """Yield what the end of the file completes."""
        if self._conversation is not None:
            self._conversation.finish()
            yield from self._conversation.take()

    def _begin(self, meta: Json, at_ns: int) -> None:
        thread, parent = str(meta.get("id")), meta.get("parent_thread_id")
        session = str(meta.get("session_id") or thread)
        within = thread if isinstance(parent, str) and thread != session else ""
        self._parent = (str(parent),) if within and parent != session else ()
        role = meta.get("agent_role")
        name = (role if isinstance(role, str) and role != "default" else "subagent") if within else "codex"
        agent = Agent(name, _SERVICE, str(meta.get("cli_version") or ""), "openai", session, within)
        self._conversation = Conversation(agent, parts_in=None, is_live=self._is_live)
        instructions = fields_of(meta.get("base_instructions")).get("text") or meta.get("instructions")
        if isinstance(instructions, str):
            self._instructions = [{"role": "system", "content": instructions}]
            self._conversation.heard(at_ns, self._instructions[0])

    def _remember(self, conversation: Conversation | None, meta: Json, ordinal: Any) -> None:
        """Begin with what was said in the session that this one was forked from, if its file is there."""
        thread, end = meta.get("forked_from_id"), meta.get("forked_from_ordinal_exclusive")
        if conversation is None or not isinstance(thread, str) or not _ID.fullmatch(thread):
            return
        # Files that name each other in a circle cannot all come before each other.
        if not (type(end) is int and type(ordinal) is int and end <= ordinal):
            return
        for path in (path for root in self._path.absolute().parents[3:4] for path in rollouts_of(thread, root)):
            before = Codex(path)
            with path.open("rb") as file:
                for line in map(object_on, file):
                    if line is not None and type(at := line.get("ordinal")) is int and at < end:
                        deque(before.spans(line), 0)
            if before._conversation is not None:
                conversation.remember(before._conversation.messages())

    def _item(self, conversation: Conversation, item: Json, at_ns: int) -> None:
        kind = item.get("type")
        if kind in _OUTPUTS:
            conversation.answered()
            self._returned(conversation, str(item.get("call_id")), item.get("output"), at_ns)
            conversation.heard(at_ns, item)
        elif kind == "message" and item.get("role") != "assistant":
            conversation.heard(at_ns, item)
        else:
            self._answers += not conversation.is_answering
            conversation.said(at_ns, str(self._answers), self._model, item)
            if kind in _CALLS:
                arguments = item.get("arguments") or item.get("input") or item.get("action")
                conversation.called(at_ns, str(item.get("call_id")), _name(item), arguments)

    def _returned(self, conversation: Conversation, call_id: str, output: Any, at_ns: int) -> None:
        if call_id in self._ran:
            self._ran.discard(call_id)
            conversation.returned(at_ns, call_id, output)
            return
        said = text_of(output)
        status = (
            "cancelled" if said.endswith(_ABORTED) else "denied" if any(map(said.__contains__, _REFUSALS)) else None
        )
        why = said if status == "denied" or said.startswith(_UNKNOWN) else None
        conversation.returned(at_ns, call_id, output, why=why, status=status)

    def _event(self, conversation: Conversation, event: Json, at_ns: int) -> None:
        match event.get("type"):
            case "task_started":
                self._tells_turns = True
                self._started(conversation, event, at_ns)
            case "user_message" if isinstance(text := event.get("message"), str):
                if not self._tells_turns:
                    conversation.prompted(at_ns, str(at_ns))
                conversation.asked(text)
            case "item_completed":
                self._completed(conversation, fields_of(event.get("item")))
            case "token_count":
                self._spent(conversation, fields_of(event.get("info")).get("last_token_usage"), None)
            case "task_complete":
                conversation.ended(at_ns)
            case "turn_aborted":
                conversation.ended(at_ns, status="cancelled")
            case _:
                pass

    def _started(self, conversation: Conversation, event: Json, at_ns: int) -> None:
        turn, root = str(event.get("turn_id") or at_ns), event.get("root_turn_id")
        above = fields_of(event.get("turn_attribution")).get("parent_turn_id") or root
        conversation.prompted(
            at_ns,
            turn,
            root=root if isinstance(root, str) else None,
            above=(above, *self._parent) if isinstance(above, str) else (),
        )

    def _completed(self, conversation: Conversation, item: Json) -> None:
        if item.get("type") == "UserMessage":
            conversation.asked(text_of(item.get("content")))
            return
        call_id, status = str(item.get("id")), item.get("status")
        if status != "declined":
            self._ran.add(call_id)
        if status == "failed":
            code = item.get("exit_code")
            said = text_of(fields_of(item.get("result")).get("content"))
            conversation.broke(call_id, f"{EXIT_CODE} {code}" if isinstance(code, int) else said or "failed")

    def _spent(self, conversation: Conversation, usage: object, response_id: Any) -> None:
        if not conversation.is_answering:
            return
        counts = counts_in(usage)
        conversation.noted(
            {
                sc.RESPONSE_ID: response_id,
                sc.USAGE_INPUT_TOKENS: counts.get("input_tokens"),
                sc.USAGE_OUTPUT_TOKENS: counts.get("output_tokens"),
                sc.USAGE_CACHE_READ: counts.get("cached_input_tokens"),
                sc.USAGE_REASONING: counts.get("reasoning_output_tokens"),
            }
        )
        conversation.answered()


def _kept(compacted: Json) -> list[Json]:
    """Return what the model is told from now on; earlier versions keep the summary alone."""
    history, summary = objects_in(compacted.get("replacement_history")), compacted.get("message")
    return history or ([{"role": "user", "content": summary}] if isinstance(summary, str) else [])


def _name(item: Json) -> str:
    """Return the name of a tool; that of an MCP server's begins with the server's, as elsewhere."""
    name, namespace = str(item.get("name") or "shell"), item.get("namespace")
    if not isinstance(namespace, str) or not namespace.startswith(_MCP):
        return name
    return f"{namespace.rstrip('_')}__{name}"
