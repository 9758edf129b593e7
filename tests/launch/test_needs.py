"""What a program has to have installed to be recorded: msgspec and opentelemetry-api, and no more."""

import json
import subprocess
import sys

ALONE = """
import importlib, json, pkgutil, sys

class Alone:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        # Of opentelemetry-api.
        its_needs = ("typing_extensions", "importlib_metadata", "zipp")
        named = ("inspector", "instrument", "msgspec", "opentelemetry", *its_needs)
        further = ("opentelemetry.sdk", "opentelemetry.proto", "opentelemetry.exporter")
        is_standard = top in sys.stdlib_module_names or top.startswith("_sysconfigdata")
        if is_standard or (top in named and not name.startswith(further)):
            return None
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Alone())
"""

MODULES = """
import inspector
missing = {}
packages = ("forward", "integrations", "launch", "otel", "otlp", "record", "redaction", "subscribers")
files = ("configured", "context", "environment", "processor", "recording")
named = [f"inspector.{each}" for each in files]
for package in packages:
    try:
        module = importlib.import_module(f"inspector.{package}")
    except ModuleNotFoundError as error:
        missing[f"inspector.{package}"] = error.name
        continue
    inside = pkgutil.walk_packages(module.__path__, f"{module.__name__}.")
    named += [found.name for found in inside if not found.name.endswith("sitecustomize")]
for name in named:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing[name] = error.name
print(json.dumps(missing))
"""

SENT = """
import inspector
from inspector.otlp import partial_success, request_of
from inspector.reading.recorded import items_of_line

inspector.attach(home=sys.argv[1])
from instrument import _emit_sync
_emit_sync("before_tool_call", tool_name="search", args={"q": "x"}, context=None)
_emit_sync("after_tool_call", tool_name="search", result="y", context=None)
inspector.detach()
import glob
lines = [line for path in glob.glob(sys.argv[1] + "/spool/*.jsonl") for line in open(path, "rb")]
items = [item for line in lines for item in items_of_line(line)]
made = [len(request_of(items, encoding)) > 100 for encoding in ("protobuf", "json")]
print(json.dumps([len(items) > 0, *made, partial_success("application/x-protobuf", b"\\x0a\\x02\\x08\\x07")]))
"""


def answer_of(program, *arguments):
    done = subprocess.run([sys.executable, "-c", ALONE + program, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_runs_in_an_agent_imports_its_own_frameworks_and_the_sdk_at_most():
    assert answer_of(MODULES) == {
        "inspector.integrations.starlette": "starlette",
        "inspector.integrations.uvicorn": "uvicorn",
        "inspector.otel": "opentelemetry.sdk",
        "inspector.processor": "opentelemetry.sdk",
    }


def test_calls_are_recorded_and_encoded_for_an_endpoint_without_further_packages(tmp_path):
    assert answer_of(SENT, str(tmp_path / "home")) == [True, True, True, [7, ""]]
