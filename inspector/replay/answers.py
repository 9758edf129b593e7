"""Another answer for a recorded call, from a file that a person wrote."""

import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Final

from msgspec.structs import replace

from inspector.plain import fields_of
from inspector.reading.exchanges import read_exchanges
from inspector.replay.wording import FORMS, reworded, reworded_stream
from inspector.tape import mcp_requests
from inspector.tape.calls import TapeCall
from inspector.tape.obstacles import NotReplayable
from inspector.tape.tape import Tape

_JSON: Final = ".json"
_EVENTS: Final = ".sse"
_STREAM: Final = "parameter stream"
_OK: Final = 200


def with_answer(tape: Tape, place: int, name: str, text: str) -> Tape:
    """Return a tape on which a call has another answer.

    Args:
        tape: The tape.
        place: The index of the call.
        name: The name of the file: ``.json`` for the result of a tool or the body of a model's answer, ``.sse`` for the
            events of a streamed one, and anything else for a text.
        text: The contents of the file.

    Raises:
        NotReplayable: It does not fit the call; the message says what would.
    """
    call = tape.calls[place]
    try:
        kind = PurePath(name).suffix.lower()
        if kind == _JSON:
            json.loads(text)
        made = _made(tape, call, kind, text)
    except ValueError as why:
        raise NotReplayable(f"{name} cannot be the answer of {call.name} ({call.span[:8]}): {why}") from why
    made = replace(made, error=None, unrecordable=None, is_replaced=True, goes_on=False)
    return replace(tape, calls=(*tape.calls[:place], made, *tape.calls[place + 1 :]))


def _made(tape: Tape, call: TapeCall, kind: str, text: str) -> TapeCall:
    if call.noun == mcp_requests.NOUN:
        return _of_server(call, kind, text)
    if call.noun != "llm_generate":
        return _of_tool(call, kind, text)
    return _of_own_model(call, kind, text) if call.subject else _of_model(tape, call, kind, text)


def _of_server(call: TapeCall, kind: str, text: str) -> TapeCall:
    recorded = fields_of(fields_of(json.loads(call.output or "null")).get("result"))
    is_tool = call.subject == "tools/call"
    if kind != _JSON and not (is_tool and kind != _EVENTS):
        raise ValueError("a server answers with an object; give the result of its response in a .json")
    result = fields_of(json.loads(text)) if kind == _JSON else _tool_result(text.removesuffix("\n"), recorded)
    if is_tool and not isinstance(result.get("content"), list):
        raise ValueError(
            'the result of a tool of a server has content, such as {"content": [{"type": "text", "text": "found"}]}; '
            "give that in a .json, or its text in a .txt"
        )
    if not result:
        raise ValueError("a server answers with an object; give the result of its response in a .json")
    common = {key: value for key, value in recorded.items() if key in _OF_EVERY_RESULT}
    return replace(call, output=json.dumps({"result": common | result}))


_OF_EVERY_RESULT: Final = frozenset({"resultType", "_meta"})
"""What the server wrote around its answer, according to its revision of MCP."""


def _tool_result(text: str, recorded: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a tool with another text, which the SDK for servers also gives as an object."""
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}]}
    match recorded.get("structuredContent"):
        case None:
            return result
        case {"result": str(), **others} if not others:
            return result | {"structuredContent": {"result": text}}
        case _:
            raise ValueError("its result has structuredContent as well; give both in a .json")


def _of_own_model(call: TapeCall, kind: str, text: str) -> TapeCall:
    """Answer in place of a toolkit model that calls no other one, or of one that would."""
    if kind == _EVENTS:
        raise ValueError(
            "a model of the toolkit gives no events; give its text in a .txt, or a whole completion in a .json"
        )
    message = {"role": "assistant", "content": text.removesuffix("\n")}
    return replace(call, output=text if kind == _JSON else json.dumps({"choices": [{"message": message}]}))


def _of_model(tape: Tape, call: TapeCall, kind: str, text: str) -> TapeCall:
    is_stream = tape.texts.get(call.parts.get(_STREAM, "")) == "true"
    if kind == _JSON and is_stream:
        raise ValueError("it was asked for as a stream; give its text in a .txt, or its events in a .sse")
    if kind == _EVENTS and not is_stream:
        raise ValueError("it was not asked for as a stream; give its text in a .txt, or the whole body in a .json")
    body = text if kind in (_JSON, _EVENTS) else _with_text(call, text.removesuffix("\n"), is_stream=is_stream)
    headers = {"content-type": "text/event-stream" if is_stream else "application/json"}
    return replace(call, exchanges=json.dumps([{"status": _OK, "headers": headers, "text": [body]}]))


def _with_text(call: TapeCall, text: str, *, is_stream: bool) -> str:
    answered = [] if call.exchanges is None else [each for each in read_exchanges(call.exchanges) if each.status == _OK]
    reword = reworded_stream if is_stream else reworded
    body = reword(b"".join(answered[-1].pieces), text) if answered else None
    if body is None:
        whole = "its events in a .sse" if is_stream else "the whole body in a .json"
        raise ValueError(f"no answer of a known form was recorded that it could stand in ({FORMS}); give {whole}")
    return body.decode()


def _of_tool(call: TapeCall, kind: str, text: str) -> TapeCall:
    if kind == _EVENTS:
        raise ValueError("a tool has no events; give its result in a .json or a .txt")
    if call.result in (None, '"same"'):
        answer: Any = json.loads(text) if kind == _JSON else text.removesuffix("\n")
        return replace(call, result='"same"', output=json.dumps(answer))
    value = fields_of(json.loads(call.result).get("value"))
    fields, changed = fields_of(value.get("fields")), fields_of(json.loads(text) if kind == _JSON else None)
    if not fields:
        raise ValueError("its result is neither plain JSON nor an object with fields that can be replaced")
    if not changed or changed.keys() - fields.keys():
        raise ValueError(
            f"its result is {value['class']}; give a JSON object of some of its fields: {', '.join(fields)}"
        )
    result: dict[str, Any] = {**value, "fields": {**fields, **changed}}
    if "set" in value:
        # Of a model of pydantic, those that were given to it.
        result["set"] = sorted({*value["set"], *changed})
    return replace(call, result=json.dumps({"value": result}))
