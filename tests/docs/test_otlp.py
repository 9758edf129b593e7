"""The programs of docs/otlp.md, run as a newcomer would, with the variables that the page says."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

PAGE = "docs/otlp.md"


@pytest.fixture
def variables(blocks, demo_address, run):
    """What the first lines of the page set."""
    first = blocks(PAGE, "sh")[0].text.replace("127.0.0.1:7800", demo_address)
    shown = run("sh", "-euc", f"{first}\nenv")
    assert shown.returncode == 0, shown.stderr
    return dict(line.split("=", 1) for line in shown.stdout.splitlines() if line.startswith("OTEL_"))


def tools(run, service):
    found = json.loads(run("inspector", "events", "--kind", "tool", "--json", "--limit", "1000").stdout)["items"]
    return [event["tool"] for event in found if event["service"] == service and event["tool"] == "search"]


def test_the_span_that_curl_sends_is_seen(blocks, demo_address, run):
    (example,) = (each.text for each in blocks(PAGE, "sh") if "curl" in each.text)
    before = len(tools(run, "trip"))
    done = run("sh", "-euc", example.replace("127.0.0.1:7800", demo_address))
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "{}", "")
    assert len(tools(run, "trip")) == before + 1


def test_the_program_in_python_is_seen(blocks, variables, run):
    (example,) = blocks(PAGE, "python")
    before = len(tools(run, "trip"))
    done = run(sys.executable, "-W", "error", "-c", example.text, **variables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(tools(run, "trip")) == before + 1


@pytest.mark.slow
def test_the_program_in_javascript_is_seen(blocks, variables, run, javascript):
    node, place = javascript
    (example,) = blocks(PAGE, "js")
    (place / "app.mjs").write_text(example.text)
    before = len(tools(run, "trip"))
    done = run(str(node), str(place / "app.mjs"), **variables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(tools(run, "trip")) == before + 1


@pytest.fixture(scope="session")
def javascript(tmp_path_factory):
    senders = Path(__file__).parents[1] / "otlp" / "javascript.py"
    spec = importlib.util.spec_from_file_location("javascript_of_otlp", senders)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.installed(tmp_path_factory.mktemp("npm"))
