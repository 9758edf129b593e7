import json
from collections import Counter

import pytest
from recorded_events import drawn, facts

from inspector.integrations.generators import Following, in_steps, opened_apart

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(run):
    return run("llama_index_runs.py", within="llama-index").parts["all"]


def named(recorded, name):
    return [event for event in recorded.events if event.name == name]


def traced(recorded, name):
    """The lines of the first trace that begins with this call."""
    trace = next(event.trace_id for event in recorded.events if event.name == name and event.parent_id is None)
    return drawn([event for event in recorded.events if event.trace_id == trace]).splitlines()


def test_every_call_the_program_counted_is_recorded_once_in_its_place(recorded):
    counted = [each for each in recorded.ledger if each["kind"] != "seen"]
    assert recorded.compared(counted) == ([], [])


def test_agents_that_hand_over_take_turns_below_their_workflow(recorded):
    assert traced(recorded, "invoke_workflow AgentWorkflow") == [
        "invoke_workflow AgentWorkflow: ok",
        "  invoke_agent alpha: ok",
        "    chat stub: ok",
        "    execute_tool handoff: ok",
        "  invoke_agent beta: ok",
        "    chat stub: ok",
    ]


def test_runs_at_once_in_one_loop_are_a_trace_each_with_their_own_tools(recorded):
    agents = named(recorded, "invoke_agent planner")
    assert len({event.trace_id for event in agents}) == len(agents) == 2
    for agent in agents:
        below = Counter(event.name for event in recorded.events if event.parent_id == agent.span_id)
        assert below == {
            "chat stub": 2,
            "execute_tool weather": 1,
            "execute_tool broken": 1,
            "execute_tool lookup": 1,
        }


def test_a_query_engine_that_is_a_tool_is_below_it_with_what_it_retrieved(recorded):
    assert traced(recorded, "invoke_agent reader") == [
        "invoke_agent reader: ok",
        "  chat stub: ok",
        "  execute_tool docs: ok",
        "    invoke_workflow RetrieverQueryEngine: ok",
        "      execute_tool VectorIndexRetriever: ok",
        "      chat stub: ok",
        "  chat stub: ok",
    ]


def test_a_retriever_shows_texts_with_scores_and_metadata(recorded):
    first, *_ = named(recorded, "execute_tool VectorIndexRetriever")
    assert facts(first)["inspector.tool.source"] == "runtime"
    (found,) = json.loads(bytes(first.output))
    assert (found["text"], found["metadata"]) == ("cats purr", {"of": "c"})
    assert 0 < found["score"] <= 1


def test_a_tool_call_names_the_function_behind_it_and_the_id_that_the_model_gave_it(recorded):
    asked = facts(named(recorded, "execute_tool weather")[0])
    assert str(asked["code.function.name"]).endswith("weather")
    assert asked["inspector.tool.source"] == "function"
    assert asked["gen_ai.tool.call.id"].startswith("call_")
    assert "gen_ai.tool.call.id" not in facts(named(recorded, "execute_tool weather")[-1])
    assert facts(named(recorded, "execute_tool handoff")[0])["inspector.tool.source"] == "agent"


def test_workflows_their_steps_and_questions_are_told_apart(recorded):
    types = {event.name: facts(event).get("mcp.workflow.type") for event in recorded.of("workflow")}
    assert types["invoke_workflow Flow"] is None
    assert types["invoke_workflow second"] == "step"
    assert types["invoke_workflow AgentWorkflow"] == "agents"
    assert types["invoke_workflow RetrieverQueryEngine"] == "query"


def test_a_model_of_the_program_is_shown_what_it_was_asked_and_streamed(recorded):
    own = [facts(event) for event in named(recorded, "chat own")]
    streamed = [each for each in own if each.get("gen_ai.request.stream")]
    assert len(streamed) == 4
    assert all(each["gen_ai.response.time_to_first_chunk"] > 0 for each in streamed)
    assert all("hello" in each["gen_ai.input.messages"] for each in own if each not in streamed)


class Proxy:
    """Around one generator, with the methods of both kinds."""

    def __init__(self, inner):
        self.inner = inner

    @property
    def __class__(self):
        return type(self.inner)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.inner)

    def __getattr__(self, name):
        return getattr(self.inner, name)

    async def nothing(self, *_):
        raise AssertionError

    __anext__ = asend = athrow = aclose = nothing


def test_a_proxy_around_a_generator_is_followed_as_what_it_is_around():
    seen = []
    call = opened_apart("workflow_run", dict, emitter="llama_index")
    following = Following(call, seen.append, call.ended)
    assert list(in_steps(Proxy(iter_of("ab")), lambda: following)) == seen == ["a", "b"]
    assert not call.is_open


def iter_of(items):
    yield from items
