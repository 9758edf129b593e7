"""Models called through the SDK of Anthropic, in every way."""

import asyncio

import anthropic

client = anthropic.Anthropic(max_retries=2)


def asked(text):
    return {"model": "claude-opus-4-6", "max_tokens": 99, "messages": [{"role": "user", "content": text}]}


async def asynchronously():
    async with anthropic.AsyncAnthropic() as other:
        print((await other.messages.create(**asked("async"))).content[0].text)
        async with other.messages.stream(**asked("async helper")) as stream:
            print([text async for text in stream.text_stream])


print(client.messages.create(**asked("whole")).content[0].text)
print(client.messages.create(**asked("again\n!fail 529 1")).content[0].text)
print([event.type for event in client.messages.create(**asked("one two"), stream=True)])
with client.messages.stream(**asked("helper")) as stream:
    print("".join(stream.text_stream), stream.get_final_message().usage.output_tokens)
try:
    client.messages.create(**asked("never\n!fail 400 9"))
except anthropic.BadRequestError as error:
    print(error)
asyncio.run(asynchronously())
