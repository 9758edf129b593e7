"""Real workers do real jobs; the Redis that RQ asks is in the process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli.app import run as command

ROOT = Path(__file__).parents[2]
LOOKING = """
import asyncio, os
import inspector
inspector.attach()
from instrument import around

def look(name):
    with around("tool_call", tool_name=name, args={}, context=None):
        if name == "bad":
            raise KeyError(name)
    return name
"""
CELERY = (
    LOOKING
    + """
from celery import Celery
app = Celery("shop", broker="memory://", backend="cache+memory://")
app.conf.worker_hijack_root_logger = False

@app.task
def ask(name): return look(name)

@app.task
def idle(): pass

@app.task(bind=True, max_retries=1, default_retry_delay=0)
def stubborn(self, name):
    try:
        return look(name)
    except KeyError as error:
        raise self.retry(exc=error)

worker = os.getpid()

@app.task
def last(): os.kill(worker, 15)
"""
)


@pytest.fixture
def runs_of(tmp_path, capsys):
    """Runs a program as it is started; returns its runs, the first one first, each with the names of its calls."""

    def cli(*words):
        done = command([*words, "--json", "--home", str(tmp_path / "home")])
        out, errors = capsys.readouterr()
        assert done == 0 or not out, errors
        return json.loads(out or '{"items":[]}')["items"]

    def run(code, *words, python=sys.executable):
        (tmp_path / "shop.py").write_text(code)
        environment = {key: value for key, value in os.environ.items() if key != "INSPECTOR_RUN_ID"}
        environment |= {"INSPECTOR_HOME": str(tmp_path / "home"), "C_FORCE_ROOT": "1", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [python, *(words or ("shop.py",))], env=environment, cwd=tmp_path, capture_output=True, timeout=120
        )
        assert done.returncode == 0, done.stderr.decode()
        calls = {}
        for span in cli("events", "--order", "asc", "--limit", "500"):
            if span["parent_id"] is not None:
                calls.setdefault(span["trace_id"], []).append(span["name"].removeprefix("execute_tool "))
        return [
            (each["name"], each["status"], calls.get(each["trace_id"], [])) for each in cli("runs", "--order", "asc")
        ]

    run.sessions = lambda: cli("sessions")
    return run


@pytest.mark.sweep(1)
@pytest.mark.parametrize("pool", ["prefork", "solo", "threads"])
def test_each_task_of_a_celery_worker_that_calls_something_is_a_run(runs_of, pool):
    runs = runs_of(
        CELERY
        + f"""
ask.delay("a"), idle.delay(), ask.delay("bad"), ask.delay("b"), last.delay()
app.Worker(pool={pool!r}, concurrency=1, loglevel="CRITICAL", quiet=True).start()
"""
    )
    assert runs == [("shop.ask", "ok", ["a"]), ("shop.ask", "error", ["bad"]), ("shop.ask", "ok", ["b"])]


@pytest.mark.slow
def test_each_attempt_of_a_celery_task_is_a_run_that_failed_with_what_it_is_retried_for(runs_of):
    runs = runs_of(
        CELERY
        + """
stubborn.delay("bad"), ask.apply_async(("later",), countdown=1), last.apply_async(countdown=2)
app.Worker(pool="solo", loglevel="CRITICAL", quiet=True).start()
"""
    )
    assert runs == [("shop.stubborn", "error", ["bad"])] * 2 + [("shop.ask", "ok", ["later"])]


def test_a_celery_task_that_the_program_does_itself_is_part_of_its_run(runs_of):
    code = (
        CELERY
        + """
with inspector.run("mine"):
    ask.apply(("a",)), ask("b")
ask.apply(("c",))
"""
    )
    (mine, program) = runs_of(code)
    assert mine == ("mine", "ok", ["a", "b"])
    assert (program[0], program[1]) == ("shop", "ok")


DRAMATIQ = (
    LOOKING
    + """
import dramatiq
from dramatiq.brokers.stub import StubBroker
from dramatiq.middleware import AsyncIO, SkipMessage
broker = StubBroker()
broker.add_middleware(AsyncIO())
dramatiq.set_broker(broker)

@dramatiq.actor(max_retries=0)
def ask(name):
    look(name)

@dramatiq.actor(max_retries=0)
async def wait(name):
    await asyncio.sleep(0)
    look(name)

@dramatiq.actor
def skip(name):
    look(name)
    raise SkipMessage("not now")
"""
)


def test_each_message_of_a_dramatiq_worker_that_calls_something_is_a_run(runs_of):
    runs = runs_of(
        DRAMATIQ
        + """
worker = dramatiq.Worker(broker, worker_threads=1)
worker.start()
for actor, name in ((ask, "a"), (ask, "bad"), (wait, "b"), (wait, "bad"), (skip, "c"), (ask, "d")):
    actor.send(name)
    broker.join("default", fail_fast=False)
worker.stop()
"""
    )
    assert runs == [
        ("ask", "ok", ["a"]),
        ("ask", "error", ["bad"]),
        ("wait", "ok", ["b"]),
        ("wait", "error", ["bad"]),
        ("skip", "ok", ["c"]),
        ("ask", "ok", ["d"]),
    ]


RQ = (
    LOOKING
    + """
import sys
from fakeredis import FakeStrictRedis
from rq import Queue, SimpleWorker, Worker
queue = Queue(connection=FakeStrictRedis(), is_async=True)
async def wait(name): return look(name)
"""
)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("worker", ["Worker", "SimpleWorker"])
def test_each_job_of_an_rq_worker_that_calls_something_is_a_run(runs_of, worker):
    runs = runs_of(
        RQ,
        "-c",
        f"""
import logging, shop
for job, name in ((shop.look, "a"), (shop.look, "bad"), (shop.wait, "b"), (print, "")):
    shop.queue.enqueue(job, name)
worker = shop.{worker}([shop.queue], connection=shop.queue.connection)
worker.work(burst=True, logging_level=logging.CRITICAL)
""",
    )
    assert runs == [("shop.look", "ok", ["a"]), ("shop.look", "error", ["bad"]), ("shop.wait", "ok", ["b"])]


@pytest.mark.slow
def test_an_rq_job_that_the_program_does_itself_is_part_of_its_run(runs_of):
    (run,) = runs_of(
        RQ.replace("is_async=True", "is_async=False"),
        "-c",
        """
import shop
with shop.inspector.run("mine"):
    shop.queue.enqueue(shop.look, "a")
""",
    )
    assert run == ("mine", "ok", ["a"])


@pytest.mark.slow
def test_the_span_of_an_instrumentor_stands_for_the_job(runs_of):
    runs = runs_of(
        RQ.replace("is_async=True", "is_async=False").replace("attach()", "attach(otel=True)"),
        "-c",
        """
import shop
from opentelemetry import trace
with trace.get_tracer("theirs").start_as_current_span("run/look", kind=trace.SpanKind.CONSUMER):
    shop.queue.enqueue(shop.look, "a")
""",
    )
    assert runs == [("run/look", "ok", ["a"])]


@pytest.mark.slow
def test_each_event_of_a_gradio_page_that_calls_something_is_a_run_of_its_session(runs_of, framework_python):
    runs = runs_of(
        LOOKING
        + """
import os
os.environ |= {"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1"}
import gradio
from gradio_client import Client

def stream(name):
    for at in range(2):
        yield look(f"{name} {at}")

with gradio.Blocks() as page:
    name, shown, button = gradio.Textbox(), gradio.Textbox(), gradio.Button()
    button.click(look, name, shown, api_name="ask")
    button.click(stream, name, shown, api_name="stream")
    button.click(lambda name: name, name, shown, api_name="idle")
_, url, _ = page.launch(prevent_thread_lock=True, quiet=True)
visitor = Client(url, verbose=False)
for name, asked in (("a", "/ask"), ("b", "/stream"), ("c", "/idle"), ("bad", "/ask")):
    try:
        visitor.predict(name, api_name=asked)
    except Exception:
        assert name == "bad"
page.close()
""",
        python=framework_python("chat-pages"),
    )
    assert runs == [("ask", "ok", ["a"]), ("stream", "ok", ["b 0", "b 1"]), ("ask", "error", ["bad"])]
    assert len(runs_of.sessions()) == 1


@pytest.mark.slow
def test_each_rerun_of_a_streamlit_script_that_calls_something_is_a_run_of_its_session(runs_of, framework_python):
    runs = runs_of(
        LOOKING
        + """
import streamlit
if name := streamlit.chat_input("Which?"):
    streamlit.write(look(name))
""",
        "-c",
        """
import inspector
from streamlit.testing.v1 import AppTest
inspector.attach(service="chat")
page = AppTest.from_file("shop.py", default_timeout=60).run()
for name in ("a", "bad", "b"):
    page.chat_input[0].set_value(name).run()
""",
        python=framework_python("chat-pages"),
    )
    assert runs == [("shop", "ok", ["a"]), ("shop", "error", ["bad"]), ("shop", "ok", ["b"])]
    assert len(runs_of.sessions()) == 1


CHAINLIT_VISIT = """
import asyncio, json, uuid
import inspector
inspector.attach(service="chat")
import aiohttp, uvicorn
from chainlit.utils import mount_chainlit
from fastapi import FastAPI

async def visit(port):
    address = f"ws://127.0.0.1:{port}/chat/ws/socket.io/?EIO=4&transport=websocket"
    async with aiohttp.ClientSession() as http, http.ws_connect(address) as socket:
        async def told(event):
            while event not in (await socket.receive_str()):
                pass
        await told("sid")
        await socket.send_str("40" + json.dumps({"sessionId": str(uuid.uuid4()), "clientType": "webapp"}))
        await told("sid")
        await socket.send_str('42["connection_successful"]')
        await told("task_end")
        for text in ("a", "idle", "bad", "b"):
            message = {"id": str(uuid.uuid4()), "type": "user_message", "output": text, "createdAt": "2026"}
            await socket.send_str("42" + json.dumps(["client_message", {"message": message}]))
            await told("task_end")

async def main():
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical"))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    await visit(server.servers[0].sockets[0].getsockname()[1])
    server.should_exit = True
    await serving

app = FastAPI()
mount_chainlit(app=app, target="shop.py", path="/chat")
asyncio.run(main())
"""


@pytest.mark.slow
def test_each_message_of_a_chainlit_page_that_calls_something_is_a_run_of_its_thread(runs_of, framework_python):
    runs = runs_of(
        LOOKING
        + """
import chainlit

@chainlit.on_message
async def answer(message: chainlit.Message):
    if message.content != "idle":
        await chainlit.Message(content=look(message.content)).send()
""",
        *("-c", CHAINLIT_VISIT),
        python=framework_python("chat-pages"),
    )
    assert runs == [("on_message", "ok", ["a"]), ("on_message", "error", ["bad"]), ("on_message", "ok", ["b"])]
    assert len(runs_of.sessions()) == 1


def test_a_worker_goes_on_as_before_once_nothing_is_recorded(runs_of):
    runs = runs_of(
        CELERY
        + """
inspector.detach()
ask.delay("a"), last.delay()
app.Worker(pool="solo", loglevel="CRITICAL", quiet=True).start()
"""
    )
    assert runs == []
