import typing

import pytest

import instrument
from instrument import keywords

TRIOS = {"agent_call", "llm_generate", "tool_call", "workflow_run", "rpc_request", "resource_fetch", "prompt_apply"}


def typed_name(hook):
    return "".join(word.capitalize() for word in hook.split("_"))


def test_the_contract_is_1_9_and_has_27_hooks():
    assert instrument.CONTRACT_VERSION == "1.9"
    by_version = {
        version: [h.name for h in instrument.HOOKS.values() if h.since == version] for version in ("1.0", "1.1", "1.2")
    }
    assert {version: len(names) for version, names in by_version.items()} == {"1.0": 12, "1.1": 3, "1.2": 12}
    assert set(by_version["1.1"]) == {"before_agent_call", "after_agent_call", "error_agent_call"}


def test_every_noun_of_a_call_has_all_three_phases():
    phases = {}
    for hook in instrument.HOOKS.values():
        phases.setdefault(hook.noun, []).append(hook.phase)
    assert {noun for noun, found in phases.items() if found == ["before", "after", "error"]} == TRIOS
    assert set(typing.get_args(keywords.Noun)) == TRIOS
    assert {phase for noun in phases.keys() - TRIOS for phase in phases[noun]} == {"notice"}


def test_hooks_of_calls_take_a_call_id_and_those_of_rpc_a_direction():
    with_call_id = {name for name, hook in instrument.HOOKS.items() if "call_id" in hook.optional}
    calls = {name for name, hook in instrument.HOOKS.items() if hook.noun in TRIOS}
    assert with_call_id == calls | {"progress_update", "operation_cancelled"}
    assert {hook.noun for hook in instrument.HOOKS.values() if "direction" in hook.optional} == {"rpc_request"}
    assert {hook.noun for hook in instrument.HOOKS.values() if "server" in hook.optional} == {"rpc_request"}


def test_all_hooks_of_calls_take_the_name_of_their_emitter_and_no_other_does():
    with_emitter = {name for name, hook in instrument.HOOKS.items() if "emitter" in hook.optional}
    assert with_emitter == {name for name, hook in instrument.HOOKS.items() if hook.noun in TRIOS}


def test_agents_and_workflows_take_their_input_and_model_calls_what_came_of_a_stream():
    taken = {key: {n for n, hook in instrument.HOOKS.items() if key in hook.optional} for key in ("input", "usage")}
    assert taken["input"] == {n for n, hook in instrument.HOOKS.items() if hook.noun in ("agent_call", "workflow_run")}
    assert taken["usage"] == {"error_llm_generate"}


def test_calls_that_another_process_may_make_take_when_they_began_and_ended_if_that_was_earlier():
    with_times = {name for name, hook in instrument.HOOKS.items() if "at_ns" in hook.optional}
    nouns = TRIOS - {"resource_fetch", "prompt_apply"}
    assert with_times == {name for name, hook in instrument.HOOKS.items() if hook.noun in nouns}


def test_the_ends_of_tool_and_model_calls_take_what_middleware_did():
    with_middleware = {name for name, hook in instrument.HOOKS.items() if "middleware" in hook.optional}
    assert with_middleware == {"after_llm_generate", "error_llm_generate", "after_tool_call", "error_tool_call"}


def test_the_ends_of_all_calls_with_an_effect_take_what_the_controller_did():
    with_control = {name for name, hook in instrument.HOOKS.items() if "controlled" in hook.optional}
    nouns = TRIOS - {"agent_call", "workflow_run"}
    assert with_control == {n for n, h in instrument.HOOKS.items() if h.noun in nouns and h.phase in ("after", "error")}


def test_tool_calls_take_the_function_that_is_called():
    with_function = {name for name, hook in instrument.HOOKS.items() if "function" in hook.optional}
    assert with_function == {name for name, hook in instrument.HOOKS.items() if hook.noun == "tool_call"}


@pytest.mark.parametrize("hook", instrument.HOOKS.values(), ids=list(instrument.HOOKS))
def test_each_hook_has_a_type_with_the_same_keywords(hook):
    typed = getattr(keywords, typed_name(hook.name))
    assert tuple(typed.__annotations__) == (*hook.keywords, *hook.optional)
    assert typed.__required_keys__ == set(hook.keywords)
    assert typed.__optional_keys__ == set(hook.optional)


def test_there_is_no_type_without_a_hook():
    types = {name for name, value in vars(keywords).items() if typing.is_typeddict(value)}
    assert types - {"Change", "Controlled", "Exchange", "Middleware"} == {typed_name(name) for name in instrument.HOOKS}


def test_neither_the_catalogue_nor_its_hooks_can_be_changed():
    with pytest.raises(TypeError):
        instrument.HOOKS["mine"] = None
    hook = instrument.HOOKS["before_tool_call"]
    with pytest.raises(AttributeError, match="cannot set 'keywords': hooks of the contract do not change"):
        hook.keywords = ()
    assert repr(hook) == (
        "Hook('before_tool_call', keywords=('tool_name', 'args', 'context'), "
        "optional=('call_id', 'emitter', 'function', 'at_ns'), since='1.0')"
    )
