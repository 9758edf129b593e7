"""Whole programs that forward what they record."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from emitted import watching

CALL = """
import sys, time
import inspector
from instrument import around

inspector.attach(service="tester")
with around("tool_call", tool_name="add", args={"a": 1}, context=None) as call:
    call.set(result="the result")
"""


@pytest.fixture
def start(tmp_path, receiver, root):
    def start(program, *, url=None, **variables):
        environment = {
            "PATH": os.environ["PATH"],
            **watching(root),
            "INSPECTOR_HOME": str(tmp_path / "home"),
            "INSPECTOR_ENDPOINT": url or receiver.url,
            **variables,
        }
        return subprocess.Popen(
            [sys.executable, "-c", program],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.fixture
def run(start):
    def run(program, **options):
        process = start(program, **options)
        output, complaints = process.communicate(timeout=60)
        assert process.returncode == 0, complaints
        return output, complaints

    return run


@pytest.fixture
def root():
    return Path(__file__).parents[2]


def wait_for(condition):
    give_up_s = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up_s
        time.sleep(0.02)


def attributes(span):
    return {pair["key"]: pair["value"] for pair in span["attributes"]}


def test_a_program_that_ends_at_once_has_sent_what_it_did(run, receiver, tmp_path):
    assert run(CALL) == ("", "")
    assert receiver.names == ["execute_tool add"]
    assert not (tmp_path / "home" / "spool").exists()


@pytest.mark.slow
def test_the_next_program_deletes_what_was_sent_and_sends_nothing_twice(run, receiver, tmp_path):
    run(CALL)
    (first,) = tmp_path.glob("home/outbox/*/*.jsonl")
    run(CALL)
    assert receiver.names == ["execute_tool add"] * 2
    assert not first.exists()


def test_content_is_sent_only_where_it_was_allowed(run, receiver):
    run(CALL)
    assert "gen_ai.tool.call.result" not in attributes(receiver.requests[-1][0])
    run(CALL, INSPECTOR_CAPTURE_CONTENT="true")
    assert attributes(receiver.requests[-1][0])["gen_ai.tool.call.result"] == {"stringValue": '"the result"'}
    run(CALL, INSPECTOR_CAPTURE_CONTENT="false")
    assert "gen_ai.tool.call.result" not in attributes(receiver.requests[-1][0])


def test_headers_go_along(run, receiver):
    run(CALL, INSPECTOR_ENDPOINT_HEADERS="Authorization=Bearer%20secret")
    assert receiver.headers[0]["authorization"] == "Bearer secret"


@pytest.mark.slow
def test_what_a_program_could_not_send_is_sent_by_the_next_one(run, receiver):
    receiver.answers = [(503, {"Retry-After": "60"}, b"")] * 2
    run(CALL)
    assert receiver.requests == []
    receiver.answers = []
    run(CALL)
    assert receiver.names == ["execute_tool add"] * 2


def test_a_call_that_was_killed_is_sent_as_lost_by_the_next_program(start, run, receiver, tmp_path):
    hang = CALL.replace('call.set(result="the result")', 'print("inside", flush=True); time.sleep(60)')
    process = start(hang, INSPECTOR_ENDPOINT_PROTOCOL="http/json")
    assert process.stdout.readline() == "inside\n"
    wait_for(lambda: any(path.stat().st_size for path in tmp_path.glob("home/outbox/*/*.jsonl")))
    process.kill()
    process.communicate()
    run(CALL, INSPECTOR_ENDPOINT_PROTOCOL="http/json")
    wait_for(lambda: len(receiver.names) == 2)
    statuses = [attributes(span)["inspector.status"] for spans in receiver.requests for span in spans]
    assert sorted(value["stringValue"] for value in statuses) == ["lost", "ok"]


@pytest.mark.slow
def test_a_fork_sends_its_own_calls(run, receiver):
    run(
        CALL
        + """
import os
if os.fork() == 0:
    with around("tool_call", tool_name="in_child", args={}, context=None):
        pass
    sys.exit()
os.wait()
"""
    )
    wait_for(lambda: len(receiver.names) == 2)
    assert sorted(receiver.names) == ["execute_tool add", "execute_tool in_child"]


@pytest.mark.slow
def test_a_program_that_forks_is_warned_of_no_thread_of_ours(run, receiver):
    program = f"""
import os, sys, threading, time, warnings
warnings.simplefilter("always")
{CALL}
inspector.attach().flush()
for _ in range(3):
    pid = os.fork()
    if pid == 0:
        break
    assert threading.active_count() == 1, threading.enumerate()
    os.waitpid(pid, 0)
with around("tool_call", tool_name="child" if pid == 0 else "last", args={{}}, context=None):
    pass
"""
    _, complaints = run(program)
    assert complaints == ""
    assert sorted(set(receiver.names)) == ["execute_tool add", "execute_tool child", "execute_tool last"]


def test_a_wrong_endpoint_leaves_the_program_alone_and_its_calls_on_this_machine(start, tmp_path):
    process = start(CALL, url="ftp://nowhere")
    _, complaints = process.communicate(timeout=60)
    assert (process.returncode, complaints) == (0, "")
    assert list((tmp_path / "home" / "spool").glob("*.jsonl"))
    assert not (tmp_path / "home" / "outbox").exists()


def test_only_the_owner_can_read_what_waits(run, receiver, tmp_path):
    run(CALL)
    modes = {path.relative_to(tmp_path): path.stat().st_mode & 0o777 for path in tmp_path.glob("home/**/*")}
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    assert {mode for path, mode in modes.items() if (tmp_path / path).is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if (tmp_path / path).is_file()} == {0o600}
