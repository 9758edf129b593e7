import asyncio

import pytest

from toolkit import (
    Agent,
    FastAgent,
    Limits,
    McpServers,
    OpenAIModel,
    ScriptedModel,
    StdioServer,
    StructuredLLMHost,
    ToolNode,
    ToolServer,
    Turn,
    UnifiedRequest,
    Workflow,
)
from toolkit.errors import DefinitionInvalid
from toolkit.formats import offer
from toolkit.middleware import Cache, Quota, RateLimit, Retry, Timeout, ToolMiddleware
from toolkit.people import Approve

WRONG = {
    "Agent takes no 'agent_name'; did you mean 'name'?": lambda: Agent(agent_name="a"),
    "agent 'a': unknown key 'function_tools'; did you mean 'tools'?": lambda: Agent("a", function_tools=[print]),
    "agent 'a': unknown key 'servers'; did you mean 'tools'?": lambda: Agent("a", servers=["time"]),
    "agent 'a': unknown key 'system_prompt'; did you mean 'instruction'?": lambda: Agent("a", system_prompt="Help."),
    "agent 'a': unknown key 'middleware'; did you mean 'tool_hooks'?": lambda: Agent("a", middleware=[]),
    "agent 'h': unknown key 'agents'; did you mean 'participants'?": lambda: StructuredLLMHost("h", agents=[]),
    "StructuredLLMHost takes no 'agent_name'; did you mean 'name'?": lambda: StructuredLLMHost(
        agent_name="host", model_name="gpt-4", role="HOST", parameters={}
    ),
    "ToolNode takes no 'hooks'; did you mean 'tool_hooks'?": lambda: ToolNode([], hooks=[]),
    "ToolServer takes no 'orchestrator'; did you mean 'agents'?": lambda: ToolServer(orchestrator=None),
    "McpServers takes no 'timeout'; did you mean 'timeout_s'?": lambda: McpServers({}, timeout=5),
    "StdioServer takes no 'cmd'; did you mean 'command'?": lambda: StdioServer(cmd="uvx"),
    "OpenAIModel takes no 'model'; did you mean 'name'?": lambda: OpenAIModel(model="gpt-4"),
    "Turn takes no 'tool_calls'; did you mean 'calls'?": lambda: Turn(tool_calls=[]),
    "Limits takes no 'max_turns'; did you mean 'turns'?": lambda: Limits(max_turns=3),
    "UnifiedRequest takes no 'args'; did you mean 'inputs'?": lambda: UnifiedRequest("a", args={}),
    "Workflow takes no 'steps'; it takes name, work, pattern, description": lambda: Workflow("w", steps=[]),
    "Retry takes no 'times'; it takes attempts, on, ": lambda: Retry(times=3),
}


WRONG_VALUES = {
    "Cache(scope=…) is 'agent'; expected a function, as in lambda ctx: ctx.agent_name": lambda: Cache(scope="agent"),
    "Cache(store) is 60; expected MemoryStore(ttl_s=…), or RedisStore(…)": lambda: Cache(60),
    "RateLimit(by=…) is 'agent'; expected a function, as in lambda ctx: ctx.agent_name": lambda: RateLimit(
        5, 60, by="agent"
    ),
    "Quota(by=…) is 'agent'; expected a function": lambda: Quota(5, by="agent"),
    "RateLimit(calls) is '5'; expected a whole number of at least 1": lambda: RateLimit("5", 60),
    "RateLimit(per_s) is '60'; expected a number above 0": lambda: RateLimit(5, "60"),
    "Retry(backoff=…) is 2; expected a function, as in lambda attempt: 2.0": lambda: Retry(backoff=2),
    "Approve(approver=…) is True; expected a function, as in async def ask_me(request) -> bool": lambda: Approve(
        approver=True
    ),
    "offer takes a ToolDefinition, as tool.definition is one, not ": lambda: offer(print),
    "ScriptedModel(turns): expected texts, or Turn(…), found 5": lambda: ScriptedModel(["Hello.", 5]),
    "FastAgent takes servers by name, as in {'time': StdioServer(…)}, not list": lambda: FastAgent(
        "a", servers=["time"]
    ),
    "ToolServer(port=…) is '80'; expected a number, or 0 for a free one": lambda: ToolServer(mode="http", port="80"),
}


def test_a_script_of_one_answer_needs_no_list():
    for script in ("Hello.", Turn("Hello."), (text for text in ["Hello."])):
        assert asyncio.run(Agent("a", model=ScriptedModel(script))("Hi.")) == "Hello."


@pytest.mark.parametrize("message", WRONG_VALUES)
def test_a_value_of_the_wrong_kind_is_refused_where_it_is_given_and_the_right_one_named(message):
    with pytest.raises(DefinitionInvalid) as raised:
        WRONG_VALUES[message]()
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("message", WRONG)
def test_a_keyword_that_is_not_known_names_the_one_that_was_meant(message):
    with pytest.raises(DefinitionInvalid) as raised:
        WRONG[message]()
    assert str(raised.value).startswith(message)


def test_other_mistakes_in_a_call_are_told_by_python():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'seconds'"):
        Timeout()
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
        Agent(model=ScriptedModel([]))


def test_a_class_of_ones_own_takes_what_it_wants():
    class Clerk(Agent):
        def __init__(self, *, desk, **more):
            super().__init__("clerk", **more)
            self.desk = desk

    class Counting(ToolMiddleware):
        def __init__(self, **more: dict[str, int]):
            super().__init__()
            self.more = more

        async def around(self, ctx, args, call_next): ...

    assert Clerk(desk=3, max_turns=2).max_turns == 2
    assert Counting(a={"b": 1}).more == {"a": {"b": 1}}
    with pytest.raises(DefinitionInvalid, match="unknown key 'max_turn'; did you mean 'max_turns'"):
        Clerk(desk=3, max_turn=2)
