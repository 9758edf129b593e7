"""A model that answers from a script, for tests and for demos that need no key and no network."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, TypeAlias

from toolkit.errors import DefinitionInvalid, ModelFailed
from toolkit.keywords import checks_keywords
from toolkit.models.model import Message, MessageToolCall, ModelRequest, ModelResponse

CHUNK_WORDS = 4
"""How many words of a streamed answer arrive at once."""


@checks_keywords
@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the script: text, or tools to call, or both."""

    text: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any] | str]] = ()
    """Tool names with their arguments; arguments that are a string are sent as they are, valid JSON or not."""
    delay_s: float = 0.0
    """How long the model thinks before its first word."""

    def __post_init__(self) -> None:
        for call in self.calls:
            if not isinstance(call, tuple | list) or len(call) != 2:  # pyright: ignore[reportUnnecessaryIsInstance, reportUnnecessaryComparison] - as above
                raise DefinitionInvalid(f"Turn(calls=…): expected (name, arguments) for each call, found {call!r}")


Answer: TypeAlias = Turn | str | Exception
"""A turn, its text alone, or what the model fails with."""

Step: TypeAlias = Answer | Callable[[ModelRequest], Answer]
"""An answer, or what makes one of the request."""


@checks_keywords
@dataclass(slots=True, eq=False)
class ScriptedModel:
    """Gives the answers of a script one after the other.

    Token counts follow from the text that is really sent, and what an earlier request of the conversation sent already
    counts as cached.
    """

    turns: Iterable[Step]
    name: str = field(default="scripted", kw_only=True)
    """A real model's name gives the answers a price."""
    provider: str = field(default="scripted", kw_only=True)
    each_conversation: bool = field(default=False, kw_only=True)
    """Begin anew with every conversation: the turn is as many as there are answers in the request, so conversations at
    the same time do not get each other's."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any], kw_only=True)
    """More of each request's body, for example ``temperature``; nothing follows from it."""
    chunk_delay_s: float = field(default=0.0, kw_only=True)
    """How long each piece of a streamed answer takes."""
    only_offered: bool = field(default=True, kw_only=True)
    """Fail where the script calls a tool that the request does not offer."""
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest], init=False, repr=False)
    """What it was asked, as it was then, the first request first."""

    def __post_init__(self) -> None:
        given: Any = self.turns
        turns: list[Step] = [given] if isinstance(given, str | Turn) or not isinstance(given, Iterable) else [*given]
        for step in turns:
            if not (isinstance(step, str | Turn | Exception) or callable(step)):
                raise DefinitionInvalid(f"ScriptedModel(turns): expected texts, or Turn(…), found {step!r}")
        self.turns = turns

    async def generate(self, request: ModelRequest) -> ModelResponse:
        """Give the script's next answer; its text comes in pieces where the request has ``on_text``."""
        began_s = perf_counter()
        answers = [message for message in request.messages if message["role"] == "assistant"]
        number = len(answers if self.each_conversation else self.requests)
        self.requests.append(replace(request, messages=list(request.messages), tools=list(request.tools)))
        turn = self._turn(number, request)
        await asyncio.sleep(turn.delay_s)
        first_chunk_s = await self._stream(turn.text, request, began_s)
        message: Message = {"role": "assistant", "content": turn.text}
        if turn.calls:
            message["tool_calls"] = [_call(number, at, *call) for at, call in enumerate(turn.calls, 1)]
        return ModelResponse(
            message=message,
            usage=self._usage(request, message),
            finish_reason="tool_calls" if turn.calls else "stop",
            model=self.name,
            id=f"scripted-{number + 1}",
            time_to_first_chunk_s=first_chunk_s,
        )

    def _turn(self, number: int, request: ModelRequest) -> Turn:
        steps = list(self.turns)
        if number >= len(steps):
            raise ModelFailed(
                f"the script of {self.name} is over after {len(steps)} answers; it was asked for one more"
            )
        step = steps[number]
        answer = step if isinstance(step, Turn | str | Exception) else step(request)
        if isinstance(answer, Exception):
            raise answer
        turn = Turn(answer) if isinstance(answer, str) else answer
        offered = [tool.name for tool in request.tools]
        for name, _ in turn.calls if self.only_offered else ():
            if name not in offered and name not in [tool.model_name for tool in request.tools]:
                names = ", ".join(map(repr, offered)) or "nothing"
                raise ModelFailed(f"answer {number + 1} of {self.name}'s script calls {name!r}; offered: {names}")
        return turn

    async def _stream(self, text: str, request: ModelRequest, began_s: float) -> float | None:
        if request.on_text is None:
            return None
        first_chunk_s = None
        words = text.split(" ")
        for start in range(0, len(words) if text else 0, CHUNK_WORDS):
            await asyncio.sleep(self.chunk_delay_s)
            first_chunk_s = first_chunk_s or perf_counter() - began_s
            await request.tell((" " if start else "") + " ".join(words[start : start + CHUNK_WORDS]))
        return first_chunk_s

    def _usage(self, request: ModelRequest, message: Message) -> dict[str, Any]:
        # An earlier request of the conversation ended where its last answer begins.
        answers = [at for at, message in enumerate(request.messages) if message["role"] == "assistant"]
        earlier = replace(request, messages=request.messages[: answers[-1]]) if answers else None
        input_tokens, output_tokens = _tokens(request.body(self.name)), _tokens(message)
        return {
            "prompt_tokens": input_tokens,
            "completion_tokens": output_tokens,
            "total_tokens": input_tokens + output_tokens,
            "prompt_tokens_details": {"cached_tokens": 0 if earlier is None else _tokens(earlier.body(self.name))},
        }


def _call(number: int, at: int, name: str, arguments: Mapping[str, Any] | str) -> MessageToolCall:
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": f"call_{number + 1}_{at}", "type": "function", "function": {"name": name, "arguments": written}}


def _tokens(value: object) -> int:
    # About four characters make a token in English.
    return len(json.dumps(value, default=str)) // 4
