"""Requests to models and their answers, in the form of OpenAI's chat completions."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, Protocol, TypedDict

from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid
from toolkit.formats.chat import offer


class FunctionCall(TypedDict):
    """The function that a model calls; ``arguments`` is JSON text, as the model wrote it."""

    name: str
    arguments: str


class MessageToolCall(TypedDict):
    """One tool call of an answer."""

    id: str
    type: Literal["function"]
    function: FunctionCall


class TextPart(TypedDict):
    """A text in a message of several parts."""

    type: Literal["text"]
    text: str


class ImageUrl(TypedDict):
    """Where a picture is: an address, or a ``data:`` URL that has it."""

    url: str
    detail: NotRequired[Literal["auto", "low", "high"]]


class ImagePart(TypedDict):
    """A picture in a message of several parts."""

    type: Literal["image_url"]
    image_url: ImageUrl


class Message(TypedDict):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: NotRequired[str | list[TextPart | ImagePart] | None]
    """Text, or of the user also parts: a picture is ``{"type": "image_url", "image_url": {"url": "data:…"}}``."""
    name: NotRequired[str]
    tool_calls: NotRequired[list[MessageToolCall]]
    tool_call_id: NotRequired[str]


def text_of(message: Message) -> str:
    """Return the text of a message, without its pictures."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(each["text"] for each in content if each["type"] == "text")
    return content or ""


TextSink = Callable[[str], Awaitable[None] | None]
"""Takes each piece of an answer as it arrives; a plain function or a coroutine function."""


@dataclass(slots=True)
class ModelRequest:
    """One request to a model; hooks may change it."""

    messages: list[Message]
    tools: list[ToolDefinition] = field(default_factory=list[ToolDefinition])
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    """More of the request's body, for example ``temperature``."""
    on_text: TextSink | None = field(default=None, repr=False)
    """Given if the answer is to be streamed."""

    def __post_init__(self) -> None:
        for each in self.tools:
            if not isinstance(each, ToolDefinition):  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
                raise DefinitionInvalid(f"tools are definitions, as of node.definitions(), not {type(each).__name__}")

    async def tell(self, text: str) -> None:
        """Pass a piece of the answer to ``on_text``, if there is one; models call this as the pieces arrive."""
        pending = None if self.on_text is None else self.on_text(text)
        if pending is not None:
            await pending

    def body(self, model: str) -> dict[str, Any]:
        """Return the body of the request, as it is sent and as the hooks show it."""
        body: dict[str, Any] = {"model": model, "messages": list(self.messages), **self.settings}
        if self.tools:
            body["tools"] = [offer(each) for each in self.tools]
        return body | ({"stream": True} if self.on_text is not None else {})


@dataclass(slots=True)
class ModelResponse:
    """One answer of a model; hooks may change it."""

    message: Message
    usage: Mapping[str, Any] | None = None
    """In the provider's terms, for example ``prompt_tokens`` and ``completion_tokens``."""
    finish_reason: str | None = None
    model: str | None = None
    """The model that answered, according to the response."""
    id: str | None = None
    time_to_first_chunk_s: float | None = None
    """The time from the request to the first piece; None if it was not streamed."""

    def body(self) -> dict[str, Any]:
        """Return the answer as a chat completion, and as the hooks show it."""
        choice = {"index": 0, "message": dict(self.message), "finish_reason": self.finish_reason}
        body: dict[str, Any] = {"id": self.id, "object": "chat.completion", "model": self.model, "choices": [choice]}
        return body if self.usage is None else body | {"usage": dict(self.usage)}


class Model(Protocol):
    """Anything that answers conversations."""

    @property
    def name(self) -> str:
        """The model's name at its provider, which determines its price."""
        ...

    @property
    def provider(self) -> str:
        """Who runs it, as OpenTelemetry's ``gen_ai.provider.name`` spells it, for example ``openai``."""
        ...

    async def generate(self, request: ModelRequest) -> ModelResponse:
        """Answer; raise whatever goes wrong."""
        ...
