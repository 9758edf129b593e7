import json
import re

import planted
import pytest

from inspector.redaction import Redactor
from inspector.redaction.formats import FORMATS, OBSERVED
from inspector.redaction.hints import suspicious

TOKENS = planted.tokens(seed=1)


@pytest.mark.parametrize("at", range(len(TOKENS)), ids=[f"{service}-{at}" for at, (service, _) in enumerate(TOKENS)])
def test_a_token_of_each_format_is_found_in_any_text(at):
    service, token = TOKENS[at]
    redactor = Redactor(salt=b"x")
    for text in (
        token,
        f"use {token}, please",
        f"first\n{token}\nlast",
        json.dumps({"note": f"line\n{token}"}),
        json.dumps(json.dumps({"note": f"tab\t{token}"})),
        f"https://example.org/?next={token}&x=1",
        f"%22{token}%22",
        f"ключ {token} 🔑",
    ):
        out = redactor.redact_text("note", text)
        assert planted.core(token) not in out, text
        assert suspicious(text)
        assert redactor.redact_text("note", out) == out
    assert ("openai" if service == "deepseek" else service) in redactor.redact_text("note", token)


def test_each_format_names_its_source_and_has_prefixes_that_the_search_looks_for():
    for row in FORMATS:
        sources = ("gitleaks ", "trufflehog ", "noseyparker ", "keyhog ", "kingfisher ", "https://", OBSERVED)
        assert row.source.startswith(sources), row.service
        assert all(len(prefix) >= 2 for prefix in row.prefixes.split()), row.service


def test_the_page_names_the_formats_that_rest_on_observation(checkout):
    (line,) = (
        line for line in (checkout / "docs/redaction.md").read_text().splitlines() if "observation alone" in line
    )
    assert re.findall(r"`(\w+)`", line) == [row.service for row in FORMATS if row.source == OBSERVED]


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn-compatible-estimators-and-more, task-management-system-design",
        "hf_model_of_the_day_and_night key-value-store-of-the-cluster re_compile_every_pattern_again",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b in pat-matching-of-the-house",
        "550e8400-e29b-41d4-a716-446655440000 urn:uuid:550e8400-e29b-41d4-a716-446655440000",
        "chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVwXyZ01 call_9aBcDeFgHiJkLmNoPqRsTu toolu_01A09q90qw90lq917835lq9",
        "ThreadPoolExecutorWithAVeryLongName2024 BSAFE_LIBRARY_OF_THE_SYSTEM SCWORKSHOP",
        "fc-cache-fontconfig-2024 st.session_state_of_the_app pa-per-and-pen-of-the-writer-in-the-house-42",
        "npm_config_cache_of_the_build_2024 secret_sharing_scheme access-production-database",
    ],
)
def test_names_and_ids_that_begin_like_tokens_stay(text):
    assert Redactor().redact_text("note", text) == text


def test_a_token_is_found_where_the_end_of_what_announces_it_begins_it_again():
    out = Redactor(salt=b"x").redact_text("note", f"/api/webhooks/api/webhooks/{'1' * 18}/{'aB3-' * 10}")
    assert "aB3-" not in out
