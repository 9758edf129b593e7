import pytest

import instrument


@pytest.fixture
def subscribe():
    registered = []

    def register(fn, name="before_tool_call"):
        instrument.register(name, fn)
        registered.append((name, fn))
        return fn

    yield register
    for name, fn in registered:
        instrument.unregister(name, fn)
    assert not instrument._hooks
