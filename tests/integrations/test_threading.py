"""What threads and pools call belongs to the run, and is below the call, in which their work was handed to them."""

import decimal
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest
from opentelemetry import trace
from spooled import attributes_of, last_records

import inspector
from instrument import around

START, SUBMIT = threading.Thread.start, ThreadPoolExecutor.submit


def look(name):
    with around("tool_call", tool_name=name, args={}, context=None):
        pass


class Recorded:
    def __init__(self, directory):
        self._directory = directory
        self._attachment = inspector.attach(home=directory, integrations=["threading"])

    def spans(self):
        assert self._attachment.flush(10)
        found = last_records(self._directory / "spool").values()
        return {span["name"].rpartition(" ")[2]: span for span in found}

    def parents(self):
        spans = self.spans()
        names = {span["spanId"]: name for name, span in spans.items()}
        return {name: names.get(span.get("parentSpanId")) for name, span in spans.items()}


@pytest.fixture
def recorded(tmp_path):
    yield Recorded(tmp_path)
    inspector.detach()


def started(*threads):
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Subclass(threading.Thread):
    def run(self):
        look("subclass")


def test_threads_of_a_block_are_in_its_run(recorded):
    with inspector.run("job"):
        started(*(threading.Thread(target=look, args=(f"t{at}",)) for at in range(3)), Subclass())
        started(threading.Timer(0, look, ["timer"]))
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(look, ["p0", "p1"]))
        assert recorded.parents() == {"job": None} | dict.fromkeys(
            ["t0", "t1", "t2", "subclass", "timer", "p0", "p1"], "job"
        )


def test_a_call_in_a_thread_is_below_the_call_that_was_open_where_it_was_started(recorded):
    with around("agent_call", agent="planner"):
        inner = threading.Thread(target=lambda: started(threading.Thread(target=look, args=("inner",))))
        with around("tool_call", tool_name="outer", args={}, context=None):
            started(inner)
        started(threading.Thread(target=look, args=("after",)))
    assert recorded.parents() == {"planner": None, "outer": "planner", "inner": "outer", "after": "planner"}


def test_a_pool_that_many_runs_share_mixes_none_of_them(recorded):
    with ThreadPoolExecutor(1) as pool:
        for at in range(3):
            # The first one starts the thread that works for all.
            with inspector.run(f"job{at}"):
                pool.submit(look, f"in{at}").result()
            pool.submit(look, f"out{at}").result()
    inside = {f"in{at}": f"job{at}" for at in range(3)}
    alone = dict.fromkeys(["job0", "job1", "job2", "out0", "out1", "out2"])
    assert recorded.parents() == inside | alone


def test_what_a_thread_calls_after_its_run_has_ended_is_no_part_of_it(recorded):
    began, go = threading.Event(), threading.Event()

    def work():
        look("early")
        began.set()
        go.wait(10)
        look("late")

    thread = threading.Thread(target=work)
    with inspector.run("job"):
        thread.start()
        look("beside")
        began.wait(10)
    go.set()
    thread.join()
    parents = recorded.parents()
    assert (parents["early"], parents["late"]) == ("job", None)


def test_a_thread_has_the_session_of_where_it_was_started(recorded):
    with inspector.context.bind("chat-1"):
        started(threading.Thread(target=look, args=("bound",)))
    started(threading.Thread(target=look, args=("unbound",)))
    spans = recorded.spans()
    assert attributes_of(spans["bound"]["attributes"])["session.id"] == "chat-1"
    assert "session.id" not in attributes_of(spans["unbound"]["attributes"])


def test_the_programs_own_context_is_in_a_thread_what_it_is_without_us(recorded):
    theirs = ContextVar("theirs", default="unset")
    seen = []

    def work():
        seen.append((theirs.get(), decimal.getcontext().prec, trace.get_current_span().is_recording()))

    theirs.set("set")
    with decimal.localcontext(prec=5), inspector.run("job"):
        started(threading.Thread(target=work))
        with ThreadPoolExecutor(1) as pool:
            pool.submit(work).result()
    outside = decimal.Context().prec
    # The span that is current is ours, so that what the thread sends carries the trace on.
    assert seen == [("unset", outside, True)] * 2


def raises():
    raise ValueError("theirs")


def test_no_frame_of_ours_is_in_what_a_thread_raises(recorded, monkeypatch):
    hooked = []
    monkeypatch.setattr(threading, "excepthook", lambda args: hooked.append(args.exc_value))
    with inspector.run("job"), ThreadPoolExecutor(1) as pool:
        started(threading.Thread(target=raises))
        hooked.append(pool.submit(raises).exception())
    for raised in hooked:
        files = [frame.filename for frame in traceback.extract_tb(raised.__traceback__)]
        assert files[-1] == __file__
        assert not any("inspector" in file and file != __file__ for file in files)


def test_a_thread_keeps_nothing_of_ours_and_is_refused_as_ever_where_it_cannot_start(recorded):
    with inspector.run("job"):
        thread = threading.Thread(target=look, args=("once",))
        started(thread)
        with pytest.raises(RuntimeError, match="threads can only be started once"):
            thread.start()
        own = threading.Thread(target=look, args=("never",))
        own.run = lambda: look("own")
        kept = own.run
        started(own)
    assert "run" not in vars(thread)
    assert vars(own)["run"] is kept
    assert recorded.parents() == {"job": None, "once": "job", "own": "job"}


def test_a_thread_that_takes_no_attribute_runs_where_it_did(recorded):
    class Sealed(threading.Thread):
        run = property(lambda self: lambda: look("sealed"))

    with inspector.run("job"):
        look("beside")
        started(Sealed())
    assert recorded.parents()["sealed"] is None


def test_work_that_goes_to_another_interpreter_is_handed_over_as_it_is(recorded):
    handed = []

    class InterpreterPoolExecutor(ThreadPoolExecutor):
        def _adjust_thread_count(self):
            # Python 3.14's pickles what is in the queue.
            handed.append(self._work_queue.get_nowait().fn if sys.version_info < (3, 14) else look)

    with inspector.run("job"):
        InterpreterPoolExecutor(1).submit(look, "elsewhere")
    assert handed == [look]


def test_the_recorders_own_threads_take_over_nothing(recorded):
    with inspector.run("job"):
        look("first")
        recorded.spans()
        (writer,) = (thread for thread in threading.enumerate() if thread.name == "inspector-spool")
        assert "run" not in vars(writer)


def test_switched_off_and_detached_threads_are_pythons_own(tmp_path, monkeypatch):
    monkeypatch.setenv("INSPECTOR_INTEGRATIONS_OFF", "threading")
    inspector.attach(home=tmp_path)
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == (START, SUBMIT)
    inspector.detach()
    monkeypatch.delenv("INSPECTOR_INTEGRATIONS_OFF")
    inspector.attach(home=tmp_path)
    assert threading.Thread.start is not START
    assert ThreadPoolExecutor.submit is not SUBMIT
    inspector.detach()
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == (START, SUBMIT)
