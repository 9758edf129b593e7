"""With the recorder's own integration of the SDK beside us, nothing is told of twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from emitted import watching
from spooled import last_records

# Its program runs twice, with a server each time.
pytestmark = pytest.mark.slow

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, fork_toolkit):
    """What the program emitted, and the spans of the recorder, with the integration off and on."""

    def run(integrations):
        home = tmp_path_factory.mktemp(integrations)
        desk = [fork_toolkit.stand_in, str(PROGRAMS / "desk.py")]
        command = [sys.executable, str(PROGRAMS / "told.py"), str(home), integrations, *desk]
        env = {**os.environ, **watching()}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, cwd=PROGRAMS.parents[3])
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), last_records(home / "spool")

    return {each: run(each) for each in ("off", "on")}


def tree(found, parent=None):
    below = [each for each in found.values() if found.get(each.get("parentSpanId"), {}).get("spanId") == parent]
    return [
        (each["name"], each["kind"], sorted(attributes(each)), tree(found, each["spanId"]))
        for each in sorted(below, key=lambda each: int(each["startTimeUnixNano"]))
    ]


def attributes(span):
    return [each["key"] for each in span["attributes"]]


def has_server(span):
    return "inspector.tool.server" in attributes(span)


def test_the_hooks_are_the_same_whether_the_integration_is_on_or_off(recorded):
    (off, _), (on, _) = recorded["off"], recorded["on"]
    assert on == off
    sent = [each for each in off if each[0] == "before_rpc_request" and each[4] == "outbound"]
    assert [each[1] for each in sent] == [
        *("initialize", "tools/list", "tools/call"),
        *("initialize", "tools/list", "tools/call", "tools/call", "tools/call", "resources/read", "prompts/get"),
    ]
    came_in = [each for each in off if each[0] == "before_rpc_request" and each[4] == "inbound"]
    assert [(each[1], each[3]) for each in came_in] == [
        ("initialize", "http"),
        ("tools/list", "http"),
        ("tools/call", "http"),
        ("elicitation/create", "stdio"),
    ]


def test_the_spans_are_the_same_whether_the_integration_is_on_or_off(recorded):
    (_, off), (_, on) = recorded["off"], recorded["on"]
    assert tree(on) == tree(off)


def test_the_servers_half_is_below_the_clients_request(recorded):
    _, found = recorded["off"]
    by_id = {each["spanId"]: each for each in found.values()}
    [served] = [each for each in found.values() if each["name"] == "execute_tool double" and not has_server(each)]
    chain = []
    while served is not None:
        chain.append(served["name"])
        served = by_id.get(served.get("parentSpanId"))
    # The request that the client sends is one span with the call that it is sent for.
    assert chain == ["execute_tool double", "tools/call double", "execute_tool double"]
