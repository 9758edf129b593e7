"""The identity of a call: what tells whether two spans record the same one.

It is read at ingest and stored in the span's row, so that duplicates are found in the same way whether a trace arrives
at once or in pieces. It has to be cheap, so only the last messages of a prompt are read.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, TypeAlias, cast
from zlib import crc32

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from inspector import semconv
from inspector.model import AttributeValue, Span
from inspector.nouns import kinds_of
from inspector.plain import fields_of

Attributes: TypeAlias = Mapping[str, AttributeValue]

CALL_KINDS: Final = kinds_of("call")
"""Kinds of spans of which two may be one call."""
BETWEEN_KINDS: Final = kinds_of("between")
"""Kinds that may be between two spans of one call; spans below any other kind belong to other calls."""

SENDING_KINDS: Final = kinds_of("sent")
"""Further kinds that send JSON-RPC requests; spans below them belong to other calls."""

REQUEST_ID_KEYS: Final = (
    "http.response.header.x-request-id",
    "http.response.header.request-id",
    "http.request.header.x-request-id",
    "aws.request_id",
    "az.service_request_id",
)
"""Attributes that identify an HTTP exchange: OpenTelemetry's conventions for headers, and the ids of two clouds."""

_TARGETS: Final = {"resource": semconv.MCP_RESOURCE_URI, "prompt": semconv.PROMPT_NAME}
"""Attributes that name the requested resource or prompt."""

_LONGEST_ARGUMENTS: Final = 4_096
_LONGEST_PROMPT: Final = 262_144
_LONGEST_MESSAGE: Final = 16_384
_COMPARED_CHARS: Final = 512
_LAST_MESSAGES: Final = 32
_INPUT_KEYS: Final = ("messages", "input", "message", "prompt", "task", "query")
_REDACTED: Final = b"[redacted:"
"""How every replacement of a secret begins."""
_FOREIGN_IDS: Final = frozenset(("__fake_id__",))
"""What openai-agents writes if the provider gave no id."""


class Identity(Struct, frozen=True, array_like=True, gc=False):
    """Who recorded a span, and what identifies its call."""

    recorder: str | int
    """The integration, emitter or instrumentation scope, and the process."""
    is_server: bool = False
    """Whether it is the receiving side of a request, so that spans below it have another recorder."""
    response_id: str | None = None
    tool_call_id: str | None = None
    """The id that the model gave the call."""
    call_id: str | int | None = None
    request_id: str | None = None
    """The id of the HTTP exchange."""
    input: dict[str, int] | None = None
    """Checksums of arguments by name; under the empty name that of the user's last text, or of the requested name."""
    message: str | None = None
    """Method and id of the JSON-RPC request that the span records or sends."""
    embeds: bool | None = None
    """Whether a model call computes embeddings; it is never one call with another operation of a model."""
    is_repeated: bool | None = None
    """Whether middleware made a tool call several times, so that calls below it may be its attempts."""
    is_charged: bool | None = None
    """Whether the cost of a model call is what its provider or the program says, and not worked out from a list."""


class _Step(Struct):
    """What one middleware did to a call."""

    calls: int = 0


_HASHED: Final = tuple(map(Identity.__struct_fields__.index, ("recorder", "call_id")))
"""The places of texts that are only compared with others."""
_ENCODER = msgspec.json.Encoder()
_ORDERED = msgspec.json.Encoder(order="deterministic")
_IDENTITY = msgspec.json.Decoder(Identity)
_PACKER = msgspec.msgpack.Encoder()
_PACKED = msgspec.msgpack.Decoder(Identity)
_USER: Final = '"user"'
_USERS: Final = ('{"role":"user"', '{"role": "user"')
"""How a user's message begins, in compact JSON and in that of Python's ``json``; no text in a message contains this."""
_MESSAGE: Final = '{"role":'
_ANSWERS: Final = tuple(f'{{"role":{space}"{role}"' for role in ("assistant", "tool") for space in ("", " "))
_STEPS = msgspec.json.Decoder(list[_Step])
_ARRAY = msgspec.json.Decoder(list[Any])
_RAW_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])


def identity_text(span: Span) -> str | None:
    """Return the identity as JSON; None for a span that is not a call and does not separate calls."""
    fields = _fields(span)
    return None if fields is None else _ENCODER.encode(fields).decode()


def packed_identity(span: Span) -> bytes | None:
    """Return the identity in MessagePack, which takes fewer bytes; see `read_identity`."""
    fields = _fields(span)
    if fields is None:
        return None
    for at in _HASHED:
        if at < len(fields) and fields[at] is not None:
            fields[at] = _checksum(fields[at])
    return _PACKER.encode(fields)


@lru_cache(maxsize=1_024)
def read_identity(stored: str | bytes) -> Identity:
    """Return the identity of a stored row, in the same form however it was stored."""
    return _PACKED.decode(stored) if isinstance(stored, bytes) else _shortened(_IDENTITY.decode(stored))


def tool_call_of(stored: str | bytes) -> tuple[str | None, Mapping[str, int] | None]:
    """Return the id that the model gave the call of a stored row, and the checksums of its arguments."""
    identity = _PACKED.decode(stored) if isinstance(stored, bytes) else _IDENTITY.decode(stored)
    return identity.tool_call_id, identity.input


def _fields(span: Span) -> list[Any] | None:
    """Return the fields of the identity; those missing at the end decode to their default."""
    identity = _identity(span)
    if identity is None:
        return None
    # `astuple` would take several times as long.
    fields = [
        identity.recorder,
        identity.is_server,
        identity.response_id,
        identity.tool_call_id,
        identity.call_id,
        identity.request_id,
        identity.input,
        identity.message,
        identity.embeds,
        identity.is_repeated,
        identity.is_charged,
    ]
    while fields[-1] is None:
        fields.pop()
    return fields


def _shortened(identity: Identity) -> Identity:
    """Return an identity with checksums in the place of texts that are only compared with others."""
    recorder, call_id = identity.recorder, identity.call_id
    return replace(
        identity,
        recorder=_checksum(recorder),
        call_id=None if call_id is None else _checksum(call_id),
    )


def _checksum(text: str | int) -> int:
    return crc32(text.encode(errors="replace")) if isinstance(text, str) else text


def _identity(span: Span) -> Identity | None:
    if span.kind in CALL_KINDS:
        return _of_call(span)
    message = _message(span.attributes) if span.kind == "rpc" or span.kind in SENDING_KINDS else None
    if message is not None or span.kind in SENDING_KINDS:
        return Identity(_recorder(span), _is_server(span.attributes), input=_target(span), message=message)
    return _SERVER if span.kind in BETWEEN_KINDS and _is_server(span.attributes) else None


def _of_call(span: Span) -> Identity:
    attributes = span.attributes
    # Only what its kind can have, since each lookup costs time.
    response_id = _text(attributes, semconv.RESPONSE_ID) if span.kind == "llm" else None
    return Identity(
        _recorder(span),
        _is_server(attributes),
        None if response_id in _FOREIGN_IDS else response_id,
        _text(attributes, semconv.TOOL_CALL_ID) if span.kind == "tool" else None,
        _text(attributes, semconv.CALL_ID),
        _request_id(attributes),
        _input(span),
        _message(attributes) if span.kind == "tool" else None,
        _embeds(attributes) if span.kind == "llm" else None,
        _is_repeated(attributes) if span.kind == "tool" else None,
        True if span.kind == "llm" and semconv.COST_USD in attributes else None,
    )


_SERVER: Final = Identity("", is_server=True)


def _recorder(span: Span) -> str:
    """Name who recorded a span: its emitter or scope, and its process; an application's hooks have only a process."""
    attributes = span.attributes
    name = attributes.get(semconv.EMITTER) or attributes.get(semconv.OTEL_SCOPE_NAME) or ""
    pid = attributes.get(semconv.PROCESS_PID)
    process = span.process or span.service if pid is None else f"{attributes.get(semconv.HOST_NAME) or ''}:{pid}"
    return f"{name}@{process or ''}"


def _is_server(attributes: Attributes) -> bool:
    return attributes.get(semconv.SEED_RPC_DIRECTION) == "inbound" or attributes.get(semconv.OTEL_SPAN_KIND) == "server"


def _message(attributes: Attributes) -> str | None:
    method, request_id = attributes.get(semconv.MCP_METHOD_NAME), attributes.get(semconv.JSONRPC_REQUEST_ID)
    # A notification has no id.
    return None if method is None or request_id is None else f"{method} {request_id}"[:256]


def _embeds(attributes: Attributes) -> bool | None:
    # One call may have two of the other operations: an SDK's `generate_content` is a framework's `chat`.
    operation = attributes.get(semconv.OPERATION_NAME)
    return None if operation is None else operation == "embeddings"


def _is_repeated(attributes: Attributes) -> bool | None:
    text = attributes.get(semconv.MIDDLEWARE)
    # Middleware that made one call writes no count.
    if not isinstance(text, str) or '"calls":' not in text:
        return None
    try:
        return any(step.calls > 1 for step in _STEPS.decode(text)) or None
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


def _target(span: Span) -> dict[str, int] | None:
    key = _TARGETS.get(span.kind)
    target = None if key is None else span.attributes.get(key)
    return {"": crc32(target.encode(errors="replace"))} if isinstance(target, str) else None


def _text(attributes: Attributes, key: str) -> str | None:
    value = attributes.get(key)
    if not isinstance(value, str) or not value:
        return None
    return short_id(value)


def short_id(value: str) -> str:
    """Return an id as identities store it: a long one as a checksum."""
    return value if len(value) <= 256 else str(crc32(value.encode(errors="replace")))


def _request_id(attributes: Attributes) -> str | None:
    # Nearly no span has one.
    if attributes.keys().isdisjoint(REQUEST_ID_KEYS):
        return None
    for key in REQUEST_ID_KEYS:
        request_id = attributes.get(key)
        # A header is a list of its values, by OpenTelemetry's conventions.
        if isinstance(request_id, (list, tuple)):
            request_id = request_id[0] if len(request_id) == 1 else None
        if isinstance(request_id, str) and request_id:
            return short_id(request_id)
    return None


def _input(span: Span) -> dict[str, int] | None:
    key = semconv.INPUT_MESSAGES if span.kind == "llm" else span.input_key
    text = None if key is None else span.attributes.get(key)
    if not isinstance(text, str) or not text or span.attributes.get(f"{key}{semconv.TRUNCATED_SUFFIX}"):
        return None
    try:
        return _arguments(text) if span.kind == "tool" else _last_text(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


def checked_arguments(text: str) -> Mapping[str, int] | None:
    """Return the checksums of the arguments that a model asked a tool with; None if their JSON is not whole."""
    try:
        return _arguments(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


def _arguments(text: str) -> dict[str, int] | None:
    if len(text) > _LONGEST_ARGUMENTS:
        return None
    decoded = msgspec.json.decode(text)
    if not isinstance(decoded, dict):
        return None
    arguments = cast("dict[str, Any]", decoded)
    # Some recorders write missing arguments as null, and some do not see a secret that others redacted.
    written = [(name, _ORDERED.encode(value)) for name, value in arguments.items() if value is not None]
    return {name: crc32(value) for name, value in written if _REDACTED not in value}


def _last_text(text: str) -> dict[str, int] | None:
    """Return the checksum of the user's last text, the only part of a prompt that all recorders write alike.

    Messages of the user that follow one another are one text, because some frameworks send them as one.
    """
    ends = text.rfind(_USER) + len(_USER)
    begins = text.rfind("{", 0, ends)
    is_near = begins > 0 and text[begins:ends] in _USERS and len(text) - begins < _LONGEST_MESSAGE
    if is_near and _stands_alone(text, begins):
        # The messages from there on; if this is not a list, the match was inside a message.
        with suppress(msgspec.DecodeError):
            if words := _user_text(_ARRAY.decode(f"[{text[begins:]}")[0]):
                return _checked(words)
    if len(text) > _LONGEST_PROMPT:
        return None
    if not text.startswith("["):
        return _checked(_question_in(msgspec.json.decode(text)) if len(text) <= _LONGEST_MESSAGE else None)
    return _checked(_last_words(_RAW_ARRAY.decode(text)[-_LAST_MESSAGES:]))


def _stands_alone(text: str, begins: int) -> bool:
    """Tell whether the message at an index is surely not one of several of the user."""
    before = text.rfind(_MESSAGE, 0, begins)
    return text.startswith(_ANSWERS, before) if before > 1 else not text.startswith(_USERS, max(before, 0))


def _last_words(messages: Sequence[msgspec.Raw]) -> str:
    """Return the last texts of the user without an answer between them; empty if they are too long to be read."""
    words: list[str] = []
    for raw in reversed(messages):
        message = msgspec.json.decode(raw) if len(bytes(raw)) <= _LONGEST_MESSAGE else None
        text = _user_text(message)
        if text:
            words.append(text)
        elif message is None or (words and not _has_role(message, "user", "system")):
            break
    return "".join(reversed(words))


def _has_role(message: Any, *roles: str) -> bool:
    return fields_of(message).get("role") in roles


def _question_in(value: Any) -> str | None:
    """Return the question in an agent's input, if the form of the input is known."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return next(filter(None, map(_user_text, reversed(cast("list[Any]", value)))), None)
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return next((_question_in(members[key]) for key in _INPUT_KEYS if members.get(key)), None)
    return None


def _user_text(message: Any) -> str | None:
    members = fields_of(message)
    if members.get("role") != "user":
        return None
    parts = members.get("parts", members.get("content"))
    if isinstance(parts, str):
        return parts
    if not isinstance(parts, list):
        return None
    fields = [cast("dict[str, Any]", part) for part in cast("list[Any]", parts) if isinstance(part, dict)]
    texts = [part.get("content", part.get("text")) for part in fields if part.get("type", "text") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def _checked(words: str | None) -> dict[str, int] | None:
    # Recorders differ in white space between parts.
    plain = _without_space(words[:_COMPARED_CHARS]) if words else b""
    return {"": crc32(plain)} if plain and _REDACTED not in plain else None


def _without_space(text: str) -> bytes:
    # Most texts are ASCII, for which this takes a third of the time.
    return text.encode().translate(None, _SPACE) if text.isascii() else "".join(text.split()).encode(errors="replace")


_SPACE: Final = b" \t\n\v\f\r\x1c\x1d\x1e\x1f"
"""The ASCII characters that ``str.split`` treats as white space."""
