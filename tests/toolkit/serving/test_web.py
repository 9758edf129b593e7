import asyncio
import json
import signal
import socket
import sys

import httpx2
import pytest
from openapi_spec_validator import validate

from instrument.testing import capture
from toolkit.agents import Agent
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid, ServerFailed, SpecInvalid
from toolkit.functions import mcp_route, tool
from toolkit.serving import ToolServer

TOKENS = {"reader": ["read"], "writer": ["read", "write"], "nobody": []}


def test_each_tool_has_a_route_that_answers_with_what_it_returned(box, ask, post):
    number, structured, text, picture = ask(
        [*box.tools, words],
        post("/tools/double", {"number": 21}),
        post("/search", {"topic": "x", "limit": 3}),
        post("/tools/words"),
        post("/tools/picture"),
    )
    assert (number.status_code, number.json()) == (200, 42)
    assert structured.json() == {"topic": "x", "limit": 3}
    assert (text.headers["content-type"], text.text) == ("text/plain; charset=utf-8", "many words")
    assert [each["type"] for each in picture.json()["content"]] == ["text", "image"]


@tool
async def words() -> str:
    """Say something."""
    return "many words"


@tool
@mcp_route("/sum")
async def add(first: int, second: int, exact: bool = False) -> int:
    """Add."""
    return first + second


def test_what_is_wrong_is_a_problem_with_the_words_that_models_read(box, ask, post, get, problem):
    mistaken, failed, late, unknown, method, array, broken, form = ask(
        box.tools,
        post("/tools/double", {"number": "x"}),
        post("/tools/fail"),
        post("/tools/late"),
        post("/tools/nothing"),
        get("/tools/double"),
        post("/tools/double", content=b"[1]", headers={"Content-Type": "application/json"}),
        post("/tools/double", content=b"{", headers={"Content-Type": "application/json"}),
        post("/tools/double", content=b'{"number": 1}', headers={"Content-Type": "text/plain"}),
    )
    assert mistaken.json()["problems"][0]["path"] == "number"
    assert problem(mistaken) == (422, mistaken.json()["detail"])
    assert mistaken.json()["detail"].startswith("invalid arguments for double: number")
    assert problem(failed) == (500, "fail failed; the log of its server says why")
    assert problem(late) == (504, "late took longer than 1 s")
    assert problem(unknown) == (404, "no tool has the route /tools/nothing")
    assert problem(method) == (405, "Method Not Allowed")
    assert problem(array) == (400, "the body must be a JSON object")
    assert problem(broken)[0] == 400
    assert problem(form) == (415, "the body must be application/json")


def test_a_body_that_is_too_large_is_refused(box, ask, post, problem):
    [answer] = ask(box.tools, post("/tools/double", {"number": 1, "more": "x" * (5 << 20)}))
    assert problem(answer) == (413, "the body is larger than 4194304 bytes")


def test_two_tools_under_one_route_are_refused_when_the_server_is_made(box):
    @tool
    @mcp_route("/search")
    async def find(other: str) -> str:
        """Find."""
        return other

    @tool
    @mcp_route("/mcp")
    async def take() -> str:
        """Take."""
        return ""

    with pytest.raises(DefinitionInvalid, match="'search' and 'find' have the same route '/search'"):
        ToolServer([*box.tools, find], name="box")
    with pytest.raises(DefinitionInvalid, match="the route /mcp of box.take is taken by the server itself"):
        ToolServer([take], name="box")


def test_the_document_is_valid_and_says_what_the_caller_may_use(box, ask, get):
    async def whole():
        return await ToolServer([*box.tools, add], name="box", mode="http", tokens=TOKENS).openapi()

    [answer] = ask([*box.tools, add], get("/openapi.json", token="reader"), auth_required=True, tokens=TOKENS)
    document, everything = answer.json(), asyncio.run(whole())

    validate(document)
    validate(everything)
    assert document["openapi"] == "3.1.0"
    assert set(everything["paths"]) - set(document["paths"]) == {"/tools/note"}
    search = document["paths"]["/search"]["post"]
    assert search["operationId"] == "search"
    assert search["x-permissions"] == ["read"]
    assert search["requestBody"]["required"] is True
    assert list(document["components"]["schemas"]["search.input"]["properties"]) == ["topic", "limit", "order"]
    assert document["components"]["securitySchemes"] == {"token": {"type": "http", "scheme": "bearer"}}


def test_references_of_a_schema_lead_to_what_they_name_in_the_document(ask, get):
    from toolkit.definition import ToolDefinition
    from toolkit.tool_class import Tool

    class Tree(Tool):
        async def run(self, call, context):
            return {"depth": 1}

    node = {"type": "object", "properties": {"left": {"$ref": "#/$defs/node"}, "name": {"const": {"$ref": "#/x"}}}}
    schema = {"type": "object", "properties": {"root": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    tree = Tree(ToolDefinition(name="tree.walk", input_schema=schema, output_schema=schema))
    [answer] = ask([tree], get("/openapi.json"))

    document = answer.json()
    validate(document)
    content = document["paths"]["/tools/tree.walk"]["post"]["requestBody"]["content"]["application/json"]
    assert content["schema"] == {"$ref": "#/components/schemas/tree.walk.input"}
    placed = document["components"]["schemas"]["tree.walk.input"]
    assert placed["properties"]["root"] == {"$ref": "#/components/schemas/tree.walk.input/$defs/node"}
    assert placed["$defs"]["node"]["properties"]["name"] == {"const": {"$ref": "#/x"}}


def test_a_client_that_goes_away_cancels_the_tool(box, serve):
    async def body():
        async with serve(box.tools) as server, httpx2.AsyncClient(base_url=server.url) as client:
            call = asyncio.create_task(client.post("/tools/wait", timeout=60))
            async with asyncio.timeout(20):
                await box.started.wait()
                call.cancel()
                await box.stopped.wait()

    asyncio.run(body())


def test_a_call_by_http_is_told_of_as_any_other(box, ask, post):
    with capture() as emitted:
        ask(box.tools, post("/tools/double", {"number": 2}))
    assert [(name, kwargs["tool_name"]) for name, kwargs in emitted] == [
        ("before_tool_call", "double"),
        ("after_tool_call", "double"),
    ]


def test_a_server_has_middleware_outside_of_its_contexts_and_its_agents(ask, post):
    passed = []

    def noting(name):
        async def note(ctx, args, call_next):
            passed.append((name, ctx.tool_name))
            return await call_next(args)

        return note

    class Desk(Agent):
        words = words

    agent = Desk("desk", tool_hooks=[noting("agent")])
    options = {"tool_hooks": [noting("server")], "context": ToolContext(tool_hooks=[noting("context")])}
    ask([words], post("/tools/words", {}), post("/tools/desk/words", {}), agents=[agent], **options)
    names = ["server", "context", "server", "context", "agent"]
    assert passed == [(name, "words") for name in names]
    with pytest.raises(SpecInvalid, match="tool_hooks: a str cannot be called"):
        ToolServer([words], tool_hooks=["hooks.py:note"])


def test_a_port_that_is_taken_is_an_error_that_says_so(box):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ServerFailed, match=f"cannot listen on 127.0.0.1 port {port}: .*choose another port"):
            asyncio.run(ToolServer(box.tools, mode="http", port=port).start())


def test_a_server_that_was_stopped_can_be_started_again(box):
    async def body():
        server = ToolServer(box.tools, mode="http", port=0)
        statuses = []
        for _ in range(2):
            await server.start()
            with pytest.raises(ServerFailed, match="runs already"):
                await server.start()
            async with httpx2.AsyncClient() as client:
                statuses.append((await client.post(f"{server.url}/tools/double", json={"number": 1})).status_code)
            await server.stop()
        with pytest.raises(ServerFailed, match="does not listen"):
            _ = server.url
        return statuses

    assert asyncio.run(body()) == [200, 200]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_ends_at_a_signal(tmp_path, number):
    program = tmp_path / "served.py"
    program.write_text(
        "import asyncio, sys\nfrom toolkit.functions import tool\nfrom toolkit.serving import ToolServer\n"
        "@tool\nasync def one() -> int:\n    'One.'\n    return 1\n"
        "async def main():\n    server = ToolServer([one], mode='http', port=0)\n"
        "    serving = asyncio.ensure_future(server.serve())\n"
        "    while True:\n        await asyncio.sleep(0.01)\n"
        "        try:\n            print(server.url, flush=True)\n            break\n"
        "        except Exception:\n            assert not serving.done()\n"
        "    await serving\n    print('ended', flush=True)\n"
        "asyncio.run(main())\n"
    )

    async def body():
        process = await asyncio.create_subprocess_exec(sys.executable, program, stdout=asyncio.subprocess.PIPE)
        async with asyncio.timeout(120):
            url = (await process.stdout.readline()).decode().strip()
            async with httpx2.AsyncClient() as client:
                answer = await client.post(f"{url}/tools/one", json={})
            process.send_signal(number)
            rest, _ = await process.communicate()
        return answer.json(), rest.decode().split(), process.returncode

    answered, said, code = asyncio.run(body())
    assert answered == 1
    assert (said, code) == (["ended"], 0)


def test_a_failure_of_the_server_itself_tells_the_client_nothing(serve, caplog, problem):
    class Broken:
        async def tools(self):
            if broken:
                raise RuntimeError("secret path")
            return []

    broken = []

    async def body():
        async with serve([Broken()]) as server, httpx2.AsyncClient(base_url=server.url) as client:
            broken.append(True)
            return await client.get("/openapi.json")

    answer = asyncio.run(body())
    assert problem(answer) == (500, "the server failed; its log says why")
    assert "secret path" in caplog.text
    assert "secret path" not in json.dumps(answer.json())


def test_tools_of_a_supplier_that_fails_are_offered_as_they_last_were(box, serve, caplog):
    class Supplier:
        async def tools(self):
            if away:
                raise ServerFailed("it went away")
            return [box.double]

    away = []

    async def body():
        async with serve([Supplier(), box.fail]) as server, httpx2.AsyncClient(base_url=server.url) as client:
            away.append(True)
            return list((await client.get("/openapi.json")).json()["paths"])

    assert asyncio.run(body()) == ["/tools/fail", "/tools/double"]
    assert "offering the tools that were last known: it went away" in caplog.text
