"""A project with a recorded program, whose model answered from the loopback address and is gone."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from forking import Starting, forking

ROOT = Path(__file__).parents[2]
STUB = ROOT / "tests" / "integrations" / "stubs" / "models.py"
GONE = "http://127.0.0.1:9/v1"
"""Where nobody answers."""
PROGRAM = '''
import json
import os
import sys

import httpx
from instrument.tools import tool


@tool
def search(city):
    return [{"hotel": f"Casa {city}", "nights": 3}]


@tool
def book(hotel):
    return f"booked {hotel}"


TOOLS = {"search": search, "book": book}
OFFERED = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in TOOLS]
QUESTION = """A hotel in Oslo, please, for as long as there is snow on the hills around.
!call search {"city": "Oslo"}
!call book {"hotel": "Casa Oslo"}"""


def asked(**body):
    url = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
    return {"url": url, "json": {"model": "gpt-4o", **body}, "timeout": None}


def answer(question):
    messages = [{"role": "user", "content": question}]
    while True:
        said = httpx.post(**asked(messages=messages, tools=OFFERED)).json()["choices"][0]["message"]
        if not said.get("tool_calls"):
            return said["content"]
        messages.append(said)
        for call in said["tool_calls"]:
            found = TOOLS[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(found)})


def main(question=QUESTION):
    print(answer(question))
    words = [{"role": "user", "content": "one two"}]
    with httpx.stream("POST", **asked(messages=words, stream=True)) as stream:
        print(sum(map(len, stream.iter_lines())) > 100)


if __name__ == "__main__":
    main(*sys.argv[1:])
'''


@dataclass
class Done:
    code: int
    out: str
    err: str


LEFT_OUT = ("schemathesis", "langsmith_plugin", "inline_snapshot", "hypothesispytest", "anyio")
"""Plugins that are installed for tests of ours, and that take most of a short run of pytest to import."""


@dataclass
class Project:
    """A directory with a program, and the home where it was recorded."""

    directory: Path
    start: Callable[..., "subprocess.Popen[Any]"]
    """Starts Python as ``fork_python`` does."""
    start_pytest: Starting
    """The same where pytest is imported, and a client of models, but nothing of the inspector."""

    def inspector(self, *words, **environment):
        return self._run("inspector.cli", words, environment)

    def pytest(self, *words, **environment):
        """Run pytest as a person would; what it writes to both streams is ``out``."""
        left_out = (word for plugin in ("cacheprovider", *LEFT_OUT) for word in ("-p", f"no:{plugin}"))
        done = self._run("pytest", (*left_out, "-q", *words), environment)
        return Done(done.code, done.out + done.err, done.err)

    def record(self, *program, **environment):
        """Run a command of the inspector's with the model there."""
        with models() as base:
            return self.inspector(*program, OPENAI_BASE_URL=base, **{"OPENAI_API_KEY": "planted", **environment})

    def record_tests(self, *words, **environment):
        """Run pytest with the model there."""
        with models() as base:
            return self.pytest(*words, OPENAI_BASE_URL=base, **environment)

    def make_test(self, *words):
        done = self.inspector("test", "last", *words)
        assert done.code == 0, done.err
        return done.err

    def write(self, name, text):
        file = self.directory / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    def read(self, name):
        return (self.directory / name).read_text()

    def change(self, name, before, after):
        text = self.read(name)
        assert before in text
        self.write(name, text.replace(before, after))

    def _run(self, module, words, environment):
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.directory),
            "INSPECTOR_HOME": str(self.directory / "home"),
            "PYTHONPATH": os.pathsep.join((str(self.directory), str(ROOT))),
            "OPENAI_BASE_URL": GONE,
            **environment,
        }
        start = self.start_pytest if module == "pytest" else self.start
        if words[0] == "run":
            # What runs a program hands on what it started with itself.
            start = self._anew
        pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        options = {"env": env, "cwd": self.directory, "text": True, "stdin": subprocess.DEVNULL, **pipes}
        with start("-m", module, *map(str, words), **options) as process:
            try:
                out, err = process.communicate(timeout=300)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Done(process.returncode, out, err)

    def _anew(self, *words, **options):
        return subprocess.Popen([sys.executable, *words], **options)


class models:
    """The model, at an address of its own, for as long as the block lasts."""

    def __enter__(self):
        self._server = subprocess.Popen([sys.executable, STUB, "--port", "0"], stdout=subprocess.PIPE, text=True)
        return f"http://127.0.0.1:{self._server.stdout.readline().strip()}/v1"

    def __exit__(self, *_):
        self._server.kill()
        self._server.wait()
        self._server.stdout.close()


@pytest.fixture(scope="session")
def fork_pytest():
    with forking("pytest.", "httpx.") as start:
        yield start


@pytest.fixture(scope="session")
def recorded(tmp_path_factory, fork_python, fork_pytest):
    project = Project(tmp_path_factory.mktemp("recorded"), fork_python, fork_pytest)
    project.write("app.py", PROGRAM)
    done = project.record("run", "app.py")
    assert done.code == 0, done.err
    # Whatever is in the spool is taken in.
    assert project.inspector("runs").code == 0
    return project


@pytest.fixture
def project(recorded, tmp_path):
    """A copy of the recorded project, to be written to."""
    shutil.copytree(recorded.directory, tmp_path / "project")
    return replace(recorded, directory=tmp_path / "project")


@pytest.fixture(scope="session")
def tested(recorded, tmp_path_factory):
    """The project with the test that was made of its run."""
    shutil.copytree(recorded.directory, directory := tmp_path_factory.mktemp("tested") / "project")
    made = replace(recorded, directory=directory)
    made.make_test()
    return made


@pytest.fixture
def with_test(tested, tmp_path):
    """A copy of the project with its test, to be written to."""
    shutil.copytree(tested.directory, tmp_path / "project")
    return replace(tested, directory=tmp_path / "project")


@pytest.fixture
def empty_project(tmp_path, fork_python, fork_pytest):
    """A directory with nothing in it."""
    return Project(tmp_path, fork_python, fork_pytest)
