"""A project with a recorded program, whose model answered from the loopback address and is gone."""

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from forking import INTERPRETER, RECORDER, Starting, forking

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


LEFT_OUT = ("schemathesis", "langsmith_plugin", "hypothesispytest", "anyio")
"""Plugins that are installed for tests of ours, and that take most of a short run of pytest to import."""


@dataclass
class Project:
    """A directory with a program, and the home where it was recorded."""

    directory: Path
    forks: "Forks"
    is_forked: bool = True
    """Whether its processes are forked; if not, each starts as a person starts it."""

    def inspector(self, *words, **environment):
        return self._run("inspector.cli", words, environment)

    def pytest(self, *words, **environment):
        left_out = (word for plugin in ("cacheprovider", *LEFT_OUT) for word in ("-p", f"no:{plugin}"))
        done = self._run("pytest", (*left_out, "-q", *words), environment)
        return Done(done.code, done.out + done.err, done.err)

    def record(self, *program, **environment):
        with self._models() as base:
            return self.inspector(*program, OPENAI_BASE_URL=base, **{"OPENAI_API_KEY": "planted", **environment})

    def record_tests(self, *words, **environment):
        """Run pytest with the model there."""
        with self._models() as base:
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
        start = _anew
        if self.is_forked:
            start = self.forks.pytest if module == "pytest" else self.forks.command
            env = {INTERPRETER: self.forks.program.stand_in, **env}
        pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        options = {"env": env, "cwd": self.directory, "text": True, "stdin": subprocess.DEVNULL, **pipes}
        with start("-m", module, *map(str, words), **options) as process:
            try:
                out, err = process.communicate(timeout=300)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Done(process.returncode, out, err)

    @contextmanager
    def _models(self):
        """Have the model there, at an address of its own; yield that."""
        server = self.forks.command(STUB, "--port", "0", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        finally:
            server.kill()
            server.wait()
            server.stdout.close()


def _anew(*words, **options):
    return subprocess.Popen([sys.executable, *words], **options)


@dataclass(frozen=True)
class Forks:
    """Where a project's processes are forked, each of them with all imported that it imports itself."""

    command: Starting
    pytest: Starting
    program: Starting


@pytest.fixture(scope="session")
def forks(fork_python):
    with ExitStack() as stack:

        def having(*packages):
            return stack.enter_context(forking(*packages))

        reporting = ("inspector.page_file", "inspector.store.sqlite.migrations.versions")
        testing = ("pytest.", "httpx.", "inspector.testing", "genai_prices.", *reporting)
        yield Forks(fork_python, having(*testing), having("httpx.", *RECORDER))


@pytest.fixture(scope="session")
def recorded(tmp_path_factory, forks):
    project = Project(tmp_path_factory.mktemp("recorded"), forks)
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
def empty_project(tmp_path, forks):
    return Project(tmp_path, forks)


@pytest.fixture
def anew(with_test):
    """A copy of the project with its test, whose processes start as a person starts them."""
    return replace(with_test, is_forked=False)
