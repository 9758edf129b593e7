"""A loop around a model whose tools are those of MCP servers, over whatever the words name.

python replayed_mcp.py DESK LEDGER [WAY...]    WAY is stdio, memory, or the URL of a desk
"""

import asyncio
import json
import os
import sys
from contextlib import AsyncExitStack

import openai
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client import streamable_http
from mcp.shared.memory import create_client_server_memory_streams

DESK, LEDGER, *WAYS = sys.argv[1:]
CITY = os.environ.get("CITY", "Oslo")


def over_stdio(name):
    return stdio_client(StdioServerParameters(command=sys.orig_argv[0], args=[DESK, LEDGER, name]))


def over_http(url):
    opener = getattr(streamable_http, "streamable_http_client", None) or streamable_http.streamablehttp_client
    return opener(url)


async def answer(session, model, text):
    """Let the model call what it likes of the desk's tools, once, and tell of it."""
    offered = [
        {"type": "function", "function": {"name": tool.name, "parameters": {"type": "object"}}}
        for tool in (await session.list_tools()).tools
    ]
    messages = [{"role": "user", "content": text}]
    said = (await model.chat.completions.create(model="m-1", messages=messages, tools=offered)).choices[0].message
    messages.append(said.to_dict())
    results = await asyncio.gather(
        *(session.call_tool(each.function.name, json.loads(each.function.arguments)) for each in said.tool_calls or ())
    )
    for call, result in zip(said.tool_calls or (), results, strict=True):
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result.content[0].text})
    last = await model.chat.completions.create(model="m-1", messages=messages)
    return repr(results), last.choices[0].message.content


async def talk(streams, model):
    async with ClientSession(*streams[:2]) as session:
        print(repr(await session.initialize()))
        for line in await answer(
            session, model, f'where to?\n!call weather {{"city": "{CITY}"}}\n!call rooms {{"city": "Rome"}}'
        ):
            print(line)
        print(repr(await session.call_tool("wipe", {})))
        print(repr(await session.call_tool("weather", {})))
        uri = (await session.list_resources()).resources[0].uri
        print(repr(await session.read_resource(uri)))
        print(repr(await session.get_prompt("brief", {"city": "Oslo"})))
        try:
            await session.get_prompt("nothing", {})
        except Exception as error:
            print(type(error).__name__, error, error.error)


async def in_memory(model):
    from replayed_desk import desk_of

    desk = desk_of(LEDGER, "memory")
    low = getattr(desk, "_lowlevel_server", None) or desk._mcp_server
    async with create_client_server_memory_streams() as (ours, theirs):
        serving = asyncio.create_task(low.run(*theirs, low.create_initialization_options()))
        await talk(ours, model)
        serving.cancel()
        await asyncio.wait([serving])


async def main():
    async with openai.AsyncOpenAI() as model, AsyncExitStack() as stack:
        for way in WAYS:
            if way == "memory":
                await in_memory(model)
            elif way == "stdio":
                # Two of one kind, whose answers have to be told apart.
                both = [await stack.enter_async_context(over_stdio(name)) for name in ("north", "south")]
                for streams in both:
                    await talk(streams, model)
            else:
                await talk(await stack.enter_async_context(over_http(way)), model)


asyncio.run(main())
