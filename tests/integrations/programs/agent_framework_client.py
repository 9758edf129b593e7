"""A client of Agent Framework over the SDK of OpenAI, as its package for that is, which holds back other packages."""

from typing import Any

from agent_framework import BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message
from openai import AsyncOpenAI


class OpenAIClient(FunctionInvocationLayer, BaseChatClient):
    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.options = options

    async def _inner_get_response(self, *, messages: Any, **_: Any) -> ChatResponse:
        asked = [each for message in messages for each in plain(message)]
        async with AsyncOpenAI(**self.options) as client:
            answer = (await client.chat.completions.create(model="gpt-4o", messages=asked)).choices[0].message
        return ChatResponse(messages=[Message("assistant", contents_of(answer))], response_id="r")


def contents_of(answer: Any) -> list[Any]:
    """What an answer of OpenAI says, as Agent Framework has it."""
    contents: list[Any] = [Content.from_text(answer.content)] if answer.content else []
    for call in answer.tool_calls or ():
        contents.append(Content.from_function_call(call.id, call.function.name, arguments=call.function.arguments))
    return contents


def plain(message: Any) -> list[Any]:
    """A message of Agent Framework, as OpenAI has it."""
    found: list[Any] = []
    for content in message.contents:
        if content.type == "function_call":
            function = {"name": content.name, "arguments": content.arguments}
            call = {"id": content.call_id, "type": "function", "function": function}
            found.append({"role": "assistant", "tool_calls": [call]})
        elif content.type == "function_result":
            found.append({"role": "tool", "tool_call_id": content.call_id, "content": str(content.result)})
        else:
            found.append({"role": str(message.role), "content": content.text})
    return found
