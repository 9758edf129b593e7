import asyncio

import httpx2

from toolkit import ToolContext
from toolkit.tools.openapi import openapi_tools


def test_the_openapi_tools_made_from_the_document_call_the_tools(box, serve):
    async def body():
        async with serve(box.tools, auth_required=True, tokens={"s3cret": ["read"]}) as server:
            async with httpx2.AsyncClient(headers={"Authorization": "Bearer s3cret"}) as client:
                document = (await client.get(f"{server.url}/openapi.json")).json()
            tools = {each.name: each for each in openapi_tools(document, base_url=server.url)}
            context = ToolContext(credentials={"token": "s3cret"})
            return (
                list(tools),
                await tools["double"]({"number": 21}, context),
                await tools["search"]({"topic": "a b/c", "limit": 3}, context),
                await tools["fail"]({}, context),
            )

    names, doubled, searched, failed = asyncio.run(body())

    assert names == ["double", "search", "wait", "fail", "late", "picture"]
    assert (doubled.is_error, doubled.structured) == (False, 42)
    assert searched.structured == {"topic": "a b/c", "limit": 3}
    assert failed.is_error and "fail failed; the log of its server says why" in failed.text
