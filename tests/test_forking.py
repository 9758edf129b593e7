"""What is forked instead of started ends as if it had been started."""

import subprocess
import sys

import pytest

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


@pytest.mark.parametrize("program", ENDS)
def test_a_forked_program_says_and_ends_as_a_started_one(fork_python, program):
    def end(start, *command):
        with start([*command], stdin=subprocess.DEVNULL, **pipes) as process:
            stdout, stderr = process.communicate(timeout=60)
        return process.returncode, stdout, stderr.splitlines()[-1:]

    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    command = ("-W", "error", "-c", program)
    forked = end(lambda arguments, **options: fork_python(*arguments, **options), *command)
    assert forked == end(subprocess.Popen, sys.executable, *command)
