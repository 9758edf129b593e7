"""Messages that a runtime puts into its queue: what handles one is below what sent it, unless that has ended.

The tasks of a runtime may have begun outside of what sends a message, long before.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from inspector.integrations.calls import Call, around_here, guarded, safely
from inspector.integrations.patches import wrapping

_SENDER: Final = "inspector_sent_in"
"""The attribute of a message on its way that has the call in which it was sent."""


@wrapping
def sent(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> None:
    """Note the call in which a message is sent; for the ``__init__`` of its envelope."""
    original(self, *args, **kwargs)
    _note(self)


@guarded
def _note(envelope: Any) -> None:
    if (call := next(around_here(), None)) is not None:
        setattr(envelope, _SENDER, call)


@wrapping
async def delivered(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Have what a message causes below the call in which it was sent; for what takes its envelope from the queue."""
    # The last argument: a runtime and an envelope.
    leave = safely(lambda: _entered([*args, *kwargs.values()][-1]), None)
    try:
        return await original(*args, **kwargs)
    finally:
        if leave is not None:
            leave()


def _entered(envelope: Any) -> Callable[[], None] | None:
    call: Call | None = getattr(envelope, _SENDER, None)
    while call is not None and not call.is_open:
        call = call.parent
    with suppress(AttributeError):
        # It would keep the call alive for as long as somebody keeps the message.
        delattr(envelope, _SENDER)
    return None if call is None else call.enter()
