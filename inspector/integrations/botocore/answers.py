"""Events of Amazon Bedrock's streams, combined to what the same request answers without streaming."""

import json
from collections.abc import Mapping
from typing import Any, Final

from inspector.integrations.anthropic.answers import MessageAnswer
from inspector.integrations.plain import is_fields, streamed_arguments
from inspector.integrations.streams import StreamedAnswer

_TEXTS: Final = ("outputText", "generation", "completion")
"""What models of Amazon, Meta and others call a piece of their text."""


class ConverseAnswer:
    """Events of ``ConverseStream``.

    https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
    """

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._rest: dict[str, Any] = {}
        self._tools: dict[int, dict[str, Any]] = {}
        self._pieces: dict[tuple[int, str], list[Any]] = {}

    def add(self, event: dict[str, Any]) -> None:
        """Add the next event."""
        for name, body in event.items():
            at = body.get("contentBlockIndex", 0)
            match name:
                case "messageStart":
                    self._message = dict(body)
                case "contentBlockStart":
                    self._tools[at] = dict(body["start"].get("toolUse") or {})
                case "contentBlockDelta":
                    self._add_delta(at, body["delta"])
                case "messageStop" | "metadata":
                    self._rest |= body
                case _:
                    pass

    def _add_delta(self, at: int, delta: dict[str, Any]) -> None:
        for kind, piece in delta.items():
            for part, value in piece.items() if is_fields(piece) else (("", piece),):
                self._pieces.setdefault((at, f"{kind} {part}".rstrip()), []).append(value)

    def response(self) -> dict[str, Any] | None:
        """Return the answer so far; None before the first event."""
        if not (self._message or self._pieces or self._tools or self._rest):
            return None
        content = [self._block(at) for at in sorted({*self._tools, *(at for at, _ in self._pieces)})]
        return {"output": {"message": {"role": "assistant", **self._message, "content": content}}, **self._rest}

    def _block(self, at: int) -> dict[str, Any]:
        block = {name: pieces for (of, name), pieces in self._pieces.items() if of == at}
        if self._tools.get(at) or "toolUse input" in block:
            arguments = "".join(block.get("toolUse input", ()))
            return {"toolUse": {**self._tools.get(at, {}), "input": streamed_arguments(arguments)}}
        reasoning = {name.partition(" ")[2]: pieces for name, pieces in block.items() if name.startswith("reasoning")}
        if reasoning:
            text = {name: "".join(pieces) for name, pieces in reasoning.items() if name in ("text", "signature")}
            redacted = {name: pieces[-1] for name, pieces in reasoning.items() if name == "redactedContent"}
            return {"reasoningContent": {**({"reasoningText": text} if text else {}), **redacted}}
        text = "".join(block.get("text", ()))
        return {"text": text, **{name: pieces[-1] for name, pieces in block.items() if name == "citation"}}


class InvokedAnswer:
    """Events of ``InvokeModelWithResponseStream``, which have the form that the model's maker gave them."""

    def __init__(self) -> None:
        self._answer: StreamedAnswer | None = None

    def add(self, event: dict[str, Any]) -> None:
        """Add the next event."""
        chunk = json.loads(event["chunk"]["bytes"]) if "chunk" in event else event
        if self._answer is None:
            self._answer = _answer_of(chunk)
        self._answer.add(chunk)

    def response(self) -> dict[str, Any] | None:
        """Return the answer so far; None before the first event."""
        response = None if self._answer is None else self._answer.response()
        return None if response is None else with_counted_usage(response, {})


class _Pieces:
    """Chunks with the next piece of a text, of which the last has the rest of the answer."""

    def __init__(self) -> None:
        self._last: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}

    def add(self, chunk: dict[str, Any]) -> None:
        self._last |= {name: value for name, value in chunk.items() if value is not None}
        for name in _TEXTS:
            if isinstance(piece := chunk.get(name), str):
                self._texts.setdefault(name, []).append(piece)

    def response(self) -> dict[str, Any]:
        return {**self._last, **{name: "".join(pieces) for name, pieces in self._texts.items()}}


def with_counted_usage(response: dict[str, Any], headers: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer with the tokens counted in the headers, unless it has some; a stream has them in its last event.

    https://docs.aws.amazon.com/bedrock/latest/userguide/monitoring-runtime-metrics.html
    """
    if response.get("usage"):
        return response
    counted: dict[str, Any] = response.get("amazon-bedrock-invocationMetrics") or {}
    input_tokens = counted.get("inputTokenCount", headers.get("x-amzn-bedrock-input-token-count"))
    written = counted.get("outputTokenCount", headers.get("x-amzn-bedrock-output-token-count"))
    if input_tokens is None:
        return response
    return {**response, "usage": {"inputTokens": int(input_tokens), "outputTokens": int(written or 0)}}


def _answer_of(first: dict[str, Any]) -> StreamedAnswer:
    if "type" in first:
        return MessageAnswer()
    return ConverseAnswer() if any(name in first for name in ("messageStart", "contentBlockDelta")) else _Pieces()
