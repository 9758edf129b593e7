import ast
import inspect
import json
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from loopback import Quiet, serving_http

import toolkit
from toolkit.agents.options import SharedOptions
from toolkit.declare.config import CARD_KEYS, AgentConfig, Card
from toolkit.declare.settings import SERVER_KEYS, ServerSettings

PAGE = "docs/toolkit.md"
PAGES = sorted(each.name for each in (Path(__file__).parents[2] / "docs").glob("toolkit*.md"))
EXECUTED = [each for each in PAGES if each != "toolkit-names.md"]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"as `([\w.-]+)`:\s*\Z")
MARK = "=== end of block"

PROMPT = """
import ast, asyncio, inspect, json, sys

async def prompt():
    names = {"__name__": "__main__", "asyncio": asyncio}
    for block, _ in json.load(sys.stdin):
        found = eval(compile(block, "<page>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        if inspect.isawaitable(found):
            await found
        print(sys.argv[1])

asyncio.run(prompt())
"""


def read_page(text):
    """What a reader saves as files, pastes at the prompt with what is to be seen, and types in a shell."""
    files, pasted, typed = {}, [], []
    end, last = 0, None
    for found in FENCE.finditer(text):
        language, block = found.groups()
        said, end = text[end : found.start()], found.end()
        if name := NAMED.search(said):
            files[name[1]] = block
        elif language == "text":
            last[1] = block
        elif language in ("python", "sh"):
            last = [block, ""]
            (pasted if language == "python" else typed).append(last)
    return files, pasted, [each for each in typed if not each[0].startswith("pip install")]


def paste(run, pasted, **environment):
    """Run blocks one after the other, as a prompt at which `await` works does, and return what each printed."""
    done = run(sys.executable, "-W", "error", "-c", PROMPT, MARK, stdin=json.dumps(pasted), **environment)
    return done.stdout.split(f"{MARK}\n")[:-1], done.stderr


class Stub(Quiet):
    """Streams a chat completion that calls a tool, and then one that says what the tool answered."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        last = asked["messages"][-1]
        call = {"name": "weather", "arguments": '{"city": "Oslo"}'}
        delta = {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": call}]}
        if last["role"] == "tool":
            delta = {"content": f"It is {last['content'].strip('[]')} °C."}
        chunks = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": "stop"}]},
            {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}},
        ]
        more = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": asked["model"]}
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for chunk in chunks:
            self.wfile.write(f"data: {json.dumps(more | chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")


@pytest.fixture
def endpoint():
    with serving_http(Stub) as server:
        yield {"OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1", "OPENAI_API_KEY": "none"}


@pytest.fixture(params=EXECUTED)
def page(request, root, tmp_path):
    files, pasted, typed = read_page((root / "docs" / request.param).read_text())
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return pasted, typed


@pytest.mark.sweep(2)
def test_a_page_prints_what_it_says(page, run, endpoint):
    pasted, _ = page
    printed, errors = paste(run, pasted, **endpoint)
    assert errors == ""
    for (block, expected), actual in zip(pasted, printed, strict=True):
        if "real.run" in block:
            expected = "It is 3 °C. True\n"  # as the stub has it
        assert actual == expected, block


def test_a_prompt_that_takes_line_by_line_understands_the_blocks(page):
    for block, _ in page[0]:
        lines = block.splitlines()
        strings = {line for start, end in strings_in(block) for line in range(start, end)}
        statements = ast.parse(block).body
        for each, following in zip(statements, [*statements[1:], None], strict=True):
            inside = range(each.lineno, each.end_lineno)
            assert [number for number in inside if not lines[number - 1] and number not in strings] == [], block
            if hasattr(each, "body") and following is not None:
                assert lines[each.end_lineno] == "", block


def strings_in(block):
    return [
        (each.lineno, each.end_lineno)
        for each in ast.walk(ast.parse(block))
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]


def test_the_page_lists_every_public_name_and_no_other(root):
    _, _, section = (root / PAGE).read_text().partition("## All names\n")
    rows = [each for each in section.partition("\nThe rest")[0].splitlines() if each.startswith("| ")]
    listed = re.findall(r"`(\w+)`", "\n".join(rows))
    assert sorted(listed) == sorted(toolkit.__all__)


@pytest.mark.sweep(3)
def test_the_commands_of_a_page_say_what_it_says(page, run, tmp_path):
    _, typed = page
    home = str(tmp_path / "home")  # not the one that the other pages record into
    for command, expected in typed:
        done = run("sh", "-euc", command, PYTHONIOENCODING="utf-8", COLUMNS="100", INSPECTOR_HOME=home)
        assert done.returncode == 0, done.stderr
        if "inspector show" in command:
            # A drawing has times; how deep each line is, its sign and its name stay.
            assert skeleton(done.stdout) == skeleton(expected) != []
        else:
            assert done.stdout == expected


def skeleton(drawing):
    return re.findall(r"^((?:[│├└─ ]{3})*)([✓✗] \S+(?: \S+)*)", drawing, re.MULTILINE)


def descriptions_of(model):
    body = ast.parse(inspect.getsource(model)).body[0].body
    return {
        key.target.id: text.value.value
        for key, text in pairwise(body)
        if isinstance(key, ast.AnnAssign) and isinstance(text, ast.Expr)
    }


@pytest.mark.parametrize(
    ("heading", "keys", "models"),
    [
        ("Every key of a card", CARD_KEYS, (Card, AgentConfig, SharedOptions)),
        ("Every setting", SERVER_KEYS, (ServerSettings,)),
    ],
)
def test_the_reference_has_every_key_with_what_its_model_says_of_it(root, heading, keys, models):
    section = (root / "docs/toolkit-cards.md").read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [each.strip("|").split("|") for each in section.splitlines() if each.startswith("| `")]
    documented = {key.strip(" `"): said.strip() for key, said, _ in rows}
    assert tuple(documented) == keys
    for key, said in documented.items():
        description = next(known[key] for known in map(descriptions_of, models) if known.get(key))
        assert said == " ".join(description.split()).replace("``", "`"), key
