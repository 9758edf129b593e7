"""A home in which programs are recorded against a server on the loopback, and replayed with that server gone."""

import json
import os
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from inspector.ingest import Owner
from inspector.lookup import events_of, traces_of
from inspector.model import Filter
from inspector.settings import Settings

TESTS = Path(__file__).parent
PROGRAMS = TESTS / "integrations" / "programs"
GONE = "http://127.0.0.1:9"
"""Where nobody answers."""
KEYS = {"OPENAI_API_KEY": "planted", "ANTHROPIC_API_KEY": "planted"}


@dataclass
class Done:
    code: int
    out: str
    err: str


class Bench:
    """A home, and the command in it.

    Args:
        directory: Where.
        start: Starts Python as ``fork_python`` does.
        python: What runs programs that are given without an interpreter; by default what the command runs them with.
    """

    def __init__(self, directory, start, python=None):
        self.directory = directory
        self.home = directory / "home"
        self._start = start
        self._python = [] if python is None else [python]

    def inspector(self, *words, base=GONE, typed=None, **environment):
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.directory),
            "INSPECTOR_HOME": str(self.home),
            "PYTHONPATH": str(TESTS.parent),
            "OPENAI_BASE_URL": f"{base}/v1",
            "ANTHROPIC_BASE_URL": base,
            "SSL_CERT_DIR": str(self.directory / "no-certificates"),
            **environment,
        }
        if words[0] == "replay":
            words = self._with_python(words)
            env["PYTHONPATH"] = os.pathsep.join((str(TESTS / "integrations" / "sockets"), env["PYTHONPATH"]))
            env["SOCKETS"] = str(self.directory / "sockets")
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        # In a session of its own it has no terminal, wherever the tests have one.
        options = {"env": env, "cwd": self.directory, "text": True, "start_new_session": True, **pipes}
        with self._start("-m", "inspector.cli", *map(str, words), **options) as process:
            try:
                out, err = process.communicate(typed, timeout=180)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Done(process.returncode, out, err)

    @property
    def connected(self):
        """The addresses that replays in this home have connected to."""
        file = self.directory / "sockets"
        return file.read_text().splitlines() if file.exists() else []

    def _with_python(self, words):
        begin = words.index("--") + 1 if "--" in words else len(words)
        is_file = begin < len(words) and str(words[begin]).endswith(".py")
        return (*words[:begin], *(self._python if is_file else ()), *words[begin:])

    @contextmanager
    def models(self):
        """Have models there to answer; yield where."""
        server = self._start(
            str(TESTS / "integrations" / "stubs" / "models.py"),
            "--port",
            "0",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        finally:
            server.kill()
            server.wait()
            server.stdout.close()

    def record(self, program, *words, python=None, **environment):
        """Run a program under the inspector with models there to answer; return what it printed."""
        with self.models() as base:
            line = [*(self._python if python is None else [python]), program, *words]
            done = self.inspector("run", *line, base=base, **KEYS, **environment)
        assert done.code == 0, done.err
        return done.out

    def events(self):
        with Owner(Settings(home=self.home)) as owner:
            owner.ingest_spools()
            return owner.store.events(Filter(), order="asc", limit=500, full=True).items

    def runs(self):
        """The spans of each run in the order they began: their names, and how they ended."""
        runs = {}
        for event in self.events():
            held = json.loads(bytes(event.attributes))
            runs.setdefault(held.get("inspector.replay.run"), []).append((event.name, event.status))
        return runs

    def raw_events(self):
        """The spans of the earliest run, with what a replay gives back."""
        with Owner(Settings(home=self.home)) as owner:
            owner.ingest_spools()
            run = min(owner.store.runs(Filter(), limit=50).items, key=lambda run: run.start_time_unix_nano)
            traces = traces_of(owner.store, run)
            return [event for trace in traces for event in events_of(owner.store, trace.trace_id, full=True, raw=True)]

    def trees(self):
        """Each run, the earliest first: the names of its spans from the root on, and how they ended.

        Without what is below a tool that a replay withholds, and without what servers of MCP recorded.
        """
        with Owner(Settings(home=self.home)) as owner:
            owner.ingest_spools()
            store = owner.store
            runs = sorted(store.runs(Filter(), limit=50).items, key=lambda run: run.start_time_unix_nano)
            return [
                _tree(each for trace in traces_of(store, run) for each in events_of(store, trace.trace_id, full=True))
                for run in runs
            ]


def _source(event):
    return json.loads(bytes(event.attributes)).get("inspector.tool.source")


def _tree(events):
    by_id = {event.span_id: event for event in events}

    def above(event):
        while (event := by_id.get(event.parent_id)) is not None:
            yield event

    return sorted(
        ([*reversed([each.name for each in above(event)]), event.name], event.status)
        for event in by_id.values()
        # What a withheld tool called, and what a server did, which is neither started nor reached.
        if not any(each.kind == "rpc" or (each.kind == "tool" and _source(each) != "agent") for each in above(event))
    )


def written(bench, text):
    program = bench.directory / "app.py"
    program.write_text(text)
    return program


def runs_of(bench):
    with Owner(Settings(home=bench.home)) as owner:
        owner.ingest_spools()
        return owner.store.runs(Filter(), limit=50).items
