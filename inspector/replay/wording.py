"""A model's answer with another text in it, in the form that its client parses, whole or as a stream."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

import msgspec

Fields: TypeAlias = Mapping[str, Any]

FORMS: Final = "chat completions and responses of OpenAI, messages of Anthropic, answers of Bedrock's Converse"
"""The forms of answers that are supported."""
_DONE: Final = b"data: [DONE]\n\n"
_FRAME: Final = b'{":'
"""The beginning of a stream of Bedrock as it is recorded: a line for each event, its headers first."""
_ITEM: Final = {"id": "msg_set", "type": "message", "role": "assistant", "status": "completed"}


def reworded(body: bytes, text: str) -> bytes | None:
    """Return an answer that only says this, without tool calls and reasoning; None if its form is not in `FORMS`."""
    whole = _of_frames(body) if body.startswith(_FRAME) else _decoded(body)
    changed = None if whole is None else _with_text(whole, text)
    return None if changed is None else msgspec.json.encode(changed)


def reworded_stream(body: bytes, text: str) -> bytes | None:
    """Return the events of a stream that only says this; None if its form is not in `FORMS`."""
    events = list(_events(body))
    if not events:
        return None
    match events[0].get("type"):
        case "response.created":
            parts = list(_response(events, text))
        case "message_start":
            parts = list(_message(events, text))
        case _:
            return _chunks(events, text)
    return b"".join(b"event: %s\n%s" % (str(each["type"]).encode(), _data(each)) for each in parts) if parts else None


def _decoded(body: bytes | str) -> Fields | None:
    try:
        decoded: Any = msgspec.json.decode(body)
    except msgspec.MsgspecError:
        return None
    return cast("Fields", decoded) if isinstance(decoded, dict) else None


def _of_frames(body: bytes) -> Fields | None:
    """Return the frame of a whole answer of Converse, whose client makes a stream of it."""
    lines = [line.partition(b"\t") for line in body.splitlines()]
    if not any(b'"messageStart"' in headers for headers, _, _ in lines):
        return None
    counted = next((event for headers, _, event in lines if b'"metadata"' in headers), b"{}")
    return {"output": {"message": {}}, "stopReason": "end_turn", **(_decoded(counted) or {})}


def _events(body: bytes) -> Iterator[Fields]:
    for line in body.decode(errors="replace").splitlines():
        event = _decoded(line.removeprefix("data:")) if line.startswith("data:") else None
        if event is not None:
            yield event


def _data(event: Fields) -> bytes:
    return b"data: %s\n\n" % msgspec.json.encode(event)


def _with_text(body: Fields, text: str) -> Fields | None:
    if body.get("object") == "response" and isinstance(body.get("output"), list):
        return {**body, "status": "completed", "output": [_item(text)]}
    if body.get("type") == "message" and isinstance(body.get("content"), list):
        return {**body, "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": None}
    if isinstance(body.get("output"), dict) and "stopReason" in body:
        message = {"role": "assistant", "content": [{"text": text}]}
        return {**body, "output": {"message": message}, "stopReason": "end_turn"}
    if body.get("choices") and body.get("object") == "chat.completion":
        message = {"role": "assistant", "content": text}
        return {**body, "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}]}
    return None


def _item(text: str) -> Fields:
    return {**_ITEM, "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]}


def _response(events: Sequence[Fields], text: str) -> Iterator[Fields]:
    whole = _with_text(events[-1].get("response") or {}, text)
    if whole is None:
        return
    item = _item(text)
    place: Fields = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    part: Fields = item["content"][0]
    several: tuple[Fields, ...] = (
        events[0],
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
        {"type": "response.output_text.delta", **place, "delta": text, "logprobs": []},
        {"type": "response.output_text.done", **place, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    )
    for number, event in enumerate(several):
        yield {**event, "sequence_number": number}


def _message(events: Sequence[Fields], text: str) -> Iterator[Fields]:
    ending = next((each for each in events if each.get("type") == "message_delta"), None)
    if ending is None:
        return
    yield events[0]
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    yield {"type": "content_block_stop", "index": 0}
    yield {**ending, "delta": {"stop_reason": "end_turn", "stop_sequence": None}}
    yield {"type": "message_stop"}


def _chunks(events: Sequence[Fields], text: str) -> bytes | None:
    first = next((each for each in events if each.get("choices")), None)
    if first is None or first.get("object") != "chat.completion.chunk":
        return None

    def chunk(delta: Fields, reason: str | None) -> Fields:
        return {**first, "choices": [{"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}]}

    chunks = [chunk({"role": "assistant", "content": text}, None), chunk({}, "stop")]
    usage = [each for each in events if each.get("usage") and not each.get("choices")]
    return b"".join(map(_data, [*chunks, *usage])) + _DONE
