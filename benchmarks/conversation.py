"""What a conversation of 200 turns costs on disk: its distinct text in the spool, and in the database once taken in.

    python benchmarks/conversation.py [--turns 200] [--chars 2000] [--senders openai,...] [--without-raw] [--json]

Each turn sends the whole history again. Every sender is a program of its own under ``inspector.attach()`` and talks to
a model on loopback that answers with new text: the SDKs of OpenAI and Anthropic, LangChain, Pydantic AI, an agent of
the toolkit, bare hooks. Two more have the OpenTelemetry SDK alone and send to a real server: ``otlp`` all of it in one
trace, as an agent's framework does, ``otlp-session`` a trace a turn with the id of their conversation. A sender whose
package is not installed is left out, and said so. The ratios are to all that was asked and answered, counted once; an
empty database is taken off. Answers are recorded as their clients got them too, those of ``openai-stream`` word by word
as OpenAI streams them, unless there is ``--without-raw``. Exits with 1 when the spool, or the database after it, has
more than 2.2 times the text, or with what the clients got both together more than 4 times.
"""

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

from senders import CLIENTS, Words

from inspector.ingest import Owner
from inspector.settings import Settings

BUDGET = 2.2
"""Times the distinct text."""
BUDGET_WITH_RAW = 4
"""The same for spool and database together, with what the clients of models got."""
PACKAGES = {
    "openai": "openai",
    "openai-stream": "openai",
    "anthropic": "anthropic",
    "langchain": "langchain_openai",
    "pydantic_ai": "pydantic_ai",
    "toolkit": "openai",
    "hooks": None,
    "otlp": "opentelemetry.exporter",
    "otlp-session": "opentelemetry.exporter",
}
TOKEN = "a-token-of-the-benchmark"
SERVE = (
    "from inspector.api import serve; from inspector.settings import Settings\n"
    "serve(Settings(), on_ready=lambda ready: print(ready.url, flush=True))"
)


def converse(sender: str, turns: int, chars: int, url: str) -> int:
    """Holds the conversation in this process; returns how much text was asked and answered."""
    asked = Words(7)
    ask = CLIENTS[sender](url, asked.text(chars))
    answered = sum(len(ask(asked.text(chars))) for _ in range(turns))
    return asked.chars + answered


class Model(BaseHTTPRequestHandler):
    """Answers chat completions and Anthropic's messages with new text, as long as the last message."""

    protocol_version = "HTTP/1.1"
    words = Words(8)

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = self.words.text(len(str(request["messages"][-1]["content"])))
        if request.get("stream"):
            self.answer(b"".join(map(event, text.split(" "))) + b"data: [DONE]\n\n", "text/event-stream")
            return
        if self.path.endswith("/chat/completions"):
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
            reply = {"object": "chat.completion", "created": 1, "choices": [choice], "usage": usage}
        else:
            usage = {"input_tokens": 9, "output_tokens": 9}
            content = [{"type": "text", "text": text}]
            reply = {
                "type": "message",
                "role": "assistant",
                "content": content,
                "stop_reason": "end_turn",
                "usage": usage,
            }
        body = json.dumps({"id": f"r-{self.words.chars}", "model": request["model"], **reply}).encode()
        self.answer(body, "application/json")

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def event(word):
    """A word as OpenAI streams it: what fills each event up is random there, too."""
    choice = {"index": 0, "delta": {"content": f"{word} "}, "logprobs": None, "finish_reason": None}
    chunk = {"id": "chatcmpl-C1abcdEFGhijkLMN", "object": "chat.completion.chunk", "created": 1_764_000_000}
    chunk |= {"model": "gpt-4.1-2025-04-14", "service_tier": "default", "system_fingerprint": "fp_abc123"}
    chunk |= {"choices": [choice], "usage": None, "obfuscation": secrets.token_urlsafe(12)[: 14 - len(word)]}
    return b"data: " + json.dumps(chunk, separators=(",", ":")).encode() + b"\n\n"


def record(sender, turns, chars, home):
    """Runs a sender with its model; returns its distinct text."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Model.words = Words(8)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    command = [sys.executable, __file__, "--sender", sender, "--url", f"http://127.0.0.1:{server.server_port}"]
    command += ["--turns", str(turns), "--chars", str(chars)]
    environment = os.environ | {"INSPECTOR_HOME": home, "INSPECTOR_TOKEN": TOKEN, "INSPECTOR_PORT": "0"}
    try:
        if sender.startswith("otlp"):
            with receiving(environment) as url:
                return distinct_of(command, environment | {"OTEL_EXPORTER_OTLP_ENDPOINT": url})
        return distinct_of(command, environment)
    finally:
        server.shutdown()
        server.server_close()


def distinct_of(command, environment):
    """Runs a sender, which says at its end how much text was asked and answered."""
    environment = environment | {"OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{TOKEN}"}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return int(done.stdout.split()[-1])


@contextmanager
def receiving(environment):
    """Serves a home for as long as the block runs; yields the address."""
    server = subprocess.Popen([sys.executable, "-c", SERVE], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def taken_in(home):
    """Takes the spool in; returns the size of the database, its log included."""
    settings = Settings(home=home)
    with Owner(settings) as owner:
        owner.ingest_spools()
        owner.store.maintain()
    return sum(path.stat().st_size for path in Path(home).glob("inspector.db*") if path.suffix in (".db", ".db-wal"))


def measure(sender, turns, chars):
    """Returns what one sender's conversation costs."""
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as home:
        nothing = taken_in(empty)
        distinct = record(sender, turns, chars, home)
        spool = size_of_spool(home)
        database = taken_in(home) - nothing
        left = size_of_spool(home)
    return {
        "sender": sender,
        "distinct_kb": round(distinct / 1000),
        "spool": round(spool / distinct, 2),
        "database": round((database + left) / distinct, 2),
        "both": round((spool + database + left) / distinct, 2),
        "budget": BUDGET,
    }


def size_of_spool(home):
    return sum(path.stat().st_size for path in Path(home).glob("spool/*.jsonl"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--chars", type=int, default=2000, help="of each question, and of each answer")
    parser.add_argument("--senders", default=",".join(PACKAGES))
    parser.add_argument("--without-raw", action="store_true", help="as with INSPECTOR_CAPTURE_RAW=false")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sender", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.sender:
        if not options.sender.startswith("otlp"):
            import inspector

            inspector.attach()
        print(converse(options.sender, options.turns, options.chars, options.url))
        return 0
    os.environ["INSPECTOR_CAPTURE_RAW"] = str(not options.without_raw)
    rows = []
    for sender in options.senders.split(","):
        if PACKAGES[sender] and find_spec(PACKAGES[sender]) is None:
            print(f"{sender}: {PACKAGES[sender]} is not installed", file=sys.stderr)
            continue
        rows.append(measure(sender, options.turns, options.chars))
        print(json.dumps(rows[-1]) if options.json else "  ".join(f"{key} {value}" for key, value in rows[-1].items()))
    return 1 if any(is_over(row, with_raw=not options.without_raw) for row in rows) else 0


def is_over(row, *, with_raw):
    """Returns whether a conversation costs more than its budget."""
    return row["both"] > BUDGET_WITH_RAW if with_raw else max(row["spool"], row["database"]) > BUDGET


if __name__ == "__main__":
    sys.exit(main())
