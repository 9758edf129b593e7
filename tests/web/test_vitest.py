"""The tests of the app's functions and components; those in a browser are beside this file."""

import os
import subprocess
import sys

from serving import ROOT


def test_vitest_passes(every):
    command = [sys.executable, ROOT / "hatch_build.py", "test"]
    environment = os.environ | {"NO_COLOR": "1"} | ({} if every else {"INSPECTOR_TEST_FEW": "1"})
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
