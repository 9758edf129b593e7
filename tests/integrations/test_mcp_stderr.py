import json
import os
import resource
import subprocess
import sys
from contextlib import closing
from io import FileIO

import pytest

from inspector.integrations.mcp.stderr import ServerStderr, _pipe, of_server

SURVIVE = "import sys; sys.stdin.read(); print('x' * 100_000, file=sys.stderr, flush=True); print('alive')"


@pytest.mark.parametrize("sdk", ["current", pytest.param("earlier", marks=pytest.mark.slow)])
def test_what_a_server_writes_to_stderr_is_in_its_requests_and_in_the_program_s_own(run, sdk):
    recorded = run("mcp_stderr.py", within=sdk)
    (failed,) = [event for event in recorded.events if event.kind == "rpc" and event.status == "error"]
    assert failed.name == "initialize"
    said = "".join(f"{text}\n" for text in logged(failed))
    assert said.startswith("reading the menu\nTraceback")
    assert said.endswith("RuntimeError: no menu\n")
    called = recorded.named("execute_tool cook")
    assert logged(called) == ["the stove is cold"]
    assert recorded.stderr == f"the stove is cold\n{said}"


def logged(event) -> list[str]:
    noted = [each["attributes"] for each in json.loads(bytes(event.events or b"[]")) if each["name"] == "log"]
    return [each["log.message"] for each in noted if each["log.logger"] == "stderr"]


def test_a_server_that_outlives_its_client_can_go_on_writing():
    source, sink = _pipe()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", SURVIVE], stderr=sink, **pipes) as server:
        os.close(source)
        os.close(sink)
        written, _ = server.communicate(timeout=60)
    assert (server.returncode, written) == (0, b"alive\n")


def test_what_is_written_arrives_byte_for_byte_also_without_an_end_of_line(tmp_path):
    with (tmp_path / "written").open("wb") as target:
        its = ServerStderr(os.dup(target.fileno()))
        its.sink.write(b"\xff\r\n\x1b[31mred")
        its.pass_on()
        its.sink.close()
        its.pass_on()
    assert (tmp_path / "written").read_bytes() == b"\xff\r\n\x1b[31mred"


def test_a_standard_error_that_cannot_be_written_to_does_not_hold_up_the_server():
    reading, writing = os.pipe()
    os.close(reading)
    its = ServerStderr(writing)
    its.sink.write(b"nobody reads this")
    its.pass_on()
    its.sink.write(b"nor this")
    its.sink.close()
    its.pass_on()


def test_a_terminal_stays_what_the_server_gets():
    ours, its = os.openpty()
    with closing(os.fdopen(ours)), FileIO(its) as terminal:

        def start(errlog=terminal): ...

        assert of_server(start) is None


def test_the_files_that_a_program_may_have_open_are_left_to_it(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with (tmp_path / "written").open("wb") as target:

        def start(errlog=target): ...

        free = os.dup(target.fileno())
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (2 * free, hard))
        try:
            assert of_server(start) is None
            left = os.dup(target.fileno())
            os.close(left)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert left == free
