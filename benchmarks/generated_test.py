"""What a generated test takes beyond importing its program, which it starts, replays and looks at.

The program asks a model through the SDK `openai`, twice, and calls a tool between; it is recorded against a server on
the loopback, which is gone when its test runs. The time of the test is that of pytest's report; beside it stands a
Python that imports the SDK and nothing else. Exits with 1 when the middle of the differences misses the budget.

    python benchmarks/generated_test.py [--rounds 5] [--json]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree as ET

BUDGET_S = 1.0
PROGRAM = """
import json

import openai
from instrument.tools import tool


@tool
def weather(city):
    return f"sun in {city}"


client = openai.OpenAI()
messages = [{"role": "user", "content": "Oslo?"}]
for _ in range(2):
    answer = client.chat.completions.create(model="gpt-4o", messages=messages).choices[0].message
    messages.append(answer.to_dict())
    for call in answer.tool_calls or ():
        found = weather(**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": found})
print(answer.content)
"""
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}


class Model(BaseHTTPRequestHandler):
    """Asks for the tool once, and then says what it gave."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        last = asked["messages"][-1]
        is_told = last["role"] == "tool"
        message = {"content": last["content"]} if is_told else {"content": None, "tool_calls": [CALL]}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
        answer = {"id": "c1", "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": [choice]}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def model() -> Generator[str]:
    """Serve the model; yields its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def record(directory: Path, environment: dict[str, str]) -> None:
    """Record the program and write its test."""
    (directory / "app.py").write_text(PROGRAM)
    inspector = (sys.executable, "-m", "inspector.cli")
    with model() as address:
        asking = {**environment, "OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"}
        subprocess.run(
            (*inspector, "run", "--quiet", "app.py"), cwd=directory, env=asking, check=True, stdout=subprocess.DEVNULL
        )
    subprocess.run((*inspector, "test", "last"), cwd=directory, env=environment, check=True, stderr=subprocess.DEVNULL)


def tested_s(directory: Path, environment: dict[str, str]) -> float:
    """Run the test; return what its report says that it took."""
    report = directory / "report.xml"
    words = (sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", "tests")
    subprocess.run(words, cwd=directory, env=environment, check=True, stdout=subprocess.DEVNULL)
    (case,) = ET.parse(report).iter("testcase")
    return float(case.attrib["time"])


def imported_s(directory: Path, environment: dict[str, str]) -> float:
    """Return how long a Python takes that imports what the program does."""
    began = time.perf_counter()
    subprocess.run((sys.executable, "-c", "import openai"), cwd=directory, env=environment, check=True)
    return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        directory = Path(home)
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("INSPECTOR_", "OPENAI_"))}
        environment["INSPECTOR_HOME"] = str(directory / "home")
        record(directory, environment)
        tested_s(directory, environment)
        rounds = [(tested_s(directory, environment), imported_s(directory, environment)) for _ in range(options.rounds)]
    figures = {
        "test_s": round(statistics.median(tested for tested, _ in rounds), 2),
        "import_s": round(statistics.median(imported for _, imported in rounds), 2),
        "beyond_s": round(statistics.median(tested - imported for tested, imported in rounds), 2),
        "budget_s": BUDGET_S,
    }
    print(json.dumps(figures) if options.json else "   ".join(f"{name} {value}" for name, value in figures.items()))
    return int(figures["beyond_s"] > BUDGET_S)


if __name__ == "__main__":
    sys.exit(main())
