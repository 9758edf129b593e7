"""A prompt as the text around its messages, and a message as the text around its long strings; both are stored once.

A frame gives back exactly the text it was cut from, whatever the shape: an array of messages, an object that holds them
under one of the names that model APIs use, lists of lists, and JSON inside of JSON strings.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, compress, count, groupby, repeat
from operator import sub
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import msgspec
from msgspec import Raw

LEAST_BYTES = 256
"""Shorter members take less space in place than as a reference."""
_DEEPEST = 6
_BEGINNING = 48
"""How many bytes at the beginning of a part to search for."""
_MOST_TRIES = 4
_LONGEST_PATTERN = 4
"""In steps; such as messages from two recorders in turn, each with a question and an answer."""
_LEAST_TIMES = 3
"""Fewer repetitions are not shorter than the numbers themselves."""
_CONVERSATION = frozenset(
    ("messages", "input", "inputs", "contents", "prompt", "prompts", "history", "message_history", "chat_history")
)
_BESIDE = frozenset(
    (
        *("system", "instructions", "system_instruction", "systemInstruction", "system_prompt", "systemPrompt"),
        *("tools", "functions", "config", "generation_config"),
    )
)
_AROUND = frozenset(("kwargs", "params", "request", "body", "state", "data"))
_ENTERED = _CONVERSATION | _BESIDE | _AROUND
"""Members with texts that each call sends again, or with objects that have such members."""
_LOOK_LIKE_MESSAGES = (b'"role"', b'"type"', b'"parts"', b'"content"', b'"lc"')
_MEMBERS = msgspec.json.Decoder(dict[str, Raw])
_ARRAY = msgspec.json.Decoder(list[Raw])
_TEXT = msgspec.json.Decoder(str)
_encode = msgspec.json.Encoder().encode


Runs: TypeAlias = list[int | list[int]]
"""Numbers in order, with patterns shortened, in the form that `expanded` reads."""


class Frame(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A text with its messages replaced by their numbers, as in the column ``shared``."""

    pieces: "list[str | Runs | Frame]"
    """In order: unchanged text, the numbers of messages (see `numbers`), and nested frames."""
    by: str = ","
    """The separator of messages."""
    quoted: Literal["", "utf8", "ascii"] = ""
    """Whether the whole text is a JSON string, and how that writes letters beyond ASCII."""
    last: int | None = None
    """The last message of the conversation, not counting tools and instructions."""
    own: bool = False
    """Whether all its parts belong to it, as those of an answer, rather than to earlier messages."""
    strings: Runs = []
    """The long strings inside its messages, which the store keeps separately."""


Refers: TypeAlias = Runs | Frame
"""A frame, or only the numbers for an array of messages without spaces."""


class Elements(NamedTuple):
    """Consecutive messages, or a single long string."""

    bodies: Sequence[bytes | Raw]
    by: str
    is_conversation: bool


class Quoted(NamedTuple):
    """JSON inside a JSON string."""

    pieces: "list[Piece]"
    letters: Literal["utf8", "ascii"]


Piece: TypeAlias = bytes | Elements | Quoted
BodiesOf: TypeAlias = Callable[[Sequence[dict[str, Any]]], list[bytes]]
Refer: TypeAlias = Callable[[Sequence[bytes | Raw]], list[int]]
"""Returns the numbers of messages."""


def cut_messages(text: str, *, is_prompt: bool, is_conversation: bool = True) -> list[Piece]:
    """Cut a text into its messages and the text around them.

    Args:
        text: Any text.
        is_prompt: Whether any array consists of messages; otherwise its elements must look like messages.
        is_conversation: Whether messages of an array are of the conversation, rather than instructions or tools.

    Returns:
        The pieces in order; empty if it contains no messages.
    """
    try:
        raw = text.encode()
        if raw[:1] not in (b"{", b"[", b'"') or not (is_prompt or raw[:1] != b"[" or _is_array_of_messages(raw)):
            return []
        pieces = _cut(raw, 0, is_conversation=is_conversation)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return []
    return pieces if any(type(piece) is not bytes for piece in pieces) else []


def cut_value(value: dict[str, Any] | list[Any], bodies_of: BodiesOf) -> list[Piece]:
    """Cut the JSON text of a prompt like `cut_messages`, but get the text of its messages from a function.

    Raises:
        TypeError: It contains something that JSON cannot express.
        UnicodeError: A text has a lone surrogate.
    """
    pieces = _cut_value(value, 0, bodies_of, is_conversation=True)
    return pieces if any(type(piece) is not bytes for piece in pieces) else []


def cut_strings(raw: bytes, least_bytes: int) -> list[Piece]:
    """Cut JSON text into its strings of at least this length and the text around them; empty if it has none."""
    if len(raw) < least_bytes:
        return []
    pieces: list[Piece] = []
    cut_to = 0
    for begin, end in _strings(raw, least_bytes):
        pieces += (raw[cut_to:begin], Elements((raw[begin:end],), ",", is_conversation=False))
        cut_to = end
    return [*pieces, raw[cut_to:]] if pieces else []


def _strings(raw: bytes, least_bytes: int) -> list[tuple[int, int]]:
    """Return where strings of at least this length begin and end in JSON text, including their quotation marks."""
    # The same length, but without the quotation marks inside strings.
    plain = raw.replace(rb"\\", b"__").replace(rb"\"", b"__") if b"\\" in raw else raw
    sizes = list(map(len, plain.split(b'"')))
    ends = list(accumulate(sizes))
    # Every second piece is inside a string; the piece after the last quotation mark is not.
    found = compress(count(1, 2), map((least_bytes - 2).__le__, sizes[1:-1:2]))
    return [(ends[at - 1] + at - 1, ends[at] + at + 1) for at in found]


def frame_of(refers: Refers) -> Frame:
    """Return a frame, even if only numbers are stored."""
    return refers if isinstance(refers, Frame) else Frame(["[", refers, "]"])


def framed(pieces: Sequence[Piece], refer: Refer) -> Refers:
    """Return the frame of pieces, or only the numbers for an array of messages without spaces."""
    match pieces:
        case [b"[", Elements(bodies, by, is_conversation), b"]"]:
            ids = refer(bodies)
            runs = in_runs(ids)
            return runs if by == "," else Frame(["[", runs, "]"], by, last=ids[-1] if is_conversation else None)
        case _:
            last: list[int] = []
            found, by = _framed(pieces, refer, last)
            return Frame(found, by=by, last=last[-1] if last else None)


def numbers(frame: Frame) -> Iterator[int]:
    """Yield the numbers of all messages of a frame."""
    for piece in frame.pieces:
        if isinstance(piece, Frame):
            yield from numbers(piece)
        elif not isinstance(piece, str):
            yield from expanded(piece)


def expanded(runs: Iterable[int | list[int]]) -> Iterator[int]:
    """Yield numbers one by one.

    A negative one stands for that many successors of the previous number. A list has the steps from one number to the
    next, and at its end how often to repeat them: ``[7, [4, -1, 2]]`` is 7, 11, 10, 14, 13.
    """
    before = 0
    for run in runs:
        if isinstance(run, list):
            for step in chain.from_iterable(repeat(run[:-1], run[-1] if run else 0)):
                before += step
                yield before
        elif run < 0:
            yield from range(before + 1, before - run + 1)
            before -= run
        else:
            yield run
            before = run


def frame_text(frame: Frame, body_of: Callable[[int], bytes]) -> bytes:
    """Return the text of a frame with its messages, each looked up by its number."""
    text = b"".join(_piece_text(piece, frame.by.encode(), body_of) for piece in frame.pieces)
    if not frame.quoted:
        return text
    return _quote(text.decode(), frame.quoted)


def _piece_text(piece: str | Runs | Frame, by: bytes, body_of: Callable[[int], bytes]) -> bytes:
    if isinstance(piece, str):
        return piece.encode()
    if isinstance(piece, Frame):
        return frame_text(piece, body_of)
    return by.join(map(body_of, expanded(piece)))


def _framed(pieces: Sequence[Piece], refer: Refer, last: list[int]) -> tuple[list[str | Runs | Frame], str]:
    """Return the pieces of a frame, and the separator of most of its messages."""
    found: list[str | Runs | Frame] = []
    most = next((piece.by for piece in pieces if isinstance(piece, Elements) and len(piece.bodies) > 1), ",")
    for piece in pieces:
        if isinstance(piece, bytes):
            found.append(piece.decode())
        elif isinstance(piece, Quoted):
            inside, by = _framed(piece.pieces, refer, last)
            found.append(Frame(inside, by=by, quoted=piece.letters))
        else:
            ids = refer(piece.bodies)
            if piece.is_conversation:
                last.append(ids[-1])
            runs = in_runs(ids)
            is_usual = piece.by == most or len(ids) == 1
            found.append(runs if is_usual else Frame([runs], by=piece.by))
    return found, most


def in_runs(ids: Sequence[int]) -> Runs:
    """Return numbers as runs, in the form that `expanded` reads."""
    if not ids:
        return []
    steps = list(map(sub, ids[1:], ids))
    # The usual case: messages of one conversation.
    if steps and steps.count(1) == len(steps):
        return [ids[0], -len(steps)]
    ends: list[int] = []
    for _, alike in groupby(steps):
        times = len(list(alike))
        ends += [len(ends) + times] * times
    runs: Runs = [ids[0]]
    at = 0
    while at < len(steps):
        length, times = _pattern(steps, at, ends[at])
        if length == 1 and steps[at] == 1:
            runs.append(-times)
        elif times == 1:
            runs.append(ids[at + 1])
        else:
            runs.append([*steps[at : at + length], times])
        at += length * times
    return runs


def _pattern(steps: Sequence[int], at: int, end: int) -> tuple[int, int]:
    """Return how many steps from an index on repeat, and how often; 1 and 1 if none do.

    The steps up to ``end`` are equal.
    """
    if end - at >= _LEAST_TIMES or steps[at] == 1:
        return 1, end - at
    for length in range(2, _LONGEST_PATTERN + 1):
        end = at + length
        while end < len(steps) and steps[end] == steps[end - length]:
            end += 1
        times = (end - at) // length
        if times >= _LEAST_TIMES:
            return length, times
    return 1, 1


def _cut(raw: bytes, depth: int, *, is_conversation: bool) -> list[Piece]:
    if len(raw) < LEAST_BYTES or depth > _DEEPEST:
        return [raw]
    match raw[:1]:
        case b"{":
            return _cut_object(raw, depth, is_conversation=is_conversation)
        case b"[":
            return _cut_array(raw, depth, is_conversation=is_conversation)
        case b'"':
            return _cut_string(raw, depth, is_conversation=is_conversation)
        case _:
            return [raw]


def _cut_object(raw: bytes, depth: int, *, is_conversation: bool) -> list[Piece]:
    inside = [
        (bytes(value), _cut(bytes(value), depth + 1, is_conversation=is_conversation and name not in _BESIDE))
        for name, value in _MEMBERS.decode(raw).items()
        if name in _ENTERED
    ]
    return _in_place(raw, inside)


def _cut_value(value: Any, depth: int, bodies_of: BodiesOf, *, is_conversation: bool) -> list[Piece]:
    if depth <= _DEEPEST and type(value) is dict:
        return _cut_members(cast("dict[str, Any]", value), depth, bodies_of, is_conversation=is_conversation)
    if depth <= _DEEPEST and type(value) is list and _are_objects(members := cast("list[Any]", value)):
        bodies = bodies_of(members)
        if sum(map(len, bodies)) + len(bodies) + 1 < LEAST_BYTES:
            return [b"[" + b",".join(bodies) + b"]"]
        return [b"[", Elements(bodies, ",", is_conversation), b"]"]
    return _cut(_encode(value), depth, is_conversation=is_conversation)


def _cut_members(members: dict[str, Any], depth: int, bodies_of: BodiesOf, *, is_conversation: bool) -> list[Piece]:
    pieces: list[Piece] = []
    text = b"{"
    for name, member in members.items():
        text += _encode(name) + b":" if text == b"{" else b"," + _encode(name) + b":"
        if name not in _ENTERED:
            text += _encode(member)
            continue
        inside = _cut_value(member, depth + 1, bodies_of, is_conversation=is_conversation and name not in _BESIDE)
        if any(type(piece) is not bytes for piece in inside):
            pieces += (text, *inside)
            text = b""
        else:
            text += b"".join(piece for piece in inside if isinstance(piece, bytes))
    return [*pieces, text + b"}"]


def _are_objects(values: list[Any]) -> bool:
    return set(map(type, values)) == {dict}


def _cut_array(raw: bytes, depth: int, *, is_conversation: bool) -> list[Piece]:
    bodies = _ARRAY.decode(raw)
    if not bodies:
        return [raw]
    if bytes(bodies[0])[:1] == b"[":
        nested = map(bytes, bodies)
        return _in_place(raw, [(body, _cut(body, depth + 1, is_conversation=is_conversation)) for body in nested])
    by = b", " if raw.startswith(b", ", 1 + len(bytes(bodies[0]))) else b","
    if raw == b"[" + by.join(bodies) + b"]":
        return [b"[", Elements(bodies, by.decode(), is_conversation), b"]"]
    return _cut_laid_out(raw, [bytes(body) for body in bodies], is_conversation=is_conversation)


def _cut_laid_out(raw: bytes, bodies: Sequence[bytes], *, is_conversation: bool) -> list[Piece]:
    begin = raw.index(bodies[0])
    after = begin + len(bodies[0])
    by = raw[after : raw.index(bodies[1], after)] if len(bodies) > 1 else b","
    joined = by.join(bodies)
    if raw[begin : begin + len(joined)] != joined:
        return [raw]
    return [raw[:begin], Elements(bodies, by.decode(), is_conversation), raw[begin + len(joined) :]]


def _cut_string(raw: bytes, depth: int, *, is_conversation: bool) -> list[Piece]:
    text = _TEXT.decode(raw)
    if text[:1] in ("{", "["):
        try:
            pieces = _cut(text.encode(), depth + 1, is_conversation=is_conversation)
        except msgspec.MsgspecError:
            pieces = []
        for letters in ("utf8", "ascii"):
            if any(type(piece) is not bytes for piece in pieces) and _quote(text, letters) == raw:
                return [Quoted(pieces, letters)]
    return [Elements([raw], ",", is_conversation)] if depth else [raw]


def _in_place(raw: bytes, inside: Iterable[tuple[bytes, list[Piece]]]) -> list[Piece]:
    """Return the pieces of a text some of whose parts were cut; parts that are not found in order stay unchanged."""
    pieces: list[Piece] = []
    read_to = 0
    for body, cut_body in inside:
        at = _place_of(body, raw, read_to)
        if at >= 0 and any(type(piece) is not bytes for piece in cut_body):
            pieces += [raw[read_to:at], *cut_body]
            read_to = at + len(body)
    return [*pieces, raw[read_to:]]


def _place_of(body: bytes, raw: bytes, done: int) -> int:
    """Return the index of a part of a text, from an index on; -1 if it is not found."""
    beginning = body[:_BEGINNING]
    at = done - 1
    for _ in range(_MOST_TRIES):
        at = raw.find(beginning, at + 1)
        if at < 0 or raw.startswith(body, at):
            return at
    # If many parts begin alike, search for the whole part, which reads characters several times.
    return raw.find(body, at + 1)


def _quote(text: str, letters: Literal["utf8", "ascii"]) -> bytes:
    return json.dumps(text).encode() if letters == "ascii" else msgspec.json.encode(text)


def _is_array_of_messages(raw: bytes) -> bool:
    bodies = _ARRAY.decode(raw)
    if len(bodies) == 1 and bytes(bodies[0])[:1] == b"[":
        return _is_array_of_messages(bytes(bodies[0]))
    return len(bodies) > 1 and any(mark in bytes(bodies[0]) for mark in _LOOK_LIKE_MESSAGES)
