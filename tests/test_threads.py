import _thread
from types import FunctionType

from inspector.threads import are_greenlets


def test_what_a_program_put_in_the_place_of_threads_needs_no_module(monkeypatch):
    def start(function, args):
        return None

    assert not are_greenlets()
    monkeypatch.setattr(_thread, "start_new_thread", FunctionType(start.__code__, {}))
    assert not are_greenlets()
