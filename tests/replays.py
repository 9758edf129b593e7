"""Programs recorded against a server on the loopback, then replayed with that server gone and without a key."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings

CHECKOUT = Path(__file__).parents[1]
STUB = CHECKOUT / "tests" / "integrations" / "stubs" / "models.py"
GONE = "http://127.0.0.1:9"
"""Where nobody answers."""


@dataclass
class Done:
    code: int
    out: str
    err: str


class Bench:
    """A home, and the command in it."""

    def __init__(self, directory):
        self.directory = directory
        self.home = directory / "home"

    def inspector(self, *words, base=GONE, **environment):
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.directory),
            "INSPECTOR_HOME": str(self.home),
            "PYTHONPATH": str(CHECKOUT),
            "OPENAI_BASE_URL": f"{base}/v1",
            "ANTHROPIC_BASE_URL": base,
            "SSL_CERT_DIR": str(self.directory / "no-certificates"),
            **environment,
        }
        command = [sys.executable, "-m", "inspector.cli", *map(str, words)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=180, cwd=self.directory)
        return Done(done.returncode, done.stdout, done.stderr)

    def record(self, program, *words, python=None, **environment):
        """Run a program under the inspector with models there to answer; return what it printed."""
        server = subprocess.Popen([sys.executable, STUB, "--port", "0"], stdout=subprocess.PIPE, text=True)
        try:
            base = f"http://127.0.0.1:{server.stdout.readline().strip()}"
            keys = {"OPENAI_API_KEY": "planted", "ANTHROPIC_API_KEY": "planted"}
            line = [*([] if python is None else [python]), program, *words]
            done = self.inspector("run", *line, base=base, **keys, **environment)
        finally:
            server.kill()
            server.wait()
            server.stdout.close()
        assert done.code == 0, done.err
        return done.out

    def events(self):
        with Owner(Settings(home=self.home)) as owner:
            owner.take_in()
            return owner.store.events(Filter(), order="asc", limit=500, full=True).items

    def runs(self):
        """The spans of each run in the order they began: their names, and how they ended."""
        runs = {}
        for event in self.events():
            held = json.loads(bytes(event.attributes))
            runs.setdefault(held.get("inspector.replay.run"), []).append((event.name, event.status))
        return runs
