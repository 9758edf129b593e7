import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from pydantic import SecretStr

from inspector.environment import Environment, VariableInvalid, read_environment
from inspector.settings import Settings

SAMPLES = {
    "home": ("/data", "relative/dir"),
    "capture_content": ("true", "0", "Off", "YES"),
    "integrations_off": ("openai", " openai , mcp ,"),
    "enable_patch": ("1", "no"),
    "otel": ("on", "f"),
    "logs": ("t", "N"),
    "service": ("planner",),
    "endpoint": ("http://box:1",),
    "endpoint_headers": ("A=b",),
    "endpoint_protocol": ("http/json", "http/protobuf"),
}


def test_there_is_a_sample_for_each_variable():
    assert SAMPLES.keys() == {field.name for field in fields(Environment)}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_program_reads_its_variables_as_the_server_does(name, monkeypatch):
    for value in ("", *SAMPLES[name]):
        monkeypatch.setenv(f"INSPECTOR_{name.upper()}", value)
        theirs = getattr(Settings(), name)
        ours = getattr(read_environment(), name)
        theirs = theirs.get_secret_value() if isinstance(theirs, SecretStr) else theirs
        assert (ours is not False if name == "capture_content" else ours) == theirs


def test_whether_content_was_asked_for_is_told_from_the_default():
    assert read_environment(environ={}).capture_content is None
    assert read_environment(environ={"INSPECTOR_CAPTURE_CONTENT": "true"}).capture_content is True


@pytest.mark.parametrize(
    ("variable", "value", "takes"),
    [
        ("INSPECTOR_OTEL", "maybe", "true or false"),
        ("INSPECTOR_ENDPOINT_PROTOCOL", "grpc", "http/protobuf or http/json"),
    ],
)
def test_an_impossible_value_is_refused_with_the_way_out(variable, value, takes):
    with pytest.raises(VariableInvalid, match=f"^{variable}={value}: takes {takes}; correct it or leave it out$"):
        read_environment(environ={variable: value})


def test_a_home_that_is_named_in_code_goes_before():
    assert read_environment(home="x", environ={"INSPECTOR_HOME": "y"}).home == Path("x")


def test_headers_do_not_show(monkeypatch):
    assert "secret" not in repr(read_environment(environ={"INSPECTOR_ENDPOINT_HEADERS": "Authorization=secret"}))


def test_recording_imports_neither_pydantic_nor_the_plug_ins_of_others(tmp_path):
    program = (
        f"import sys, inspector; inspector.attach(home={str(tmp_path)!r});"
        "print({name.partition('.')[0] for name in sys.modules} & {'pydantic', 'sqlalchemy', 'click', 'fastapi'})"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "set()"
