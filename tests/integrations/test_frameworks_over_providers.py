import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(run):
    return run("frameworks_over_providers.py", within="current")


@pytest.mark.slow
def test_each_model_call_of_a_framework_holds_the_one_its_provider_was_asked_for(recorded):
    calls = [event for event in recorded.events if event.kind == "llm"]
    inner = [event for event in calls if (above := recorded.parent(event)) is not None and above.kind == "llm"]
    outer = [event for event in calls if event not in inner]
    assert len(inner) == len(outer) == recorded.ledger["requests"] == 14
    for event in inner:
        above = recorded.parent(event)
        assert above in outer
        assert (event.input_tokens, event.output_tokens) == (above.input_tokens, above.output_tokens)
        assert event.model == above.model
        assert event.output is not None
        assert (event.folded_into, above.folded_into) == (above.span_id, None)


def test_an_answer_that_does_not_fit_the_programs_type_is_one_failed_call_with_that_answer(recorded):
    outer, inner = (event for event in recorded.events if event.kind == "llm" and b"three" in bytes(event.input or b""))
    assert (outer.status, inner.status) == ("error", "ok")
    assert (outer.folded_into, inner.folded_into) == (None, outer.span_id)
    assert b"three" in bytes(outer.output or b"")


def test_each_tool_call_is_recorded_once(recorded):
    tools = [event for event in recorded.events if event.kind == "tool"]
    assert [recorded.parent(event).name for event in tools] == [
        "invoke_agent of langchain",
        "invoke_agent p",
        "invoke_agent o",
        "invoke_agent o",
    ]
