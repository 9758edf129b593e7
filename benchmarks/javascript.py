"""What it costs a Node to note its requests to models: at its start, and for each call.

All figures are processor time, the least of several. For calls, a Node asks itself by `fetch`, so both sides count.
Exits with 1 when what is loaded for the recorder adds more than its budget.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from inspector.launch import environment_of_node

RUNS = 15
CALLS = 200
START_BUDGET_MS, CALL_BUDGET_MS, STREAM_BUDGET_MS = 20, 1, 5
PROGRAM = f"""
const http = require("http");
const answered = (choice) => JSON.stringify({{ id: "x", choices: [{{ index: 0, ...choice }}] }});
const event = `data: ${{answered({{ delta: {{ content: "word " }} }})}}\\n\\n`;
const whole = answered({{ message: {{ role: "assistant", content: "word" }} }});
const server = http.createServer(async (request, response) => {{
  let body = "";
  for await (const piece of request) body += piece;
  if (!JSON.parse(body).stream) return response.end(whole);
  for (let at = 0; at < 100; at += 1) {{
    response.write(event);
    await new Promise(setImmediate);
  }}
  response.end();
}});
server.listen(0, "127.0.0.1", async () => {{
  const url = `http://127.0.0.1:${{server.address().port}}/v1/chat/completions`;
  const spent = {{}};
  for (const stream of [false, true]) {{
    const body = JSON.stringify({{ model: "m", stream, messages: [{{ role: "user", content: "x".repeat(2000) }}] }});
    const ask = async () => (await fetch(url, {{ method: "POST", body }})).text();
    for (let warm = 0; warm < 50; warm += 1) await ask();
    const began = process.cpuUsage();
    for (let call = 0; call < {CALLS}; call += 1) await ask();
    const {{ user, system }} = process.cpuUsage(began);
    spent[stream ? "stream" : "whole"] = (user + system) / 1000 / {CALLS};
  }}
  console.log(JSON.stringify(spent));
  server.close();
  server.closeAllConnections();
}});
"""


def least_start_ms(node, environment):
    times = []
    for _ in range(RUNS):
        began = _spent_s()
        subprocess.run([node, "-e", "0"], check=True, env=environment)
        times.append((_spent_s() - began) * 1000)
    return min(times)


def _spent_s():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def least_call_ms(node, environment):
    found = [
        json.loads(subprocess.run([node, "-e", PROGRAM], check=True, env=environment, capture_output=True).stdout)
        for _ in range(5)
    ]
    return {kind: min(each[kind] for each in found) for kind in ("whole", "stream")}


def main():
    node = sys.argv[1] if len(sys.argv) > 1 else shutil.which("node")
    if node is None:
        print("no Node on the path")
        return 0
    version = subprocess.run([node, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as directory:
        watched = environment_of_node(os.environ, Path(directory))
        plain, looked_at = least_start_ms(node, os.environ), least_start_ms(node, watched)
        calls, noted = least_call_ms(node, os.environ), least_call_ms(node, watched)
    rows = {
        "`node -e 0`": (plain, looked_at, START_BUDGET_MS),
        "a call": (calls["whole"], noted["whole"], CALL_BUDGET_MS),
        "a call that streams 100 parts": (calls["stream"], noted["stream"], STREAM_BUDGET_MS),
    }
    print(f"Node {version}, ms{'':16}{'without':>10}{'with':>10}{'added':>10}{'budget':>10}")
    for name, (without, with_it, budget) in rows.items():
        print(f"{name:32}{without:10.2f}{with_it:10.2f}{with_it - without:10.2f}{budget:10.2f}")
    return int(any(with_it - without > budget for without, with_it, budget in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
