"""Captures the files that Gemini CLI keeps of a session and its subagent, with a script in the place of the model.

``npm install @google/gemini-cli@0.61.0`` in a directory of your own, then ``uv run python
tests/coding_agents/gemini_cli/capture.py node_modules/.bin/gemini`` replaces ``captured``. Nothing leaves the machine.
It works on four prompts in a terminal, of which one has a tool that is declined, one is interrupted, and one fails.
Long texts are cut, and the directories of the machine get other names.
"""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import sys
import tempfile
import termios
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

CAPTURED = Path(__file__).parent / "captured"
HOME = "/home/ann"
LONGEST = 300
DOWN, ESCAPE, INTERRUPT = b"\x1b[B", b"\x1b", b"\x03"
UNWANTED = {"resultDisplay", "description", "displayName", "renderOutputAsMarkdown"}
"""What Gemini CLI keeps of a tool call to show it."""
SERVER = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    parameters = request.get("params", {})
    match request["method"]:
        case "initialize":
            result = {"protocolVersion": parameters["protocolVersion"], "capabilities": {"tools": {}}}
            result["serverInfo"] = {"name": "calc", "version": "1"}
        case "tools/list":
            schema = {"type": "object", "properties": {"a": {"type": "number"}}}
            of_both = {"description": "sums", "inputSchema": schema}
            result = {"tools": [{"name": name, **of_both} for name in ("add", "fails")]}
        case "tools/call":
            has_failed = parameters["name"] == "fails"
            text = "no such sum" if has_failed else "seven"
            result = {"content": [{"type": "text", "text": text}], "isError": has_failed}
        case _:
            result = {}
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""
POLICY = """
[[rule]]
toolName = "run_shell_command"
commandPrefix = "rm"
decision = "deny"
priority = 900
[[rule]]
toolName = "run_shell_command"
commandPrefix = "mv"
decision = "ask_user"
priority = 900
"""


def call(name, **arguments):
    return {"functionCall": {"name": name, "args": arguments}}


def shell(command):
    return call("run_shell_command", command=command, description="runs it")


SCRIPTS = {
    "Plan a trip": [
        [
            {"text": "I should look.", "thought": True},
            {"text": "Looking."},
            shell("echo hi; sleep 0.3"),
            shell("exit 3"),
        ],
        [call("mcp_calc_add", a=3), call("mcp_calc_fails", a=4), call("missing", a=1)],
        [shell("rm -r /etc/x")],
        [call("invoke_agent", agent_name="generalist", prompt="Find a hotel")],
        [{"text": "All done."}],
    ],
    "Find a hotel": [
        [shell("echo in-sub; sleep 0.2")],
        [call("complete_task", result={"response": "sub is done"})],
    ],
    "Move it": [[shell("mv a b")]],
    "Wait for me": [[{"text": "Waiting."}, shell("sleep 60")]],
    "Please break": [],
}


def next_answer(contents):
    """The next answer of the script for the last prompt, after as many as there were to it; None if it has none."""
    texts = [[part.get("text") for part in content["parts"] if content["role"] == "user"] for content in contents]
    at, script = max((at, text) for at, found in enumerate(texts) for text in found if text in SCRIPTS)
    answers = sum(content["role"] == "model" for content in contents[at:])
    return SCRIPTS[script][answers] if answers < len(SCRIPTS[script]) else None


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answers = 0

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        parts = next_answer(asked["contents"])
        if parts is None:
            error = {"code": 400, "message": "broken request", "status": "INVALID_ARGUMENT"}
            self.whole(400, json.dumps({"error": error}).encode(), "application/json")
            return
        Model.answers += 1
        number = Model.answers
        usage = {"promptTokenCount": 100 + number, "candidatesTokenCount": 10 + number, "cachedContentTokenCount": 30}
        usage |= {"thoughtsTokenCount": 2, "totalTokenCount": 112 + 2 * number}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        told = {"candidates": [candidate], "usageMetadata": usage, "responseId": f"resp_{number}"}
        self.whole(200, b"data: " + json.dumps(told).encode() + b"\n\n", "text/event-stream")

    def whole(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Terminal:
    """Gemini CLI in a terminal; what it draws there is thrown away."""

    def __init__(self, words, environment, directory):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(directory)
            os.execve(words[0], words, environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        self.shown = b""

    def until(self, is_there):
        """Wait for something, or until it has ended."""
        while not is_there():
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.shown += os.read(self.fd, 65_536)
                except OSError:
                    return

    def type(self, *keys):
        """Press keys, each after it has had the time to take the one before."""
        for key in keys:
            pressed = time.monotonic()
            self.until(lambda pressed=pressed: time.monotonic() > pressed + 1)
            os.write(self.fd, key)


def written(work):
    return "".join(path.read_text() for path in (work / ".gemini" / "tmp").glob("*/chats/session-*.jsonl"))


def work_on_prompts(gemini, work, url):
    environment = {"PATH": os.environ["PATH"], "HOME": str(work), "TERM": "xterm-256color", "GEMINI_API_KEY": "none"}
    environment |= {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    telemetry = {"ENABLED": "true", "TARGET": "local", "OUTFILE": str(work / "telemetry.json"), "LOG_PROMPTS": "false"}
    environment |= {f"GEMINI_TELEMETRY_{name}": value for name, value in telemetry.items()}
    words = [gemini, "--approval-mode", "yolo", "--policy", str(work / "policy.toml"), "-i", "Plan a trip"]
    terminal = Terminal(words, environment, work / "trip")
    terminal.until(lambda: "All done." in written(work))
    terminal.type(b"Move it", b"\r")
    terminal.until(lambda: b"Allow execution" in terminal.shown)
    terminal.type(DOWN, DOWN, b"\r")
    terminal.until(lambda: "User denied execution" in written(work))
    terminal.type(b"Wait for me", b"\r")
    terminal.until(lambda: "Waiting." in written(work))
    terminal.type(ESCAPE)
    terminal.until(lambda: written(work).count("Request cancelled.") == 2)
    terminal.type(b"Please break", b"\r")
    terminal.until(lambda: "broken request" in written(work))
    terminal.type(INTERRUPT, INTERRUPT)
    terminal.until(lambda: False)
    os.waitpid(terminal.pid, 0)


def cleaned(value, work):
    """A value without the names of this machine, its long texts cut."""
    if isinstance(value, dict):
        unwanted = UNWANTED if "displayName" in value else ()
        return {key: cleaned(each, work) for key, each in value.items() if key not in unwanted}
    if isinstance(value, list):
        return [cleaned(each, work) for each in value]
    if not isinstance(value, str):
        return value
    return re.sub(r"(Process Group PGID: )\d+", r"\g<1>4711", value.replace(str(work), HOME))[:LONGEST]


def telemetry_of(text):
    """What is read of the telemetry, in its form."""
    decoder, at, names = json.JSONDecoder(), 0, ("session.id", "gen_ai.conversation.id")
    while (at := text.find("{", at)) >= 0:
        value, at = decoder.raw_decode(text, at)
        ids = {key: each for key, each in value.get("attributes", {}).items() if key in names}
        told = {key: value[key] for key in ("name", "startTime", "endTime") if key in value}
        if ids and value.get("name") in (None, "user_prompt", "system_prompt"):
            yield json.dumps({"attributes": ids, **told}, indent=2)


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    gemini = str(Path(sys.argv[1]).absolute())
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        (work / "trip").mkdir()
        (work / "calc.py").write_text(SERVER)
        (work / "policy.toml").write_text(POLICY)
        servers = {"calc": {"command": sys.executable, "args": [str(work / "calc.py")], "trust": True}}
        settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "model": {"name": "gemini-2.5-pro"}}
        (work / ".gemini").mkdir()
        (work / ".gemini" / "settings.json").write_text(json.dumps({**settings, "mcpServers": servers}))
        work_on_prompts(gemini, work, f"http://127.0.0.1:{server.server_address[1]}")
        shutil.rmtree(CAPTURED, ignore_errors=True)
        CAPTURED.mkdir()
        chats = work / ".gemini" / "tmp"
        for name, found in (("session", "*/chats/session-*.jsonl"), ("subagent", "*/chats/*/*.jsonl")):
            (path,) = chats.glob(found)
            lines = (json.dumps(cleaned(json.loads(line), work)) for line in path.read_text().splitlines())
            (CAPTURED / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        told = telemetry_of((work / "telemetry.json").read_text())
        (CAPTURED / "telemetry.json").write_text("\n".join(told) + "\n")


if __name__ == "__main__":
    main()
