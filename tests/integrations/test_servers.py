import copy
import json
import os
import subprocess
import sys

import pytest

from inspector.cli.app import run as command
from inspector.integrations.asgi import AsgiApp

SERVING = """
import inspector, threading, time
inspector.attach()
import httpx
from instrument import around

def look(name):
    with around("tool_call", tool_name=name, args={}, context=None):
        pass

class serving:
    def __init__(self, app):
        import uvicorn
        self.server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", timeout_graceful_shutdown=5))
        self.thread = threading.Thread(target=self.server.run)

    def __enter__(self):
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        self.port = self.server.servers[0].sockets[0].getsockname()[1]
        return httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=20)

    def __exit__(self, *_):
        self.server.should_exit = True
        self.thread.join()
"""

WERKZEUG = """
class werkzeug:
    def __init__(self, app, threaded=True):
        from werkzeug.serving import make_server
        self.server = make_server("127.0.0.1", 0, app, threaded=threaded)
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return httpx.Client(base_url=f"http://127.0.0.1:{self.server.server_port}", timeout=20)

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
"""


@pytest.fixture
def recorded(tmp_path, capsys, fork_python):
    """Runs a program with a home of its own; returns its runs, the first one first, each with its spans.

    It is forked with FastAPI, Starlette and Uvicorn imported, or starts anew and imports them as it is recorded.
    """

    def cli(*words):
        done = command([*words, "--json", "--home", str(tmp_path / "home")])
        out, errors = capsys.readouterr()
        assert done == 0 or not out, errors
        return json.loads(out or '{"items":[]}')

    def anew(*words, **options):
        return subprocess.run([sys.executable, *words], **options, capture_output=True, timeout=240)

    def run(code, *, is_forked=True, **variables):
        program = tmp_path / "shop.py"
        program.write_text(code)
        environment = {key: value for key, value in os.environ.items() if key != "INSPECTOR_RUN_ID"}
        environment |= {"INSPECTOR_HOME": str(tmp_path / "home"), **variables}
        done = (fork_python.run if is_forked else anew)(str(program), env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr.decode()
        spans = {}
        for span in cli("events", "--order", "asc", "--limit", "500")["items"]:
            spans.setdefault(span["trace_id"], []).append(span)
        runs = cli("runs", "--order", "asc")["items"]
        trees = [sorted(spans[run["trace_id"]], key=lambda span: span["parent_id"] is not None) for run in runs]
        return [
            {**run, "tree": tree, "root": cli("show", tree[0]["span_id"])}
            for run, tree in zip(runs, trees, strict=True)
        ]

    return run


def names(run):
    return sorted(span["name"] for span in run["tree"])


FASTAPI = (
    SERVING
    + """
import asyncio
from fastapi import BackgroundTasks, FastAPI, WebSocket
from fastapi.responses import StreamingResponse
app = FastAPI()
"""
)
AROUND = """
with serving(app) as client:
    {}
"""


def test_each_of_eight_requests_at_once_is_a_run_with_its_own_calls(recorded):
    runs = recorded(
        FASTAPI
        + """
waiting, go = [], asyncio.Event()

@app.post("/chat/{at}")
async def chat(at: int):
    look(f"first {at}")
    waiting.append(at)
    if len(waiting) == 8:
        go.set()
    await go.wait()
    look(f"second {at}")
    await asyncio.to_thread(look, f"third {at}")

with serving(app) as client:
    threads = [threading.Thread(target=client.post, args=(f"/chat/{at}?secret=1",)) for at in range(8)]
    [each.start() for each in threads]
    [each.join() for each in threads]
""",
        is_forked=False,
    )
    assert [(run["name"], run["origin"], run["status"]) for run in runs] == [("POST /chat/{at}", "request", "ok")] * 8
    assert sorted(map(names, runs)) == [
        ["POST /chat/{at}", *(f"execute_tool {nth} {at}" for nth in ("first", "second", "third"))] for at in range(8)
    ]
    assert "secret" not in json.dumps(runs)


def test_a_request_is_told_by_its_method_route_path_and_status(recorded):
    (run,) = recorded(
        FASTAPI
        + """
@app.get("/sync/{at}")
def sync(at: int):
    look("look")
"""
        + AROUND.format('client.get("/sync/7?q=1"); client.get("/nothing"); client.get("/docs")')
    )
    root = run["root"]["attributes"]
    assert {key: value for key, value in root.items() if key.startswith(("http.", "url."))} == {
        "http.request.method": "GET",
        "http.route": "/sync/{at}",
        "url.path": "/sync/7",
        "http.response.status_code": 200,
    }


def test_a_request_to_a_tool_of_a_toolkit_server_is_told_by_its_route(recorded):
    (run,) = recorded(
        """
import asyncio
import httpx2
import inspector
from toolkit import ToolServer, tool

inspector.attach()

@tool
def look(at: str) -> str:
    return at

async def main():
    async with ToolServer([look], mode="http", port=0) as server, httpx2.AsyncClient() as client:
        await client.post(f"{server.url}/tools/look", json={"at": "x"})

asyncio.run(main())
"""
    )
    assert names(run) == ["POST /tools/look", "execute_tool look"]


@pytest.mark.slow
def test_a_request_in_which_nothing_is_recorded_is_kept_where_that_is_asked_for(recorded):
    code = FASTAPI + AROUND.format('client.get("/nothing")')
    assert recorded(code) == []
    (run,) = recorded(code, INSPECTOR_REQUESTS="all")
    assert (run["name"], run["status"], names(run)) == ("GET /nothing", "ok", ["GET /nothing"])


def test_an_exception_and_a_status_of_the_server_make_a_request_failed(recorded):
    runs = recorded(
        FASTAPI
        + """
@app.get("/raises")
def raises():
    look("look")
    raise KeyError("x")

@app.get("/says")
def says():
    look("look")
    from fastapi.responses import Response
    return Response(status_code=503)
"""
        + AROUND.format('client.get("/says"); client.get("/raises")')
    )
    assert [(run["name"], run["status"], run["root"]["error"]["type"]) for run in runs] == [
        ("GET /says", "error", "503"),
        # Last: the server closes the connection of an exception.
        ("GET /raises", "error", "KeyError"),
    ]


def test_a_stream_lasts_until_its_end_and_what_runs_in_the_background_belongs_to_its_request(recorded):
    runs = recorded(
        FASTAPI
        + """
@app.get("/stream")
async def stream():
    async def parts():
        for at in range(3):
            look(f"part {at}")
            yield "data: x\\n\\n"
            await asyncio.sleep(0)
    return StreamingResponse(parts(), media_type="text/event-stream")

@app.get("/background")
async def background(tasks: BackgroundTasks):
    tasks.add_task(look, "later")
"""
        + AROUND.format('client.get("/stream"); client.get("/background")')
    )
    assert list(map(names, runs)) == [
        ["GET /stream", "execute_tool part 0", "execute_tool part 1", "execute_tool part 2"],
        ["GET /background", "execute_tool later"],
    ]
    assert [run["status"] for run in runs] == ["ok", "ok"]


def test_a_client_that_goes_away_cancels_its_request(recorded):
    (run,) = recorded(
        FASTAPI
        + """
@app.get("/endless")
async def endless():
    async def parts():
        look("part")
        while True:
            yield "x" * 100
            await asyncio.sleep(0.01)
    return StreamingResponse(parts())

with serving(app) as client, client.stream("GET", "/endless") as response:
    next(response.iter_bytes())
    response.close()
"""
    )
    assert (run["status"], names(run)) == ("cancelled", ["GET /endless", "execute_tool part"])


def test_a_websocket_is_one_run(recorded):
    (run,) = recorded(
        FASTAPI
        + """
@app.websocket("/ws/{room}")
async def ws(socket: WebSocket, room: str):
    await socket.accept()
    for _ in range(2):
        look(await socket.receive_text())
        await socket.send_text("ok")
    await socket.close()

from websockets.sync.client import connect
with serving(app) as client, connect(str(client.base_url).replace("http", "ws") + "/ws/7") as socket:
    for text in ("hello", "again"):
        socket.send(text)
        socket.recv()
"""
    )
    assert (run["status"], names(run)) == ("ok", ["WEBSOCKET /ws/{room}", "execute_tool again", "execute_tool hello"])


def test_a_request_that_names_a_recorded_call_as_its_caller_is_part_of_that_run(recorded):
    (run,) = recorded(
        FASTAPI
        + """
from opentelemetry.propagate import inject

@app.get("/served")
async def served():
    look("there")

with serving(app) as client, around("agent_call", agent="caller"):
    headers = {}
    inject(headers)
    client.get("/served", headers=headers)
"""
    )
    assert (run["origin"], names(run)) == ("program", ["GET /served", "execute_tool there", "invoke_agent caller"])
    by_name = {span["name"]: span for span in run["tree"]}
    assert by_name["GET /served"]["parent_id"] == by_name["invoke_agent caller"]["span_id"]


@pytest.mark.slow
def test_a_request_that_names_a_caller_whom_nobody_records_is_a_run_of_its_own(recorded):
    runs = recorded(
        FASTAPI
        + """
@app.get("/served")
async def served():
    look("there")

with serving(app) as client:
    for at in range(2):
        client.get("/served", headers={"traceparent": f"00-{at + 1:032x}-{7:016x}-01"})
"""
    )
    assert [(run["origin"], run["name"], names(run)) for run in runs] == [
        ("request", "GET /served", ["GET /served", "execute_tool there"])
    ] * 2


@pytest.mark.slow
def test_a_server_span_of_opentelemetry_stands_for_the_request(recorded):
    runs = recorded(
        FASTAPI.replace("inspector.attach()", "inspector.attach(otel=True)")
        + """
from opentelemetry import trace

@app.middleware("http")
async def instrumented(request, call_next):
    with trace.get_tracer("theirs").start_as_current_span("GET /served", kind=trace.SpanKind.SERVER):
        return await call_next(request)

@app.get("/served")
async def served():
    look("there")
"""
        + AROUND.format('client.get("/served"); client.get("/served")')
    )
    assert [(run["origin"], run["name"], run["tool_calls"]) for run in runs] == [("request", "GET /served", 1)] * 2
    assert not [span for run in runs for span in run["tree"] if span["hook"] == "request"]


def test_an_application_that_is_neither_starlette_nor_django_has_runs_under_uvicorn(recorded):
    (run,) = recorded(
        SERVING
        + """
async def app(scope, receive, send):
    if scope["type"] == "http":
        look("look")
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})
"""
        + AROUND.format('client.get("/plain")')
    )
    assert (run["status"], names(run)) == ("ok", ["GET /plain", "execute_tool look"])


def test_an_application_of_starlette_is_no_factory_to_uvicorn(recorded):
    (run,) = recorded(
        SERVING
        + """
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

async def chat(request):
    look("look")
    return Response()

app = Starlette(routes=[Route("/chat/{at}", chat)])
"""
        + AROUND.format('client.get("/chat/1")')
    )
    assert names(run) == ["GET /chat/{at}", "execute_tool look"]


def test_a_route_is_named_with_what_it_is_mounted_below(recorded):
    (run,) = recorded(
        FASTAPI
        + """
inner = FastAPI()

@inner.get("/items/{at}")
def item(at: int):
    look("look")

app.mount("/shop", inner)
"""
        + AROUND.format('client.get("/shop/items/3")')
    )
    assert names(run) == ["GET /shop/items/{at}", "execute_tool look"]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("off", ["", "uvicorn", "starlette"])
def test_a_request_is_one_run_whichever_of_server_and_framework_is_seen(recorded, off):
    (run,) = recorded(
        FASTAPI + "app.get('/look')(lambda: look('look'))" + AROUND.format('client.get("/look")'),
        INSPECTOR_INTEGRATIONS_OFF=off,
    )
    assert names(run) == ["GET /look", "execute_tool look"]


@pytest.mark.slow
def test_requests_are_part_of_the_program_where_servers_are_switched_off(recorded):
    (run,) = recorded(
        FASTAPI + "app.get('/look')(lambda: look('look'))" + AROUND.format('client.get("/look")'),
        INSPECTOR_INTEGRATIONS_OFF="uvicorn,starlette",
    )
    assert (run["origin"], names(run)) == ("program", ["execute_tool look"])


def test_requests_of_an_inspector_that_is_mounted_are_never_runs(recorded, tmp_path):
    runs = recorded(
        FASTAPI
        + """
from inspector.api import mount
from inspector.settings import Settings

mount(app, settings=Settings(home="other"))
"""
        + AROUND.format('assert client.get("/inspector/healthz").is_success; client.get("/mine")'),
        INSPECTOR_REQUESTS="all",
    )
    assert [run["name"] for run in runs] == ["GET /mine"]


FLASK = (
    SERVING
    + WERKZEUG
    + """
from flask import Flask, Response, stream_with_context
app = Flask("shop")

@app.post("/chat/<int:at>")
def chat(at):
    look(f"look {at}")
    return "done"

@app.get("/stream")
def stream():
    def parts():
        for at in range(2):
            look(f"part {at}")
            yield "x"
    return Response(parts())

@app.get("/raises")
def raises():
    look("look")
    raise KeyError("x")

@app.get("/nothing")
def nothing():
    return "done"
"""
)
DO = """
import logging
logging.disable()
with {}(app) as client:
    threads = [threading.Thread(target=client.post, args=(f"/chat/{{at}}",)) for at in range(8)]
    [each.start() for each in threads]
    [each.join() for each in threads]
    client.get("/stream")
    client.get("/raises")
    client.get("/nothing")
"""


WORKING = """
from concurrent.futures import ThreadPoolExecutor
shared = ThreadPoolExecutor(2)

@app.post("/work/<int:at>")
def work(at):
    with ThreadPoolExecutor(2) as own:
        list(own.map(look, [f"a {at}", f"b {at}"]))
    shared.submit(look, f"c {at}").result()
    thread = threading.Thread(target=look, args=(f"d {at}",))
    thread.start()
    thread.join()
    return "done"
"""


def test_requests_of_flask_are_runs(recorded):
    runs = recorded(FLASK + DO.format("werkzeug"))
    expected = [["POST /chat/<int:at>", f"execute_tool look {at}"] for at in range(8)]
    assert sorted(map(names, runs[:8])) == expected
    stream, raised = runs[8:]
    assert (stream["status"], names(stream)) == ("ok", ["GET /stream", "execute_tool part 0", "execute_tool part 1"])
    assert (raised["status"], raised["root"]["error"]["type"]) == ("error", "KeyError")
    assert raised["root"]["attributes"]["http.response.status_code"] == 500


def test_what_a_request_has_a_pool_and_threads_do_is_in_its_run(recorded):
    runs = recorded(
        FLASK
        + WORKING
        + """
with werkzeug(app) as client:
    threads = [threading.Thread(target=client.post, args=(f"/work/{at}",)) for at in range(4)]
    [each.start() for each in threads]
    [each.join() for each in threads]
"""
    )
    works = [
        ["POST /work/<int:at>", *(f"execute_tool {what} {at}" for what in ("a", "b", "c", "d"))] for at in range(4)
    ]
    assert sorted(map(names, runs)) == works


DJANGO = (
    SERVING
    + WERKZEUG
    + """
import sys
from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse
from django.urls import path
settings.configure(DEBUG=False, ALLOWED_HOSTS=["*"], ROOT_URLCONF="__main__", SECRET_KEY="x")
import django
django.setup()

def chat(request, at):
    look(f"look {at}")
    return HttpResponse("done")

def stream(request):
    def parts():
        for at in range(2):
            look(f"part {at}")
            yield "x"
    return StreamingHttpResponse(parts())

def raises(request):
    look("look")
    raise KeyError("x")

def nothing(request):
    return HttpResponse("done")

urlpatterns = [
    path("chat/<int:at>", chat), path("stream", stream), path("raises", raises), path("nothing", nothing)
]
"""
)


@pytest.mark.slow
@pytest.mark.parametrize(("handler", "server"), [("wsgi", "werkzeug"), ("asgi", "serving")], ids=["wsgi", "asgi"])
def test_requests_of_django_are_runs(recorded, handler, server):
    application = f"from django.core.{handler} import get_{handler}_application as get\napp = get()\n"
    runs = recorded(DJANGO + application + DO.format(server), PYTHONWARNINGS="ignore")
    expected = [["POST /chat/<int:at>", f"execute_tool look {at}"] for at in range(8)]
    assert sorted(map(names, runs[:8])) == expected
    stream, raised = runs[8:]
    assert (stream["status"], names(stream)) == ("ok", ["GET /stream", "execute_tool part 0", "execute_tool part 1"])
    assert (raised["status"], raised["root"]["error"]["type"]) == ("error", "KeyError")


def test_a_cell_of_a_notebook_is_a_run(recorded):
    program, good, bad = recorded(
        SERVING
        + """
import contextlib, io
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.user_ns["look"] = look
look("before")
with contextlib.redirect_stdout(io.StringIO()):
    shell.run_cell("look('in the first')", store_history=True)
    shell.run_cell("1 + 1", store_history=True)
    shell.run_cell("import asyncio\\nawait asyncio.sleep(0)\\nlook('in the third')\\n1 / 0", store_history=True)
""",
        IPYTHONDIR=os.devnull,
    )
    assert (program["origin"], names(program)) == ("program", ["execute_tool before"])
    assert (good["origin"], good["status"], names(good)) == ("cell", "ok", ["cell [1]", "execute_tool in the first"])
    assert (bad["status"], names(bad)) == ("error", ["cell [3]", "execute_tool in the third"])
    assert bad["root"]["error"]["type"] == "ZeroDivisionError"


def test_an_application_that_is_recorded_can_be_copied():
    class Application:
        title = "shop"

    assert copy.copy(AsgiApp(Application())).title == "shop"
