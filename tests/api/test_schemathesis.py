"""Everything the contract promises, tried with thousands of requests by a tool that reads only the contract."""

import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema

from inspector.api import LiveLimits, create_app

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


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Leave cursors out: only the page before makes one, and a made-up one hides everything else behind its 422."""
    for item in raw_schema["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict):
                listed = operation.get("parameters", [])
                listed[:] = [each for each in listed if each.get("$ref") != "#/components/parameters/cursor"]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Allow what a schema cannot say: unknown headers (RFC 9110, section 5.1), fields traces have many of, noise."""
    unknown = {"x-schemathesis-unknown-property"} & set(case.headers or {})
    if unknown and type(failure).__name__ == "AcceptedNegativeData":
        return False
    of_traces = (case.query or {}).get("of") == "traces" and "by takes one of" in response.text
    noise = case.media_type == "application/x-protobuf" and response.status_code == 400
    return not ((of_traces or noise) and type(failure).__name__ == "RejectedPositiveData")


def config(examples):
    return SchemathesisConfig.from_dict(
        {
            "headers": BEARER,
            "generation": {"max-examples": examples, "deterministic": True, "database": "none"},
            "tls-verify": False,  # everything here is plain HTTP; loading the certificates takes longer than an answer
            "phases": {"stateful": {"generation": {"max-examples": max(2, examples // 5)}}},
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


def test_an_empty_store_keeps_the_contract_in_process(owner, settings):
    schema = schemathesis.openapi.from_asgi(
        "/openapi.json", application(owner, settings), config=config(8), headers=BEARER
    )
    done, failed, requests = examine(schema)
    assert not failed, "\n\n".join(failed[:3])
    assert done >= CHECKS
    assert requests > 500


def test_a_filled_store_keeps_the_contract_in_process(owner, settings, run):
    owner.store.write(run)
    schema = schemathesis.openapi.from_asgi(
        "/openapi.json", application(owner, settings), config=config(8), headers=BEARER
    )
    done, failed, requests = examine(schema)
    assert not failed, "\n\n".join(failed[:3])
    assert done >= CHECKS
    assert requests > 500


def test_a_filled_store_keeps_the_contract_over_a_real_socket(owner, settings, run, serve_app):
    owner.store.write(run)
    with serve_app(application(owner, settings)) as port:
        url = f"http://127.0.0.1:{port}/openapi.json"
        schema = schemathesis.openapi.from_url(url, config=config(4), headers=BEARER)
        done, failed, requests = examine(schema)
    assert not failed, "\n\n".join(failed[:3])
    assert done >= CHECKS
    assert requests > 200
