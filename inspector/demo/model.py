"""A model that answers from a script, so that the demo needs no key and no network.

Its requests, answers and usage have the shape of OpenAI's chat completions, which is what most agents exchange; token
counts follow from the text that is really sent, and what an earlier turn sent already counts as cached.
"""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal, TypedDict

import anyio

from instrument import around

CHUNK_WORDS = 4
"""How many words of a streamed answer arrive at once."""


class FunctionCall(TypedDict):
    """What a model wants called; ``arguments`` is JSON text, as it comes out of a model."""

    name: str
    arguments: str


class ToolCall(TypedDict):
    """One tool call of an answer."""

    id: str
    type: Literal["function"]
    function: FunctionCall


class Message(TypedDict, total=False):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: list[ToolCall]
    tool_call_id: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the script: text, or tools to call, or both."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    """Tool names with their arguments."""
    delay_s: float = 0.15
    """How long the model thinks before its first word."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A chat completion whose text has arrived in full."""

    body: dict[str, Any]
    first_chunk_s: float | None
    """How long after the request its first text came."""


@dataclass(slots=True)
class ScriptedModel:
    """Gives the answers of a script one after the other, whatever it is asked."""

    model: str
    """A real model's name, so that the answers have a price."""
    turns: Iterator[Turn]
    provider: str = "openai"
    _answers: int = field(default=0, init=False)
    _cached_tokens: int = field(default=0, init=False)

    async def generate(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]]) -> Message:
        """Answer the conversation; the text arrives in chunks.

        Raises:
            LookupError: The script is over.
        """
        request = {
            "model": self.model,
            "messages": list(messages),
            "tools": list(tools),
            "temperature": 0.2,
            "stream": True,
        }
        async with around("llm_generate", llm=self, prompt=request) as call:
            turn = next(self.turns, None)
            if turn is None:
                raise LookupError(f"the script of {self.model} is over after {self._answers} answers")
            answer = await self._answer(turn, _tokens(request))
            call.set(response=answer.body, usage=answer.body["usage"], time_to_first_chunk=answer.first_chunk_s)
            return answer.body["choices"][0]["message"]

    async def _answer(self, turn: Turn, input_tokens: int) -> "Answer":
        self._answers += 1
        began_s = perf_counter()
        text, first_chunk_s = "", None
        await anyio.sleep(turn.delay_s)
        async for chunk in _chunks(turn.text):
            first_chunk_s = first_chunk_s or perf_counter() - began_s
            text += chunk
        message: Message = {"role": "assistant", "content": text}
        if turn.calls:
            message["tool_calls"] = [
                _tool_call(f"call_{self._answers}{letter}", name, args)
                for letter, (name, args) in zip("abcdefgh", turn.calls, strict=False)
            ]
        cached_tokens, self._cached_tokens = self._cached_tokens, input_tokens
        body = {
            "id": f"chatcmpl-demo-{self._answers}",
            "object": "chat.completion",
            "model": self.model,
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if turn.calls else "stop"}],
            "usage": _usage(input_tokens, cached_tokens, _tokens(message)),
        }
        return Answer(body, first_chunk_s)


async def _chunks(text: str) -> AsyncIterator[str]:
    words = text.split(" ")
    for start in range(0, len(words) if text else 0, CHUNK_WORDS):
        await anyio.sleep(0.012)
        yield (" " if start else "") + " ".join(words[start : start + CHUNK_WORDS])


def _tool_call(call_id: str, name: str, args: dict[str, Any]) -> ToolCall:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}


def _tokens(value: object) -> int:
    # About four characters make a token in English.
    return len(json.dumps(value)) // 4


def _usage(input_tokens: int, cached_tokens: int, output_tokens: int) -> dict[str, Any]:
    return {
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": input_tokens + output_tokens,
        "prompt_tokens_details": {"cached_tokens": min(cached_tokens, input_tokens)},
    }
