"""Models behind OpenAI's chat completions, and behind every endpoint that speaks them."""

import asyncio
import re
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any
from weakref import WeakKeyDictionary

from toolkit.errors import ModelFailed
from toolkit.extras import need
from toolkit.keywords import checks_keywords
from toolkit.models.model import Message, MessageToolCall, ModelRequest, ModelResponse
from toolkit.plain import member

_KEY = re.compile(r"\bsk-[A-Za-z0-9_*-]{4,}")
# Local endpoints take any key, and what people write then may be part of any sentence.
_LEAST_KEY = 8
_NOTHING = "sent a stream with nothing in it"


@checks_keywords
class OpenAIModel(AbstractAsyncContextManager["OpenAIModel"]):
    """A model at OpenAI or at any compatible endpoint, through the ``openai`` package.

    Each event loop has connections of its own; ``async with`` closes them in the end.

    Args:
        name: The model, as its provider calls it.
        base_url: The endpoint's root, as in ``http://127.0.0.1:11434/v1``; ``OPENAI_BASE_URL`` or OpenAI by default.
        api_key: The key; ``OPENAI_API_KEY`` by default. Local endpoints take any.
        settings: More of every request's body, for example ``{"temperature": 0}``; a request's own go before.
        provider: Who runs it, as OpenTelemetry's ``gen_ai.provider.name`` spells it.
        client: An ``openai.AsyncOpenAI``, or one for Azure, that is used as it is and left open.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        settings: Mapping[str, Any] | None = None,
        provider: str = "openai",
        client: Any = None,
    ) -> None:
        self.name = name
        self.provider = provider
        self.settings = dict(settings or {})
        self._base_url = base_url
        self._api_key = api_key
        self._given = client
        self._made: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r})"

    async def generate(self, request: ModelRequest) -> ModelResponse:
        """Answer; in pieces where the request has ``on_text``. Whatever goes wrong is a ``ModelFailed``."""
        body = self.settings | request.body(self.name)
        client = self._client()
        began_s = perf_counter()
        if request.on_text is None:
            return self._whole(await self._ask(client, body))
        body.setdefault("stream_options", {"include_usage": True})
        pieces = _Pieces()
        async with await self._ask(client, body) as stream:
            while (chunk := await self._next(client, stream, pieces)) is not None:
                if text := pieces.add(chunk, perf_counter() - began_s):
                    await request.tell(text)
        if pieces.finish_reason is None:
            why = f"stopped in the middle of an answer, {pieces.so_far}" if pieces.so_far else _NOTHING
            raise ModelFailed(f"{self.name} at {_place(client)} {why}")
        return pieces.response()

    async def aclose(self) -> None:
        """Close the connections that were made in this event loop."""
        client = self._made.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _client(self) -> Any:
        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        if loop not in self._made:
            openai = need("openai", extra="openai", purpose=f"the model {self.name}")
            try:
                self._made[loop] = openai.AsyncOpenAI(api_key=self._api_key, base_url=self._base_url)
            except openai.OpenAIError as error:
                raise ModelFailed(f"{self.name} needs a key: set OPENAI_API_KEY, or pass api_key") from error
        return self._made[loop]

    async def _ask(self, client: Any, body: dict[str, Any]) -> Any:
        # What the SDK has no parameter for travels in the body as well.
        known = ("model", "messages", "tools", "stream", "stream_options")
        extra = {key: value for key, value in body.items() if key not in known}
        try:
            return await client.chat.completions.create(
                **{key: value for key, value in body.items() if key in known}, extra_body=extra or None
            )
        except Exception as error:  # noqa: BLE001 - whatever the SDK and its transport raise
            raise self._failure(client, error) from None

    async def _next(self, client: Any, stream: Any, pieces: "_Pieces") -> Any:
        try:
            return await anext(aiter(stream), None)
        except Exception as error:  # noqa: BLE001 - whatever the SDK and its transport raise
            raise self._failure(client, error, pieces.so_far) from None

    def _whole(self, completion: Any) -> ModelResponse:
        choices = member(completion, "choices")
        if not choices:
            raise ModelFailed(
                f"{self.name} did not answer with a chat completion; base_url has to be the API's root, often …/v1"
            )
        answer = choices[0].message
        message: Message = {"role": "assistant", "content": member(answer, "content", "refusal")}
        # Only functions are offered; a provider's own kinds of calls are its own business.
        functions = [call for call in answer.tool_calls or () if member(call, "type") in (None, "function")]
        calls = [_call(call.id, call.function.name, call.function.arguments) for call in functions]
        if calls:
            message["tool_calls"] = calls
        return ModelResponse(
            message=message,
            usage=_usage(completion),
            finish_reason=choices[0].finish_reason,
            model=completion.model,
            id=completion.id,
        )

    def _failure(self, client: Any, error: Exception, so_far: str = "") -> ModelFailed:
        """Return what to tell: what happened, where, and what to look at; the SDK's own words may have the key."""
        status = getattr(error, "status_code", None)
        words = str(member(getattr(error, "body", None), "message") or str(error) or type(error).__name__)
        # Some endpoints repeat the key they refuse.
        for key in (self._api_key, getattr(client, "api_key", None)):
            words = words.replace(key, "…") if isinstance(key, str) and len(key) >= _LEAST_KEY else words
        what = f"answered {status}: {words}" if status is not None else f"failed: {words}"
        hints = {401: "check api_key or OPENAI_API_KEY", 404: "check the model's name and base_url"}
        hint = hints.get(status) if isinstance(status, int) else None
        if type(error).__name__ == "APIConnectionError":
            hint = f"the answer broke off {so_far}" if so_far else "is it running, and is base_url right?"
        message = f"{self.name} at {_place(client)} {what}" + (f"; {hint}" if hint else "")
        return ModelFailed(_KEY.sub("…", message))


@dataclass(slots=True)
class _Pieces:
    """A streamed answer, as far as it has come."""

    text: list[str] = field(default_factory=list[str])
    calls: list[tuple[int, MessageToolCall]] = field(default_factory=list[tuple[int, MessageToolCall]])
    """Each with the index it came under."""
    usage: dict[str, Any] | None = None
    finish_reason: str | None = None
    model: str | None = None
    id: str | None = None
    first_chunk_s: float | None = None

    @property
    def so_far(self) -> str:
        """How much has come, in words; empty where nothing has."""
        arguments = [call["function"]["arguments"] for _, call in self.calls]
        has_begun = self.text or self.calls
        return f"after {sum(map(len, (*self.text, *arguments)))} characters" if has_begun else ""

    def add(self, chunk: Any, after_s: float) -> str:
        """Take in one piece and return the text in it."""
        self.first_chunk_s = after_s if self.first_chunk_s is None else self.first_chunk_s
        self.id, self.model = member(chunk, "id") or self.id, member(chunk, "model") or self.model
        self.usage = _usage(chunk) or self.usage
        text = ""
        # The last piece has the usage and no choice.
        for choice in (member(chunk, "choices") or ())[:1]:
            self.finish_reason = choice.finish_reason or self.finish_reason
            text = member(choice.delta, "content") or member(choice.delta, "refusal") or ""
            for delta in member(choice.delta, "tool_calls") or ():
                self._add_call(delta)
        if text:
            self.text.append(text)
        return text

    def _add_call(self, delta: Any) -> None:
        # Some endpoints count no calls, or all of them as the first, and send each of them in one piece.
        at = delta.index if isinstance(member(delta, "index"), int) else len(self.calls)
        call_id, name = member(delta, "id"), member(member(delta, "function"), "name")
        call = next((known for index, known in reversed(self.calls) if index == at), None)
        if call is None or (name and call_id and call["id"] not in ("", call_id)):
            call = _call("", "", "")
            self.calls.append((at, call))
        call["id"] = call_id or call["id"]
        function = call["function"]
        function["name"] += name or ""
        function["arguments"] += member(member(delta, "function"), "arguments") or ""

    def response(self) -> ModelResponse:
        """Return the whole answer."""
        message: Message = {"role": "assistant", "content": "".join(self.text) or None}
        if self.calls:
            message["tool_calls"] = [call for _, call in sorted(self.calls, key=lambda entry: entry[0])]
        return ModelResponse(message, self.usage, self.finish_reason, self.model, self.id, self.first_chunk_s)


def _call(call_id: str, name: str, arguments: str) -> MessageToolCall:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _usage(answer: Any) -> dict[str, Any] | None:
    usage = member(answer, "usage")
    return None if usage is None else usage.model_dump(exclude_none=True)


def _place(client: Any) -> str:
    """Return where the endpoint is, without any credentials in its address."""
    from urllib.parse import urlsplit  # slow to import, and only failures need it

    url = urlsplit(str(member(client, "base_url") or ""))
    return f"{url.scheme}://{url.hostname}" + (f":{url.port}" if url.port else "") + url.path.rstrip("/")
