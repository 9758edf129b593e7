"""Models called by plain HTTP and by SDKs that are built on it, against a loopback server; see `conformance`."""

import asyncio
import gc
import json

import aiohttp
import httpx
import httpx2
import ollama
import requests
from conformance import conform, failed
from google import genai
from mistralai.client import Mistral
from models import serving

from instrument import around

CHAT, MESSAGES = "/v1/chat/completions", "/v1/messages"
GEMINI = "/v1beta/models/gemini-3-flash"
KEY = "sk-planted-0123456789"
ledger = []


def said(text, **more):
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": text}], **more}


def contents(text):
    return {"contents": [{"role": "user", "parts": [{"text": text}]}]}


def did(client, asked, text, *, tokens=None, status="ok", error=None, name="chat gpt-4o", parent=None, streamed=None):
    failed()
    row = {"asked": asked, "text": text, "tokens": tokens, "status": status, "error": error}
    ledger.append(row | {"client": client, "name": name, "parent": parent, "streamed": streamed})


def did_chat(client, asked, answer, **more):
    usage = answer["usage"]
    tokens = [usage["prompt_tokens"], usage["completion_tokens"]]
    did(client, asked, answer["choices"][0]["message"]["content"], tokens=tokens, **more)


def did_gemini(client, asked, text, usage, **more):
    tokens = [usage["promptTokenCount"], usage["candidatesTokenCount"]]
    did(client, asked, text, tokens=tokens, name="chat gemini-3-flash", **more)


def did_ollama(client, asked, text, last, operation="chat", **more):
    tokens = [last["prompt_eval_count"], last["eval_count"]]
    did(client, asked, text, tokens=tokens, name=f"{operation} llama3", **more)


def text_of(lines):
    """The text of a stream of chat completions, and its usage."""
    chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    text = "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks if chunk["choices"])
    usage = chunks[-1]["usage"]
    return text, [usage["prompt_tokens"], usage["completion_tokens"]]


def of_httpx(module, url):
    name = module.__name__
    with module.Client(base_url=url, headers={"authorization": f"Bearer {KEY}"}) as client:
        did_chat(name, f"{name} whole", client.post(CHAT, json=said(f"{name} whole")).json())
        answer = client.post(MESSAGES, json=said(f"{name} message", max_tokens=9)).json()
        tokens = [answer["usage"]["input_tokens"], answer["usage"]["output_tokens"]]
        did(name, f"{name} message", answer["content"][0]["text"], tokens=tokens)
        asked = said(f"{name} stream", stream=True, stream_options={"include_usage": True})
        with client.stream("POST", CHAT, json=asked) as response:
            text, tokens = text_of(response.iter_lines())
        did(name, f"{name} stream", text, tokens=tokens, streamed=True)
        with client.stream("POST", CHAT, json=said(f"{name} left one two\n!pause 60", stream=True)) as response:
            next(response.iter_lines())
        did(name, f"{name} left one two\n!pause 60", None, status="closed", streamed=True)
        asked = f"{name} refused\n!fail 429 9"
        assert client.post(CHAT, json=said(asked)).status_code == 429
        did(name, asked, None, status="error", error="429 Too Many Requests: the stub fails with 429")
        try:
            module.Client(base_url="http://127.0.0.1:9").post(CHAT, json=said(f"{name} nobody"))
        except module.ConnectError:
            did(name, f"{name} nobody", None, status="error", error="ConnectError")
        answer = client.post(f"{GEMINI}:generateContent?key={KEY}", json=contents(f"{name} gemini")).json()
        (part,) = answer["candidates"][0]["content"]["parts"]
        did_gemini(name, f"{name} gemini", part["text"], answer["usageMetadata"])
        pieces = client.post(f"{GEMINI}:streamGenerateContent", json=contents(f"{name} gemini array")).json()
        text = "".join(part["text"] for piece in pieces for part in piece["candidates"][0]["content"]["parts"])
        did_gemini(name, f"{name} gemini array", text, pieces[-1]["usageMetadata"])
        asked = {"model": "llama3", "prompt": f"{name} plain", "stream": False}
        answer = client.post("/api/generate", json=asked).json()
        did_ollama(name, f"{name} plain", answer["response"], answer, "text_completion", streamed=False)
        # What has such a path and is no request to a model.
        assert client.post("/items/completions", json={"items": []}).status_code == 200
        assert client.post("/nowhere", json=said("nowhere")).status_code == 404


async def of_async_httpx(models):
    async with httpx.AsyncClient(base_url=models.url) as client:
        with around("agent_call", agent="planner"):
            answer = (await client.post(CHAT, json=said("async whole"))).json()
        did_chat("httpx", "async whole", answer, parent="invoke_agent planner")
        asked = said("async stream", stream=True, stream_options={"include_usage": True})
        async with client.stream("POST", CHAT, json=asked) as response:
            text, tokens = text_of([line async for line in response.aiter_lines()])
        did("httpx", "async stream", text, tokens=tokens, streamed=True)
        task = asyncio.create_task(client.post(CHAT, json=said("async given up\n!wait 60")))
        await models.reached("async given up")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        did("httpx", "async given up\n!wait 60", None, status="cancelled")


def of_requests(url):
    did_chat("requests", "requests whole", requests.post(url + CHAT, json=said("requests whole")).json())
    asked = said("requests stream", stream=True, stream_options={"include_usage": True})
    with requests.post(url + CHAT, json=asked, stream=True) as response:
        text, tokens = text_of(line.decode() for line in response.iter_lines())
    did("requests", "requests stream", text, tokens=tokens, streamed=True)
    response = requests.post(url + CHAT, json=said("requests left one two\n!pause 60", stream=True), stream=True)
    next(response.iter_content(16))
    response.close()
    did("requests", "requests left one two\n!pause 60", None, status="closed", streamed=True)
    response = requests.post(url + CHAT, json=said("requests dropped one two", stream=True), stream=True)
    del response
    gc.collect()
    did("requests", "requests dropped one two", None, status="abandoned", streamed=True)
    asked = said("requests done", stream=True, stream_options={"include_usage": True})
    response = requests.post(url + CHAT, json=asked, stream=True)
    # As huggingface_hub reads them: up to the event that ends them, without closing them.
    text, tokens = text_of(line.decode() for line in iter(response.iter_lines().__next__, b"data: [DONE]"))
    del response
    gc.collect()
    did("requests", "requests done", text, tokens=tokens, streamed=True)
    asked = "requests refused\n!fail 500 9"
    assert requests.post(url + CHAT, json=said(asked)).status_code == 500
    did("requests", asked, None, status="error", error="500 Internal Server Error: the stub fails with 500")
    asked = "requests cut one two\n!cut"
    try:
        requests.post(url + CHAT, json=said(asked, stream=True))
    except requests.exceptions.ChunkedEncodingError:
        did("requests", asked, None, status="error", error="ChunkedEncodingError", streamed=True)


async def of_aiohttp(url):
    async with aiohttp.ClientSession(url) as session:
        async with session.post(CHAT, json=said("aiohttp whole")) as response:
            did_chat("aiohttp", "aiohttp whole", await response.json())
        asked = said("aiohttp lines", stream=True, stream_options={"include_usage": True})
        async with session.post(CHAT, data=json.dumps(asked).encode()) as response:
            text, tokens = text_of([line.decode() async for line in response.content])
        did("aiohttp", "aiohttp lines", text, tokens=tokens, streamed=True)
        asked = {"model": "llama3", "messages": [{"role": "user", "content": "aiohttp pieces"}]}
        async with session.post("/api/chat", json=asked) as response:
            body = b"".join([piece async for piece in response.content.iter_any()])
        lines = [json.loads(line) for line in body.splitlines()]
        text = "".join(line["message"]["content"] for line in lines)
        did_ollama("aiohttp", "aiohttp pieces", text, lines[-1])
        async with session.post(CHAT, json=said("aiohttp left one two\n!pause 60", stream=True)) as response:
            await response.content.readline()
        did("aiohttp", "aiohttp left one two\n!pause 60", None, status="closed", streamed=True)
        async with session.post(CHAT, json=said("aiohttp refused\n!fail 400 9")) as response:
            assert response.status == 400
            await response.read()
        error = "400 Bad Request: the stub fails with 400"
        did("aiohttp", "aiohttp refused\n!fail 400 9", None, status="error", error=error)


async def of_sdks(url):
    """SDKs that no integration of their own records."""
    client = ollama.AsyncClient(host=url)
    asked = [{"role": "user", "content": "ollama sdk"}]
    answer = await client.chat("llama3", messages=asked)
    did_ollama("httpx", "ollama sdk", answer.message.content, answer, streamed=False)
    asked = [{"role": "user", "content": "ollama sdk stream"}]
    pieces = [piece async for piece in await client.chat("llama3", messages=asked, stream=True)]
    text = "".join(piece.message.content for piece in pieces)
    did_ollama("httpx", "ollama sdk stream", text, pieces[-1], streamed=True)
    with Mistral(api_key=KEY, server_url=url) as mistral:
        asked = [{"role": "user", "content": "mistral sdk"}]
        answer = mistral.chat.complete(model="gpt-4o", messages=asked)
        did_chat("httpx2", "mistral sdk", json.loads(answer.model_dump_json()), streamed=False)
        # It closes the response at the last event.
        asked = [{"role": "user", "content": "mistral sdk stream"}]
        with mistral.chat.stream(model="gpt-4o", messages=asked) as events:
            pieces = [event.data.choices[0].delta.content for event in events]
        text = "".join(piece for piece in pieces if isinstance(piece, str))
        did("httpx2", "mistral sdk stream", text, streamed=True)
    google = genai.Client(api_key=KEY, http_options={"base_url": url})
    answer = google.models.generate_content(model="gemini-3-flash", contents="genai sdk")
    did_gemini("httpx2", "genai sdk", answer.text, json.loads(answer.usage_metadata.model_dump_json(by_alias=True)))
    stream = await google.aio.models.generate_content_stream(model="gemini-3-flash", contents="genai sdk stream")
    pieces = [piece async for piece in stream]
    usage = json.loads(pieces[-1].usage_metadata.model_dump_json(by_alias=True))
    did_gemini("aiohttp", "genai sdk stream", "".join(piece.text or "" for piece in pieces), usage)


def program():
    ledger.clear()
    with serving() as models:
        of_httpx(httpx, models.url)
        of_httpx(httpx2, models.url)
        asyncio.run(of_async_httpx(models))
        of_requests(models.url)
        asyncio.run(of_aiohttp(models.url))
        asyncio.run(of_sdks(models.url))
    return sorted(ledger, key=lambda row: row["asked"])


def brief():
    ledger.clear()
    with serving() as models:
        did_chat("httpx", "lacking", httpx.post(models.url + CHAT, json=said("lacking")).json())
    return ledger


conform({"all": program}, lacking=(httpx.AsyncClient, "send"), brief=brief)
