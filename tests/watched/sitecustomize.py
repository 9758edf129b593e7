"""Runs first in a Python that a test starts with this directory on its path, and has `emitted` watch it.

It waits for the recorder, so that a process that records nothing imports no more than it would; one that is forked may
have it already.
"""

import os
import sys

_EMITTED = __file__.removesuffix("watched/sitecustomize.py") + "emitted.py"


def _watch():
    from runpy import run_path

    run_path(_EMITTED)["watch_to"](os.environ["INSPECTOR_EMITTED_UNKNOWN"])


class _WaitingToWatch:
    def find_spec(self, name, path=None, target=None):
        if name != "inspector.record.recorder":
            return None
        sys.meta_path.remove(self)
        from importlib.util import find_spec

        spec = find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            _watch()

        spec.loader.exec_module = exec_module
        return spec


# An environment of frameworks may run this as well, and more than once.
if "INSPECTOR_EMITTED_UNKNOWN" in os.environ and not any(
    type(each).__name__ == "_WaitingToWatch" for each in sys.meta_path
):
    if "inspector.record.recorder" in sys.modules:
        _watch()
    else:
        sys.meta_path.insert(0, _WaitingToWatch())
