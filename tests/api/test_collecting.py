import gc
import weakref

import pytest

from inspector.api.server import collecting_seldom


class Knot:
    """An object that refers to itself, which counting references never frees."""

    def __init__(self):
        self.itself = self


def test_a_server_has_garbage_looked_for_seldom_but_looked_for():
    with collecting_seldom():
        assert 10_000 < gc.get_threshold()[0] < 100_000
        knots = [weakref.ref(Knot()) for _ in range(3 * gc.get_threshold()[0])]
        assert any(knot() is None for knot in knots)


def test_after_a_server_the_collector_is_as_it_was():
    before = gc.get_threshold()
    with pytest.raises(OSError, match="no port"), collecting_seldom():
        raise OSError("no port")
    assert gc.get_threshold() == before
