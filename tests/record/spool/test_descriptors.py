"""The recorder writes into its own file or nowhere, whatever a program does to descriptors that it does not know."""

import contextlib
import errno
import os
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from emitted import watching
from spooled import records

from inspector.ownfile import HandleLost, OwnFile
from inspector.record.lines.losses import LossCounter
from inspector.record.spool.segments import Segments
from instrument import around

UNTRACED = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")} | watching()


def lines_of(directory):
    return [line for path in sorted(directory.glob("*.jsonl")) for line in path.read_text().splitlines()]


def open_files():
    """The file behind each descriptor of this process; one that another thread closes meanwhile is left out."""
    files = {}
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            files[int(link.name)] = str(link.readlink())
    return files


def number_of(directory):
    """The descriptor that a file in ``directory`` is open by."""
    (number,) = [number for number, file in open_files().items() if Path(file).parent == directory]
    return number


@pytest.fixture
def segments(tmp_path):
    segments = Segments(tmp_path / "spool", "p", losses=LossCounter())
    segments.write(b"1\n")
    yield segments
    segments.close()


@pytest.fixture
def program_file(tmp_path):
    fd = os.open(tmp_path / "program", os.O_RDWR | os.O_CREAT)
    os.write(fd, b"mine")
    yield fd
    os.close(fd)


def test_our_descriptor_is_not_among_those_that_programs_close_by_the_hundred(segments, tmp_path):
    assert number_of(tmp_path / "spool") >= 256


def test_a_closed_descriptor_is_replaced_by_a_new_file(segments, tmp_path):
    os.close(number_of(tmp_path / "spool"))
    segments.write(b"2\n")
    assert lines_of(tmp_path / "spool") == ["1", "2"]


@pytest.mark.parametrize("inheritable", [True, False])
def test_a_descriptor_that_another_file_took_is_neither_written_nor_closed(
    segments, tmp_path, program_file, inheritable
):
    number = number_of(tmp_path / "spool")
    os.dup2(program_file, number, inheritable=inheritable)
    segments.write(b"2\n")
    segments.close()
    assert lines_of(tmp_path / "spool") == ["1", "2"]
    assert os.pread(number, 100, 0) == b"mine"
    os.close(number)


def test_another_file_is_not_cut_when_a_write_fails_half_way(segments, tmp_path, program_file, monkeypatch):
    number = number_of(tmp_path / "spool")
    write = os.pwrite

    def half(fd, data, offset):
        monkeypatch.setattr("os.pwrite", write)
        done = write(fd, data[:1], offset)
        os.dup2(program_file, number)
        return done

    monkeypatch.setattr("os.pwrite", half)
    segments.write(b"2\n")
    assert os.pread(program_file, 100, 0) == b"mine"
    assert lines_of(tmp_path / "spool") == ["1", "2", "2"]
    os.close(number)


def test_a_socket_that_takes_our_number_after_the_last_look_gets_nothing(segments, tmp_path, monkeypatch):
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    write = os.pwrite

    def late(fd, data, offset):
        monkeypatch.setattr("os.pwrite", write)
        os.dup2(theirs.fileno(), fd)
        return write(fd, data, offset)

    number = number_of(tmp_path / "spool")
    with ours, theirs:
        monkeypatch.setattr("os.pwrite", late)
        segments.write(b"2\n")
        with pytest.raises(BlockingIOError):
            ours.recv(10)
    os.close(number)
    assert lines_of(tmp_path / "spool") == ["1", "2"]


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_a_call_whose_write_fails_with_an_error_of_the_disk_is_written_again_and_once(record, monkeypatch, failing):
    recording = record()
    write, left = os.pwrite, iter(range(failing))

    def broken(fd, data, offset):
        if bytes(data[:1]) == b"{" and next(left, None) is not None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return write(fd, data, offset)

    monkeypatch.setattr("os.pwrite", broken)
    for number in range(5):
        with around("tool_call", tool_name=f"tool {number}", args={}, context=None):
            pass
    # Each failure ends a flush, which says that it did not write all.
    assert any(recording.spool.flush(10) for _ in range(failing + 1))
    ended = [span["name"] for span in recording.records() if "endTimeUnixNano" in span]
    assert ended == [f"execute_tool tool {number}" for number in range(5)]
    assert next(left, None) is None


def test_a_file_that_somebody_cut_is_left_for_a_new_one(segments, tmp_path):
    (path,) = (tmp_path / "spool").iterdir()
    os.truncate(path, 0)
    segments.write(b"2\n")
    assert path.read_bytes() == b""
    assert lines_of(tmp_path / "spool") == ["2"]


def test_what_was_closed_is_not_closed_again(tmp_path, program_file):
    file = OwnFile(tmp_path / "ours", os.O_WRONLY | os.O_CREAT)
    number = file.fd()
    os.dup2(program_file, number)
    file.close()
    assert os.pread(number, 100, 0) == b"mine"
    os.close(number)
    with pytest.raises(HandleLost):
        file.fd()


PROGRAM = """
import contextlib, os, resource, socket, sys, tempfile, threading, instrument, inspector
recording = inspector.attach()
losses = recording.recorder.spool.losses
stop, calls = threading.Event(), [0, 0, 0, 0]
def emitting(place):
    while not stop.is_set():
        with instrument.around("tool_call", tool_name="t", args={"secret": "s" * 500}, context=None):
            calls[place] += 1
        stop.wait(0.001)
def ours():
    # A file is opened at a low number and moved to a high one, so a number may be gone by the time it is read.
    numbers = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):
            if os.readlink(f"/proc/self/fd/{number}").endswith(".jsonl"):
                numbers.append(int(number))
    return numbers
def begin():
    threads = [threading.Thread(target=emitting, args=(n,), daemon=True) for n in range(4)]
    for thread in threads: thread.start()
    return threads
def end(threads):
    stop.set()
    for thread in threads: thread.join()
    assert recording.flush(20)
    print(sum(calls), losses.dropped + losses.unwritten + losses.unencodable)
def untouched(pair):
    pair[1].setblocking(False)
    try:
        return not pair[1].recv(10)
    except BlockingIOError:
        return True
def wait_until(condition):
    for _ in range(2000):
        if met := condition(): return met
        threading.Event().wait(0.005)
    raise AssertionError("it did not come")
"""

ATTACKS = {
    "closerange": """
threads = begin()
for _ in range(4):
    wait_until(ours)
    os.closerange(3, 4096)
    pairs = [socket.socketpair() for _ in range(40)]
    files = [open(os.path.join(sys.argv[1], f"f{n}"), "wb") for n in range(40)]
    threading.Event().wait(0.02)
    assert all(map(untouched, pairs)), "a socket got something"
    assert all(os.fstat(f.fileno()).st_size == 0 for f in files), "a file got something"
    for pair in pairs: [side.close() for side in pair]
    for file in files: file.close()
end(threads)
""",
    "closed twice": """
threads = begin()
for _ in range(8):
    for number in wait_until(ours):
        with contextlib.suppress(OSError):
            os.close(number)
    pair = socket.socketpair()
    threading.Event().wait(0.01)
    assert untouched(pair), "a socket got something"
    [side.close() for side in pair]
end(threads)
""",
    "dup2": """
threads = begin()
for _ in range(8):
    pair = socket.socketpair()
    for number in wait_until(ours):
        os.dup2(pair[0].fileno(), number)
    threading.Event().wait(0.01)
    assert untouched(pair), "a socket got something"
    os.close(number)
    [side.close() for side in pair]
end(threads)
""",
    "fork": """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)  # the threads are the program's
threads = begin()
for _ in range(5):
    pid = os.fork()
    if pid == 0:
        os.closerange(3, 4096)
        pair = socket.socketpair()
        with instrument.around("tool_call", tool_name="child", args={}, context=None):
            pass
        ok = recording.flush(10) and untouched(pair)
        os._exit(0 if ok else 1)
    assert os.waitpid(pid, 0)[1] == 0
end(threads)
""",
    "exhaustion": """
resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
threads = begin()
assert recording.flush(20)  # from here on, its file is where it stays
(number,) = ours()
taken = []
try:
    while True: taken.append(socket.socketpair())
except OSError:
    pass
rest = []
try:
    while True: rest.append(os.dup(0))
except OSError:
    pass
os.close(number)
try:
    rest.append(os.dup(0))
except OSError:
    pass  # the recorder's thread came first, and has the number again
threading.Event().wait(0.05)
stop.set()
for thread in threads: thread.join()
assert all(map(untouched, taken)), "a socket got something"
for pair in taken: [side.close() for side in pair]
for each in rest: os.close(each)
end(threads)
""",
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_byte_goes_astray_and_no_call_is_lost(tmp_path, attack):
    files = tmp_path / "files"
    files.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM + ATTACKS[attack]), str(files)],
        env={**UNTRACED, "INSPECTOR_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    calls, lost = map(int, done.stdout.split())
    ended = {
        span["spanId"]
        for span in records(tmp_path / "spool")
        if "endTimeUnixNano" in span and span["name"] == "execute_tool t"
    }
    assert len(ended) == calls - lost > 0


EXHAUSTED_END = """
import atexit, os, resource, sys, time, instrument, inspector
def call():
    with instrument.around("tool_call", tool_name="t", args={}, context=None):
        pass
atexit.register(call)  # runs after what is registered by those that come later
recording = inspector.attach()
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
class Late:
    def __del__(self, sleep=time.sleep):
        sleep(0.2)  # long enough for a thread to wake up in an interpreter that is torn down
call()
recording.flush()
rest = []
try:
    while True: rest.append(os.dup(0))
except OSError:
    pass
sys.late = Late()
call()
raise RuntimeError("end")
"""


def test_a_program_without_a_descriptor_left_ends_as_it_would_unrecorded(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", EXHAUSTED_END],
        env={**UNTRACED, "INSPECTOR_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "RuntimeError: end")
    spans = [span for span in records(tmp_path / "spool") if "endTimeUnixNano" in span]
    assert sorted(span["name"] for span in spans) == [*["execute_tool t"] * 3, "uncaught exception"]


def test_a_file_whose_identity_cannot_be_read_is_not_left_open(tmp_path, monkeypatch):
    def removed(path, **_):
        raise FileNotFoundError(errno.ENOENT, "removed meanwhile", path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", removed)
        with pytest.raises(FileNotFoundError):
            OwnFile(str(tmp_path / "file"), os.O_RDWR | os.O_CREAT)
    assert str(tmp_path / "file") not in open_files().values()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="says how large the table is")
def test_the_table_of_descriptors_is_large_enough_before_the_writer_has_a_thread(tmp_path):
    program = textwrap.dedent("""
        import os, re, sys, threading, inspector

        def slots():
            return int(re.search(r"FDSize:\\s*(\\d+)", open("/proc/self/status").read())[1])

        inspector.attach()
        grown = slots()
        if (pid := os.fork()) == 0:
            print(slots() - grown, threading.active_count(), flush=True)
            os._exit(0)
        os.waitpid(pid, 0)
        print(grown > inspector.ownfile._high_number(), threading.active_count())
    """)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=UNTRACED | {"INSPECTOR_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout.splitlines(), done.stderr) == (["0 1", "True 1"], "")
