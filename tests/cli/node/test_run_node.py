"""``inspector run node``: programs in JavaScript are recorded where they call a model over HTTP.

They run in the machine's Node, against a scripted model on the loopback address.
"""

import json
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from inspector import node as recorder

HERE = Path(__file__).parent
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="no Node on the path")

BEGIN = """
import http from "node:http";
const url = process.env.MODEL + "/v1/chat/completions";
const asking = (content, more = {}) =>
  JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content }], ...more });
const ask = (text, more, init) => fetch(url, { method: "POST", body: asking(text, more), ...init });
const byHttp = (text, more = {}, options = {}) => new Promise((done, failed) => {
  const body = asking(text, more);
  const headers = { "content-length": Buffer.byteLength(body) };
  const request = http.request(url, { method: "POST", headers, ...options }, (response) => {
    let all = "";
    response.setEncoding("utf8").on("data", (piece) => (all += piece)).on("end", () => done(all)).on("error", failed);
  });
  request.on("error", failed);
  request.write(body.slice(0, 20));
  request.end(body.slice(20));
});
"""


@pytest.fixture
def javascript(script, environment, models):
    environment["MODEL"] = models.url
    environment["AUTHORIZATION"] = "Bearer sk-of-nobody"

    def write(text, name="agent.mjs", begin=BEGIN) -> str:
        return script(begin + text, name)

    return write


@pytest.fixture
def nobody() -> str:
    """A port at which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def told(event):
    asked = json.loads(bytes(event.input))[-1]["parts"][0]["content"]
    answer = json.loads(bytes(event.output)) if event.output else []
    text = "".join(part.get("content", "") for message in answer for part in message["parts"])
    return asked, event.status, text


def test_calls_of_fetch_and_of_http_are_recorded_as_the_program_saw_them(run, javascript, recorded, inspector):
    program = javascript(
        """
        const authorization = process.env.AUTHORIZATION;
        const whole = await (await ask("Grüße €", {}, { headers: { authorization } })).json();
        console.log(whole.choices[0].message.content);
        let streamed = "";
        const answer = await ask("a stream", { stream: true, stream_options: { include_usage: true } });
        for await (const piece of answer.body) streamed += Buffer.from(piece).toString();
        console.log(streamed.includes("[DONE]"), JSON.parse(await byHttp("by http")).choices.length);
        process.exitCode = 3;
        """
    )
    done = run("node", program)
    assert (done.returncode, done.stdout.decode()) == (3, "echo: Grüße €\ntrue 1\n")
    assert b"recorded 3 calls in 3 traces; to see them: inspector show " in done.stderr
    *events, ended = recorded()
    assert ended.name == "exit code 3"
    assert [told(event) for event in events] == [
        ("Grüße €", "ok", "echo: Grüße €"),
        ("a stream", "ok", "echo: a stream"),
        ("by http", "ok", "echo: by http"),
    ]
    assert all(event.input_tokens and event.output_tokens and event.cost_usd for event in events)
    times = [json.loads(bytes(event.attributes)).get("gen_ai.response.time_to_first_chunk") for event in events]
    assert [time is None for time in times] == [True, False, True]
    (shown,) = json.loads(inspector("runs", "--json").stdout)["items"]
    assert (shown["service"], shown["question"], shown["status"]) == ("agent", "Grüße €", "error")


def test_neither_keys_nor_secrets_nor_what_was_noted_is_left(run, javascript, home, tmp_path):
    places = tmp_path / "temporary"
    places.mkdir()
    secret = "sk-ant-api03-" + "Ab3" * 31
    program = javascript(
        """
        import fs from "node:fs";
        const authorization = process.env.AUTHORIZATION;
        await ask(process.env.SECRET, {}, { headers: { authorization } });
        const { directory } = JSON.parse(process.env.INSPECTOR_NODE);
        const [file] = fs.readdirSync(directory);
        const modes = [directory, directory + "/" + file].map((each) => (fs.statSync(each).mode & 0o777).toString(8));
        console.log(...modes, fs.readFileSync(directory + "/" + file, "latin1").includes("of-nobody"));
        """
    )
    done = run("node", program, SECRET=secret, TMPDIR=str(places))
    assert done.stdout == b"700 600 false\n"
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"gpt-4o" in written
    assert secret.encode() not in written
    assert [*places.iterdir()] == []


@pytest.mark.slow
def test_without_content_there_are_names_and_figures_alone(run, javascript, home):
    done = run("--no-content", "node", javascript('await ask("!say violets\\nroses"); await ask("!fail 400 9");'))
    assert b"recorded 2 calls (1 failed)" in done.stderr
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"gpt-4o" in written
    assert b"violets" not in written
    assert b"roses" not in written


@pytest.mark.slow
def test_ways_to_end_have_their_status(run, javascript, recorded, nobody):
    program = javascript(
        """
        import { subscribe, unsubscribe } from "node:diagnostics_channel";
        await (await ask("!fail 400 9")).text();
        const cut = await ask("!cut\\nbroken off in the middle", { stream: true });
        await cut.text().catch(() => {});
        for await (const piece of (await ask("!pause 5\\nleft in the middle", { stream: true })).body) break;
        const onceSent = (act) => {
          const sent = () => { unsubscribe("undici:request:bodySent", sent); act(); };
          subscribe("undici:request:bodySent", sent);
        };
        for (const [text, reason] of [["never", new DOMException("late", "TimeoutError")], ["aborted", undefined]]) {
          const leaving = new AbortController();
          onceSent(() => leaving.abort(reason));
          await ask("!wait 5\\n" + text, {}, { signal: leaving.signal }).catch(() => {});
        }
        const leftByHttp = (text, leave) => new Promise((done) => {
          const request = http.request(url, { method: "POST" }, (response) => {
            response.on("error", () => {}).on("close", done).once("data", () => request.destroy());
          });
          request.on("error", done).end(asking("!pause 5\\n" + text, { stream: true }), () => leave?.(request));
        });
        await leftByHttp("left by http");
        await leftByHttp("never by http", (request) => request.destroy());
        await byHttp("refused", {}, { port: process.env.NOBODY }).catch(() => {});
        const nobody = `http://127.0.0.1:${process.env.NOBODY}/v1/chat/completions`;
        await fetch(nobody, { method: "POST", body: "{}" }).catch(() => {});
        """
    )
    run("node", program, NOBODY=nobody)
    *events, unsent = recorded()
    assert (unsent.name, unsent.status, json.loads(bytes(unsent.input))) == ("chat", "error", [])
    assert "ECONNREFUSED" in unsent.error.message
    ends = {told(event)[0].rpartition("\n")[2]: event for event in events}
    assert {text: event.status for text, event in ends.items()} == {
        "!fail 400 9": "error",
        "broken off in the middle": "error",
        "left in the middle": "ok",
        "never": "error",
        "aborted": "cancelled",
        "left by http": "ok",
        "never by http": "cancelled",
        "refused": "error",
    }
    assert (ends["!fail 400 9"].error.type, ends["never"].error.type) == ("400", "TimeoutError")
    assert "the stub fails with 400" in ends["!fail 400 9"].error.message
    assert "ECONNREFUSED" in ends["refused"].error.message
    assert told(ends["left in the middle"])[2] == "echo: "


def test_an_exception_that_ends_the_program_fails_its_run(run, javascript, recorded, inspector):
    program = javascript(
        """
        class TooFar extends Error {}
        function walk() { throw new TooFar("no such place"); }
        await ask("hello");
        walk();
        """
    )
    done = run("node", program)
    assert done.returncode == 1
    assert b"TooFar" in done.stderr
    (uncaught,) = (event for event in recorded() if event.kind != "llm")
    assert (uncaught.error.type, uncaught.error.message) == ("TooFar", "no such place")
    (shown,) = json.loads(inspector("runs", "--json").stdout)["items"]
    assert shown["status"] == "error"
    drawn = inspector("show", uncaught.span_id).stdout.decode()
    assert "walk" in drawn
    assert "agent.mjs" in drawn


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("leave", "failures"), [("", []), ("process.exit(1)", ["RangeError"])], ids=["goes on", "exit"]
)
def test_an_exception_that_the_program_catches_at_last_fails_its_run_only_by_the_exit_code(
    run, javascript, recorded, leave, failures
):
    program = javascript(
        f"""
        process.on("uncaughtException", () => {{ {leave} }});
        await (await ask("hello")).text();
        setTimeout(() => {{ throw new RangeError("too far"); }});
        """
    )
    assert run("node", program).returncode == len(failures)
    assert [event.error.type for event in recorded() if event.error] == failures


def test_child_processes_and_workers_belong_to_the_run(run, javascript, recorded, script):
    child = script(BEGIN + 'await ask("child");', "child.mjs")
    worker = script(BEGIN + 'await ask("worker");', "worker.mjs")
    program = javascript(
        f"""
        import {{ execFileSync }} from "node:child_process";
        import {{ Worker }} from "node:worker_threads";
        await ask("parent");
        await new Promise((done) => new Worker({worker!r}).on("exit", done));
        execFileSync(process.execPath, [{child!r}], {{ stdio: "inherit" }});
        """
    )
    run("node", program)
    assert [told(event)[0] for event in recorded()] == ["parent", "worker", "child"]


def test_a_script_of_node_is_recorded_whatever_its_name(run, javascript, recorded, tmp_path):
    begin = BEGIN.replace('import http from "node:http"', f'#!{NODE}\nconst http = require("http")').strip()
    program = Path(javascript('ask("hello").then((answer) => answer.text());', "tool", begin=begin))
    program.chmod(0o755)
    done = run(str(program))
    assert b"recorded 1 call " in done.stderr
    assert [told(event)[0] for event in recorded()] == ["hello"]


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("ending", "status"),
    [("process.exit(0);", "abandoned"), ('process.kill(process.pid, "SIGKILL");', "lost")],
    ids=["exit", "kill"],
)
def test_what_was_open_when_the_program_ended_is_kept(run, javascript, recorded, ending, status):
    program = javascript(
        f"""
        await (await ask("before")).text();
        const answer = await ask("!pause 9\\nnever said", {{ stream: true }});
        await answer.body.getReader().read();
        await new Promise((done) => setTimeout(done, 100));
        {ending}
        """
    )
    run("node", program)
    assert [event.status for event in recorded()] == ["ok", status]


def test_a_call_is_seen_while_it_lasts(start_inspector, inspector, javascript, tmp_path):
    go_on = tmp_path / "go on"
    program = javascript(
        f"""
        import fs from "node:fs";
        const answer = await ask("!pause 60\\na long answer", {{ stream: true }});
        const reader = answer.body.getReader();
        await reader.read();
        while (!fs.existsSync({str(go_on)!r})) await new Promise((done) => setTimeout(done, 50));
        await reader.cancel();
        """
    )
    running = start_inspector("run", "node", program)
    deadline, seen = time.monotonic() + 60, []
    while not seen and time.monotonic() < deadline:
        seen = json.loads(inspector("events", "--json").stdout or b'{"items": []}')["items"]
    go_on.touch()
    assert [event["status"] for event in seen] == ["running"]
    assert running.wait(60) == 0


@pytest.mark.slow
def test_options_of_node_that_the_user_has_are_kept(run, javascript, recorded, script):
    mine = script("globalThis.mine = 17;", "mine.cjs")
    program = javascript('console.log(globalThis.mine, process.execArgv.length); await ask("hello");')
    done = run("node", program, NODE_OPTIONS=f"--require={mine}")
    assert done.stdout == b"17 0\n"
    assert len(recorded()) == 1


def test_a_program_that_calls_no_model_is_said_to_call_none(run, javascript):
    done = run("node", javascript('console.log("done");'))
    assert done.stdout == b"done\n"
    assert b"nothing was recorded: it sent no request to a model" in done.stderr


def test_what_ignores_the_options_of_node_is_said_to(run, tmp_path, environment):
    path = tmp_path / "bun"
    path.write_text("#!/bin/sh\necho done\n")
    path.chmod(0o755)
    done = run(str(path), "agent.ts")
    assert done.stdout == b"done\n"
    assert b"nothing was recorded: bun does not load what records" in done.stderr


@pytest.mark.parametrize("options", [("--permission",), ("--experimental-permission", "--allow-fs-read=*")])
def test_a_node_that_may_not_load_what_records_runs_without_it(run, tmp_path, options):
    # A script in its place: no version of Node takes both.
    path = tmp_path / "node"
    path.write_text("#!/bin/sh\necho $NODE_OPTIONS done\n")
    path.chmod(0o755)
    done = run(str(path), *options, "agent.mjs", NODE_OPTIONS="")
    assert done.stdout == b"done\n"
    assert f"nothing was recorded: with {options[0]}, Node may neither load".encode() in done.stderr


def test_a_run_of_node_says_why_it_cannot_be_replayed(run, javascript, inspector):
    run("node", javascript('await ask("hello");'))
    done = inspector("replay", "last")
    assert done.returncode != 0
    assert b"its model calls are made by Node, another program, which a replay cannot answer" in done.stderr


@pytest.mark.parametrize(("name", "way"), [("agent.mjs", "node agent.mjs"), ("./agent.ts", "npx tsx ./agent.ts")])
def test_a_file_that_is_no_program_is_told_what_runs_it(inspector, tmp_path, name, way, monkeypatch):
    (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    done = inspector("run", name)
    assert f"inspector run {way}\n".encode() in done.stderr


def test_bytes_in_a_value_are_noted_by_their_number():
    noted = Path(recorder.__file__).with_name("noted.cjs")
    written = f"require({json.dumps(str(noted))}).written({{ a: Buffer.alloc(9), b: new Uint8Array(7) }})"
    done = subprocess.run((NODE, "-p", written), capture_output=True, timeout=60, check=True)
    assert json.loads(done.stdout) == {"a": "9 bytes", "b": "7 bytes"}


@pytest.mark.slow
def test_calls_of_published_sdks_are_recorded_each_once(run, javascript, recorded, sdks):
    node, place = sdks
    shutil.copy(HERE / "js" / "sdks.mjs", place / "sdks.mjs")
    done = run(str(node), str(place / "sdks.mjs"))
    assert (done.returncode, b"recorded 9 calls (1 failed)" in done.stderr) == (0, True)
    events = recorded()
    assert [event.status for event in events].count("error") == 1
    assert all(event.output_tokens for event in events if event.status == "ok")
    texts = [bytes(event.input).decode() for event in events]
    assert [sum(name in text for text in texts) for name in ("openai", "anthropic", '"ai')] == [4, 2, 3]
    # Tools are inferred from the messages that go on.
    assert sum("rain" in text for text in texts) == 2
