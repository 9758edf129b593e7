import json
import subprocess
import sys
import time
import urllib.request

import pytest


@pytest.fixture
def example(root):
    return lambda name: str(root / "examples" / name)


def test_the_attached_agent_is_there_to_look_at(example, run, tmp_path):
    home = str(tmp_path / "home")
    done = run(sys.executable, "-W", "error", example("attach.py"), INSPECTOR_HOME=home)
    assert (done.stdout, done.stderr) == ("That is 7 words.\n", "")
    shown = run("inspector", "show", "last", INSPECTOR_HOME=home, PYTHONIOENCODING="utf-8").stdout
    assert shown.index("invoke_agent counter") < shown.index("execute_tool word_count")


def test_the_turns_of_the_conversation_are_one_session_by_one_agent(example, run, tmp_path):
    home = str(tmp_path / "home")
    done = run(sys.executable, "-W", "error", example("conversation.py"), INSPECTOR_HOME=home)
    assert (done.stdout.count("I looked up"), done.stderr) == (2, "")
    sessions = json.loads(run("inspector", "sessions", "--json", INSPECTOR_HOME=home).stdout)["items"]
    assert [(session["session_id"], session["traces"]) for session in sessions] == [("trip-42", 2)]
    calls = json.loads(run("inspector", "events", "--kind", "tool", "--json", INSPECTOR_HOME=home).stdout)["items"]
    assert [call["agent"] for call in calls] == ["planner"] * 2


def test_the_subscriber_adds_up_what_the_tools_took(example, run):
    done = run(sys.executable, "-W", "error", example("subscriber.py"))
    assert done.stderr == ""
    assert done.stdout.startswith("{'nap': 0.")


def test_the_mounted_inspector_answers_beside_the_application(example, environment, tmp_path, unused_port):
    server = subprocess.Popen(
        [sys.executable, example("mounted.py")],
        env={**environment, "INSPECTOR_HOME": str(tmp_path), "PORT": str(unused_port)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = server.stdout.readline().strip()
        assert address.startswith(f"http://127.0.0.1:{unused_port}/inspector")
        assert _get(f"http://127.0.0.1:{unused_port}/add?a=1&b=2") == "3"
        headers = {"Authorization": f"Bearer {(tmp_path / 'token').read_text().strip()}"}
        deadline = time.monotonic() + 30
        while "execute_tool add" not in _get(f"http://127.0.0.1:{unused_port}/inspector/events", headers):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        server.terminate()
        server.communicate(timeout=10)


@pytest.mark.slow
def test_the_mounted_inspector_of_the_api_page_is_served_as_it_says(root, blocks, environment, tmp_path, unused_port):
    (program,) = [each.text for each in blocks("docs/api.md", "python") if "inspector.mount(" in each.text]
    assert "Saved as `app.py`, `uvicorn app:app` serves it" in (root / "docs" / "api.md").read_text()
    (tmp_path / "app.py").write_text(program)
    server = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "app:app", "--port", str(unused_port), "--log-level", "warning"],
        env={**environment, "INSPECTOR_HOME": str(tmp_path / "home"), "PYTHONUNBUFFERED": "1"},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = server.stdout.readline().removeprefix("sign in at ").strip()
        assert "<title>Inspector</title>" in _get(address.replace("8000", str(unused_port), 1))
    finally:
        server.terminate()
        server.communicate(timeout=10)


def _get(url, headers=None):
    request = urllib.request.Request(url, headers=headers or {})
    deadline = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(request, timeout=5) as response:
                return response.read().decode()
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_every_example_is_run_here(root, request):
    source = request.path.read_text()
    assert [each.name for each in (root / "examples").glob("*.py") if each.name not in source] == []
