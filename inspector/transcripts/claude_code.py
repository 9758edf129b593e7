"""Transcripts of Claude Code: a line for each block of an answer, each result of a tool, each prompt."""

from collections.abc import Iterator
from typing import Any, Final

from inspector import semconv as sc
from inspector.otlp import DecodedSpan
from inspector.plain import fields_of
from inspector.transcripts.conversation import Agent, Conversation
from inspector.transcripts.lines import Json, blocks_of, counts_in, objects_in, text_of, time_of

_SERVICE: Final = "claude-code"
_MADE_UP: Final = "<synthetic>"
"""The model of answers that Claude Code writes itself."""
_WITHOUT_SESSION: Final = ("summary", "file-history-snapshot")
"""Lines that do not name their session, with which a file may begin."""
_INTERRUPTED: Final = "[Request interrupted by user"


def is_of_claude_code(line: Json) -> bool:
    """Tell whether a line is one of its transcripts."""
    kind = line.get("type")
    return isinstance(kind, str) and (kind in _WITHOUT_SESSION or isinstance(line.get("sessionId"), str))


class ClaudeCode:
    """Reads one transcript, line by line: that of a session, or of a subagent."""

    def __init__(self) -> None:
        self._conversation: Conversation | None = None
        self._aside: dict[str, Conversation] = {}
        """Of subagents, by the ids of their lines: earlier versions kept them in the file of the session."""
        self._prompt_id: Any = None

    def spans(self, line: Json) -> Iterator[DecodedSpan]:
        """Take in a line; yield the spans that are complete by it."""
        kind, at_ns = line.get("type"), time_of(line.get("timestamp"))
        if kind not in ("user", "assistant", "system") or at_ns is None:
            return
        conversation = self._of(line)
        if kind == "assistant":
            self._said(conversation, line, at_ns)
        elif kind == "user":
            self._heard(conversation, line, at_ns)
        elif line.get("subtype") == "compact_boundary":
            conversation.forgot()
        yield from conversation.take()

    def rest(self) -> Iterator[DecodedSpan]:
        """Yield what the end of the file completes."""
        for conversation in (*dict.fromkeys(self._aside.values()), self._conversation):
            if conversation is not None:
                conversation.finish()
                yield from conversation.take()

    def _of(self, line: Json) -> Conversation:
        agent_id, uuid = line.get("agentId"), str(line.get("uuid"))
        if line.get("isSidechain") is True and not agent_id:
            found = self._aside.get(str(line.get("parentUuid"))) or _begun(line, uuid)
            self._aside[uuid] = found
            return found
        if self._conversation is None:
            self._conversation = _begun(line, str(agent_id) if line.get("isSidechain") is True else "")
        return self._conversation

    def _heard(self, conversation: Conversation, line: Json, at_ns: int) -> None:
        message = fields_of(line.get("message"))
        results = [block for block in objects_in(message.get("content")) if block.get("type") == "tool_result"]
        for block in results:
            self._returned(conversation, line, block, at_ns)
        text = text_of(message.get("content"))
        if text.startswith(_INTERRUPTED):
            conversation.ended(at_ns, status="cancelled")
        elif not (results or line.get("isMeta") or line.get("isCompactSummary")):
            self._prompted(conversation, line, text, at_ns)
        if message:
            conversation.heard(at_ns, message)

    def _prompted(self, conversation: Conversation, line: Json, text: str, at_ns: int) -> None:
        prompt_id = line.get("promptId") or line.get("uuid")
        if conversation is not self._conversation:
            # Below the prompt of the session that is worked on.
            if not conversation.is_working:
                conversation.prompted(at_ns, str(self._prompt_id), text)
        elif prompt_id != self._prompt_id:
            self._prompt_id = prompt_id
            conversation.prompted(at_ns, str(prompt_id), text)

    def _returned(self, conversation: Conversation, line: Json, block: Json, at_ns: int) -> None:
        content = block.get("content")
        has_failed = block.get("is_error") is True
        is_denied = fields_of(line.get("permissionDecision")).get("decision") == "reject" or "toolDenialKind" in line
        conversation.returned(
            at_ns,
            str(block.get("tool_use_id")),
            content,
            why=text_of(content) if has_failed else None,
            status="denied" if has_failed and is_denied else None,
        )

    def _said(self, conversation: Conversation, line: Json, at_ns: int) -> None:
        message = fields_of(line.get("message"))
        if message.get("model") == _MADE_UP:
            if line.get("isApiErrorMessage") is True:
                conversation.failed(at_ns, text_of(message.get("content")))
            return
        if isinstance(name := line.get("attributionAgent"), str):
            conversation.belongs_to(name)
        for block in blocks_of(message.get("content")):
            conversation.said(at_ns, str(message.get("id")), message.get("model"), block)
            if block.get("type") == "tool_use":
                conversation.called(at_ns, str(block.get("id")), str(block.get("name")), block.get("input"))
        conversation.noted({sc.RESPONSE_ID: message.get("id"), **_usage(message.get("usage"))})


def _begun(line: Json, within: str) -> Conversation:
    session, version = str(line.get("sessionId")), str(line.get("version") or "")
    agent = Agent("subagent" if within else "claude", _SERVICE, version, "anthropic", session, within)
    return Conversation(agent, parts_in="content")


def _usage(usage: object) -> Json:
    """Return the tokens under the conventions' names; theirs of the input include the cache."""
    counts = counts_in(usage)
    if "input_tokens" not in counts:
        return {}
    read, written = counts.get("cache_read_input_tokens", 0), counts.get("cache_creation_input_tokens", 0)
    return {
        sc.USAGE_INPUT_TOKENS: counts["input_tokens"] + read + written,
        sc.USAGE_OUTPUT_TOKENS: counts.get("output_tokens"),
        sc.USAGE_CACHE_READ: read,
        sc.USAGE_CACHE_WRITE: written,
    }
