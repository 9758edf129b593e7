import gc

import pytest

from inspector.diff import compare


@pytest.fixture(autouse=True)
def as_before():
    yield
    gc.enable()


def events(found):
    found.append(gc.isenabled())
    yield from ()


@pytest.mark.parametrize("is_on", [True, False])
def test_garbage_is_looked_for_after_a_comparison_as_before_it(is_on):
    if not is_on:
        gc.disable()
    compare(events(during := []), [])
    assert (during, gc.isenabled()) == ([False], is_on)


def test_garbage_is_looked_for_after_a_comparison_that_failed():
    with pytest.raises(AttributeError):
        compare([None], [])
    assert gc.isenabled()
