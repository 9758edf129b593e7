"""Combines the chunks of Cohere's, Gemini's and Ollama's streams to the answer that a whole response has."""

from typing import Any

from inspector.integrations.plain import is_fields, is_items

_VECTORS = ("embedding", "embeddings", "values", "float")
_TEXTS = ("content", "thinking", "response")


class GeminiAnswer:
    """Responses of ``streamGenerateContent``, each of which has the next parts of its candidates."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._candidates: dict[int, dict[str, Any]] = {}
        self._parts: dict[int, list[dict[str, Any]]] = {}

    def add(self, chunk: dict[str, Any]) -> None:
        """Take in the next chunk."""
        self._head |= {key: value for key, value in chunk.items() if key != "candidates" and value is not None}
        for candidate in chunk.get("candidates") or ():
            at = candidate.get("index") or 0
            self._candidates[at] = {**self._candidates.get(at, {}), **candidate}
            for part in _content(candidate).get("parts") or ():
                _add_part(self._parts.setdefault(at, []), part)

    def response(self) -> dict[str, Any] | None:
        """Return the answer so far as one response."""
        if not self._head and not self._candidates:
            return None
        candidates = [
            {**candidate, "content": {"role": "model", **_content(candidate), "parts": self._whole(at)}}
            for at, candidate in sorted(self._candidates.items())
        ]
        return {**self._head, "candidates": candidates}

    def _whole(self, at: int) -> list[dict[str, Any]]:
        parts = self._parts.get(at, ())
        return [{**part, "text": "".join(part["text"])} if is_items(part.get("text")) else part for part in parts]


def _content(candidate: dict[str, Any]) -> dict[str, Any]:
    return _fields(candidate.get("content"))


def _add_part(parts: list[dict[str, Any]], part: dict[str, Any]) -> None:
    """Add a part, or its text to the part before it where both are the same in all else."""
    if not isinstance(part.get("text"), str):
        parts.append(part)
        return
    beside = {key: value for key, value in part.items() if key != "text"}
    last = parts[-1] if parts else {}
    if is_items(last.get("text")) and beside == {key: value for key, value in last.items() if key != "text"}:
        last["text"].append(part["text"])
    else:
        parts.append({**beside, "text": [part["text"]]})


class OllamaAnswer:
    """Lines of Ollama's ``/api/chat`` and ``/api/generate``, which streams by default."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._message: dict[str, Any] = {}
        self._pieces: dict[str, list[str]] = {}
        self._calls: list[Any] = []

    def add(self, chunk: dict[str, Any]) -> None:
        """Take in the next line."""
        self._head |= {key: value for key, value in chunk.items() if key not in ("message", "response", "thinking")}
        message = chunk.get("message")
        piece = message if is_fields(message) else {key: chunk.get(key) for key in ("response", "thinking")}
        for key, value in piece.items():
            if key in _TEXTS and isinstance(value, str):
                self._pieces.setdefault(key, []).append(value)
            elif key == "tool_calls" and is_items(value):
                self._calls += value
            elif value is not None:
                self._message[key] = value

    def response(self) -> dict[str, Any] | None:
        """Return the answer so far as one response."""
        if not self._head:
            return None
        texts = {key: "".join(pieces) for key, pieces in self._pieces.items()}
        if "response" in texts:
            return {**self._head, **texts}
        calls = {"tool_calls": self._calls} if self._calls else {}
        return {**self._head, "message": {"role": "assistant", **self._message, **texts, **calls}}


class CohereAnswer:
    """Events of Cohere's ``/v2/chat``."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._message: dict[str, Any] = {}
        self._content: dict[int, dict[str, Any]] = {}
        self._calls: dict[int, dict[str, Any]] = {}

    def add(self, chunk: dict[str, Any]) -> None:
        """Take in the next event."""
        at = chunk.get("index") or 0
        delta = _fields(chunk.get("delta"))
        message = _fields(delta.get("message"))
        match str(chunk.get("type")).rpartition("-")[0]:
            case "message":
                self._head |= {key: value for key, value in {**chunk, **delta}.items() if key not in ("type", "delta")}
            case "content":
                _grow(self._content.setdefault(at, {}), _fields(message.get("content")))
            case "tool-call":
                _grow(self._calls.setdefault(at, {}), _fields(message.get("tool_calls")))
            case "tool-plan":
                _grow(self._message, message)
            case _:
                pass

    def response(self) -> dict[str, Any] | None:
        """Return the answer so far as one response."""
        if not self._head:
            return None
        message: dict[str, Any] = {**_fields(self._head.get("message")), "role": "assistant", **_whole(self._message)}
        for name, pieces in (("content", self._content), ("tool_calls", self._calls)):
            message |= {name: [_whole(pieces[at]) for at in sorted(pieces)]} if pieces else {}
        return {**self._head, "message": message}


_GROWING = ("text", "thinking", "tool_plan", "arguments")


def _grow(held: dict[str, Any], piece: dict[str, Any]) -> None:
    """Add the members of a piece, and the texts that arrive in pieces to their beginnings."""
    for key, value in piece.items():
        if is_fields(value):
            _grow(held.setdefault(key, {}), value)
        elif key in _GROWING and isinstance(value, str):
            held.setdefault(key, []).append(value)
        else:
            held[key] = value


def _whole(held: dict[str, Any]) -> dict[str, Any]:
    return {
        key: "".join(value) if key in _GROWING and is_items(value) else _whole(value) if is_fields(value) else value
        for key, value in held.items()
    }


def _fields(value: Any) -> dict[str, Any]:
    return value if is_fields(value) else {}


def without_embeddings(response: Any) -> Any:
    """Return a response with the size of each vector instead of its thousands of numbers."""
    if is_fields(response):
        return {key: without_embeddings(each) if key in _VECTORS else each for key, each in response.items()}
    if is_items(response):
        is_vector = all(isinstance(number, (int, float)) for number in response)
        return {"dimensions": len(response)} if is_vector else [without_embeddings(each) for each in response]
    return response
