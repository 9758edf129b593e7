"""A model of agno that a program wrote itself, which counts its own calls."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

from agno.metrics import MessageMetrics
from agno.models.base import Model
from agno.models.response import ModelResponse
from ledger import count


def asked(*calls: tuple[str, Any]) -> list[dict[str, Any]]:
    """The calls as a model makes them."""
    return [
        {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for at, (name, arguments) in enumerate(calls)
    ]


@dataclass
class Scripted(Model):
    """Gives its answers one after the other: texts, calls of tools, or failures."""

    id: str = "scripted-1"
    parent: str | None = None
    answers: list[Any] = field(default_factory=list)

    def invoke(self, messages: Any, *_: Any, **__: Any) -> ModelResponse:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            count("llm", self.id, self.parent, "error", error=str(answer))
            raise answer
        text = answer if isinstance(answer, str) else None
        count("llm", self.id, self.parent, result=text or "", tokens=[12, 3])
        calls = [] if text is not None else asked(*answer)
        return ModelResponse("assistant", text, tool_calls=calls, response_usage=MessageMetrics(12, 3, 15))

    async def ainvoke(self, *args: Any, **kwargs: Any) -> ModelResponse:
        # One call, by either of its methods.
        return self.invoke(*args, **kwargs)

    def invoke_stream(self, messages: Any, *_: Any, **__: Any) -> Iterator[ModelResponse]:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            count("llm", self.id, self.parent, "error", error=str(answer))
            raise answer
        if not isinstance(answer, str):
            count("llm", self.id, self.parent, result="", tokens=[12, 3])
            yield ModelResponse(tool_calls=asked(*answer), response_usage=MessageMetrics(12, 3, 15))
            return
        for word in answer.split(" "):
            yield ModelResponse(content=f"{word} ")
        yield ModelResponse(response_usage=MessageMetrics(12, 3, 15))
        count("llm", self.id, self.parent, result=f"{answer} ", tokens=[12, 3])

    async def ainvoke_stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ModelResponse]:
        for part in self.invoke_stream(*args, **kwargs):
            yield part

    def _parse_provider_response(self, response: Any, **_: Any) -> ModelResponse:
        return response

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        return response
