import asyncio

import httpx2
import pytest

from toolkit import ToolContext
from toolkit.agents import Agent
from toolkit.agents.host import StructuredLLMHost
from toolkit.agents.requests import UnifiedRequest, handle
from toolkit.agents.workflow import Workflow
from toolkit.errors import DefinitionInvalid, ToolUnknown
from toolkit.functions import mcp_route, tool
from toolkit.models.scripted import ScriptedModel, Turn
from toolkit.result import ToolResult
from toolkit.serving import ToolServer


class Researcher(Agent):
    @tool
    async def analyze_text(self, text: str) -> dict[str, str | int]:
        """Analyze text content."""
        return {"sentiment": "positive", "length": len(text)}

    @tool(name="search_docs")
    @mcp_route("/search", permissions=["read"])
    def search_documents(self, context: ToolContext, query: str, limit: int = 10) -> dict[str, object]:
        """Search documents with query."""
        return {"query": query, "limit": limit, "user": context.state, "request": context.correlation_id}


def researcher():
    return Researcher("researcher", model=ScriptedModel([Turn("all is well")]))


def test_a_request_reaches_a_tool_of_an_agent_with_its_context_and_metadata():
    request = UnifiedRequest(
        target="researcher.search_docs",
        inputs={"query": "climate change", "limit": 5},
        context={"user_id": "123"},
        metadata={"request_id": "abc"},
    )
    result = asyncio.run(handle(request, [researcher()]))
    assert result.structured == {
        "query": "climate change",
        "limit": 5,
        "user": {"user_id": "123"},
        "request": "abc",
    }
    assert result.metadata["request_id"] == "abc"


def test_a_request_to_an_agent_has_it_work_on_the_inputs():
    result = asyncio.run(handle(UnifiedRequest("researcher", {"task": "analyze this"}), [researcher()]))
    assert result.text == "all is well"


def test_a_requests_metadata_is_its_own_where_a_tool_returns_one_result_for_all():
    shared = ToolResult.of("x")

    @tool
    async def same() -> ToolResult:
        return shared

    request = UnifiedRequest("agent.same", metadata={"secret": 1})
    agent = Agent("agent", tools=[same])
    for handled in (agent.handle(request), handle(request, [agent])):
        assert asyncio.run(handled).metadata == {"secret": 1}
    assert shared.metadata == {}


def test_what_goes_wrong_with_a_tool_is_its_result():
    result = asyncio.run(handle(UnifiedRequest("researcher.analyze_text", {"txt": "x"}), [researcher()]))
    assert result.is_error
    assert result.text.startswith("invalid arguments for analyze_text")


def test_a_request_for_nobody_names_those_that_are_there():
    with pytest.raises(ToolUnknown, match=r"there is no agent 'writer' \(there are: 'researcher'\)"):
        asyncio.run(handle(UnifiedRequest("writer.draft"), [researcher()]))


def test_an_agent_whose_name_has_dots_is_found_before_one_whose_name_is_its_beginning():
    agents = [Researcher("team"), Researcher("team.research")]
    result = asyncio.run(handle(UnifiedRequest("team.research.analyze_text", {"text": "abc"}), agents))
    assert result.structured == {"sentiment": "positive", "length": 3}


def test_the_callers_own_state_and_correlation_id_stay():
    request = UnifiedRequest("researcher.search_docs", {"query": "x"}, {"user_id": "123"})
    context = ToolContext(state="own", correlation_id="run-1")
    structured = asyncio.run(handle(request, [researcher()], context=context)).structured
    assert (structured["user"], structured["request"]) == ("own", "run-1")


def test_a_server_offers_the_tools_of_agents_below_their_names(serve, official):
    async def body():
        async with serve([], agents=[researcher()]) as server, official(server) as client:
            names = [each.name for each in (await client.list_tools()).tools]
            called = await client.call_tool("researcher__analyze_text", {"text": "abc"})
            return names, called.structured_content, list((await server.openapi())["paths"])

    names, structured, paths = asyncio.run(body())
    assert names == ["researcher__analyze_text", "researcher__search_docs"]
    assert structured == {"sentiment": "positive", "length": 3}
    assert paths == ["/tools/researcher/analyze_text", "/search"]


def test_an_agent_that_declares_no_tool_is_offered_itself_and_never_the_tools_that_it_uses(serve, official):
    @tool
    def secret() -> str:
        return "of the agent alone"

    writer = Agent("writer", description="Writes", model=ScriptedModel(["Once", "upon"]), tools=[secret])

    async def body():
        async with serve([], agents=[writer]) as server, official(server) as client:
            listed = [(each.name, each.description) for each in (await client.list_tools()).tools]
            called = await client.call_tool("agent__writer", {"message": "Begin"})
            async with httpx2.AsyncClient(base_url=server.url) as http:
                asked = await http.post("/tools/writer", json={"message": "Go on"})
                hidden = await http.post("/tools/writer/secret", json={})
            return listed, called.content[0].text, asked.text, hidden.status_code

    listed, text, asked, hidden = asyncio.run(body())
    assert listed == [("agent__writer", "Writes")]
    assert (text, asked, hidden) == ("Once", "upon", 404)


def test_a_workflow_is_offered(serve, official):
    async def shout(text: str, _context: ToolContext) -> str:
        if text == "nothing":
            raise ValueError("of a path inside")
        return text.upper()

    loud = Workflow("loud", shout, description="Shouts")

    async def body():
        async with serve([], agents=[loud]) as server, official(server) as client:
            listed = [(each.name, each.description) for each in (await client.list_tools()).tools]
            called = await client.call_tool("agent__loud", {"message": "hi"})
            async with httpx2.AsyncClient(base_url=server.url) as http:
                asked = await http.post("/tools/loud", json={"message": "hey"})
                failed = await http.post("/tools/loud", json={"message": "nothing"})
            return listed, called.content[0].text, asked.text, failed

    listed, called, asked, failed = asyncio.run(body())
    assert listed == [("agent__loud", "Shouts")]
    assert (called, asked) == ("HI", "HEY")
    assert (failed.status_code, "of a path" in failed.text) == (500, False)


def test_a_request_for_a_tool_of_what_has_none_is_refused():
    async def shout(text: str, _context: ToolContext) -> str:
        return text.upper()

    loud = Workflow("loud", shout)
    assert asyncio.run(handle(UnifiedRequest("loud", {"task": "hi"}), [loud])).text == "HI"
    with pytest.raises(ToolUnknown, match="'loud' has no tools; expected 'loud' alone"):
        asyncio.run(handle(UnifiedRequest("loud.upper", {}), [loud]))


def test_two_agents_with_one_name_or_one_route_are_refused(serve):
    with pytest.raises(DefinitionInvalid, match="are called 'researcher'"):
        ToolServer(agents=[researcher(), researcher()])
    with pytest.raises(DefinitionInvalid, match="'a__search_docs' and 'b__search_docs' have the same route '/search'"):
        ToolServer(agents=[Researcher("a"), Researcher("b")])


@pytest.mark.parametrize("of", [lambda agent: agent, lambda agent: [agent], lambda agent: {"researcher": agent}])
def test_agents_are_given_as_one_as_several_or_by_names(of):
    agent = researcher()
    called = asyncio.run(handle(UnifiedRequest("researcher.search_docs", {"query": "x"}), of(agent)))
    assert not called.is_error
    assert list(StructuredLLMHost("host", participants=of(agent)).participants) == ["researcher"]
    ToolServer(agents=of(agent))


@pytest.mark.parametrize("wrong", ["researcher", [3], Agent])
def test_what_is_no_agent_is_refused_where_agents_are_given(wrong):
    with pytest.raises(DefinitionInvalid, match="is not an agent with a name; expected agents, or"):
        StructuredLLMHost("host", participants=wrong)
    with pytest.raises(DefinitionInvalid, match="is not an agent with a name; expected agents, or"):
        ToolServer(agents=wrong)


def test_a_request_for_a_misspelt_agent_says_which_one_is_meant():
    with pytest.raises(ToolUnknown, match="there is no agent 'reseacher'; did you mean 'researcher'?"):
        asyncio.run(handle(UnifiedRequest("reseacher.search_documents"), [researcher()]))
