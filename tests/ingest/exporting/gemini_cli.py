"""What Gemini CLI sends for one prompt, with a script in the place of the model; its exporter is its own.

``npm install @google/gemini-cli@0.61.0`` in a directory of your own, then ``python
tests/ingest/exporting/gemini_cli.py node_modules/.bin/gemini`` replaces ``tests/ingest/exports/gemini_cli.jsonl``.
Nothing leaves the machine. Long texts are cut, and what tells of the machine is taken out.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

EXPORT = Path(__file__).parents[1] / "exports" / "gemini_cli.jsonl"
LONGEST = 120
WANTED = ("service.name",)
WITH = {"key": "exported.with", "value": {"stringValue": "gemini-cli 0.61.0"}}
SCRIPT = [
    [
        {"text": "I should look.", "thought": True},
        {"text": "Looking."},
        {"functionCall": {"name": "run_shell_command", "args": {"command": "echo hi", "description": "a"}}},
        {"functionCall": {"name": "read_file", "args": {"file_path": "none.txt"}}},
    ],
    [{"text": "All done."}],
]


class Here(BaseHTTPRequestHandler):
    """The model, and the receiver of telemetry."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.body()
        if self.path == "/v1/traces":
            self.server.received.append(json.loads(body))
        if not self.path.startswith("/v1beta/models/"):
            self.whole(b"{}", "application/json")
            return
        at = sum(message["role"] == "model" for message in json.loads(body)["contents"])
        tokens = {"promptTokenCount": 100 + at, "candidatesTokenCount": 10 + at, "totalTokenCount": 110 + 2 * at}
        content = {"role": "model", "parts": SCRIPT[at]}
        answer = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": tokens}
        self.whole(f"data: {json.dumps(answer | {'responseId': f'r{at}'})}\n\n".encode(), "text/event-stream")

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"]))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def whole(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def run_gemini(gemini, url, work):
    for name in ("trip", "home", "home/.gemini"):
        (work / name).mkdir()
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    (work / "home" / ".gemini" / "settings.json").write_text(json.dumps(settings))
    variables = {
        "HOME": str(work / "home"),
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_TELEMETRY_ENABLED": "true",
        "GEMINI_TELEMETRY_TRACES_ENABLED": "true",
        "GEMINI_TELEMETRY_TARGET": "local",
        "GEMINI_TELEMETRY_OTLP_PROTOCOL": "http",
        "GEMINI_TELEMETRY_OTLP_ENDPOINT": url,
    }
    subprocess.run(
        [gemini, "-p", "Plan a trip", "-m", "gemini-2.5-pro", "--yolo"],
        cwd=work / "trip",
        env={"PATH": os.environ["PATH"], **variables},
        check=True,
        stdin=subprocess.DEVNULL,
    )


def shortened(value, work):
    """A value without the names of this machine, its long texts cut, also inside JSON texts."""
    if isinstance(value, dict):
        return {key: shortened(each, work) for key, each in value.items() if key not in ("tool", "parameterSchema")}
    if isinstance(value, list):
        return [shortened(each, work) for each in value]
    if not isinstance(value, str):
        return value
    if value[:2] in ('{"', "[{", '["'):
        return json.dumps(shortened(json.loads(value), work), ensure_ascii=False)
    return re.sub(r"\s+", " ", value.replace(str(work), "/home/user"))[:LONGEST]


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Here)
    server.received = []
    Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as directory:
        run_gemini(str(Path(sys.argv[1]).absolute()), f"http://127.0.0.1:{server.server_address[1]}", Path(directory))
        parts = [part for request in server.received for part in request["resourceSpans"]]
        for part in parts:
            attributes = part["resource"]["attributes"]
            part["resource"]["attributes"] = [*(each for each in attributes if each["key"] in WANTED), WITH]
        EXPORT.write_text(json.dumps({"resourceSpans": shortened(parts, Path(directory))}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
