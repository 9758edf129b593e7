"""The code keeps ``openapi.yaml``: routes, parameters, statuses, scopes and the shape of every answer."""

import dataclasses
import json
import re
import typing
from pathlib import Path

import pytest
import yaml
from fastapi.routing import APIRoute
from openapi_spec_validator import validate
from pydantic import TypeAdapter

from inspector import diff, model
from inspector.api.access.rules import OPEN_PATHS, required_scope
from inspector.api.contract import contract_json
from inspector.api.queries.query import QueryOf
from inspector.api.routes.page import SignInCode
from inspector.api.routes.probes import Readiness, Refusal
from inspector.api.routes.storage import RemovedByRule, Storage

FILE = Path(__file__).parents[2] / "openapi.yaml"
CONTRACT = json.loads(contract_json())
SCHEMAS = CONTRACT["components"]["schemas"]


def resolve(node):
    """Follow references, and drop what is prose or spelled in two ways."""
    if isinstance(node, list):
        return [resolve(each) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = CONTRACT
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return resolve(target)
    return {key: resolve(value) for key, value in node.items() if key not in ("title", "description", "example")}


def plain(schema, definitions):
    """Rewrite Pydantic's JSON schema of a parameter the way the contract spells it."""
    if isinstance(schema, list):
        return [plain(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return plain(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    options = [each for each in schema.get("anyOf", []) if each != {"type": "null"}]
    if len(options) < len(schema.get("anyOf", [])):
        rest = {
            key: value for key, value in schema.items() if key != "anyOf" and not (key == "default" and value is None)
        }
        return plain({**rest, **(options[0] if len(options) == 1 else {"anyOf": options})}, definitions)
    found = {key: plain(value, definitions) for key, value in schema.items() if key not in ("title", "description")}
    for pattern, value in found.pop("patternProperties", {}).items():
        # One pattern that every name must have: the contract says so of the names, Pydantic of the values.
        found["additionalProperties"] = value
        found["propertyNames"] |= {"pattern": pattern}
    return found


def parameters_of_file(path, operation):
    listed = [*CONTRACT["paths"][path].get("parameters", []), *operation.get("parameters", [])]
    return {(each["in"], each["name"]): (each.get("required", False), each["schema"]) for each in map(resolve, listed)}


def parameters_of_code(route):
    found = {}
    for dependency in route.dependant.dependencies:
        if isinstance(dependency.call, QueryOf):
            schema = dependency.call.model.model_json_schema()
            assert schema["additionalProperties"] is False
            for name, field in schema.get("properties", {}).items():
                found["query", name] = (name in schema.get("required", ()), plain(field, schema.get("$defs", {})))
    for field in [*route.dependant.path_params, *route.dependant.header_params]:
        schema = plain(TypeAdapter(field.field_info.annotation).json_schema(), {})
        for constraint in field.field_info.metadata:
            schema |= {"pattern": constraint.pattern} if getattr(constraint, "pattern", None) else {}
            schema |= {"minLength": constraint.min_length} if getattr(constraint, "min_length", None) else {}
            schema |= {"maxLength": constraint.max_length} if getattr(constraint, "max_length", None) else {}
        found[field.field_info.in_.value, field.alias] = (field.field_info.is_required(), schema)
    return found


def operations(app):
    for route in app.router.routes:
        if isinstance(route, APIRoute) and route.include_in_schema:
            path = re.sub(r":\w+}", "}", route.path)
            for method in sorted(route.methods - {"HEAD"}):
                yield path, method.lower(), route


def test_the_file_is_valid_openapi():
    validate(CONTRACT)


def test_what_is_served_is_the_file(client):
    assert client.get("/openapi.json").json() == yaml.safe_load(FILE.read_text("utf-8"))


def test_the_code_has_exactly_the_operations_of_the_file(app):
    of_file = {(path, method) for path, item in CONTRACT["paths"].items() for method in item if method != "parameters"}
    assert {(path, method) for path, method, _ in operations(app)} == of_file
    assert all("HEAD" in route.methods for _, method, route in operations(app) if method == "get")


def test_every_operation_takes_exactly_the_parameters_of_the_file(app):
    compared = 0
    for path, method, route in operations(app):
        of_file = parameters_of_file(path, CONTRACT["paths"][path][method])
        assert parameters_of_code(route) == of_file, (method, path)
        compared += len(of_file)
    assert compared > 100


def test_every_operation_answers_exactly_the_statuses_of_the_file(app):
    for path, method, route in operations(app):
        of_file = CONTRACT["paths"][path][method]["responses"]
        assert sorted(str(status) for status in route.responses) == sorted(of_file), (method, path)


def test_the_scopes_of_the_file_are_those_of_the_guard():
    for path, item in CONTRACT["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            security = operation.get("security", CONTRACT["security"])
            if path in OPEN_PATHS:
                assert security == []
            else:
                assert security == [{"bearer": [required_scope(method.upper(), path)]}, {"cookie": []}]


NOUNS = [
    ("CallsDiff", diff.CallsDiff),
    ("Diff", diff.Diff),
    ("DiffAnswers", diff.DiffAnswers),
    ("DiffCall", diff.DiffCall),
    ("DiffCause", diff.DiffCause),
    ("DiffPart", diff.DiffPart),
    ("DiffRun", diff.DiffRun),
    ("DiffStep", diff.DiffStep),
    ("Rate", diff.Rate),
    ("Rates", diff.Rates),
    ("RatesStep", diff.RatesStep),
    ("Event", model.Event),
    ("Hit", model.Hit),
    ("HitPlace", model.HitPlace),
    ("Hits", model.Hits),
    ("Error", model.SpanError),
    ("InferredTool", model.InferredTool),
    ("Label", model.Label),
    ("Preview", model.Preview),
    ("Run", model.Run),
    ("RunOutline", model.RunOutline),
    ("SpanPlace", model.SpanPlace),
    ("Turn", model.Turn),
    ("Trace", model.Trace),
    ("Session", model.Session),
    ("Stats", model.Stats),
    ("StatsGroup", model.StatsGroup),
    ("StatsBucket", model.StatsBucket),
    ("TimelineBar", model.TimelineBar),
    ("TraceOutline", model.TraceOutline),
    ("OutlineTables", model.OutlineTables),
    ("OutlineColumns", model.OutlineColumns),
    ("Readiness", Readiness),
    ("Refusal", Refusal),
    ("RemovedByRule", RemovedByRule),
    ("Storage", Storage),
    ("SignInCode", SignInCode),
]


@pytest.mark.parametrize("name, noun", NOUNS)
def test_every_noun_has_the_fields_of_the_file_in_its_order(name, noun):
    fields = [field.name for field in dataclasses.fields(noun)]
    assert list(SCHEMAS[name]["properties"]) == fields
    optional = {
        "DiffPart": {"a", "b"},
        "Event": {"input", "output", "attributes", "events", "links"},
        "Trace": {"timeline", "losses"},
        "Run": {"losses", "replay_of", "timeline"},
        "Stats": {"notice"},
        "StatsGroup": {"mean_score"},
        "Hits": {"notice"},
    }.get(name, set())
    assert SCHEMAS[name]["required"] == [field for field in fields if field not in optional]


@pytest.mark.parametrize(
    "name, noun",
    [
        ("CauseKind", diff.CauseKind),
        ("Difference", diff.Difference),
        ("HitIn", model.HitIn),
        ("Kind", model.Kind),
        ("LabelSource", model.LabelSource),
        ("PartKind", diff.PartKind),
        ("RunSort", model.RunSort),
        ("Status", model.Status),
        ("Sort", model.Sort),
        ("SessionSort", model.SessionSort),
        ("Verdict", diff.Verdict),
        ("TraceSort", model.TraceSort),
        ("StatsOf", model.StatsOf),
        ("Order", model.Order),
        ("GroupBy", model.GroupBy),
    ],
)
def test_every_closed_set_is_that_of_the_file(name, noun):
    assert tuple(SCHEMAS[name]["enum"]) == typing.get_args(noun)


def test_every_component_of_the_file_is_used():
    text = FILE.read_text("utf-8")
    for section, members in CONTRACT["components"].items():
        for name in members:
            used = text.count(f'#/components/{section}/{name}"')
            assert used or section == "securitySchemes", f"{section}/{name}"
