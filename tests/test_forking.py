import os
import signal
import subprocess
import sys

import pytest
from emitted import VARIABLE, watching
from forking import INTERPRETER, forking

ENDS = (
    "print('said', end='')",
    "import sys; sys.exit(3)",
    "import sys; sys.exit('why')",
    "raise ValueError('why')",
    "import os; os.kill(os.getpid(), 2)",
    "import atexit; atexit.register(lambda: print('at the exit'))",
    "import threading, time; threading.Thread(target=lambda: (time.sleep(0.01), print('in a thread'))).start()",
    "import os, sys; os.close(1); sys.stdout.write('nowhere')",
    "kept = open('/dev/null', 'rb', 0); kept.itself = [kept]",
)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("program", ENDS)
def test_a_forked_program_says_and_ends_as_a_started_one(fork_python, program):
    def end(start, *command):
        with start([*command], stdin=subprocess.DEVNULL, **pipes) as process:
            stdout, stderr = process.communicate(timeout=60)
        return process.returncode, stdout, stderr.splitlines()[-1:]

    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    command = ("-W", "error", "-c", program)
    started = end(subprocess.Popen, sys.executable, *command)
    assert end(lambda arguments, **options: fork_python(*arguments, **options), *command) == started
    assert end(subprocess.Popen, fork_python.stand_in, *command) == started


def test_a_forked_program_has_a_session_of_its_own_where_that_is_asked_for(fork_python):
    def leads(**options):
        command = ("-c", "import os; print(os.getsid(0) == os.getpid())")
        with fork_python(*command, stdout=subprocess.PIPE, text=True, **options) as process:
            return process.communicate(timeout=60)[0]

    assert (leads(), leads(start_new_session=True)) == ("False\n", "True\n")


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_what_is_sent_to_a_stand_in_ends_the_program(fork_python, sent):
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    with subprocess.Popen([fork_python.stand_in, "-c", program], stdout=subprocess.PIPE) as process:
        pid = int(process.stdout.readline())
        assert pid != process.pid
        process.send_signal(sent)
        # The program has the other end of the pipe, until it is gone.
        assert process.communicate(timeout=60) == (b"", None)
        assert process.returncode == -sent


def test_a_program_whose_output_is_a_pipe_cannot_seek_in_it(fork_python):
    program = "import io, sys; io.TextIOWrapper(sys.stdout.buffer).write(f'{sys.stdin.seekable()}')"
    command = [fork_python.stand_in, "-c", program]
    assert subprocess.check_output(command, input=b"", timeout=60) == b"False"


def test_a_script_is_given_its_arguments_its_folder_and_its_variables(fork_python, tmp_path):
    (tmp_path / "beside.py").touch()
    script = tmp_path / "script.py"
    script.write_text("import beside, os, sys; print(sys.argv, __name__, __file__, os.environ['TABLE'])")
    command = [str(script), "a", "b"]
    printed = [
        subprocess.check_output([python, *command], env={"TABLE": "7"}, cwd=tmp_path.parent, text=True)
        for python in (sys.executable, fork_python.stand_in)
    ]
    assert printed == [f"{command} __main__ {script} 7\n"] * 2


@pytest.mark.parametrize(
    "words", [("script.py", "a"), ("-m", "script", "a"), ("-P", "-m", "script", "a"), ("-c", "import script", "a")]
)
def test_what_python_runs_first_is_run_first_and_knows_the_arguments(fork_python, tmp_path, words):
    (tmp_path / "sitecustomize.py").write_text("import sys; first = [sys.argv[:], sys.orig_argv[1:], sys.path[0]]")
    (tmp_path / "script.py").write_text("import sitecustomize, sys; print(sitecustomize.first, sys.argv)")
    env = {"PYTHONPATH": str(tmp_path)}
    said = [
        subprocess.check_output([python, *words], env=env, cwd=tmp_path, text=True, timeout=60)
        for python in (sys.executable, fork_python.stand_in)
    ]
    assert said[0] == said[1]


def test_what_a_forked_program_starts_by_its_interpreter_is_forked_where_that_is_asked_for(fork_python):
    starts = "import subprocess, sys; subprocess.run([sys.executable, '-c', {program!r}], check=True)"
    program = "import sys; print('inspector.cli' in sys.modules, sys.executable, flush=True)"
    for _ in range(2):
        program = starts.format(program=program)
    said = fork_python.run("-c", program, env={INTERPRETER: fork_python.stand_in}, text=True)
    assert said.stdout == f"True {fork_python.stand_in}\n", said.stderr


def test_where_a_package_cannot_be_imported_nobody_waits_for_it(capfd):
    with forking("no_such_package") as start:
        with subprocess.Popen([start.stand_in, "-c", "pass"], stderr=subprocess.DEVNULL) as process:
            assert process.wait(timeout=60) != 0
    assert "No module named 'no_such_package'" in capfd.readouterr().err


def test_a_keyword_that_the_contract_lacks_is_seen_in_a_forked_process_too(fork_python, tmp_path):
    emit = "_emit_sync('before_tool_call', tool_name='add', args={}, context=None, emitter='openai', unheard_of=1)"
    program = f"import inspector\nfrom instrument import _emit_sync\ninspector.attach()\n{emit}\ninspector.detach()"
    unknown = tmp_path / "unknown"
    env = os.environ | watching() | {VARIABLE: str(unknown), "INSPECTOR_HOME": str(tmp_path)}
    with fork_python("-c", program, env=env) as process:
        assert process.wait(timeout=60) == 0
    assert unknown.read_text() == "('before_tool_call', 'openai', ['unheard_of'])\n"
