import sys

import pytest

from toolkit.declare.settings import Settings, find_settings, read_settings
from toolkit.errors import CardInvalid
from toolkit.mcp.places import HttpServer, StdioServer


def problems_of(path, environ=None):
    with pytest.raises(CardInvalid) as caught:
        read_settings(path, environ or {})
    return [str(each) for each in caught.value.problems]


def test_servers_and_the_model_are_read_and_other_keys_left(write, tmp_path):
    path = write(
        "fastagent.config.yaml",
        """
        default_model: openai:gpt-5-mini
        logger: {level: error}
        mcp:
          servers:
            time: {command: uvx, args: [mcp-server-time, --utc], env: {TZ: UTC}, transport: stdio}
            web: {url: "http://127.0.0.1:8000/mcp", headers: {Authorization: "Bearer ${KEY}"}}
            deeper: {command: "${PYTHON}", cwd: servers}
        """,
    )
    assert read_settings(path, {"KEY": "k"}) == Settings(
        servers={
            "time": StdioServer("uvx", ("mcp-server-time", "--utc"), env={"TZ": "UTC"}, cwd=tmp_path),
            "web": HttpServer("http://127.0.0.1:8000/mcp", headers={"Authorization": "Bearer k"}),
            "deeper": StdioServer(sys.executable, (), cwd=tmp_path / "servers"),
        },
        default_model="openai:gpt-5-mini",
        base_path=tmp_path,
    )


def test_an_empty_file_configures_nothing(write, tmp_path):
    assert read_settings(write("fast-agent.yaml", "")) == Settings(base_path=tmp_path)


def test_a_variable_can_have_a_default(write):
    path = write("a.yaml", "mcp: {servers: {time: {command: '${A:uvx} ${B:}${C}'}}}\n")
    assert read_settings(path, {"C": "c"}).servers["time"].command == "uvx c"
    assert problems_of(path, {"A": "a"}) == [
        f"{path}:1: time: command: the environment has no C; set it, or write ${{C:default}}",
    ]


def test_everything_that_is_wrong_is_told_with_its_line(write):
    path = write(
        "fastagent.config.yaml",
        """
        default_model: 3
        mcp:
          servers:
            a: uvx
            b: {commnd: uvx}
            c: {command: uvx, url: "http://127.0.0.1"}
            d:
              command: uvx
              args:
                - a
                - 8000
            e: {url: "http://127.0.0.1", env: {A: b}}
            f: {command: uvx, env: {PORT: 80}}
            g: {url: "http://127.0.0.1", transport: sse}
            h: {command: uvx, headers: {}}
            j: {command: uvx, args: a}
            k: {command: uvx, env: [a]}
            l: {cmd: uvx}
            m: {command: uvx, arg: [a]}
            n: {url: "ftp://x"}
        """,
    )
    allowed = "args, command, cwd, description, env, headers, name, transport, url"
    ways = "expected one of command and url"
    assert problems_of(path) == [
        f"{path}:4: a: expected a mapping, found text",
        f"{path}:5: b: unknown key 'commnd'; did you mean 'command'?; allowed: {allowed}",
        f"{path}:6: c: {ways}, found command and url",
        f"{path}:11: d: args[1]: expected text, found a number; put it into quotes",
        f"{path}:12: e: 'env' does not go with 'url'",
        f"{path}:13: f: env.PORT: expected text, found a number; put it into quotes",
        f"{path}:14: g: transport: expected one of stdio, http, found 'sse'",
        f"{path}:15: h: 'headers' does not go with 'command'",
        f"{path}:16: j: args: expected a list, found text",
        f"{path}:17: k: env: expected a mapping, found a list",
        f"{path}:18: l: unknown key 'cmd'; did you mean 'command'?; allowed: {allowed}",
        f"{path}:19: m: unknown key 'arg'; did you mean 'args'?; allowed: {allowed}",
        f"{path}:20: n: url: expected an http or https address",
        f"{path}:1: default_model: expected text, found a number; put it into quotes",
    ]


@pytest.mark.parametrize("text", ["mcp: []\n", "mcp:\n  servers: [time]\n"])
def test_servers_are_a_mapping(write, text):
    (problem,) = problems_of(write("a.yaml", text))
    assert problem.endswith("expected a mapping, found a list")


def test_the_first_folder_with_a_file_of_settings_decides(write, tmp_path):
    assert find_settings(tmp_path) is None
    second = write("b/fast-agent.yaml", "")
    assert find_settings(tmp_path / "a", tmp_path / "b") == second
    first = write("a/fast-agent.yaml", "")
    assert find_settings(tmp_path / "a", tmp_path / "b") == first
    assert find_settings(tmp_path / "b") == second
    assert find_settings(write("b/fastagent.config.yaml", "").parent).name == "fastagent.config.yaml"
