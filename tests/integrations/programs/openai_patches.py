"""The SDK openai while the inspector is detached, and attached again to a version that lacks a function."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "stubs"))

import openai
from models import serving
from openai._base_client import AsyncAPIClient, SyncAPIClient
from openai._streaming import AsyncStream, Stream

import inspector


def functions():
    clients = [
        getattr(owner, name) for owner in (SyncAPIClient, AsyncAPIClient) for name in ("request", "_sleep_for_retry")
    ]
    return [*clients, Stream.__stream__, AsyncStream.__stream__]


def ask(models, text):
    client = openai.OpenAI(base_url=f"{models.url}/v1", api_key="planted")
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model="gpt-4o", messages=messages).choices[0].message.content


def is_ours(function):
    return "integrations" in function.__code__.co_filename


is_patched = all(map(is_ours, functions()))
inspector.detach()
is_put_back = not any(map(is_ours, functions()))
with serving() as models:
    answers = [ask(models, "alone")]
    kept = AsyncAPIClient.request
    del AsyncAPIClient.request
    inspector.attach()
    answers.append(ask(models, "lacking"))
    AsyncAPIClient.request = kept
    answers.append(ask(models, "again"))
print(json.dumps({"put back": is_put_back, "patched": is_patched, "answers": answers}))
