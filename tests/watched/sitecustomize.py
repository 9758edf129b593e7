"""Runs first in a Python that a test starts with this directory on its path, and has `emitted` watch it.

It waits for the recorder, so that a process that records nothing imports no more than it would.
"""

import os
import sys


class _Waiting:
    def find_spec(self, name, path=None, target=None):
        if name != "inspector.record.recorder":
            return None
        sys.meta_path.remove(self)
        from importlib.util import find_spec

        spec = find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            from pathlib import Path
            from runpy import run_path

            run_path(str(Path(__file__).parents[1] / "emitted.py"))["watch_to"](os.environ["EMITTED_UNKNOWN"])

        spec.loader.exec_module = exec_module
        return spec


if "EMITTED_UNKNOWN" in os.environ:
    sys.meta_path.insert(0, _Waiting())
