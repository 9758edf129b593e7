import asyncio
import math
import sys

import pytest

from toolkit.functions import tool


@tool
async def leave() -> str:
    """End the program."""
    raise SystemExit(3)


@tool
def leave_thread() -> str:
    """End the program, from a thread."""
    sys.exit("bye")


@tool
async def odd() -> list[str]:
    """List a folder with names that are no text."""
    return ["a\ud800b"]


@tool
async def odd_text() -> str:
    """Say what is no text."""
    return "a\ud800b"


@tool
async def nothing() -> dict[str, float | None]:
    """Divide by nothing."""
    return {"x": math.nan}


TOOLS = [leave, leave_thread, odd, odd_text, nothing]


def test_over_http_the_others_go_on(ask, post, problem):
    left, thread, listed, said, number, unread = ask(
        TOOLS,
        post("/tools/leave"),
        post("/tools/leave_thread"),
        post("/tools/odd"),
        post("/tools/odd_text"),
        post("/tools/nothing"),
        post("/tools/odd", content='{"x": NaN}', headers={"content-type": "application/json"}),
    )
    assert problem(left)[0] == problem(thread)[0]
    assert left.json()["detail"] == "leave tried to end the program"
    assert (listed.json(), said.text, number.json()) == (["a?b"], "a?b", {"x": None})
    assert (unread.status_code, "NaN is not JSON" in unread.json()["detail"]) == (400, True)


@pytest.mark.parametrize("name", ["leave", "leave_thread"])
def test_over_the_protocol_the_others_go_on(serve, official, name):
    async def body():
        async with serve(TOOLS) as server, official(server) as client:
            left = await client.call_tool(name, {})
            listed = await client.call_tool("odd", {})
            number = await client.call_tool("nothing", {})
            return left, listed.structured_content, number.structured_content, number.content[0].text

    left, *others = asyncio.run(body())
    assert (left.is_error, left.content[0].text) == (True, f"{name} tried to end the program")
    assert others == [{"result": ["a?b"]}, {"x": None}, '{"x": null}']
