"""``mcp``: the protocol over real pipes, with the SDK's own client, and how it is added to coding agents."""

import json
import os
import subprocess
import sys
import tomllib

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client

from inspector.model import SpanError

TOOLS = ["runs", "outline", "span", "search", "why_failed", "diff", "stats", "link"]


@pytest.fixture
def failed(write_spans, span):
    write_spans(span(span_id="ab12cd34ef567890", status="error", error=SpanError("KeyError", "no INV-2000")))


def talk(environment, *options, errlog=sys.stderr, **variables):
    """Let the SDK's client list the tools and ask why a run failed."""
    found = {}

    async def ask():
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "inspector.cli", "mcp", *options],
            env=environment | variables,
        )
        async with stdio_client(server, errlog=errlog) as streams, ClientSession(*streams) as session:
            started = await session.initialize()
            listed = (await session.list_tools()).tools
            answer = await session.call_tool("why_failed", {})
            refused = await session.call_tool("runs", {"limit": 1})
            unknown = await session.call_tool("delete", {})
            found.update(started=started, listed=listed, answer=answer, refused=refused, unknown=unknown)

    with anyio.from_thread.start_blocking_portal() as portal:
        portal.call(_in_time, ask)
    return found


@pytest.mark.slow
def test_a_home_that_does_not_exist_is_named_at_the_start_and_in_every_answer(environment, tmp_path):
    with (tmp_path / "errors").open("w+") as errors:
        found = talk(environment, "--home", str(tmp_path / "typo"), errlog=errors)
        errors.seek(0)
        assert errors.read() == f"{tmp_path}/typo does not exist: nothing has been recorded there yet\n"
    assert found["answer"].is_error
    assert f"nothing has been recorded in {tmp_path}/typo, which does not exist" in found["answer"].content[0].text
    assert not (tmp_path / "typo").exists()


async def _in_time(ask):
    with anyio.fail_after(60):
        await ask()


def test_the_official_client_lists_and_calls_the_tools_over_stdio(failed, environment):
    found = talk(environment)
    assert found["started"].server_info.name == "inspector"
    assert "untrusted data" in found["started"].instructions
    assert [tool.name for tool in found["listed"]] == TOOLS
    assert all(tool.annotations.read_only_hint for tool in found["listed"])
    assert not found["answer"].is_error
    assert "KeyError: no INV-2000" in found["answer"].content[0].text
    assert found["refused"].is_error
    assert "limit: Extra inputs are not permitted" in found["refused"].content[0].text
    assert found["unknown"].is_error


@pytest.mark.slow
def test_options_apply_to_each_answer(failed, environment):
    text = talk(environment, "--no-content", "--max-tokens", "500")["answer"].content[0].text
    assert "KeyError" in text
    assert "INV-2000" not in text


@pytest.mark.slow
def test_it_answers_beside_a_running_server(failed, environment, start_inspector):
    server = start_inspector("serve", "--no-open", "--port", "0")
    assert any(b"Ctrl-C ends it." in line for line in server.stdout)
    assert "INV-2000" in talk(environment)["answer"].content[0].text


@pytest.mark.slow
def test_it_answers_from_clickhouse(failed, environment, inspector, home, tmp_path):
    url = f"chdb://{tmp_path / 'engine'}?database=team"
    assert inspector("db", "create", INSPECTOR_DATABASE_URL=url).returncode == 0
    copied = inspector("db", "copy", str(home), "clickhouse:", INSPECTOR_DATABASE_URL=url)
    assert copied.returncode == 0, copied.stderr
    text = talk(environment, INSPECTOR_DATABASE_URL=url)["answer"].content[0].text
    assert "ab12cd34  tool" in text
    assert "KeyError: no INV-2000" in text


@pytest.mark.slow
def test_what_waits_in_the_spool_is_taken_in(environment, run, script, call):
    done = run(script(call("repair")))
    assert done.returncode == 0, done.stderr
    text = talk(environment)["answer"].content[0].text
    assert text.startswith("No recent run has a failed call.")
    assert "1 call" in text


@pytest.mark.slow
def test_it_is_not_recorded_itself_also_below_a_recorded_program(failed, environment, run, script, inspector):
    arguments = ["-m", "inspector.cli", "mcp"]
    program = script(
        "import asyncio, os, sys\n"
        "from mcp import ClientSession, StdioServerParameters, stdio_client\n"
        "async def main():\n"
        f"    server = StdioServerParameters(command=sys.executable, args={arguments!r}, env=dict(os.environ))\n"
        "    async with stdio_client(server) as streams, ClientSession(*streams) as session:\n"
        "        await session.initialize()\n"
        "        answer = await session.call_tool('why_failed', {})\n"
        "        print(answer.content[0].text)\n"
        "asyncio.run(main())\n"
    )
    done = run(sys.executable, program)
    assert done.returncode == 0, done.stderr
    assert b"INV-2000" in done.stdout
    shown = json.loads(inspector("events", "--run-id", "last", "--json").stdout)
    assert {each["service"] for each in shown["items"]} == {"app"}
    assert "execute_tool why_failed" in {each["name"] for each in shown["items"]}


def test_without_the_package_one_line_says_what_to_install(failed, inspector_anew, tmp_path):
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('gone', name='mcp')\n")
    done = inspector_anew("mcp", PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    assert done.returncode == 1
    assert done.stderr.decode() == (
        'inspector: inspector mcp needs the package mcp, 2.3 or later: pip install "mcp-agent-inspector[mcp]"\n'
    )


def test_install_prints_lines_that_start_this_installation_and_writes_nothing(inspector, home):
    lines = inspector("mcp", "--no-content", "install").stdout.decode().splitlines()
    command = [sys.executable, "-m", "inspector", "mcp", "--home", str(home), "--no-content"]
    text = "\n".join(lines)
    for agent in ("claude", "codex", "opencode", "copilot"):
        assert f"  {agent} mcp add inspector -- {' '.join(command)}" in lines
    of_gemini = f"  gemini mcp add --scope user inspector {command[0]} -- {' '.join(command[1:])}"
    assert of_gemini in lines
    toml = "\n".join(line.strip() for line in lines[lines.index("  [mcp_servers.inspector]") :][:3])
    entry = {"command": command[0], "args": command[1:]}
    assert tomllib.loads(toml) == {"mcp_servers": {"inspector": entry}}
    documents = [json.loads(line) for line in lines if line.startswith("  {")]
    assert documents == [{"mcpServers": {"inspector": entry}}, {"servers": {"inspector": entry}}]
    assert "code --add-mcp '{" in text
    assert not home.exists()
    started = subprocess.run([*command, "--help"], capture_output=True, timeout=60)
    assert b"coding agent" in started.stdout
