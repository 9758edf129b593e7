"""Everything the contract promises, tried with thousands of requests by a tool that reads only the contract."""

import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import schemathesis
from msgspec import structs
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema

import inspector
from inspector.api import LiveLimits, Token, create_app
from instrument import around

SECRET = "a-secret-of-the-tests-only"
BEARER = {"Authorization": f"Bearer {SECRET}"}
CHECKS = {
    "allow_header_conformance",
    "content_type_conformance",
    "ignored_auth",
    "negative_data_rejection",
    "not_a_server_error",
    "positive_data_acceptance",
    "response_headers_conformance",
    "response_schema_conformance",
    "status_code_conformance",
    "unsupported_method",
}
"""Those that must have had something to judge; the others need operations that create something."""
OF_COVERAGE = {"allow_header_conformance", "unsupported_method"}
"""Those that only that phase has anything for, which takes most of the time: `st` tries all operations with it."""


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Allow what a schema cannot say: unknown headers (RFC 9110, section 5.1) and bytes that are no protobuf."""
    unknown = {"x-schemathesis-unknown-property"} & set(case.headers or {})
    if type(failure).__name__ == "AcceptedNegativeData" and (unknown or is_without_what_is_wrong(case, response)):
        return False
    noise = case.media_type == "application/x-protobuf" and response.status_code == 400
    return not (noise and type(failure).__name__ == "RejectedPositiveData")


def is_without_what_is_wrong(case, response):
    """Whether the parameter that is wrong is not in the request: an empty object, say, is nothing in a query."""
    phase = case.meta.phase.data
    wrong = {phase.parameter, *(each.parameter for each in getattr(phase, "mutations", ()))} - {None}
    sent = parse_qs(urlsplit(response.request.url).query, keep_blank_values=True)
    is_query = getattr(phase.parameter_location, "name", None) == "QUERY"
    return is_query and bool(wrong) and not any(name.partition("[")[0] in wrong for name in sent)


def config(examples, *, coverage):
    return SchemathesisConfig.from_dict(
        {
            "headers": BEARER,
            # Whether few enough examples are thrown away is a matter of chance, and none of the contract.
            "suppress-health-check": ["filter_too_much"],
            "generation": {"max-examples": examples, "deterministic": True, "database": "none"},
            "tls-verify": False,  # everything here is plain HTTP; loading the certificates takes longer than an answer
            "phases": {
                "coverage": {"enabled": coverage},
                "stateful": {"generation": {"max-examples": max(2, examples // 5)}},
            },
        }
    )


def examine(schema):
    """Run every phase; the names of the checks that were done, and what failed."""
    done, failed, requests = set(), [], 0
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            requests += len(event.recorder.interactions)
            for case, checks in event.recorder.checks.items():
                done |= {check.name for check in checks}
                failed += [
                    f"{check.name}: {event.recorder.cases[case].value.as_curl_command()}\n{check.failure_info.failure}"
                    for check in checks
                    if check.failure_info is not None
                ]
        elif isinstance(event, (events.NonFatalError, events.FatalError)):
            failed.append(str(getattr(event, "info", None) or event.exception))
    return done, failed, requests


def application(owner, settings):
    allowed = settings.model_copy(update={"allowed_hosts": ("testserver",)})
    return create_app(owner.store, settings=allowed, owner=owner, limits=LiveLimits(lifetime_s=0.02, poll_s=0.01))


@pytest.mark.slow
def test_an_empty_store_keeps_the_contract_in_process(owner, settings, long):
    schema = schemathesis.openapi.from_asgi(
        "/openapi.json", application(owner, settings), config=config(8, coverage=long), headers=BEARER
    )
    done, failed, requests = examine(schema)
    assert not failed, "\n\n".join(failed[:3])
    assert done >= (CHECKS if long else CHECKS - OF_COVERAGE)
    assert requests > 100


@pytest.fixture
def filled(owner, settings, run):
    """A store with what hooks made of a small agent, and with rows that have every kind of figure."""
    inspector.attach(home=settings.home, integrations=False)
    with inspector.context.bind("berlin/1"), around("agent_call", agent="planner"):
        with around("llm_generate", llm="gpt-4o", prompt="Where to?") as call:
            call.set(response="Berlin", usage={"input_tokens": 12, "output_tokens": 3})
        for city in ("Berlin", ""):
            with suppress(ValueError), around("tool_call", tool_name="weather", args={"city": city}, context=None):
                city.index("B")
    inspector.detach()
    owner.ingest_spools()
    owner.store.write([structs.replace(span, hook=None, dialect="gen_ai/2") for span in run])
    return owner


def test_a_filled_store_keeps_the_contract_in_process(filled, settings, every, long):
    schema = schemathesis.openapi.from_asgi(
        "/openapi.json", application(filled, settings), config=config(8 if every else 1, coverage=long), headers=BEARER
    )
    done, failed, requests = examine(schema)
    assert not failed, "\n\n".join(failed[:3])
    assert done >= (CHECKS if long else CHECKS - OF_COVERAGE)
    assert requests > 100


def st_run(port, directory, token, *options):
    """Run the tool as anybody would, with nothing but an address and the token; return what it printed."""
    address = f"http://127.0.0.1:{port}/openapi.json"
    bearer = ["--header", f"Authorization: Bearer {token}"]
    small = ["--max-examples", "3", "--generation-deterministic", "--no-color", "--tls-verify", "false"]
    command = [Path(sys.executable).with_name("st"), "run", address, *bearer, *small, *options]
    ended = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.slow
def test_the_plain_tool_finds_nothing_in_any_operation_that_only_looks(filled, settings, serve_app, tmp_path):
    look = ("--include-method", "GET", "--exclude-path", "/events/stream")
    with serve_app(application(filled, settings)) as port:
        printed = st_run(port, tmp_path, Token(SECRET).derive("read"), *look)
    assert "Tested: 27" in printed


@pytest.mark.slow
def test_the_shipped_configuration_names_every_exception_of_the_others(filled, settings, serve_app, checkout, tmp_path):
    shutil.copy(checkout / "schemathesis.toml", tmp_path)
    others = (
        *(
            "streamEvents",
            "exportTraces",
            "exportLogs",
            "exportMetrics",
            "createLabel",
            "deleteLabel",
            "createSignInCode",
        ),
        *("deleteRun", "deleteTrace", "deleteSession", "deleteSessionOfAnyName"),
    )
    with serve_app(application(filled, settings)) as port:
        printed = st_run(port, tmp_path, SECRET, *(f"--include-operation-id={each}" for each in others))
    assert "Tested: 11" in printed
