"""Prompts to Claude Code, which is a script here, each asked as programs do it; prints what the program got."""

import asyncio
import json
import sys
from pathlib import Path

import claude_code
from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultDeny,
    create_sdk_mcp_server,
    query,
    tool,
)

import instrument

STAND_IN = Path("claude").absolute()


@tool("add", "Add two numbers.", {"a": int, "b": int})
async def add(given):
    async with instrument.around("llm_generate", llm="inside", prompt="add") as call:
        call.set(response="3", usage={"input_tokens": 1, "output_tokens": 1})
    return {"content": [{"type": "text", "text": str(given["a"] + given["b"])}]}


@tool("fails", "Fail.", {"a": int})
async def fails(given):
    raise ValueError("no luck")


async def refuse(name, given, context):
    return PermissionResultDeny(message="not that file")


def options(**more):
    return ClaudeAgentOptions(cli_path=STAND_IN, system_prompt="Be brief.", **more)


async def asked(prompt, **more):
    """Ask with ``query``; return the classes of what came, and the error if there was one."""
    got = []
    try:
        async for message in query(prompt=prompt, options=options(**more)):
            got.append(type(message).__name__)
    except Exception as exc:
        got.append(f"{type(exc).__name__}: {exc}")
    return got


async def worked():
    server = create_sdk_mcp_server("calc", tools=[add, fails])
    got = []
    async with ClaudeSDKClient(options(mcp_servers={"calc": server}, can_use_tool=refuse)) as client:
        for prompt in ("work", "plain"):
            await client.query(prompt)
            got += [type(message).__name__ async for message in client.receive_response()]
    return got


async def background():
    results = 0
    async with ClaudeSDKClient(options()) as client:
        await client.query("background")
        async for message in client.receive_messages():
            results += type(message).__name__ == "ResultMessage"
            if results == 2:
                break
    return results


async def interrupted():
    async with ClaudeSDKClient(options()) as client:
        await client.query("wait")
        async for message in client.receive_messages():
            if isinstance(message, AssistantMessage):
                break
        await client.interrupt()
        return [type(message).__name__ async for message in client.receive_response()]


async def closed_early():
    async with ClaudeSDKClient(options()) as client:
        await client.query("hold")
        async for message in client.receive_messages():
            if isinstance(message, AssistantMessage):
                break
    return type(message).__name__


async def both():
    async def prompts():
        for prompt in ("plain", "stream"):
            yield {"type": "user", "message": {"role": "user", "content": prompt}}

    return await asyncio.gather(asked(prompts()), asked("plain"))


async def main():
    STAND_IN.write_text(f'#!/bin/sh\nexec {sys.executable} -S {claude_code.__file__} "$@"\n')
    STAND_IN.chmod(0o700)
    parts = {
        "worked": worked,
        "background": background,
        "interrupted": interrupted,
        "closed_early": closed_early,
        "streamed": lambda: asked("stream", include_partial_messages=True),
        "limited": lambda: asked("limit"),
        "refused": lambda: asked("refused"),
        "died": lambda: asked("die"),
        "both": both,
    }
    got = {}
    for name, part in parts.items():
        async with instrument.around("workflow_run", workflow=name, context=None):
            got[name] = await part()
    print(json.dumps(got))


asyncio.run(main())
