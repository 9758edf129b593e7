import gc
import subprocess
import sys
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


BLOCKS = """
from inspector.api.server import return_large_blocks
def resident_mb():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 >> 20
return_large_blocks()
# glibc keeps blocks of such a size for itself from here on, unless it was told otherwise.
bytearray(b"x") * (30 << 20)
held = [(bytearray(b"x") * (8 << 20), bytearray(b"x") * 5_000) for _ in range(8)]
most = resident_mb()
held = [small for _, small in held]
print(most - resident_mb())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_server_returns_large_blocks_though_small_ones_behind_them_stay():
    returned = subprocess.run([sys.executable, "-c", BLOCKS], capture_output=True, text=True, check=True).stdout
    assert int(returned) > 50
