"""Prompts and answers as chains of hashed parts, to recognise which model call continues which.

The messages and the answer of a call are the beginning of the next call's messages. Clients write the same message in
several ways: as one message of many parts or many of one part, with or without the reasoning, with another name for the
role. So the sequence of parts is compared: texts, tool calls, and their results.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, cast

import msgspec
from msgspec import Raw

from inspector.plain import fields_of
from inspector.prompts import Prompts
from inspector.roles import ITEM_ROLES, ROLES
from inspector.store.values.text_hashes import hash_of

LONGEST_PREVIEW = 200
"""Characters of arguments and results that are kept."""
IMAGE_CHARS = 4_000
"""What an image counts as: about 1,000 tokens, whatever its file's size; as base64 it would hide all other parts."""
MOST_MESSAGES = 10_000
"""A longer prompt is in no conversation."""
_DIGEST_BYTES = 16
_REMEMBERED = 8192
_STEPS = 4096
_ARRAY = msgspec.json.Decoder(list[Raw])
_ANY = msgspec.json.Decoder()
_SORTED = msgspec.json.Encoder(order="deterministic")
_FAILED_KEYS = ("error", "isError", "is_error")
_FAILURES = (
    "Error",
    "ERROR",
    "error:",
    "Traceback (most recent call last)",
    "Exception",
    # Haystack, Semantic Kernel, and CAMEL.
    "Failed to invoke ",
    "An error occurred while invoking ",
    "Tool execution failed: ",
)


class RequestedTool(NamedTuple):
    """A tool call that an answer requests."""

    id: str | None
    name: str
    arguments: str
    """The beginning of their JSON."""


class ToolResult(NamedTuple):
    """The result of a tool call, from a message."""

    id: str | None
    result: str
    """The beginning of its text or JSON."""
    failed: bool
    """Whether the call failed, according to the message."""


class MessageOutline(NamedTuple):
    """The parts of a message that conversations need."""

    by_assistant: bool
    parts: tuple[bytes, ...]
    """A digest of each part, except instructions and reasoning."""
    requests: tuple[RequestedTool, ...]
    results: tuple[ToolResult, ...]
    sizes: Mapping[str, int]
    """Numbers of characters, under ``system``, ``user``, ``assistant``, ``tool`` or ``file``.

    An image has `IMAGE_CHARS`.
    """
    is_item: bool
    """Whether it is an item of OpenAI's Responses API, of which an answer has several."""


class Chain(NamedTuple):
    """The messages of a prompt, and the chain after each of them."""

    messages: Sequence[MessageOutline]
    after: Sequence[bytes]
    """The chain up to and with each message."""
    ends: Sequence[int]
    """The indexes of the messages with which an answer may have ended."""
    sums: Mapping[str, int]
    """The sizes of all messages added up, see `MessageOutline.sizes`."""

    @property
    def asked(self) -> bytes:
        """The chain of the whole prompt."""
        return self.after[-1] if self.after else _BEGIN

    def ends_of_answers(self) -> Iterator[tuple[bytes, int]]:
        """Return where an answer may have ended, the latest first: the chain up to there and its number of messages."""
        return ((self.after[at], at + 1) for at in reversed(self.ends))


_BEGIN = b"\0" * _DIGEST_BYTES
_NO_MESSAGES = Chain((), (), (), {})


class Chains:
    """Reads prompts and answers, each repeated message only once."""

    def __init__(self, hash_text: Callable[[bytes], bytes] = hash_of) -> None:
        self._hash_text = hash_text
        self._prompts = Prompts[Chain]()
        self._known: OrderedDict[bytes, MessageOutline] = OrderedDict()
        self._steps: dict[tuple[bytes, tuple[bytes, ...]], bytes] = {}
        """The chain that results from a chain and a message's parts; the next prompt repeats the same steps."""

    def of_prompt(self, text: object) -> Chain | None:
        """Read the messages of ``gen_ai.input.messages``; None if it has none."""
        if not isinstance(text, str):
            return None
        before, rest = self._prompts.before(text) or (_NO_MESSAGES, text)
        bodies = _bodies(rest)
        if bodies is None or len(before.messages) + len(bodies) > MOST_MESSAGES:
            return None
        messages = [self._message(body) for body in bodies]
        after: list[bytes] = []
        chain, sums, ends = before.asked, dict(before.sums), list(before.ends)
        for at, message in enumerate(messages, len(before.messages)):
            if message.by_assistant:
                # An answer of several messages ends with the last one.
                ends[-1:] = [at] if ends[-1:] == [at - 1] else [*ends[-1:], at]
            chain = self._after(chain, message.parts)
            after.append(chain)
            for what, size in message.sizes.items():
                sums[what] = sums.get(what, 0) + size
        found = Chain([*before.messages, *messages], [*before.after, *after], ends, sums)
        self._prompts.keep(text, found)
        return found

    def of_answer(self, text: object) -> MessageOutline | None:
        """Read the answer in ``gen_ai.output.messages``; None if there is none, or none of its parts counts.

        It is the first message, or all of them if they are items of OpenAI's Responses API.
        """
        bodies = _bodies(text)
        if not bodies:
            return None
        answer = self._message(bodies[0])
        if answer.is_item:
            items = [answer, *map(self._message, bodies[1:])]
            parts = tuple(part for item in items for part in item.parts)
            answer = answer._replace(parts=parts, requests=tuple(tool for item in items for tool in item.requests))
        return answer if answer.parts else None

    def _after(self, chain: bytes, parts: tuple[bytes, ...]) -> bytes:
        step = chain, parts
        cached = self._steps.get(step)
        if cached is None:
            if len(self._steps) >= _STEPS:
                self._steps.clear()
            cached = self._steps[step] = extended(chain, parts)
        return cached

    def _message(self, body: Raw) -> MessageOutline:
        raw = bytes(body)
        text_hash = self._hash_text(raw)
        cached = self._known.get(text_hash)
        if cached is None:
            cached = self._known[text_hash] = read_message(_ANY.decode(raw))
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(text_hash)
        return cached


def extended(chain: bytes, parts: Sequence[bytes]) -> bytes:
    """Return a chain with more parts appended."""
    for part in parts:
        chain = blake2b(part, key=chain, digest_size=_DIGEST_BYTES).digest()
    return chain


def _bodies(text: object) -> list[Raw] | None:
    if not isinstance(text, str) or not text.startswith("["):
        return None
    try:
        bodies = _ARRAY.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return bodies if len(bodies) <= MOST_MESSAGES else None


def read_message(message: Any) -> MessageOutline:
    """Read a message in OpenTelemetry's format, a role and parts, or as the API of a coding agent's provider has it."""
    members = fields_of(message)
    item_role = ITEM_ROLES.get(str(members.get("type")))
    role = str(members.get("role", item_role or "user"))
    role = ROLES.get(role, role)
    body = [message] if item_role else members.get("parts", members.get("content"))
    parts = [conventional(part) for part in cast("list[Any]", body)] if isinstance(body, list) else [body]
    digests: list[bytes] = []
    requests: list[RequestedTool] = []
    results: list[ToolResult] = []
    sizes: dict[str, int] = {}
    for part in parts:
        what, content = _of_part(part, role)
        size = len(_text_of(content))
        sizes[what] = sizes.get(what, 0) + (IMAGE_CHARS if what == "file" and _is_image(part) else size)
        kind = fields_of(part).get("type")
        if kind == "tool_call":
            requests.append(_requested_tool(fields_of(part)))
        elif kind == "tool_call_response":
            results.append(_result(fields_of(part)))
        if size and kind != "reasoning" and what != "system":
            digests.append(_digest(what, content))
    # A tool of the provider's own has run by the time the answer is there: nothing asks the program for it.
    done = {result.id for result in results}
    requests = [tool for tool in requests if tool.id is None or tool.id not in done]
    is_item = "type" in members and "parts" not in members
    return MessageOutline(role == "assistant", tuple(digests), tuple(requests), tuple(results), sizes, is_item)


def conventional(part: Any) -> Any:
    """Return a part in OpenTelemetry's format: a tool call, a result or a thought in that, others as they are.

    The sessions of coding agents have them in other formats: Claude Code's as Anthropic's API, Codex's as items of
    OpenAI's Responses API, Gemini CLI's as Google's.
    """
    match part:
        case {"type": "tool_use" | "function_call" | "custom_tool_call"}:
            found = _call(part, part.get("call_id", part.get("id")))
        case {"type": "tool_result"}:
            found = _response(part.get("tool_use_id"), part.get("content")) | {"is_error": part.get("is_error")}
        case {"type": "function_call_output" | "custom_tool_call_output"}:
            found = _response(part.get("call_id"), part.get("output"))
        case {"functionCall": {"name": _} as call}:
            found = _call(call, call.get("id"))
        case {"functionResponse": {"response": response} as result}:
            found = _response(result.get("id"), response)
        case {"text": text, "thought": True}:
            found = {"type": "reasoning", "content": text}
        case _:
            found = part
    return found


def _call(fields: Mapping[str, Any], call_id: Any) -> dict[str, Any]:
    arguments = next((fields[name] for name in _ARGUMENTS if fields.get(name) is not None), None)
    return {"type": "tool_call", "id": call_id, "name": fields.get("name"), "arguments": arguments}


_ARGUMENTS = ("arguments", "input", "args")


def _response(call_id: Any, response: Any) -> dict[str, Any]:
    return {"type": "tool_call_response", "id": call_id, "response": response}


def _of_part(part: Any, role: str) -> tuple[str, Any]:
    """Return what a part counts as (see `MessageOutline.sizes`), and the content that identifies it."""
    members = fields_of(part)
    match members.get("type"):
        case "tool_call":
            return "assistant", [members.get("id"), members.get("name"), members.get("arguments")]
        case "tool_call_response":
            # Without the failure flag, which clients write in different ways or not at all.
            return "tool", [members.get("id"), _text_of(members.get("response", members.get("result")))]
        case "blob" | "uri" | "file":
            return "file", [members.get(name) for name in ("content", "uri", "file_id")]
        case _:
            content = members.get("content", members.get("text")) if members else part
            return role if role in ("system", "assistant", "tool") else "user", content


def _is_image(part: Any) -> bool:
    members = fields_of(part)
    return members.get("modality") == "image" or str(members.get("mime_type")).startswith("image/")


def _digest(what: str, content: Any) -> bytes:
    return blake2b(_SORTED.encode([what, content]), digest_size=_DIGEST_BYTES).digest()


def _requested_tool(part: Mapping[str, Any]) -> RequestedTool:
    return RequestedTool(_id(part), str(part.get("name") or ""), _preview(part.get("arguments")))


def _result(part: Mapping[str, Any]) -> ToolResult:
    response = _as_text(part.get("response", part.get("result")))
    return ToolResult(_id(part), _preview(response), part.get("is_error") is True or _says_failure(response))


def _as_text(response: Any) -> Any:
    """Return a response as one text if it is nothing but texts, as Anthropic and OpenAI take it."""
    parts = cast("list[Any]", response) if isinstance(response, list) else []
    texts = [text for part in parts if isinstance(text := fields_of(part).get("text"), str)]
    return "\n".join(texts) if texts and len(texts) == len(parts) else cast("Any", response)


def _says_failure(result: Any) -> bool:
    """Tell whether a result reports a failure: by an error field, or as text that begins like an exception."""
    if isinstance(result, str):
        text = result.lstrip()
        if text.startswith("{"):
            try:
                return _says_failure(_ANY.decode(text))
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                return False
        first = text[:80].split(":", 1)[0].split("(", 1)[0]
        return text.startswith(_FAILURES) or (":" in text[:80] and first.isidentifier() and first.endswith(_ENDS))
    return any(bool(fields_of(result).get(name)) for name in _FAILED_KEYS)


_ENDS = ("Error", "Exception")


def _id(part: Mapping[str, Any]) -> str | None:
    part_id = part.get("id")
    return part_id if isinstance(part_id, str) and part_id else None


def _preview(value: Any) -> str:
    text = _text_of(value)
    return text if len(text) <= LONGEST_PREVIEW else f"{text[: LONGEST_PREVIEW - 1]}…"


def _text_of(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else _SORTED.encode(value).decode()
