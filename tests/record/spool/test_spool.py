import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait

import pytest
from emitted import watching
from spooled import last_records

from inspector.record.calls.spans import RecordedSpan
from inspector.record.lines.renderer import RenderedLine
from inspector.record.spool.segments import finished
from inspector.record.spool.sleep import Pauses
from inspector.record.spool.writer import SpoolWriter
from inspector.spooling import read_unwritten_name, unwritten_name
from inspector.tally import Tally, read_tallies

# Coverage holds a lock while it looks at a new line, and a child forked at that moment waits for it for ever.
UNTRACED = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")} | watching()


def span_of(n, state="ok"):
    span = RecordedSpan("tool_call", trace_id=1, span_id=n, start_ns=n, start_tick=0)
    span.state = state
    return span


def one_line_each(spans, losses, *, file=0, is_over=False):
    lines = []
    for span in spans:
        news = losses.news(is_over=is_over)
        data = json.dumps({"span": span.span_id, **news}).encode() + b"\n"
        lines.append(RenderedLine(data, [(span, span.state, True)], news))
    return lines


def lines_of(directory):
    return [json.loads(line) for path in sorted(directory.glob("*.jsonl")) for line in path.read_text().splitlines()]


def run(code, home, *, check=True, timeout=60, **options):
    env = {**UNTRACED, "INSPECTOR_HOME": str(home), "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=env,
        capture_output=True,
        text=True,
        timeout=timeout,
        **options,
    )
    if check:
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done


def tools_of(home):
    """The tool names and states of the last record of each span under ``home``, sorted."""
    spans = last_records(home / "spool")
    return sorted((s["name"].removeprefix("execute_tool "), "endTimeUnixNano" in s) for s in spans.values())


def test_files_are_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        spool = SpoolWriter(tmp_path / "home" / "spool", "p", one_line_each)
        spool.put(span_of(1))
        assert spool.flush()
    finally:
        os.umask(before)
    (path,) = (tmp_path / "home" / "spool").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    spool.close()


def test_a_flush_waits_for_the_writer_that_another_thread_is_starting(tmp_path):
    spool = SpoolWriter(tmp_path, "p", one_line_each)
    starting, may_go_on = threading.Event(), threading.Event()

    def begin():
        starting.set()
        may_go_on.wait(10)

    spool.on_begin = begin
    recording = threading.Thread(target=spool.put, args=(span_of(1),))
    recording.start()
    assert starting.wait(10)
    with ThreadPoolExecutor(1) as pool:
        flushed = pool.submit(spool.flush, 10)
        # Room for a flush that does not wait to give up.
        assert not wait([flushed], timeout=0.05).done
        may_go_on.set()
        assert flushed.result(10)
    recording.join()
    assert [line["span"] for line in lines_of(tmp_path)] == [1]
    spool.close()


def test_a_flush_waits_for_no_call_that_is_recorded_later(tmp_path):
    rendering, may_go_on, later = threading.Event(), threading.Event(), threading.Event()

    def render(spans, losses, **more):
        rendering.set()
        assert (later if any(span.span_id > 200 for span in spans) else may_go_on).wait(60)
        return one_line_each(spans, losses, **more)

    spool = SpoolWriter(tmp_path, "p", render)
    spool.put(span_of(1))
    assert rendering.wait(10)
    for n in range(2, 130):
        spool.put(span_of(n))
    with ThreadPoolExecutor(1) as pool:
        flushed = pool.submit(spool.flush, 60)
        # It has begun.
        while spool._sleep._alarms.empty():
            assert not flushed.done()
        for n in range(130, 300):
            spool.put(span_of(n))
        may_go_on.set()
        try:
            assert flushed.result(20)
        finally:
            later.set()
    spool.close()
    assert [line["span"] for line in lines_of(tmp_path)] == list(range(1, 300))


def test_a_file_is_finished_when_its_writer_closed_it(tmp_path):
    spool = SpoolWriter(tmp_path, "p", one_line_each)
    spool.put(span_of(1))
    assert spool.flush()
    (path,) = tmp_path.iterdir()
    assert not finished(path)
    spool.close()
    assert finished(path)


def test_a_full_file_is_followed_by_the_next_and_is_finished(tmp_path):
    spool = SpoolWriter(tmp_path, "p", one_line_each, segment_bytes=100)
    for n in range(20):
        spool.put(span_of(n))
    assert spool.flush()
    paths = sorted(tmp_path.iterdir())
    assert [p.name for p in paths[:2]] == ["p.000000.jsonl", "p.000001.jsonl"]
    assert all(p.stat().st_size <= 100 for p in paths)
    assert [finished(p) for p in paths] == [True] * (len(paths) - 1) + [False]
    assert [line["span"] for line in lines_of(tmp_path)] == list(range(20))
    spool.close()


def test_above_the_total_the_oldest_finished_file_goes_first_and_is_reported(tmp_path):
    old = tmp_path / "20000101T000000-1-00000000.000000.jsonl"
    old.write_bytes(b"x" * 300)
    spool = SpoolWriter(tmp_path, "29990101T000000-2-00000000", one_line_each, segment_bytes=100, total_bytes=450)
    for n in range(30):
        spool.put(span_of(n))
        assert spool.flush()
    assert not old.exists()
    assert sum(p.stat().st_size for p in tmp_path.iterdir()) <= 450
    lines = lines_of(tmp_path)
    assert lines[-1]["span"] == 29
    assert sum(line.get("inspector.dropped_segments", 0) for line in lines) >= 1
    spool.close()


def held_writer():
    """A writer that sets ``busy`` when it has spans, and goes on when ``hold`` is set."""
    hold, busy = threading.Event(), threading.Event()

    def slow(spans, losses, **options):
        if spans:
            busy.set()
            assert hold.wait(10)
        return one_line_each(spans, losses, **options)

    return slow, hold, busy


def test_spans_that_do_not_fit_the_queue_are_dropped_and_counted(tmp_path):
    slow, hold, busy = held_writer()
    spool = SpoolWriter(tmp_path, "p", slow, max_calls=5)
    spool.put(span_of(0))
    assert busy.wait(10)
    for n in range(1, 11):
        spool.put(span_of(n))
    assert spool.losses.dropped == 5
    hold.set()
    assert spool.flush()
    lines = lines_of(tmp_path)
    assert [line["span"] for line in lines] == [0, 1, 2, 3, 4, 5]
    assert [line.get("inspector.dropped", 0) for line in lines] == [5, 0, 0, 0, 0, 0]
    spool.close()


def test_a_file_that_could_not_be_finished_in_time_is_finished_by_the_thread_that_writes_it(tmp_path):
    slow, hold, busy = held_writer()
    spool = SpoolWriter(tmp_path, "p", slow)
    spool.put(span_of(0))
    assert busy.wait(10)
    thread = spool._thread
    spool.put(span_of(1))
    spool.close(0.05)
    hold.set()
    thread.join(10)
    assert [line["span"] for line in lines_of(tmp_path)] == [0, 1]
    assert [finished(path) for path in tmp_path.iterdir()] == [True]


def test_what_a_thread_of_the_program_is_writing_at_the_end_is_written_once(tmp_path):
    slow, hold, busy = held_writer()
    spool = SpoolWriter(tmp_path, "p", slow)
    spool.retire()
    thread = threading.Thread(target=spool.put, args=(span_of(0),))
    thread.start()
    assert busy.wait(10)
    spool.put(span_of(1))
    closing = threading.Thread(target=spool.close, args=(0.05,))
    closing.start()
    closing.join(2)
    hold.set()
    thread.join(10)
    closing.join(10)
    assert [line["span"] for line in lines_of(tmp_path)] == [0, 1]
    assert [finished(path) for path in tmp_path.iterdir()] == [True]


def test_where_no_thread_can_be_started_calls_do_not_each_try_to(tmp_path, monkeypatch):
    tries = []

    def refuse(thread):
        tries.append(thread)
        raise RuntimeError("can't start new thread")

    spool = SpoolWriter(tmp_path, "p", one_line_each)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        for n in range(1000):
            spool.put(span_of(n))
        assert 1 <= len(tries) < 20
        assert spool.flush()
        assert len(lines_of(tmp_path)) == 1000
        spool.retire()
        spool.put(span_of(1000))
        assert len(lines_of(tmp_path)) == 1001
    spool.close()


def test_what_the_end_of_the_program_gives_up_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("INSPECTOR_RUN_ID", "job")
    (tmp_path / "run").mkdir()
    (tmp_path / "spool").mkdir()
    slow, hold, busy = held_writer()
    spool = SpoolWriter(tmp_path / "spool", "p", slow, tally=Tally(tmp_path / "run", "p"))
    spool.put(span_of(0))
    assert busy.wait(10)
    for n in range(1, 5):
        spool.put(span_of(n))
    spool.retire(0.05)
    (counts,) = read_tallies(tmp_path / "run")
    assert counts.unwritten == 5
    assert [path.name for path in (tmp_path / "spool").iterdir()] == [unwritten_name("p", "job", 5)]
    hold.set()
    spool.retire()
    (counts,) = read_tallies(tmp_path / "run")
    assert (counts.calls, counts.unwritten) == (5, 0)
    assert [line["span"] for line in lines_of(tmp_path / "spool")] == [0, 1, 2, 3, 4]


def test_the_end_of_the_program_waits_for_a_writer_that_hardly_gets_a_processor(tmp_path):
    # Longer than a writer is waited for that has the processor, and a quarter of the time that a starved one gets.
    pause = threading.Event()

    def starved(spans, losses, *, file=0, is_over=False):
        until_s = time.monotonic() + 0.4
        while spans and time.monotonic() < until_s:
            worked_s = time.thread_time() + 0.002
            while time.thread_time() < worked_s:
                pass
            pause.wait(0.02)
        return one_line_each(spans, losses, is_over=is_over)

    spool = SpoolWriter(tmp_path, "p", starved)
    spool.put(span_of(0))
    spool.retire(0.3)
    assert [line["span"] for line in lines_of(tmp_path)] == [0]


def test_a_call_that_is_put_twice_waits_once_and_is_lost_once(tmp_path):
    slow, hold, busy = held_writer()
    spool = SpoolWriter(tmp_path, "p", slow, max_calls=3)
    spool.put(span_of(0))
    assert busy.wait(10)
    calls = [span_of(n, "running") for n in range(1, 6)]
    for call in calls:
        spool.put(call)
    for call in calls:
        call.state = "ok"
        spool.put(call)
    assert spool.losses.dropped == 2
    hold.set()
    assert spool.flush()
    lines = lines_of(tmp_path)
    assert [line["span"] for line in lines] == [0, 1, 2, 3]
    assert sum(line.get("inspector.dropped", 0) for line in lines) == 2
    spool.close()


def test_the_queue_holds_so_many_bytes_of_what_was_captured(tmp_path):
    slow, hold, busy = held_writer()
    spool = SpoolWriter(tmp_path, "p", slow, max_bytes=10_000)
    spool.put(span_of(0))
    assert busy.wait(10)
    for n in range(1, 20):
        call = span_of(n)
        call.before = {"args": {"text": "x" * 500, "more": ["y" * 400]}}
        call.after = {"result": "z" * 60}
        spool.put(call)
    assert spool.losses.dropped == 9
    hold.set()
    assert spool.flush()
    assert [line["span"] for line in lines_of(tmp_path)] == list(range(11))
    spool.close()


def test_the_first_call_is_written_without_waiting_for_more(tmp_path):
    written = threading.Event()

    class Watched(SpoolWriter):
        def _write_held(self):
            there = super()._write_held()
            if any(tmp_path.glob("*.jsonl")):
                written.set()
            return there

    spool = Watched(tmp_path, "p", one_line_each, pauses=Pauses(pace_s=3600, start_s=3600, doze_s=3600))
    spool.put(span_of(1))
    assert written.wait(20)
    assert [line["span"] for line in lines_of(tmp_path)] == [1]
    spool.close()


def test_while_a_program_forks_the_recorder_has_no_thread_and_nothing_waits(tmp_path):
    others = threading.enumerate()

    def names():
        return [thread.name for thread in threading.enumerate() if thread not in others]

    spool = SpoolWriter(tmp_path, "p", one_line_each)
    for n in range(3):
        spool.put(span_of(n))
        assert names() == ["inspector-spool"]
        spool.park(wait_s=20)
        assert "inspector-spool" not in names()
        assert [line["span"] for line in lines_of(tmp_path)] == list(range(n + 1))
        spool.unpark()
        assert "inspector-spool" not in names()
    spool.close()


def test_calls_that_threads_emit_as_fast_as_they_can_are_all_recorded(tmp_path, long):
    threads = 8
    calls = 25_000 if long else 500
    run(
        PROGRAM
        + f"""
import threading
from concurrent.futures import ThreadPoolExecutor, wait
def emitting(place):
    for n in range({calls}):
        with instrument.around("tool_call", tool_name="t", args={{"text": "x" * 300}}, context=None):
            pass
threads = [threading.Thread(target=emitting, args=(n,)) for n in range({threads})]
for thread in threads: thread.start()
for thread in threads: thread.join()
losses = recording.recorder.spool.losses
assert losses.dropped + losses.unwritten + losses.unencodable == 0, losses
""",
        tmp_path,
        timeout=600 if long else 60,
    )
    assert tools_of(tmp_path) == [("t", True)] * (threads * calls)


def test_calls_that_a_full_disk_keeps_out_are_left_in_the_tally(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "spool").write_text("in the way")
    spool = SpoolWriter(tmp_path / "spool", "p", one_line_each, tally=Tally(tmp_path / "run", "p"))
    for n in range(300):
        spool.put(span_of(n))
    assert not spool.flush()
    (counts,) = read_tallies(tmp_path / "run")
    assert (counts.calls, counts.unwritten) == (0, 300)
    (tmp_path / "spool").unlink()
    assert spool.flush()
    spool.close()
    (counts,) = read_tallies(tmp_path / "run")
    assert (counts.calls, counts.unwritten) == (300, 0)


def test_what_a_full_disk_has_lost_is_in_the_spool_when_there_is_room_again(tmp_path):
    (tmp_path / "spool").write_text("in the way")
    spool = SpoolWriter(tmp_path / "spool", "p", one_line_each, max_calls=4)
    spool.put(span_of(1))
    assert not spool.flush()
    for n in range(2, 10):
        spool.put(span_of(n))
    (tmp_path / "spool").unlink()
    assert spool.flush()
    lines = lines_of(tmp_path / "spool")
    assert [line["span"] for line in lines] == [1, 2, 3, 4, 5]
    assert sum(line.get("inspector.unwritten", 0) for line in lines) == 4
    spool.close()


def test_a_directory_that_cannot_be_written_loses_nothing_once_it_can(tmp_path, caplog):
    (tmp_path / "spool").write_text("in the way")
    spool = SpoolWriter(tmp_path / "spool", "p", one_line_each)
    spool.put(span_of(1))
    assert not spool.flush()
    assert spool.failures >= 1
    assert "cannot write the spool" in caplog.text
    (tmp_path / "spool").unlink()
    spool.put(span_of(2))
    assert spool.flush()
    assert [line["span"] for line in lines_of(tmp_path / "spool")] == [1, 2]
    spool.close()


def test_a_file_that_cannot_grow_keeps_whole_lines_only(tmp_path):
    run(
        """
        import resource, signal, sys, instrument, inspector
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        recording = inspector.attach()
        def emit(n):
            with instrument.around("tool_call", tool_name=f"t{n}", args={"x": "y" * 900}, context=None):
                pass
        emit(1); assert recording.flush()
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, resource.RLIM_INFINITY))
        import logging; logging.disable()
        emit(2); emit(3); recording.flush(0.3)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert recording.flush(), "did not recover"
        """,
        tmp_path,
    )
    assert tools_of(tmp_path) == [("t1", True), ("t2", True), ("t3", True)]


PROGRAM = """
import instrument, inspector, os, sys
recording = inspector.attach()
def tool(name):
    instrument._emit_sync("before_tool_call", tool_name=name, args={}, context=None)
    instrument._emit_sync("after_tool_call", tool_name=name, args={}, result=1, context=None)
"""


def test_what_was_recorded_last_survives_the_end_of_the_program(tmp_path):
    run(PROGRAM + "tool('last')", tmp_path)
    assert tools_of(tmp_path) == [("last", True)]


def test_what_was_recorded_survives_an_unhandled_exception(tmp_path):
    done = run(PROGRAM + "tool('last'); raise SystemExit(3)", tmp_path, check=False)
    assert (done.returncode, done.stderr) == (3, "")
    assert tools_of(tmp_path) == [("last", True)]


def test_a_forked_child_writes_a_spool_of_its_own_and_the_parent_goes_on(tmp_path):
    run(
        PROGRAM
        + """
tool("before")
instrument._emit_sync("before_tool_call", tool_name="around", args={}, context=None)
pid = os.fork()
if pid == 0:
    tool("child")
    recording.flush()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
tool("parent")
instrument._emit_sync("after_tool_call", tool_name="around", args={}, result=1, context=None)
""",
        tmp_path,
    )
    assert tools_of(tmp_path) == [("around", True), ("before", True), ("child", True), ("parent", True)]
    assert len({p.name.split(".")[0] for p in (tmp_path / "spool").iterdir()}) == 2


@pytest.mark.slow
def test_what_a_child_of_multiprocessing_cannot_write_before_its_end_is_counted(tmp_path):
    run(
        """
import instrument, inspector, multiprocessing, os, time
parent = os.getpid()
inspector.attach(redact=lambda key, text: text if os.getpid() == parent else time.sleep(60))
def work():
    instrument._emit_sync("before_tool_call", tool_name="search", args={"q": "x"}, context=None)
    instrument._emit_sync("after_tool_call", tool_name="search", result="y", context=None)
work()
child = multiprocessing.get_context("fork").Process(target=work)
child.start()
child.join()
""",
        tmp_path,
    )
    (unwritten,) = filter(None, (read_unwritten_name(path.name) for path in (tmp_path / "spool").iterdir()))
    assert unwritten[2] == 1


@pytest.mark.sweep(1)
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_of_multiprocessing_are_recorded_to_their_end(tmp_path, method):
    program = tmp_path / "program.py"
    program.write_text(
        PROGRAM
        + f"""
import multiprocessing
def work(n):
    tool(f"child{{n}}")
if __name__ == "__main__":
    multiprocessing.set_start_method({method!r})
    children = [multiprocessing.Process(target=work, args=(n,)) for n in range(3)]
    [c.start() for c in children]
    [c.join() for c in children]
    tool("parent")
"""
    )
    env = {**UNTRACED, "INSPECTOR_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, str(program)], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert tools_of(tmp_path) == [("child0", True), ("child1", True), ("child2", True), ("parent", True)]


@pytest.mark.slow
def test_a_hundred_forks_while_threads_record_neither_hang_nor_lose(tmp_path):
    run(
        PROGRAM
        + """
import threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)
stop = threading.Event()
def busy():
    while not stop.is_set():
        tool("busy")
        stop.wait(0.001)
thread = threading.Thread(target=busy, daemon=True); thread.start()
for n in range(100):
    pid = os.fork()
    if pid == 0:
        tool(f"child{n}")
        if not recording.flush(10):
            import faulthandler
            faulthandler.dump_traceback()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
stop.set(); thread.join()
""",
        tmp_path,
    )
    assert len([t for t in tools_of(tmp_path) if t[0].startswith("child")]) == 100


def test_a_killed_process_leaves_its_open_call_behind(tmp_path):
    env = {**UNTRACED, "INSPECTOR_HOME": str(tmp_path)}
    code = (
        PROGRAM
        + """
tool("done")
instrument._emit_sync("before_tool_call", tool_name="open", args={"city": "Lisbon"}, context=None)
recording.flush(); print("ready", flush=True)
import time; time.sleep(60)
"""
    )
    with subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        (path,) = (tmp_path / "spool").iterdir()
        assert not finished(path)
        process.send_signal(signal.SIGKILL)
    assert finished(path)
    assert tools_of(tmp_path) == [("done", True), ("open", False)]
    assert "Lisbon" in path.read_text()


def test_loops_that_closed_and_new_ones_change_nothing(tmp_path):
    run(
        PROGRAM
        + """
import asyncio
async def agent(n):
    async with instrument.around("tool_call", tool_name=f"t{n}", args={}, context=None):
        await asyncio.sleep(0)
for n in range(3):
    asyncio.run(agent(n))
""",
        tmp_path,
    )
    assert tools_of(tmp_path) == [("t0", True), ("t1", True), ("t2", True)]


def test_recording_prints_nothing(tmp_path):
    done = run(PROGRAM + "tool('quiet')", tmp_path)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_finalizer_that_emits_in_the_middle_of_recording_does_not_deadlock(tmp_path):
    run(
        PROGRAM
        + """
import gc
class Noisy:
    def __init__(self): self.me = self
    def __del__(self): tool("finalizer")
gc.set_threshold(5)
for n in range(2000):
    Noisy()
    tool("t")
gc.collect()
""",
        tmp_path,
    )
    names = [name for name, _ in tools_of(tmp_path)]
    assert names.count("finalizer") == 2000
    assert names.count("t") == 2000


@pytest.mark.sweep(1)
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_attaching_inside_a_worker_records_it_to_its_end(tmp_path, method):
    program = tmp_path / "program.py"
    program.write_text(f"""
import multiprocessing
def work(n):
    import instrument, inspector
    inspector.attach()
    with instrument.around("tool_call", tool_name=f"child{{n}}", args={{}}, context=None):
        pass
if __name__ == "__main__":
    multiprocessing.set_start_method({method!r})
    children = [multiprocessing.Process(target=work, args=(n,)) for n in range(2)]
    [c.start() for c in children]
    [c.join() for c in children]
""")
    env = {**UNTRACED, "INSPECTOR_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, str(program)], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert tools_of(tmp_path) == [("child0", True), ("child1", True)]


def test_files_of_other_programs_are_never_removed_for_room(tmp_path):
    foreign = tmp_path / "collector.jsonl"
    foreign.write_bytes(b"x" * 1000)
    spool = SpoolWriter(tmp_path, "29990101T000000-2-00000000", one_line_each, segment_bytes=100, total_bytes=450)
    for n in range(30):
        spool.put(span_of(n))
    assert spool.flush()
    assert foreign.exists()
    spool.close()


def test_a_directory_removed_under_a_running_agent_is_made_again(tmp_path):
    import shutil

    spool = SpoolWriter(tmp_path / "spool", "p", one_line_each)
    spool.put(span_of(1))
    assert spool.flush()
    shutil.rmtree(tmp_path / "spool")
    spool.put(span_of(2))
    assert spool.flush()
    assert [line["span"] for line in lines_of(tmp_path / "spool")] == [2]
    spool.close()


def test_a_program_whose_name_is_not_utf8_is_recorded(tmp_path):
    program = tmp_path / os.fsdecode(b"caf\xe9.py")
    program.write_text(PROGRAM + "tool('t')")
    env = {**UNTRACED, "INSPECTOR_HOME": str(tmp_path / "home")}
    done = subprocess.run([sys.executable, program], env=env, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert tools_of(tmp_path / "home") == [("t", True)]


def test_what_a_finalizer_tells_at_the_exit_is_kept_even_if_the_program_had_one_before(tmp_path):
    run(
        """
        import tempfile, weakref
        kept = tempfile.TemporaryDirectory()  # has a finalizer, which is made before ours
        import inspector, instrument
        inspector.attach()
        class Stream: pass
        def left():
            instrument._emit_sync("error_tool_call", **call, exc=GeneratorExit())
        stream = Stream()
        weakref.finalize(stream, left)
        call = {"tool_name": "left", "args": {}, "context": None, "call_id": "1"}
        instrument._emit_sync("before_tool_call", **call)
        kept.cleanup()
        """,
        tmp_path,
    )
    assert tools_of(tmp_path) == [("left", True)]


POOLS = """
import multiprocessing, signal, sys, concurrent.futures
def ask(n):
    tool(f"child{n}")
    return n
def trip(method, times):
    context = multiprocessing.get_context(method)
    for turn in range(times):
        with context.Pool(4) as pool:
            pool.map(ask, range(turn * 8, turn * 8 + 8))
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        list(pool.map(ask, range(times * 8, times * 8 + 4)))
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=answer, args=(sender, times * 8 + 4))
    child.start()
    receiver.recv()
    child.terminate()
    child.join()
def answer(sender, n):
    sender.send(ask(n))
    signal.pause()
if __name__ == "__main__":
    trip(sys.argv[1], int(sys.argv[2]))
"""


@pytest.mark.sweep(1)
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_what_a_worker_records_is_in_the_file_before_its_result_is_out(tmp_path, method, long):
    times = 100 if long else 2
    program = tmp_path / "program.py"
    program.write_text(PROGRAM + POOLS)
    env = {**UNTRACED, "INSPECTOR_HOME": str(tmp_path)}
    command = [sys.executable, "-W", "error::DeprecationWarning", str(program), method, str(times)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60 * times)
    assert (done.returncode, done.stderr) == (0, "")
    assert tools_of(tmp_path) == sorted((f"child{n}", True) for n in range(times * 8 + 5))
