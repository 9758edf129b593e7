"""The calls of one thread of a Node, from what it noted of its requests and of the frameworks that make them."""

from asyncio import CancelledError
from collections.abc import Callable
from typing import Any, Final

from inspector.integrations.bodies import MOST_BODY_BYTES
from inspector.integrations.calls import Call, opened
from inspector.integrations.model_requests import ModelRequest
from inspector.integrations.plain_http.apis import Recognised, recognised, recognised_unsent
from inspector.integrations.plain_http.requested import plain_request, refused
from inspector.node.errors import thrown
from inspector.node.parts import Part, inside
from inspector.plain import fields_of
from inspector.transcripts.lines import Json

_EMITTER: Final = "node"
_DONE: Final = b"data: [DONE]"
_STREAMS: Final = ("text/event-stream", "application/x-ndjson")


class Calls:
    """Turns the notes of one thread into calls.

    Args:
        began: Called before the first call.
    """

    def __init__(self, began: Callable[[], object]) -> None:
        self._began = began
        self._open: dict[object, _Answering] = {}
        self._parts: dict[object, Part] = {}

    def take(self, note: Json) -> None:
        """Take in the next note."""
        at_ns = _ns(note.get("at"))
        match note.get("did"):
            case "sent":
                self._send(note, at_ns)
            case "opened":
                self._began()
                self._parts[note.get("call")] = Part(note, at_ns, self._parts.get(note.get("in")))
            case "closed" | "broke" | "stopped" as did:
                if (part := self._parts.pop(note.get("call"), None)) is not None:
                    part.over(did, note, at_ns)
            case "exited":
                self._exit(at_ns)
            case did:
                self._go_on(str(did), note, at_ns)

    def _exit(self, at_ns: int) -> None:
        # The innermost first, which began last.
        for each in (*self._open.values(), *reversed(self._parts.values())):
            each.abandoned(at_ns)
        self._open.clear()
        self._parts.clear()

    def _send(self, note: Json, at_ns: int) -> None:
        body, url = _bytes(note.get("body")), str(note.get("url"))
        request = recognised(url, lambda: plain_request(body)) if body else recognised_unsent(url)
        if request is not None:
            self._began()
            part = self._parts.get(note.get("in"))
            self._open[note.get("call")] = _Answering(request, at_ns, part)

    def _go_on(self, did: str, note: Json, at_ns: int) -> None:
        answering = self._open.get(note.get("call"))
        if answering is None:
            return
        match did:
            case "responded":
                answering.responded(int(note["status"]), fields_of(note.get("headers")))
            case "got":
                answering.got(_bytes(note.get("data")), at_ns)
            case "ended" | "left" | "failed":
                del self._open[note.get("call")]
                answering.over(did, note, at_ns)
            case _:
                pass


class _Answering:
    """A request whose answer is on its way."""

    def __init__(self, request: Recognised, at_ns: int, part: Part | None) -> None:
        def keywords() -> dict[str, Any]:
            return {"llm": request.model, "prompt": request.prompt, "at_ns": at_ns}

        self._call: Call = opened("llm_generate", keywords, emitter=_EMITTER, context=inside(part))
        self._request = ModelRequest(request.endpoint, self._call)
        self._began_ns = at_ns
        self._has_responded = False
        self._headers: Json = {}
        self._pieces: list[bytes] = []
        self._size = 0

    def responded(self, status: int, headers: Json) -> None:
        """Note the head of the answer."""
        self._has_responded = True
        self._headers = headers
        self._request = refused(self._request, status)

    def got(self, data: bytes, at_ns: int) -> None:
        """Note bytes of the decoded answer."""
        if not self._pieces and str(self._headers.get("content-type")).startswith(_STREAMS):
            self._call.add(time_to_first_chunk=(at_ns - self._began_ns) / 1e9)
        self._size += len(data)
        if self._size <= MOST_BODY_BYTES:
            self._pieces.append(data)

    def over(self, how: str, note: Json, at_ns: int) -> None:
        """End the call as its request ended."""
        self._call.add(at_ns=at_ns)
        body = b"".join(self._pieces)
        if how == "ended" or (how == "left" and body.rstrip().endswith(_DONE)):
            self._request.came(body, self._headers)
            return
        self._request.keep(body, self._headers)
        if how == "failed":
            self._call.failed(thrown(note))
        elif self._has_responded:
            self._call.closed()
        else:
            self._call.failed(CancelledError())

    def abandoned(self, at_ns: int) -> None:
        """End the call as one that the program did not wait for."""
        self._call.add(at_ns=at_ns)
        self._request.keep(b"".join(self._pieces), self._headers)
        self._call.abandoned()


def _ns(at_us: object) -> int:
    return at_us * 1_000 if isinstance(at_us, int) else 0


def _bytes(text: object) -> bytes:
    """Return the bytes that a note has as characters of the same numbers."""
    return text.encode("latin-1") if isinstance(text, str) else b""
