"""The agents, tools and requests of a framework in JavaScript, from what a Node noted of them."""

from asyncio import CancelledError
from contextvars import Context, copy_context
from typing import Any, Final

import msgspec

from inspector import context as sessions
from inspector.integrations.calls import Call, Keywords, Named, opened
from inspector.node.errors import thrown
from inspector.transcripts.lines import Json
from instrument.keywords import Noun

_NOUNS: Final[dict[str, Noun]] = {
    "agent": "agent_call",
    "tool": "tool_call",
    "workflow": "workflow_run",
    "rpc": "rpc_request",
}
"""By what the notes call them."""


class Part:
    """An agent or a tool that is not over.

    Args:
        note: How it began.
        at_ns: When.
        outer: The part that it belongs to.
    """

    def __init__(self, note: Json, at_ns: int, outer: "Part | None") -> None:
        self._noun = str(note.get("noun"))
        self._id, self._at_ns = note.get("id"), at_ns
        context = inside(outer)
        session = note.get("session")
        if isinstance(session, str) and context.run(sessions.get) is None:
            context.run(sessions.set, session)
        self.call: Call = opened(
            _NOUNS[self._noun],
            lambda: {**_described(self._noun, note), "at_ns": at_ns},
            emitter=str(note.get("emitter")),
            context=context,
        )

    def over(self, did: str, note: Json, at_ns: int) -> None:
        """End it as it ended there."""
        self.call.add(at_ns=at_ns)
        match did:
            case "closed":
                self.call.ended(lambda: self._outcome(_value(note.get("result")), at_ns))
            case "broke":
                self.call.failed(thrown(note))
            case _:
                self.call.failed(CancelledError())

    def _outcome(self, result: Any, at_ns: int) -> Keywords:
        if self._noun != "rpc":
            return {"result": result}
        envelope = {"jsonrpc": "2.0", "id": self._id, "result": result}
        return {"envelope": envelope, "duration_ms": (at_ns - self._at_ns) / 1e6}

    def abandoned(self, at_ns: int) -> None:
        """End it as work that the program did not wait for."""
        self.call.add(at_ns=at_ns)
        self.call.abandoned()


def inside(part: Part | None) -> Context:
    """Return a context in which a part is innermost, of its own since parts of one thread overlap."""
    return copy_context() if part is None else part.call.inside()


def _described(noun: str, note: Json) -> Keywords:
    name, given = str(note.get("name")), _value(note.get("given"))
    if noun == "rpc":
        return {"envelope": given, **{key: note.get(key) for key in ("transport", "direction", "server")}}
    if noun != "tool":
        return {noun: Named(name), "input": given, **({} if noun == "agent" else {"context": None})}
    source = note.get("source")
    context = {"tool_use_id": note.get("id"), "tool_source": source if isinstance(source, str) else "function"}
    return {"tool_name": name, "args": given, "context": context}


def _value(text: object) -> Any:
    return msgspec.json.decode(text) if isinstance(text, str) else None
