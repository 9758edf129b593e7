from pathlib import Path

import pytest

from inspector.launch import Choices, environment_of


def replayed(**environ):
    return environment_of(environ, Choices(replay=Path("tape")), Path("run"))


@pytest.mark.parametrize("provider", ["ANTHROPIC", "CO", "GEMINI", "GROQ", "MISTRAL", "OPENAI"])
def test_a_key_that_an_sdk_needs_is_set_for_a_replay_and_kept_if_it_is_there(provider):
    key = f"{provider}_API_KEY"
    assert replayed()[key]
    assert replayed(**{key: "planted"})[key] == "planted"
    assert key not in environment_of({}, Choices(), Path("run"))


def test_the_key_of_gemini_is_set_under_one_of_its_names():
    assert "GEMINI_API_KEY" not in replayed(GOOGLE_API_KEY="planted")


def test_a_replay_sends_no_telemetry_and_fetches_no_prices():
    environ = replayed(AGNO_TELEMETRY="true")
    assert (environ["AGNO_TELEMETRY"], environ["LITELLM_LOCAL_MODEL_COST_MAP"]) == ("false", "true")
