"""Chunks of OpenAI's streams, put together to the answer of the same request without streaming."""

from typing import Any

from inspector.integrations.plain import is_fields, is_items

_FIXED = frozenset({"id", "index", "name", "role", "type"})
"""Fields of a delta that are never split, and may be repeated in every chunk."""


class ChatAnswer:
    """Chunks of a chat completion, from any provider: unknown fields are put together by their type."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._choices: dict[int, dict[str, Any]] = {}

    def add(self, chunk: dict[str, Any]) -> None:
        """Take in the next chunk."""
        self._head |= {key: value for key, value in chunk.items() if key != "choices" and value is not None}
        for choice in chunk.get("choices") or ():
            at = choice.get("index") or 0
            whole = self._choices.setdefault(at, {"index": at, "message": {}, "finish_reason": None})
            whole |= {
                key: value for key, value in choice.items() if key not in ("delta", "index") and value is not None
            }
            _merge(whole["message"], choice.get("delta") or {})

    def response(self) -> dict[str, Any] | None:
        """Return what came so far as a chat completion."""
        if not self._head and not self._choices:
            return None
        choices = [_whole(choice) for _, choice in sorted(self._choices.items())]
        return {**self._head, "object": "chat.completion", "choices": choices}


class CompletionAnswer:
    """Chunks of a legacy completion."""

    def __init__(self) -> None:
        self._head: dict[str, Any] = {}
        self._choices: dict[int, dict[str, Any]] = {}

    def add(self, chunk: dict[str, Any]) -> None:
        """Take in the next chunk."""
        self._head |= {key: value for key, value in chunk.items() if key != "choices" and value is not None}
        for choice in chunk.get("choices") or ():
            at = choice.get("index") or 0
            whole = self._choices.setdefault(at, {"index": at, "text": [], "finish_reason": None})
            whole["text"].append(choice.get("text") or "")
            whole["finish_reason"] = choice.get("finish_reason") or whole["finish_reason"]

    def response(self) -> dict[str, Any] | None:
        """Return what came so far as a completion."""
        choices = [{**choice, "text": "".join(choice["text"])} for _, choice in sorted(self._choices.items())]
        return {**self._head, "choices": choices} if self._head else None


class ResponsesAnswer:
    """Events of the Responses API: the last one has the whole response, those before it have parts of it."""

    def __init__(self) -> None:
        self._whole: dict[str, Any] = {}
        self._items: dict[int, dict[str, Any]] = {}
        self._parts: dict[int, list[str]] = {}

    def add(self, event: dict[str, Any]) -> None:
        """Take in the next event."""
        kind, at = str(event.get("type")), event.get("output_index")
        if is_fields(whole := event.get("response")):
            self._whole = whole
        elif kind in ("response.output_item.added", "response.output_item.done") and isinstance(at, int):
            self._items[at] = event["item"]
        elif kind in _DELTAS and isinstance(at, int):
            self._parts.setdefault(at, []).append(event["delta"])
        elif kind == "error":
            self._whole = {**self._whole, "status": "failed", "error": event}

    def response(self) -> dict[str, Any] | None:
        """Return what came so far as a response."""
        if not self._whole or self._whole.get("output"):
            return self._whole or None
        return {**self._whole, "output": [self._item(at, item) for at, item in sorted(self._items.items())]}

    def _item(self, at: int, item: dict[str, Any]) -> dict[str, Any]:
        text = "".join(self._parts.get(at, ()))
        if item.get("type") == "message" and not item.get("content"):
            return {**item, "content": [{"type": "output_text", "text": text}]}
        return {**item, "arguments": text} if item.get("arguments") == "" else item


_DELTAS = frozenset({"response.output_text.delta", "response.function_call_arguments.delta"})


class _Text:
    """A text in pieces: putting them together with each one would take the square of their number."""

    def __init__(self) -> None:
        self.pieces: list[str] = []


def _merge(merged: dict[str, Any], delta: dict[str, Any]) -> None:
    for key, value in delta.items():
        if value is None:
            merged.setdefault(key, None)
        elif isinstance(value, str) and key not in _FIXED:
            if not isinstance(merged.get(key), _Text):
                merged[key] = _Text()
            merged[key].pieces.append(value)
        elif is_fields(value):
            _merge(merged[key] if is_fields(merged.get(key)) else merged.setdefault(key, {}), value)
        elif is_items(value):
            _merge_list(merged, key, value)
        else:
            merged[key] = value


def _merge_list(merged: dict[str, Any], key: str, items: list[Any]) -> None:
    listed: list[Any] = merged.get(key) or []
    merged[key] = listed
    for item in items:
        if not is_fields(item) or not isinstance(item.get("index"), int):
            listed.append(item)
            continue
        earlier = next((each for each in listed if is_fields(each) and each.get("index") == item["index"]), None)
        if earlier is None:
            earlier = dict[str, Any]()
            listed.append(earlier)
        _merge(earlier, item)


def _whole(value: Any) -> Any:
    if isinstance(value, _Text):
        return "".join(value.pieces)
    if is_fields(value):
        return {key: _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if is_items(value) else value
