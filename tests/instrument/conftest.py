import pytest

import instrument


@pytest.fixture
def subscribe():
    """Register callbacks for the length of a test, by default to `before_tool_call`."""
    registered = []

    def register(fn, name="before_tool_call"):
        instrument.register(name, fn)
        registered.append((name, fn))
        return fn

    yield register
    for name, fn in registered:
        instrument.unregister(name, fn)
    assert not instrument._hooks
