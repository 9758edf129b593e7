"""Events of Anthropic's streams, put together to what the same request answers when it is no stream."""

from typing import Any

from inspector.integrations.plain import streamed_arguments


class MessageAnswer:
    """Events of a streamed message."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}

    def add(self, event: dict[str, Any]) -> None:
        """Take in the next event."""
        at = event.get("index", 0)
        match event.get("type"):
            case "message_start":
                self._message = dict(event["message"])
            case "content_block_start":
                self._blocks[at] = dict(event["content_block"])
            case "content_block_delta":
                self._add_delta(at, event["delta"])
            case "message_delta":
                reported = {key: value for key, value in event["delta"].items() if value is not None}
                spent: dict[str, Any] = event.get("usage") or {}
                usage = {key: value for key, value in spent.items() if value is not None}
                self._message |= {**reported, "usage": {**self._message.get("usage", {}), **usage}}
            case _:
                pass

    def _add_delta(self, at: int, delta: dict[str, Any]) -> None:
        for key, value in delta.items():
            if key == "type":
                continue
            if isinstance(value, str):
                self._pieces.setdefault((at, key), []).append(value)
            elif key == "citation":
                block = self._blocks[at]
                block["citations"] = [*(block.get("citations") or ()), value]
            elif value is not None:
                self._blocks[at][key] = value

    def response(self) -> dict[str, Any] | None:
        """Return what came so far as a message."""
        if not self._message:
            return None
        return {**self._message, "content": [self._block(at) for at in sorted(self._blocks)]}

    def _block(self, at: int) -> dict[str, Any]:
        block = dict(self._blocks[at])
        for (of, key), pieces in self._pieces.items():
            text = "".join(pieces)
            if of != at:
                continue
            if key == "partial_json":
                block["input"] = streamed_arguments(text)
            else:
                block[key] = (block.get(key) or "") + text
        return block


class CompletionAnswer:
    """Events of a legacy completion."""

    def __init__(self) -> None:
        self._last: dict[str, Any] = {}
        self._pieces: list[str] = []

    def add(self, event: dict[str, Any]) -> None:
        """Take in the next event."""
        self._last = event
        self._pieces.append(event.get("completion") or "")

    def response(self) -> dict[str, Any] | None:
        """Return what came so far as a completion."""
        return {**self._last, "completion": "".join(self._pieces)} if self._last else None
