# /// script
# requires-python = ">=3.11"
# dependencies = ["claude-agent-sdk==0.2.189"]
# ///
"""Captures what Claude Code sends and writes for one prompt, with a script in the place of the model.

``uv run --script tests/coding_agents/claude_code/capture.py`` replaces ``captured``: the SDK has a Claude Code in it,
and nothing leaves the machine. Long texts are cut, and the directories of the machine get other names.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import claude_agent_sdk

CAPTURED = Path(__file__).parent / "captured"
CLAUDE = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
USAGE = {"input_tokens": 100, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 20, "output_tokens": 1}
UNWANTED = {"anthropic.custom_base_url", "os.version", "terminal.type", "user.id"}
HOME = "/home/ann"


def tool(number, name, **arguments):
    return {"type": "tool_use", "id": f"t_{number}", "name": name, "input": arguments}


def text(said):
    return {"type": "text", "text": said}


MAIN = [
    [
        {"type": "thinking", "thinking": "I should look."},
        text("Looking."),
        tool(1, "Bash", command="sleep 0.3; echo hi", description="a"),
        tool(2, "Bash", command="exit 3", description="b"),
    ],
    [tool(3, "Missing", a=1)],
    [tool(5, "Task", description="a hotel", prompt="Find a hotel", subagent_type="general-purpose")],
    [tool(6, "Write", file_path="/etc/trip.txt", content="x")],
    [text("All done.")],
    [text("noted")],
]
SUBAGENT = [[tool("sub1", "Bash", command="echo in-sub; sleep 0.2", description="sub")], [text("sub is done")]]


def answer_to(request):
    """The next answer of the script, and its tokens: each answer has a number of its own."""
    asked = json.dumps(request["messages"][0])
    script, first = (MAIN, 11) if "Plan a trip" in asked else (SUBAGENT, 21)
    at = min(sum(message["role"] == "assistant" for message in request["messages"]), len(script) - 1)
    return script[at], first + at


def events(number, model, blocks, tokens):
    """The events of a streamed answer (https://platform.claude.com/docs/en/build-with-claude/streaming)."""
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": []}
    yield "message_start", {"message": {**message, "stop_reason": None, "usage": USAGE}}
    for at, block in enumerate(blocks):
        start, deltas = begun(block)
        yield "content_block_start", {"index": at, "content_block": start}
        for delta in deltas:
            yield "content_block_delta", {"index": at, "delta": delta}
        yield "content_block_stop", {"index": at}
    why = "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn"
    yield "message_delta", {"delta": {"stop_reason": why, "stop_sequence": None}, "usage": {"output_tokens": tokens}}
    yield "message_stop", {}


def begun(block):
    match block["type"]:
        case "text":
            return {**block, "text": ""}, [{"type": "text_delta", "text": f"{block['text']} "}]
        case "thinking":
            signed = {"type": "signature_delta", "signature": "c2ln"}
            empty = {"type": "thinking", "thinking": "", "signature": ""}
            return empty, [{"type": "thinking_delta", "thinking": block["thinking"]}, signed]
        case _:
            arguments = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            return {**block, "input": {}}, [arguments]


class Here(BaseHTTPRequestHandler):
    """The model, and the receiver of telemetry."""

    protocol_version = "HTTP/1.1"
    answers = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.startswith("/v1/messages"):
            self.answer(json.loads(body))
            return
        if self.path in ("/v1/traces", "/v1/logs"):
            self.server.received.append((self.path.removeprefix("/v1/"), json.loads(body)))
        self.whole(b"{}")

    def do_HEAD(self):
        self.whole(b"")

    do_GET = do_HEAD

    def answer(self, request):
        Here.answers += 1
        blocks, tokens = answer_to(request)
        told = events(Here.answers, request["model"], blocks, tokens)
        self.whole(
            "".join(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in told).encode(),
            "text/event-stream",
        )

    def whole(self, body, kind="application/json"):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def run_claude(server, work):
    url = f"http://127.0.0.1:{server.server_address[1]}"
    for name in ("home", "bodies", "trip"):
        (work / name).mkdir()
    variables = {
        "HOME": str(work / "home"),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
        "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA": "1",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
        "OTEL_EXPORTER_OTLP_ENDPOINT": url,
        **{f"OTEL_LOG_{name}": "1" for name in ("USER_PROMPTS", "ASSISTANT_RESPONSES", "TOOL_DETAILS", "TOOL_CONTENT")},
        "OTEL_LOG_RAW_API_BODIES": f"file:{work / 'bodies'}",
    }
    command = [CLAUDE, "-p", "Plan a trip", "--model", "claude-sonnet-4-5", "--allowedTools", "Bash", "Task"]
    subprocess.run(
        command, cwd=work / "trip", env={"PATH": os.environ["PATH"], **variables}, check=True, stdin=subprocess.DEVNULL
    )


def cleaned(value, work):
    """A value without the names of this machine, its long reminders cut."""
    if isinstance(value, dict):
        return {key: cleaned(each, work) for key, each in value.items()}
    if isinstance(value, list):
        return [cleaned(each, work) for each in value if not (isinstance(each, dict) and each.get("key") in UNWANTED)]
    if not isinstance(value, str):
        return value
    value = value.replace(str(work), HOME).replace(re.sub(r"\W", "-", str(work)), HOME.replace("/", "-"))
    return re.sub(
        r"<system-reminder>.{120,}?</system-reminder>", "<system-reminder>…</system-reminder>", value, flags=re.DOTALL
    )


def shortened(body):
    """A request with little of what Claude Code always sends."""
    if "tools" in body:
        wanted = [each for each in body["tools"] if each["name"] in ("Bash", "Write")]
        body["tools"] = [{**each, "description": each["description"][:40], "input_schema": {}} for each in wanted]
        body["system"] = [{**block, "text": block["text"][:60]} for block in body["system"]]
        body["metadata"] = {}
    for message in body.get("messages", ()):
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block.get("type") == "text":
                block["text"] = block["text"][:200]
            if isinstance(block.get("content"), list):
                block["content"] = [{**each, "text": each.get("text", "")[:200]} for each in block["content"]]
    return body


def merged(received, signal, field):
    requests = [request for name, request in received if name == signal]
    return {field: [each for request in requests for each in request[field]]}


def of_spans(found):
    """What was received without the log records that belong to no span: of settings and plugins."""
    for resource in found.get("resourceLogs", ()):
        for scope in resource["scopeLogs"]:
            scope["logRecords"] = [record for record in scope["logRecords"] if record.get("spanId")]
    return found


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Here)
    server.received = []
    Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        run_claude(server, work)
        shutil.rmtree(CAPTURED, ignore_errors=True)
        (CAPTURED / "bodies").mkdir(parents=True)
        for signal, field in (("traces", "resourceSpans"), ("logs", "resourceLogs")):
            found = cleaned(of_spans(merged(server.received, signal, field)), work)
            (CAPTURED / f"{signal}.json").write_text(json.dumps(found, ensure_ascii=False) + "\n")
        for path in (work / "bodies").glob("*.re*.json"):
            body = shortened(cleaned(json.loads(path.read_text()), work))
            (CAPTURED / "bodies" / path.name).write_text(json.dumps(body, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
