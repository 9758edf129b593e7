import json
import re
import shlex
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from pydantic import SecretStr

from inspector.cli.doctor.checks import check_variables
from inspector.environment import Environment
from inspector.settings import Settings


def without_ids(text):
    return re.sub(r"\b[0-9a-f]{32}\b", "ID", text)


def test_python_examples_run_in_order(blocks, run):
    examples = blocks("README.md", "python")
    assert len(examples) == 3
    for example in examples:
        done = run(sys.executable, "-c", example.text)
        assert done.returncode == 0, f"{example.text}\n{done.stderr}"


def test_the_curl_example_finds_the_failed_call_with_its_arguments_and_its_error(blocks, demo_address, run):
    (curl,) = [each.text for each in blocks("README.md", "sh") if "curl" in each.text]
    done = run("sh", "-euc", curl.replace("127.0.0.1:7800", demo_address))
    events = json.loads(done.stdout)["items"]
    assert {event["tool"] for event in events} == {"book_hotel"}
    assert all(event["input"]["hotel"] == "Hotel Miradouro" for event in events)
    assert [event["error"]["type"] for event in events] == ["tool_error"]


@pytest.mark.slow
def test_the_demo_is_replayed_tested_broken_and_compared(blocks, run, tmp_path):
    (shown,) = blocks("README.md", "console")
    home = {"INSPECTOR_HOME": str(tmp_path / "home"), "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"}
    assert run("inspector", "demo", "--once", **home).returncode == 0
    codes = []
    for part in shown.text.removeprefix("$ ").split("\n$ "):
        command, *lines = part.splitlines()
        done = run(*shlex.split(command), **home)
        codes.append(done.returncode)
        printed = without_ids(done.stdout + done.stderr)
        assert [line for line in lines if line != "…" and without_ids(line) not in printed] == [], printed
    assert codes == [0, 0, 3, 0]


def test_the_package_and_its_extra_have_the_names_that_are_installed(blocks, root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    (install,) = [each.text for each in blocks("README.md", "sh") if "pip install" in each.text]
    assert f'pip install "{project["name"]}[inspector,mcp]"\n' in install
    assert {"inspector", "mcp"} <= project["optional-dependencies"].keys()
    assert "inspector" in project["scripts"]


def test_the_make_target_exists(blocks, root, run):
    assert "make demo\n" in [each.text for each in blocks("README.md", "sh")]
    assert run("make", "--dry-run", "--directory", str(root), "demo").returncode == 0


def test_the_configuration_page_has_every_variable_with_its_default(root):
    page = (root / "docs" / "configuration.md").read_text()
    rows = re.findall(r"^\| `INSPECTOR_(\w+)` \|\s*(.*?)\s*\|", page, re.MULTILINE)
    settings, recording = Settings.model_construct(), Environment(home=Path())
    documented = {name.lower(): default.strip("` ").replace("~", str(settings.home.parent)) for name, default in rows}
    actual = {}
    names = {*Settings.model_fields, *(field.name for field in fields(Environment))} - {"ignored"}
    for name in names:
        value = getattr(settings if name in Settings.model_fields else recording, name)
        value = value.get_secret_value() if isinstance(value, SecretStr) else value
        actual[name] = "" if value in (None, ()) else f"{value:g}" if isinstance(value, float) else str(value)
        actual[name] = actual[name].lower() if isinstance(value, bool) else actual[name]
    assert documented == actual | {"capture_content": "true", "capture_raw": "true"}


def test_every_documented_variable_is_known_to_the_doctor(root):
    page = (root / "docs" / "configuration.md").read_text()
    documented = re.findall(r"^\| `(INSPECTOR_\w+)` \|", page, re.MULTILINE)
    assert documented
    assert check_variables(dict.fromkeys(documented, "1")).level == "ok"
