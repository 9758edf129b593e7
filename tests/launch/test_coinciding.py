"""Two threads of a program below ``inspector run`` attach for the first time at once."""

import sys
import threading

import pytest

import inspector
from inspector import recording


@pytest.fixture
def below_run(tmp_path, monkeypatch):
    monkeypatch.setenv("INSPECTOR_HOME", str(tmp_path / "home"))
    inspector.attach(integrations=False)
    recording.yield_to_the_program()
    yield
    inspector.detach()


def test_one_begins_anew_and_the_other_joins_it(below_run):
    attachments = []
    other = threading.Thread(target=lambda: attachments.append(inspector.attach(integrations=False)))

    def trace(frame, event, _):
        if frame.f_code is not recording._give_way.__code__:
            return None

        def at_line(frame, event, _):
            # Having asked, and not yet noted that the answer was taken: the other comes whole, if it may.
            if event == "line" and not frame.f_locals and frame.f_lineno == last_line - 1 and not other.ident:
                other.start()
                other.join(0.5)
            return at_line

        return at_line

    last_line = max(line for _, _, line in recording._give_way.__code__.co_lines() if line)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        attachments.append(inspector.attach(integrations=False))
    finally:
        sys.settrace(before)
    other.join(30)
    assert other.ident is not None
    assert attachments == [inspector.record.attached()] * 2
