"""Model calls of the SDK of OpenAI and of plain HTTP clients, with the bytes that a loopback server answered each with.

The ledger has them by question: a list of attempts, each with its status and body, and where the program reads a
stream's own pieces, these.
"""

import asyncio
import gzip
import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import httpx2
import openai
import requests

CHAT = "/v1/chat/completions"
LONG = 'A long answer with "quotes" and é. ' * 20
SECRET = "sk-proj-" + "aB3dE5fG7h" * 6
ANSWERS = {
    "secret": f"the key is {SECRET}",
    "secret stream": ["the key is ", SECRET[:20], SECRET[20:]],
    "binary": b"\xff\xfe\x00",
}
ledger = {}


def completion(text):
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    return {"id": "c-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def chunk(text):
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    made = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(made).encode() + b"\n\n"


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked = request["messages"][-1]["content"]
        attempts = ledger.setdefault(asked, [])
        if asked == "again" and not attempts:
            self.answer(429, b'{"error":{"message":"slow down"}}', attempts, **{"retry-after-ms": "1"})
        elif request.get("stream"):
            texts = ANSWERS.get(asked, ["one", " two", " three"])
            body = b"".join(map(chunk, texts)) + b"data: [DONE]\n\n"
            self.answer(200, body, attempts, **{"content-type": "text/event-stream"})
        else:
            answer = ANSWERS.get(asked, LONG)
            laid_out = 2 if asked == "laid out" else None
            letters = asked == "utf-8"
            body = (
                json.dumps(completion(answer), indent=laid_out, ensure_ascii=not letters).encode()
                if isinstance(answer, str)
                else answer
            )
            self.answer(200, body, attempts, packed=asked == "packed")

    def answer(self, status, body, attempts, *, packed=False, **headers):
        attempts.append({"status": status, "body": body.decode("latin-1")})
        body = gzip.compress(body) if packed else body
        self.send_response(status)
        sent = {"content-type": "application/json", "x-request-id": "req_1", "set-cookie": "a=b"} | headers
        for name, value in (sent | ({"content-encoding": "gzip"} if packed else {})).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def said(text, **more):
    return {"model": "m", "messages": [{"role": "user", "content": text}], **more}


def of_the_sdk(url):
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none")
    for asked in ("plain", "laid out", "utf-8", "packed", "again", "secret"):
        client.chat.completions.create(**said(asked))
    for asked in ("stream", "secret stream"):
        list(client.chat.completions.create(**said(asked, stream=True)))
    left = client.chat.completions.create(**said("left", stream=True))
    next(iter(left))
    left.close()
    nowhere = openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="none", max_retries=1)
    with suppress(openai.APIConnectionError):
        nowhere.chat.completions.create(**said("nobody"))

    async def ask():
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none") as client:
            await client.chat.completions.create(**said("async"))
            async for _ in await client.chat.completions.create(**said("async stream", stream=True)):
                pass

    asyncio.run(ask())


def of_plain_http(url):
    for module in (httpx, httpx2):
        name = module.__name__
        module.post(url + CHAT, json=said(f"{name} whole"))
        with module.stream("POST", url + CHAT, json=said(f"{name} stream", stream=True)) as response:
            ledger[f"{name} stream"][0]["pieces"] = [piece.decode() for piece in response.iter_raw()]
    httpx.post(url + CHAT, json=said("binary"))
    requests.post(url + CHAT, json=said("requests whole"))
    with requests.post(url + CHAT, json=said("requests stream", stream=True), stream=True) as response:
        ledger["requests stream"][0]["pieces"] = [piece.decode() for piece in response.iter_content(100)]


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"
of_the_sdk(address)
of_plain_http(address)
print(json.dumps(ledger))
