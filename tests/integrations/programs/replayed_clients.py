"""Models called by plain HTTP, whole and in streams, synchronously and not."""

import asyncio
import os
import traceback

import httpx
import httpx2
import requests

BASE = os.environ["OPENAI_BASE_URL"]
CHAT = f"{BASE}/chat/completions"


def body(text, **more):
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": text}], **more}


def said(answer):
    return answer["choices"][0]["message"]["content"]


REFUSED = ("http://127.0.0.1:9/v1/chat/completions", {"json": body("nobody is there")})
CUT = (CHAT, {"json": body("cut\n!cut", stream=True)})


def print_error(exc):
    """Print an exception, and the modules of the inspector in its traceback: there are none."""
    modules = [frame.f_globals["__name__"] for frame, _ in traceback.walk_tb(exc.__traceback__)]
    print(type(exc).__name__, [name for name in modules if name.startswith(("inspector.", "instrument."))])


async def asynchronously(package):
    async with package.AsyncClient() as client:
        for url, request in (REFUSED, CUT):
            try:
                await client.post(url, **request)
            except package.HTTPError as exc:
                print_error(exc)
        print(said((await client.post(CHAT, json=body(f"async {package.__name__}"))).json()))
        async with client.stream("POST", CHAT, json=body(f"stream {package.__name__} twice", stream=True)) as response:
            print([line async for line in response.aiter_lines() if line])


for package in (httpx, httpx2):
    print(said(package.post(CHAT, json=body(f"sync {package.__name__}")).json()))
    with package.stream("POST", CHAT, json=body(f"stream {package.__name__}", stream=True)) as response:
        print([piece.decode() for piece in response.iter_raw()])
    asyncio.run(asynchronously(package))
    for url, request in (REFUSED, CUT):
        try:
            package.post(url, **request)
        except package.HTTPError as exc:
            print_error(exc)
    print(package.post(CHAT, json=body(f"refused {package.__name__}\n!fail 400 9")).status_code)
print(said(requests.post(CHAT, json=body("by requests"), timeout=20).json()))
with requests.post(CHAT, json=body("stream of requests", stream=True), stream=True, timeout=20) as streamed:
    print([line.decode() for line in streamed.iter_lines() if line])
for url, request in (REFUSED, CUT):
    try:
        requests.post(url, **request, timeout=20)
    except requests.RequestException as exc:
        print_error(exc)
