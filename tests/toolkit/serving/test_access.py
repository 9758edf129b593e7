import asyncio

import httpx2
import pytest

from toolkit import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.serving import ToolServer
from toolkit.serving.web import context_of

TOKENS = {"reader": ["read"], "writer": ["read", "write"], "nobody": []}


def test_a_token_is_asked_for_and_compared(box, ask, post, problem):
    none, wrong, basic, right = ask(
        box.tools,
        post("/tools/double", {"number": 2}),
        post("/tools/double", {"number": 2}, token="readex"),
        post("/tools/double", {"number": 2}, headers={"Authorization": "Basic cmVhZGVyOg=="}),
        post("/tools/double", {"number": 2}, token="reader"),
        auth_required=True,
        tokens=TOKENS,
    )
    assert problem(none) == (401, "a token is needed: Authorization: Bearer …")
    assert none.headers["www-authenticate"] == "Bearer"
    assert problem(wrong) == (401, "the token is not known here")
    assert wrong.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    assert basic.status_code == 401
    assert right.json() == 4


def test_only_the_whole_token_is_the_token(box, ask, post):
    near = ["", *("reader"[:end] for end in range(1, 6)), "readerx", "Reader", "eader", "reader reader"]
    answers = ask(
        box.tools,
        *(post("/tools/double", {"number": 2}, headers={"Authorization": f"Bearer {each}".strip()}) for each in near),
        post("/tools/double", {"number": 2}, headers={"Authorization": "Bearer reader"}),
        auth_required=True,
        tokens=TOKENS,
    )
    assert [each.status_code for each in answers] == [401] * len(near) + [200]


def test_who_has_not_passed_the_guard_may_use_nothing():
    assert context_of({}).permissions == frozenset()


def test_every_path_asks_for_the_token(box, ask, post, get):
    answers = ask(
        box.tools,
        *(get(path) for path in ("/openapi.json", "/mcp", "/")),
        *(post(path, {}) for path in ("/mcp", "/tools/double", "/nothing")),
        auth_required=True,
        tokens=TOKENS,
    )
    assert [each.status_code for each in answers] == [401] * 6


def test_a_tool_needs_the_permissions_of_its_route_and_its_own(box, ask, post, problem):
    allowed, refused, written, unwritten = ask(
        box.tools,
        post("/search", {"topic": "x"}, token="reader"),
        post("/search", {"topic": "x"}, token="nobody"),
        post("/tools/note", {"text": "x"}, token="writer"),
        post("/tools/note", {"text": "x"}, token="reader"),
        auth_required=True,
        tokens=TOKENS,
    )
    assert allowed.status_code == 200
    assert problem(refused) == (403, "search needs the permission 'read'")
    assert written.text == "noted x"
    assert problem(unwritten) == (403, "note needs the permission 'write'")


def test_where_no_token_is_required_a_caller_without_one_has_no_permission(box, ask, post):
    free, refused, allowed, wrong = ask(
        box.tools,
        post("/tools/double", {"number": 2}),
        post("/search", {"topic": "x"}),
        post("/search", {"topic": "x"}, token="reader"),
        post("/tools/double", {"number": 2}, token="wrong"),
        tokens=TOKENS,
    )
    assert (free.status_code, refused.status_code, allowed.status_code, wrong.status_code) == (200, 403, 200, 401)


def test_clients_of_the_protocol_see_and_may_call_what_their_token_allows(box, serve, official):
    async def body():
        async with serve(box.tools, auth_required=True, tokens=TOKENS) as server:
            found = {}
            for token in TOKENS:
                async with official(server, token) as client:
                    names = {each.name for each in (await client.list_tools()).tools}
                    refused = await client.call_tool("note", {"text": "x"})
                    found[token] = (names >= {"search"}, names >= {"note"}, refused.content[0].text)
            return found

    refusal = "note needs the permission 'write'"
    assert asyncio.run(body()) == {
        "reader": (True, False, refusal),
        "writer": (True, True, "noted x"),
        "nobody": (False, False, refusal),
    }


def test_a_session_cannot_be_used_with_another_token(box, serve):
    start = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    }
    more = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}

    async def body():
        async with serve(box.tools, auth_required=True, tokens=TOKENS) as server:
            async with httpx2.AsyncClient(base_url=server.url, headers=accept) as client:
                own = {"Authorization": "Bearer writer"}
                session = (await client.post("/mcp", json=start, headers=own)).headers["mcp-session-id"]
                own["Mcp-Session-Id"] = session
                await client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=own)
                right = await client.post("/mcp", json=more, headers=own)
                wrong = await client.post("/mcp", json=more, headers=own | {"Authorization": "Bearer reader"})
                return right.status_code, wrong.status_code

    assert asyncio.run(body()) == (200, 404)


@pytest.mark.parametrize("path", ["/openapi.json", "/mcp", "/tools/double"])
def test_pages_of_other_sites_and_other_hosts_are_refused(box, path, ask, post, problem):
    def to(headers):
        return post(path, {"number": 2}, headers=headers)

    foreign, null, rebound, local = ask(
        box.tools,
        to({"Origin": "https://evil.example"}),
        to({"Origin": "null"}),
        to({"Host": "evil.example"}),
        to({"Host": "localhost:1"}),
    )
    assert problem(foreign)[0] == 403
    assert problem(null)[0] == 403
    assert problem(rebound) == (421, "'evil.example' is not this server; use 127.0.0.1 or localhost")
    assert local.status_code not in (403, 421)


def test_a_server_that_others_reach_needs_tokens(box):
    with pytest.raises(DefinitionInvalid, match=r"everybody who reaches 0.0.0.0 could call .* pass auth_required=True"):
        ToolServer(box.tools, mode="http", host="0.0.0.0")
    with pytest.raises(DefinitionInvalid, match="auth_required needs tokens"):
        ToolServer(box.tools, mode="http", host="0.0.0.0", auth_required=True)
    ToolServer(box.tools, mode="http", host="0.0.0.0", auth_required=True, tokens=TOKENS)


def test_tokens_make_no_sense_on_standard_input(box):
    with pytest.raises(DefinitionInvalid, match="tokens are for mode='http'"):
        ToolServer(box.tools, tokens=TOKENS)
    with pytest.raises(DefinitionInvalid, match="unknown mode 'daemon'; expected 'stdio' or 'http'"):
        ToolServer(box.tools, mode="daemon")


def test_what_a_caller_may_use_is_never_more_than_the_server_may(box, ask, post):
    context = ToolContext(permissions=frozenset({"read"}), state={"of": "server"})
    refused, allowed = ask(
        box.tools,
        post("/tools/note", {"text": "x"}, token="writer"),
        post("/search", {"topic": "x"}, token="writer"),
        tokens=TOKENS,
        context=context,
    )
    assert (refused.status_code, allowed.status_code) == (403, 200)
    assert box.seen == [({"of": "server"}, None, frozenset({"read"}))]
