import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from emitted import watching
from pydantic import SecretStr

from inspector.configured import configured
from inspector.environment import NOWHERE, Environment, read_environment
from inspector.settings import Settings

ROOT = Path(__file__).parents[2]
SHARED = {
    "home": ("/data", "relative/dir"),
    "capture_content": ("true", "0", "Off", "YES"),
    "endpoint": ("http://box:1",),
    "endpoint_headers": ("A=b",),
    "endpoint_protocol": ("http/json", "http/protobuf"),
}


def test_there_are_samples_of_each_variable_that_programs_and_the_server_read():
    assert SHARED.keys() == {field.name for field in fields(Environment)} & Settings.model_fields.keys()


@pytest.mark.parametrize("name", SHARED)
def test_a_program_reads_its_variables_as_the_server_does(name, monkeypatch):
    for value in ("", *SHARED[name]):
        monkeypatch.setenv(f"INSPECTOR_{name.upper()}", value)
        theirs = getattr(Settings(), name)
        ours = getattr(read_environment(), name)
        theirs = theirs.get_secret_value() if isinstance(theirs, SecretStr) else theirs
        assert (ours is not False if name == "capture_content" else ours) == theirs


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("capture_raw", "", None),
        ("capture_raw", "false", False),
        ("capture_raw", "1", True),
        ("integrations_off", " openai , mcp ,", ("openai", "mcp")),
        ("enable_patch", "1", True),
        ("otel", "on", True),
        ("logs", "N", False),
        ("requests", "all", "all"),
        ("service", "planner", "planner"),
    ],
)
def test_a_program_reads_the_variables_that_only_programs_have(name, value, expected):
    assert getattr(read_environment(environ={f"INSPECTOR_{name.upper()}": value}), name) == expected


def test_whether_content_was_asked_for_is_told_from_the_default():
    assert read_environment(environ={}).capture_content is None
    assert read_environment(environ={"INSPECTOR_CAPTURE_CONTENT": "true"}).capture_content is True


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("OTEL", "maybe", "INSPECTOR_OTEL=maybe is ignored: it takes true or false"),
        ("LOGS", "2", "INSPECTOR_LOGS=2 is ignored: it takes true or false"),
        ("CAPTURE_CONTENT", "flase", "INSPECTOR_CAPTURE_CONTENT=flase is ignored: it takes true or false"),
        ("ENABLE_PATCH", "x" * 90, f"INSPECTOR_ENABLE_PATCH={'x' * 80} is ignored: it takes true or false"),
        ("ENDPOINT_PROTOCOL", "grpc", "INSPECTOR_ENDPOINT_PROTOCOL=grpc is ignored: it takes http/protobuf or "),
        ("INTEGRATIONS_OFF", "opnai", "INSPECTOR_INTEGRATIONS_OFF=opnai is ignored: there is no integration of that "),
        ("ENDPOINT", "nonsense", "INSPECTOR_ENDPOINT is ignored: the endpoint 'nonsense' is not the address of a "),
        ("ENDPOINT", "ftp://me:secret@box", "INSPECTOR_ENDPOINT is ignored: the endpoint '…@box' is not the address "),
    ],
)
def test_an_impossible_value_is_ignored_and_says_so(variable, value, says):
    found = configured(home="/data", environ={f"INSPECTOR_{variable}": value})
    (sentence,) = found.ignored
    assert sentence.startswith(says)
    assert found == Environment(home=Path("/data"), ignored=(sentence,))


def test_what_is_wrong_costs_only_itself():
    environ = {
        "INSPECTOR_INTEGRATIONS_OFF": "mcp,opnai",
        "INSPECTOR_ENDPOINT": "http://box:1",
        "INSPECTOR_ENDPOINT_HEADERS": "secret",
        "INSPECTOR_LOGS": "maybe",
        "INSPECTOR_OTEL": "on",
    }
    found = configured(environ=environ)
    assert (found.integrations_off, found.endpoint, found.endpoint_headers) == (("mcp",), "http://box:1", "")
    assert (found.logs, found.otel, len(found.ignored)) == (False, True, 3)
    assert "secret" not in str(found.ignored).replace("Bearer%20secret", "")


def test_a_program_without_a_home_directory_has_nowhere_to_record(monkeypatch):
    def no_home(_):
        raise RuntimeError

    monkeypatch.setattr(Path, "home", classmethod(no_home))
    found = configured(environ={})
    assert (found.home, len(found.ignored)) == (NOWHERE, 1)
    assert configured(environ={"INSPECTOR_HOME": "/data"}).ignored == ()


WRONG = {
    "INSPECTOR_CAPTURE_CONTENT": "flase",
    "INSPECTOR_ENDPOINT": "nonsense",
    "INSPECTOR_ENDPOINT_HEADERS": "none",
    "INSPECTOR_ENDPOINT_PROTOCOL": "grpc",
    "INSPECTOR_INTEGRATIONS_OFF": "opnai",
    "INSPECTOR_OTEL": "maybe",
    "INSPECTOR_LOGS": "maybe",
    "INSPECTOR_ENABLE_PATCH": "maybe",
    "INSPECTOR_REQUESTS": "some",
}
ATTACHING = """
import logging, inspector, json, instrument
class Messages(logging.Handler):
    def emit(self, record):
        messages.append(record.getMessage())
messages = []
if {listening}:
    logging.getLogger("mcp.inspector").addHandler(Messages())
inspector.attach()
inspector.attach()
with instrument.around("tool_call", tool_name="add", args={{}}, context=None):
    pass
inspector.detach()
print(json.dumps(messages))
"""


def attaching(home, *, listening, **environment):
    return subprocess.run(
        [sys.executable, "-c", ATTACHING.format(listening=listening)],
        env={**watching(ROOT), "INSPECTOR_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("listening", [True, False])
def test_impossible_values_never_end_the_program_and_are_logged_once(tmp_path, listening):
    done = attaching(tmp_path / "home", listening=listening, **WRONG)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(list((tmp_path / "home" / "spool").glob("*.jsonl"))) == 1
    # Headers without an endpoint are for nobody.
    wrong = sorted(set(WRONG) - {"INSPECTOR_ENDPOINT_HEADERS"}) if listening else []
    assert sorted(message.partition(" ")[0].partition("=")[0] for message in json.loads(done.stdout)) == wrong


def test_a_program_without_any_home_directory_goes_on():
    gone = "import pathlib\ndef none(_):\n    raise RuntimeError\npathlib.Path.home = classmethod(none)\n"
    done = subprocess.run(
        [sys.executable, "-c", gone + ATTACHING.format(listening=True)],
        env=watching(ROOT),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)[0].startswith("nothing can be recorded: there is no home directory; ")


@pytest.mark.parametrize("endpoint", [{}, {"INSPECTOR_ENDPOINT": "http://127.0.0.1:9"}])
def test_a_home_that_cannot_be_used_never_ends_the_program(tmp_path, endpoint):
    (tmp_path / "file").write_text("")
    done = attaching(tmp_path / "file" / "home", listening=False, **endpoint)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_a_wrong_argument_in_code_raises():
    import inspector

    for wrong in ({"endpoint": "nonsense"}, {"integrations": ["opnai"]}, {"redact_patterns": ["("]}):
        with pytest.raises(ValueError):
            inspector.attach(**wrong)
    with pytest.raises(TypeError, match="a str, not int"):
        inspector.attach(service=3)


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
