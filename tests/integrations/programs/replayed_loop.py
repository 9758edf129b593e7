"""A loop written by hand around a model, with functions of its own, streams, failures, retries and threads.

python replayed_loop.py [WORD]         WORD takes the place of one word of the first question
"""

import asyncio
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import openai

ASKED = sys.argv[1] if len(sys.argv) > 1 else "Oslo"
CHANGE = os.environ.get("CHANGE")
MODEL = "gpt-4o"
client = openai.OpenAI(max_retries=2)


def weather(city):
    return f"snow in {city}" if CHANGE == "tool" else f"sun in {city}"


def user(text):
    return {"role": "user", "content": text}


def loop():
    tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
    messages = [user(f'{ASKED}?\n!call weather {{"city": "{ASKED}"}}')]
    while True:
        answer = client.chat.completions.create(model=MODEL, messages=messages, tools=tools).choices[0].message
        if not answer.tool_calls:
            return answer.content
        messages.append(answer.to_dict())
        for call in answer.tool_calls:
            found = weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": found})


def streams():
    with client.chat.completions.create(model=MODEL, messages=[user("one two three")], stream=True) as stream:
        yield [chunk.choices[0].delta.content for chunk in stream if chunk.choices]
    stream = client.chat.completions.create(model=MODEL, messages=[user("left early on\n!pause 30")], stream=True)
    for chunk in stream:
        yield chunk.choices[0].delta.content
        if chunk.choices[0].delta.content and CHANGE != "read on":
            break
    stream.close()
    try:
        list(client.chat.completions.create(model=MODEL, messages=[user("cut off\n!cut")], stream=True))
    except Exception as error:
        yield type(error).__name__


def failures():
    yield client.chat.completions.create(model=MODEL, messages=[user("again\n!fail 429 2")]).choices[0].message.content
    try:
        client.chat.completions.create(model=MODEL, messages=[user("never\n!fail 400 9")])
    except openai.BadRequestError as error:
        yield str(error)


def say(text):
    return client.chat.completions.create(model=MODEL, messages=[user(text)]).choices[0].message.content


async def at_once():
    async with openai.AsyncOpenAI() as other:

        async def say_async(text):
            await asyncio.sleep(0)
            answer = await other.chat.completions.create(model=MODEL, messages=[user(text)])
            return answer.choices[0].message.content

        return await asyncio.gather(*(say_async(f"async {number}") for number in range(5)))


print(loop())
print(list(streams()))
print(list(failures()))
with ThreadPoolExecutor(8) as pool:
    print(list(pool.map(say, (f"thread {number % 4}" for number in range(8)))))
print(asyncio.run(at_once()))
if CHANGE == "more":
    print(say("one more"))
