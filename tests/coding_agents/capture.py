"""Captures what opencode and GitHub Copilot CLI say of themselves, with a script in the place of the model.

``npm install opencode-ai@1.18.33 @github/copilot@1.0.102`` in a directory of your own, then ``uv run python
tests/coding_agents/capture.py opencode node_modules/.bin/opencode``, or the same of ``copilot``, replaces ``captured``.
Nothing leaves the machine. Long texts are cut, and the directories of the machine get other names.
"""

import json
import os
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from inspector.coding_agents.opencode import PLUGIN
from inspector.launch import environment_of_copilot, environment_of_opencode

CAPTURED = Path(__file__).parent
HOME = "/home/ann"
LONGEST = 300
SCRIPTS = {
    "Plan a trip": [
        ["Looking.", ("bash", {"command": "echo hi; sleep 0.3"}), ("bash", {"command": "exit 3"})],
        [("missing", {"a": 1}), ("read", {"filePath": "none.txt"}), ("bash", {"command": "rm -r x"})],
        [("task", {"description": "hotel", "prompt": "Find a hotel", "subagent_type": "general"})],
        ["All done."],
    ],
    "Find a hotel": [[("bash", {"command": "echo in-sub"})], ["sub is done"]],
    "And now": [["Now rest."]],
    "Fly there": [
        ["Looking.", ("bash", {"command": "echo hi; sleep 0.3"}), ("bash", {"command": "false"})],
        [("missing", {"a": 1}), ("view", {"path": "/none.txt"}), ("bash", {"command": "exit 3"})],
        [("task", {"description": "hotel", "prompt": "Find a hotel", "agent_type": "explore", "name": "hotel"})],
        ["All done."],
    ],
}


def text_of(message):
    content = message["content"]
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content or ())


def next_answer(messages):
    """The next answer of the script for the last prompt; None if it has none."""
    at = max(at for at, message in enumerate(messages) if message["role"] == "user")
    if "title generator" in text_of(messages[0]):
        return ["A trip"]
    script = next((script for name, script in SCRIPTS.items() if name in text_of(messages[at])), None)
    return script and script[sum(message["role"] == "assistant" for message in messages[at:])]


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answers = 0

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        parts = next_answer(asked["messages"])
        if parts is None:
            self.whole(400, json.dumps({"error": {"message": "broken request"}}), "application/json")
            return
        Model.answers += 1
        calls = [part for part in parts if not isinstance(part, str)]
        deltas = [{"role": "assistant", "content": part} for part in parts if isinstance(part, str)]
        for at, (name, arguments) in enumerate(calls):
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"index": at, "id": f"call_{Model.answers}_{at}", "type": "function", "function": function}
            deltas.append({"role": "assistant", "tool_calls": [call]})
        head = {"id": f"answer_{Model.answers}", "object": "chat.completion.chunk", "model": asked["model"]}
        choices = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
        choices.append([{"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}])
        usage = {"prompt_tokens": 100 + Model.answers, "completion_tokens": 10, "total_tokens": 110 + Model.answers}
        usage["prompt_tokens_details"] = {"cached_tokens": 30}
        usage["completion_tokens_details"] = {"reasoning_tokens": 4}
        told = [*({**head, "choices": each} for each in choices), {**head, "choices": [], "usage": usage}]
        events = [f"data: {each if isinstance(each, str) else json.dumps(each)}\n\n" for each in (*told, "[DONE]")]
        self.whole(200, "".join(events), "text/event-stream")

    def whole(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def shortened(value, home):
    if isinstance(value, list):
        return [shortened(each, home) for each in value]
    if isinstance(value, dict):
        return {key: shortened(each, home) for key, each in value.items()}
    if not isinstance(value, str):
        return value
    if value.startswith(("[{", '{"')):
        return json.dumps(shortened(json.loads(value), home))
    value = value.replace(home, HOME).replace(home.lstrip("/"), HOME.lstrip("/"))
    return value if len(value) <= LONGEST else f"{value[:LONGEST]}…"


def of_opencode(opencode, home, address):
    """Run opencode on three prompts, and keep what the plugin noted and what opencode exports."""
    options = {"baseURL": address, "apiKey": "unused"}
    # Dollars per million tokens.
    model = {"name": "gpt-5", "cost": {"input": 1, "output": 10, "cache_read": 0.1}}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"gpt-5": model}}
    configured = {"model": "scripted/gpt-5", "small_model": "scripted/gpt-5", "autoupdate": False}
    configured |= {"provider": {"scripted": provider}, "permission": {"bash": {"*": "allow", "rm *": "deny"}}}
    kept = {"PATH": os.environ["PATH"], "HOME": home, "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    environment = kept | {"OPENCODE_CONFIG_CONTENT": json.dumps(configured)}
    place, notes = Path(home) / "trip", Path(home) / "notes.jsonl"
    noting = environment_of_opencode(environment, plugin=PLUGIN, notes=notes)
    for words in (["Plan a trip"], ["-c", "And now"], ["Break"]):
        subprocess.run([opencode, "run", *words], cwd=place, env=noting, stdin=subprocess.DEVNULL, check=False)
    lines = [json.loads(line) for line in notes.read_text().splitlines()]
    export = [opencode, "export", lines[0]["session"]]
    exported = json.loads(subprocess.run(export, cwd=place, env=environment, capture_output=True, check=True).stdout)
    captured = CAPTURED / "opencode" / "captured"
    captured.mkdir(exist_ok=True)
    (captured / "notes.jsonl").write_text("".join(json.dumps(shortened(line, home)) + "\n" for line in lines))
    (captured / "session.json").write_text(json.dumps(shortened(exported, home), indent=2) + "\n")


def of_copilot(copilot, home, address):
    """Run GitHub Copilot CLI on two prompts, and keep the spans that it wrote, and one metric."""
    environment = {"PATH": os.environ["PATH"], "HOME": home, "COPILOT_OFFLINE": "true", "COPILOT_MODEL": "gpt-5"}
    environment |= {"COPILOT_PROVIDER_BASE_URL": address, "COPILOT_AUTO_UPDATE": "false"}
    telemetry = Path(home) / "copilot.jsonl"
    environment = environment_of_copilot(environment, telemetry, content=True)
    for prompt in ("Fly there", "Break"):
        command = [copilot, "-p", prompt, "--allow-all-tools", "--deny-tool", "shell(exit)"]
        subprocess.run(command, cwd=Path(home) / "trip", env=environment, stdin=subprocess.DEVNULL, check=False)
    lines = [json.loads(line) for line in telemetry.read_text().splitlines()]
    metrics = [line for line in lines if line["type"] == "metric"]
    lines = [*(line for line in lines if line["type"] == "span"), metrics[0]]
    for attributes in (line["attributes"] for line in lines if "gen_ai.tool.definitions" in line.get("attributes", {})):
        attributes["gen_ai.tool.definitions"] = json.dumps(json.loads(attributes["gen_ai.tool.definitions"])[:1])
    captured = CAPTURED / "copilot" / "captured"
    captured.mkdir(exist_ok=True)
    (captured / "telemetry.jsonl").write_text("".join(json.dumps(shortened(line, home)) + "\n" for line in lines))


def main(capture, program):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "trip").mkdir()
        capture(program, home, f"http://127.0.0.1:{server.server_address[1]}/v1")


if __name__ == "__main__":
    main({"opencode": of_opencode, "copilot": of_copilot}[sys.argv[1]], str(Path(sys.argv[2]).absolute()))
