"""What the plugin notes: sessions, and in each its messages and their parts, in the order in which they were known."""

from collections.abc import Iterator

from inspector.otlp import DecodedSpan
from inspector.plain import fields_of
from inspector.transcripts.lines import Json, objects_in
from inspector.transcripts.opencode import OpenCode

_MS: int = 1_000_000


class Notes:
    """Reads the notes of one opencode, whose sessions start each other."""

    def __init__(self) -> None:
        self._sessions: dict[str, OpenCode] = {}

    def spans(self, note: Json) -> Iterator[DecodedSpan]:
        """Take in a note; yield the spans that have begun or ended by it."""
        session, at_ns = self._session(str(note.get("session")), fields_of(note.get("info"))), _ns(note.get("at"))
        match note.get("kind"):
            case "history":
                session.continues(objects_in(note.get("messages")))
            case "asks":
                session.asks(at_ns, str(note.get("agent")), note.get("system"))
            case "message":
                session.message(fields_of(note.get("info")))
            case "part":
                session.part(fields_of(note.get("part")))
            case "error":
                session.broke(at_ns, fields_of(note.get("error")))
            case "idle":
                session.idle(at_ns)
            case _:
                pass
        yield from session.take()

    def rest(self) -> Iterator[DecodedSpan]:
        """Yield what the end of opencode completes."""
        for session in self._sessions.values():
            session.left()
            yield from session.take()

    def _session(self, session: str, info: Json) -> OpenCode:
        found = self._sessions.get(session)
        if found is None:
            parent, info = self._sessions.get(str(info.get("parentID"))), {**info, "id": session}
            found = OpenCode(info, is_live=True) if parent is None else parent.subagent(info)
            self._sessions[session] = found
        return found


def _ns(at_ms: object) -> int:
    return at_ms * _MS if type(at_ms) is int else 0
