"""Loops that somebody wrote by hand over two SDKs, without any framework; prints what each conversation was.

The last line is JSON: by conversation its calls in order, each with how it follows the one before and with the tools
that its answer asked for, what they were given and what they gave.
"""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import anthropic
import openai
from models import serving

MODEL = "gpt-4o"
QUESTIONS = (
    'Which is due?\n!call get_invoice {"number": 1}\n!call get_invoice {"number": 2}',
    'Pay it.\n!call pay {"number": 2}',
    "Thanks.",
)
conversations = []


def get_invoice(number):
    return f"invoice {number}: {10 * number} EUR"


def pay(number):
    raise LookupError(f"no account for invoice {number}")


TOOLS = {"get_invoice": get_invoice, "pay": pay}


class Conversation:
    """What a loop knows of itself."""

    def __init__(self):
        self.calls = []
        conversations.append(self.calls)

    def called(self, *, again=False):
        link = "retry" if again else "continues" if self.calls else "begins"
        self.calls.append({"link": link, "tools": []})

    def used(self, name, arguments):
        try:
            result, failed = TOOLS[name](**arguments), False
        except LookupError as exc:
            result, failed = f"Error: {type(exc).__name__}: {exc}", True
        self.calls[-1]["tools"].append({"name": name, "arguments": arguments, "result": result, "failed": failed})
        return result, failed


def answered(message, conversation):
    """The messages that follow an answer: itself, and what the tools gave that it asks for."""
    calls = message.get("tool_calls") or []
    said = {"role": "assistant", "content": message.get("content")} | ({"tool_calls": calls} if calls else {})
    yield said
    for call in calls:
        result, _ = conversation.used(call["function"]["name"], json.loads(call["function"]["arguments"]))
        yield {"role": "tool", "tool_call_id": call["id"], "content": result}


def looped(ask, *, fails=False, wait=lambda: None):
    """A loop over chat completions."""
    conversation, messages = Conversation(), [{"role": "system", "content": "You pay invoices."}]
    for number, question in enumerate(QUESTIONS):
        messages.append({"role": "user", "content": question + ("\n!fail 500 1" if fails and number == 1 else "")})
        while True:
            wait()
            conversation.called()
            try:
                message = ask(messages)
            except openai.InternalServerError:
                conversation.called(again=True)
                message = ask(messages)
            messages += answered(message, conversation)
            if messages[-1]["role"] == "assistant":
                break


async def looped_async(ask):
    conversation, messages = Conversation(), [{"role": "system", "content": "You pay invoices."}]
    for question in QUESTIONS:
        messages.append({"role": "user", "content": question})
        while True:
            conversation.called()
            messages += answered(await ask(messages), conversation)
            if messages[-1]["role"] == "assistant":
                break


def whole(client):
    def ask(messages):
        answer = client.chat.completions.create(model=MODEL, messages=messages)
        return answer.choices[0].message.model_dump(exclude_none=True)

    return ask


def streamed(client):
    def ask(messages):
        text, calls = "", {}
        for chunk in client.chat.completions.create(model=MODEL, messages=messages, stream=True):
            for choice in chunk.choices:
                text += choice.delta.content or ""
                for part in choice.delta.tool_calls or []:
                    call = calls.setdefault(part.index, {"id": "", "name": "", "arguments": ""})
                    call["id"] += part.id or ""
                    call["name"] += part.function.name or ""
                    call["arguments"] += part.function.arguments or ""
        return {
            "content": text or None,
            "tool_calls": [
                {"id": each["id"], "type": "function", "function": {key: each[key] for key in ("name", "arguments")}}
                for each in calls.values()
            ],
        }

    return ask


def responses(client):
    """A loop over a conversation that the provider keeps."""
    conversation, previous = Conversation(), None
    for question in QUESTIONS:
        given = [{"role": "user", "content": question}]
        while given:
            conversation.called()
            more = {} if previous is None else {"previous_response_id": previous}
            answer = client.responses.create(model=MODEL, input=given, **more)
            previous, given = answer.id, []
            for item in answer.output:
                if item.type == "function_call":
                    result, _ = conversation.used(item.name, json.loads(item.arguments))
                    given.append({"type": "function_call_output", "call_id": item.call_id, "output": result})


def claude(client):
    conversation, messages = Conversation(), []
    for question in QUESTIONS:
        messages.append({"role": "user", "content": question})
        while True:
            conversation.called()
            answer = client.messages.create(model="claude-sonnet-4-5", max_tokens=100, messages=messages)
            messages.append({"role": "assistant", "content": [part.model_dump() for part in answer.content]})
            results = []
            for part in answer.content:
                if part.type == "tool_use":
                    result, failed = conversation.used(part.name, part.input)
                    results.append(
                        {"type": "tool_result", "tool_use_id": part.id, "content": result, "is_error": failed}
                    )
            if not results:
                break
            messages.append({"role": "user", "content": results})


async def at_once(url):
    async with openai.AsyncOpenAI(base_url=url, api_key="k") as client:

        async def ask(messages):
            answer = await client.chat.completions.create(model=MODEL, messages=messages)
            return answer.choices[0].message.model_dump(exclude_none=True)

        await asyncio.gather(*(looped_async(ask) for _ in range(3)))


def program(url):
    with openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        looped(whole(client))
        looped(streamed(client))
        looped(whole(client), fails=True)
        responses(client)
        together = Barrier(3)
        with ThreadPoolExecutor(3) as pool:
            for done in [pool.submit(looped, whole(client), wait=together.wait) for _ in range(3)]:
                done.result()
        asyncio.run(at_once(f"{url}/v1"))
    with anthropic.Anthropic(base_url=url, api_key="k") as client:
        claude(client)


with serving() as models:
    program(models.url)
print(json.dumps(conversations))
