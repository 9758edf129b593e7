import pytest

from inspector.record.process.identity import program_name, served_program


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("uvicorn app:app", "app"),
        ("uvicorn --host 0.0.0.0 --port 8000 shop.main:app --reload", "shop.main"),
        (
            "gunicorn -b localhost:80 -c python:settings -k uvicorn.workers.UvicornWorker shop:create('test')",
            "shop",
        ),
        ("hypercorn --bind unix:server.sock shop.asgi:application.wrapped", "shop.asgi"),
        ("granian --interface asgi shop.main:app", "shop.main"),
        ("dramatiq shop.tasks --processes 2", "shop.tasks"),
        ("flask --app shop run", "shop"),
        ("flask --app=./desk/shop.py:app run --debug", "shop"),
        ("celery -A shop.tasks worker --loglevel INFO", "shop.tasks"),
        ("streamlit run pages/chat.py --server.port 8501", "chat"),
        ("fastapi dev chat.py", "chat"),
        ("chainlit run pages/chat.py --port 8501", "chat"),
        ("fastmcp run tools/desk.py:server --transport http", "desk"),
        ("mcp run desk.py", "desk"),
    ],
)
def test_a_program_of_a_server_is_named_by_the_module_of_its_application(command, expected):
    launcher, *words = command.split(" ")
    assert served_program(launcher, words) == expected


@pytest.mark.parametrize(
    "command",
    [
        "uvicorn --help",
        "flask run",
        "celery worker",
        "dramatiq --processes 2 shop.tasks",
        "streamlit hello",
        "planner app:app",
        "gunicorn -b unix:socket",
        "",
    ],
)
def test_a_program_that_names_no_application_keeps_the_name_of_its_script(command):
    launcher, *words = command.split(" ")
    assert served_program(launcher, words) is None


def test_flask_is_named_by_its_variable_unless_an_option_says_otherwise():
    assert served_program("flask", ["run"], "shop:app") == "shop"
    assert served_program("flask", ["-A", "desk", "run"], "shop:app") == "desk"
    assert served_program("celery", ["worker"], "shop:app") is None


def test_a_worker_of_pytest_xdist_is_called_pytest(monkeypatch):
    monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)
    monkeypatch.setattr("sys.argv", ["-c"])
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    assert program_name() == "python"
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    assert program_name() == "pytest"
