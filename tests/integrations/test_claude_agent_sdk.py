import json

import pytest

from inspector.tape.tape import judge


@pytest.fixture(scope="module")
def recorded(run):
    # There is no version to ask for.
    env = (("CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK", "1"),)
    return run("claude_agent_sdk_trial.py", within="claude-agent-sdk", env=env)


@pytest.fixture(scope="module")
def part(recorded):
    roots = {e.trace_id: e.name.removeprefix("invoke_workflow ") for e in recorded.events if e.parent_id is None}

    def find(name):
        depths: dict[str, int] = {}
        lines = []
        for event in recorded.events:
            depths[event.span_id] = depths.get(event.parent_id or "", -1) + 1
            if roots[event.trace_id] == name and event.parent_id is not None:
                tokens = f" {event.input_tokens} {event.output_tokens}" if event.input_tokens else ""
                once = " again" if event.folded_into else ""
                depth = "  " * (depths[event.span_id] - 1)
                lines.append(f"{depth}{event.name}: {recorded.ending(event)}{tokens}{once}")
        return "\n".join(lines)

    return find


def attributes(event):
    return json.loads(bytes(event.attributes))


def calls(recorded, name):
    return [event for event in recorded.events if event.name == name]


def test_the_program_gets_every_message_and_every_error_that_it_gets_without_us(recorded):
    got = recorded.ledger
    assert len(got["worked"]) == 24
    assert got["streamed"].count("StreamEvent") == 4
    assert got["limited"][-1].startswith("ResultError: Claude Code returned an error result: Reached maximum")
    assert got["died"][-1].startswith("ProcessError: Command failed with exit code 3")
    assert "mcp.inspector" not in recorded.stderr


def test_a_prompt_is_an_agent_with_its_model_calls_tools_and_subagents_each_once(part):
    assert part("worked") == WORKED


def test_an_agent_in_the_background_goes_on_after_the_answer_and_causes_a_turn_of_its_own(part):
    assert part("background") == BACKGROUND


def test_prompts_sent_at_once_are_one_agent_after_the_other_beside_another_session(part):
    assert "\n".join(sorted(part("both").split("\n"))) == "\n".join(sorted(BOTH.split("\n")))


@pytest.mark.parametrize(
    ("name", "ending"),
    [("interrupted", "cancelled"), ("closed_early", "closed"), ("limited", "error"), ("died", "error")],
)
def test_an_agent_ends_as_its_prompt_did(part, name, ending):
    assert part(name).split("\n")[0] == f"invoke_agent claude: {ending}"


def test_a_tool_that_was_interrupted_is_cancelled_and_no_failure(part):
    assert part("interrupted").split("\n")[-1] == "  execute_tool Bash: cancelled"


def test_tokens_of_the_answers_are_known_one_by_one_if_the_program_asks_for_partial_messages(part):
    assert [line for line in part("streamed").split("\n") if "chat" in line] == [
        "  chat claude-x: ok 150 12",
        "  chat claude-x: ok 150 8",
    ]


def test_a_model_call_begins_with_its_prompt_and_ends_with_its_last_block_not_with_what_shows_that(recorded):
    call = calls(recorded, "chat claude-x")[0]
    served, tool = recorded.named("initialize"), calls(recorded, "execute_tool Bash")[1]
    # Its first block came after that request, and the next message after the tool.
    assert int(call.start_time_unix_nano) < int(served.start_time_unix_nano)
    assert int(call.end_time_unix_nano) < int(tool.end_time_unix_nano)


def test_a_model_call_has_the_conversation_so_far_its_answer_and_its_cached_tokens(recorded):
    second = calls(recorded, "chat claude-x")[1]
    asked, answered = json.loads(bytes(second.input)), json.loads(bytes(second.output))
    assert [message["role"] for message in asked] == ["user", "assistant", "user"]
    assert [part["type"] for part in asked[1]["parts"]] == ["reasoning", "text", "tool_call", "tool_call"]
    assert [part["name"] for part in answered[0]["parts"]] == ["mcp__calc__add", "mcp__calc__fails"]
    assert attributes(second)["gen_ai.usage.cache_read.input_tokens"] == 30
    assert second.session_id == "5e551011"


def test_an_agent_has_its_prompt_its_answer_and_what_claude_code_counted(recorded):
    agent = calls(recorded, "invoke_agent claude")[0]
    assert (json.loads(bytes(agent.input)), json.loads(bytes(agent.output))) == ("work", "All done.")
    assert attributes(agent)["claude_agent_sdk.total_cost_usd"] == 0.25
    scout = calls(recorded, "invoke_agent scout")[0]
    assert json.loads(bytes(scout.input)) == "look below"


def test_a_model_call_that_failed_says_why_and_with_which_model(recorded):
    (failed,) = (event for event in calls(recorded, "chat claude-x") if event.error and "400" in event.error.message)
    assert failed.error.type.endswith(".ApiError")


def test_a_replay_says_in_one_sentence_that_another_program_makes_the_calls(recorded):
    judgement = judge(recorded.events)
    assert judgement.obstacles == ()
    assert judgement.reason == "its model calls are made by Claude Code, another program, which a replay cannot answer"


WORKED = """\
invoke_agent claude: ok
  chat claude-x: ok 150 None
  initialize: ok
  execute_tool Bash: ok
  execute_tool Bash: error
  chat claude-x: ok 150 None
  execute_tool mcp__calc__add: ok
  execute_tool mcp__calc__fails: error
    tools/call add: ok again
      chat inside: ok 1 1
    tools/call fails: error again
  chat claude-x: ok 150 None
  execute_tool Task: ok
    invoke_agent scout: ok
      chat claude-x: ok 150 None
      execute_tool Read: ok
      chat claude-x: ok 150 None
  chat claude-x: ok 150 None
  execute_tool Write: denied
  chat claude-x: ok 150 65
invoke_agent claude: ok
  chat claude-x: ok 150 3"""
BACKGROUND = """\
invoke_agent claude: ok
  chat claude-x: ok 150 None
  execute_tool Task: ok
  invoke_agent scout: ok
    chat claude-x: ok 150 None
  chat claude-x: ok 150 9
invoke_agent claude: ok
  chat claude-x: ok 150 4"""
BOTH = """\
invoke_agent claude: ok
  chat claude-x: ok 150 3
invoke_agent claude: ok
  chat claude-x: ok 150 12
  execute_tool Bash: ok
  chat claude-x: ok 150 8
invoke_agent claude: ok
  chat claude-x: ok 150 3"""
