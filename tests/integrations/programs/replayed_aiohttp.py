"""Models called by aiohttp: whole answers, streams read in every way, refusals, errors, and google-genai above it."""

import asyncio
import os

import aiohttp
from google import genai

BASE = os.environ["OPENAI_BASE_URL"].removesuffix("/v1")
CHAT = "/v1/chat/completions"


def body(text, **more):
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": text}], **more}


async def whole(session):
    async with session.post(CHAT, json=body("whole")) as response:
        print(response.status, response.reason, response.content_type, (await response.json())["choices"][0])
    async with session.post(CHAT, json=body("refused\n!fail 400 9")) as response:
        print(response.status, await response.text())


async def streamed(session):
    def asked(text):
        return session.post(CHAT, json=body(f"{text} one two three", stream=True))

    async with asked("lines") as response:
        print([line async for line in response.content])
    async with asked("pieces") as response:
        print([piece async for piece in response.content.iter_any()])
    async with asked("parts") as response:
        print([part async for part in response.content.iter_chunks()])
    async with asked("of five") as response:
        print([piece async for piece in response.content.iter_chunked(5)])
    async with asked("until the end") as response:
        read = []
        while not response.content.at_eof():
            read.append(await response.content.readuntil(b"\n\n"))
        print(read)
    async with asked("left") as response:
        print(await response.content.readline())


async def failing(session):
    try:
        async with session.post(CHAT, json=body("cut one two\n!cut", stream=True)) as response:
            print([line async for line in response.content])
    except aiohttp.ClientPayloadError as error:
        print(type(error).__name__, error)
    try:
        await session.post(CHAT, json=body("refused\n!fail 500 9"), raise_for_status=True)
    except aiohttp.ClientResponseError as error:
        print(error.status, error.message)
    try:
        await session.post("http://127.0.0.1:9/v1/chat/completions", json=body("nobody"))
    except aiohttp.ClientConnectorError as error:
        print(type(error).__name__, error)


async def by_google():
    async with genai.Client(api_key="planted", http_options={"base_url": BASE}).aio as google:
        print((await google.models.generate_content(model="gemini-3-flash", contents="genai")).text)
        stream = await google.models.generate_content_stream(model="gemini-3-flash", contents="genai one two")
        print([piece.text async for piece in stream])


async def main():
    async with aiohttp.ClientSession(BASE) as session:
        await whole(session)
        await streamed(session)
        await failing(session)
    await by_google()


asyncio.run(main())
