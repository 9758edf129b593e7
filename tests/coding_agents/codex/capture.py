"""Captures the files that Codex keeps of a session and its subagent, with a script in the place of the model.

``npm install @openai/codex@0.171.0`` in a directory of your own, then ``uv run python
tests/coding_agents/codex/capture.py node_modules/.bin/codex`` replaces ``captured``. Nothing leaves the machine.
Long texts are cut, and the directories of the machine get other names.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

CAPTURED = Path(__file__).parent / "captured"
HOME = "/home/ann"
LONGEST = 200
UNWANTED = {"world_state"}
PATCH = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: trip.txt\n+Rome\n*** End Patch\nEOF"
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
            of_both = {"description": "sums", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
            result = {"tools": [{"name": name, **of_both} for name in ("add", "fails")]}
        case "tools/call":
            has_failed = parameters["name"] == "fails"
            text = "no such sum" if has_failed else "7"
            result = {"content": [{"type": "text", "text": text}], "isError": has_failed}
        case _:
            result = {}
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


def text(said):
    content = [{"type": "output_text", "text": said, "annotations": []}]
    return {"type": "message", "role": "assistant", "status": "completed", "content": content}


def thought(said):
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": said}], "encrypted_content": "c2ln"}


def call(number, name, namespace=None, **arguments):
    named = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
    written = json.dumps(arguments)
    return {"type": "function_call", **named, "call_id": f"call_{number}", "arguments": written, "status": "completed"}


def main_script(asked):
    subagents = re.findall(r"agent_id[^0-9a-f]+([0-9a-f-]{36})", json.dumps(asked))
    return [
        [
            thought("I should look."),
            text("Looking."),
            call(1, "exec_command", cmd="echo hi; sleep 0.3"),
            call(2, "exec_command", cmd="exit 3"),
        ],
        [call(3, "add", "mcp__calc", a=3), call(4, "fails", "mcp__calc", a=4), call(5, "missing", a=1)],
        [call(6, "exec_command", cmd=PATCH)],
        [call(7, "exec_command", cmd="rm -r /etc/x", sandbox_permissions="require_escalated", justification="may I")],
        [call(8, "spawn_agent", "multi_agent_v1", message="Find a hotel", agent_type="default")],
        [call(9, "wait_agent", "multi_agent_v1", targets=subagents[:1], timeout_ms=20_000)],
        [text("All done.")],
    ]


SUBAGENT = [[call("sub1", "exec_command", cmd="echo in-sub; sleep 0.2")], [text("sub is done")]]
LONG = [[call("long", "exec_command", cmd="sleep 60", yield_time_ms=30_000)], [text("slept")]]


def answer_to(asked):
    """The next answer of the script for the last prompt, after as many as there were to it."""
    prompts = [at for at, item in enumerate(asked) if item.get("role") == "user" and "<" not in json.dumps(item)]
    later = [item["type"] in ("function_call", "reasoning") or item.get("role") == "assistant" for item in asked]
    later = later[prompts[-1] :]
    answers = sum(is_answer and not before for before, is_answer in zip(later, later[1:], strict=False))
    prompt = json.dumps(asked[prompts[-1]])
    script = SUBAGENT if "hotel" in prompt else LONG if "Wait" in prompt else main_script(asked)
    return script[min(answers, len(script) - 1)]


def events(number, model, items):
    """The events of a streamed answer (https://platform.openai.com/docs/api-reference/responses-streaming)."""
    items = [{**item, "id": f"item_{number}_{at}"} for at, item in enumerate(items)]
    answer = {"id": f"resp_{number}", "object": "response", "model": model, "output": []}
    yield "response.created", {"response": {**answer, "status": "in_progress"}}
    for at, item in enumerate(items):
        yield "response.output_item.added", {"output_index": at, "item": item}
        yield "response.output_item.done", {"output_index": at, "item": item}
    usage = {"input_tokens": 100 + number, "output_tokens": 10 + number, "total_tokens": 110 + 2 * number}
    usage |= {"input_tokens_details": {"cached_tokens": 30}, "output_tokens_details": {"reasoning_tokens": 2}}
    yield "response.completed", {"response": {**answer, "status": "completed", "output": items, "usage": usage}}


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answers = 0

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Model.answers += 1
        told = events(Model.answers, request["model"], answer_to(request["input"]))
        lines = (f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in told)
        self.whole("".join(lines).encode(), "text/event-stream")

    def do_GET(self):
        self.whole(b'{"models": [], "data": []}', "application/json")

    def whole(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def start_codex(codex, work, url, *words):
    provider = f'{{name="script",base_url="{url}/v1",env_key="KEY",wire_api="responses"}}'
    server = f'{{command="{sys.executable}",args=["{work / "calc.py"}"]}}'
    configured = {
        "model_providers.script": provider,
        "model_provider": "script",
        "model": "gpt-5.1-codex",
        "mcp_servers.calc": server,
        "sandbox_mode": "workspace-write",
        "approval_policy": "never",
    }
    options = [option for key, value in configured.items() for option in ("-c", f"{key}={value}")]
    environment = {"PATH": os.environ["PATH"], "HOME": str(work), "KEY": "none"}
    return subprocess.Popen(
        [codex, "exec", *words, "--skip-git-repo-check", *options],
        cwd=work / "trip",
        env=environment,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )


def rollouts(work):
    return sorted((work / ".codex" / "sessions").glob("*/*/*/*.jsonl"))


def interrupt(codex, session):
    """Interrupt Codex while the tool of its second prompt runs."""
    while '"call_long"' not in session.read_text():
        time.sleep(0.1)
    os.killpg(codex.pid, signal.SIGINT)
    codex.wait()


def cleaned(value, work):
    """A value without the names of this machine, its long texts cut."""
    if isinstance(value, dict):
        return {cleaned(key, work): cleaned(each, work) for key, each in value.items()}
    if isinstance(value, list):
        return [cleaned(each, work) for each in value]
    if not isinstance(value, str):
        return value
    return value.replace(str(work), HOME)[:LONGEST]


def lines_of(rollout, work):
    for line in map(json.loads, rollout.read_text().splitlines()):
        payload = line["payload"]
        if line["type"] in UNWANTED or payload.get("type") == "thread_settings_applied":
            continue
        if line["type"] == "turn_context":
            line["payload"] = {"turn_id": payload["turn_id"], "model": payload["model"]}
        yield json.dumps(cleaned(line, work), ensure_ascii=False)


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    codex = str(Path(sys.argv[1]).absolute())
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        (work / "trip").mkdir()
        (work / "calc.py").write_text(SERVER)
        start_codex(codex, work, url, "Plan a trip").wait()
        session, subagent = rollouts(work)
        thread = session.stem[-36:]
        interrupt(start_codex(codex, work, url, "resume", thread, "Wait for me"), session)
        shutil.rmtree(CAPTURED, ignore_errors=True)
        CAPTURED.mkdir()
        for name, rollout in (("session", session), ("subagent", subagent)):
            (CAPTURED / f"{name}.jsonl").write_text("\n".join(lines_of(rollout, work)) + "\n")


if __name__ == "__main__":
    main()
