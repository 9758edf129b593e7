"""One model call of Claude Code, as its messages arrive."""

from time import time_ns
from typing import Any

from inspector.integrations.calls import Call, Keywords
from inspector.integrations.claude_agent_sdk.facts import Frame, blocks_of, member


class Answer:
    """The answer of a model, which arrives block by block; when the last one came is known from what comes after it."""

    def __init__(self, call: Call, message: Frame) -> None:
        self.message_id = message.get("id")
        self._call = call
        self._about = {name: message.get(name) for name in ("id", "model", "role")}
        self._blocks: list[Frame] = []
        self._usage: dict[str, Any] = {}
        self._output_tokens: int | None = None
        self._stop_reason: Any = None
        self._last_ns = time_ns()
        self.message: Frame = {"role": "assistant", "content": self._blocks}
        """What later calls are given of it; grows with it."""

    @property
    def output_tokens(self) -> int | None:
        """The tokens of the answer, if they are known."""
        return self._output_tokens

    def take(self, frame: Frame) -> None:
        """Take in a message with further blocks; the tokens of the output that it tells are those of its beginning."""
        self._last_ns = time_ns()
        self._blocks += blocks_of(frame)
        usage: Frame = member(frame, "message", "usage") or {}
        self._usage |= {name: value for name, value in usage.items() if name != "output_tokens"}

    def take_event(self, event: Frame) -> bool:
        """Take in an event of a stream, which a program asked for; tell whether it is the last one."""
        match event.get("type"):
            case "content_block_delta":
                if self._call.keyword("time_to_first_chunk") is None:
                    began_ns = self._call.keyword("at_ns")
                    self._call.add(time_to_first_chunk=(time_ns() - began_ns) / 1e9)
            case "message_delta":
                self._output_tokens = member(event, "usage", "output_tokens")
                self._stop_reason = member(event, "delta", "stop_reason")
            case "message_stop":
                self._last_ns = time_ns()
                return True
            case _:
                pass
        return False

    def ended(self, output_tokens: int | None = None) -> None:
        """End the call, at the time of its last block.

        Args:
            output_tokens: The tokens of the answer, if only the caller knows them.
        """
        if self._output_tokens is None:
            self._output_tokens = output_tokens
        self._call.ended(self._found)

    def cut(self, exc: BaseException | None) -> None:
        """End the call before its answer was complete: with an exception, or because the program closed the stream."""
        self._call.add(**self._found() | {"at_ns": time_ns()})
        if exc is None:
            self._call.closed()
        else:
            self._call.failed(exc)

    def _found(self) -> Keywords:
        usage = self._usage
        if self._output_tokens is not None:
            usage = usage | {"output_tokens": self._output_tokens}
        response = self._about | {"content": list(self._blocks), "stop_reason": self._stop_reason}
        return {"response": response, "usage": usage or None, "at_ns": self._last_ns}
