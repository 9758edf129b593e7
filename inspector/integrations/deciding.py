"""What the controller decides about a model call over HTTP, once for all attempts of its client."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias, cast

from inspector.integrations.calls import Call
from inspector.integrations.plain import is_fields
from instrument import control
from instrument.control import HttpAnswer

Attempt: TypeAlias = HttpAnswer | Exception
"""What one attempt is given: a response, or what its client raises instead."""

_SENT: Final = object()
"""In place of another body: the one that the program sends."""


class Decision:
    """What was decided about a call.

    Args:
        attempts: What its attempts are given instead of being made, in their order; None to make them.
        body: Another body to send, as plain data.
        error: What every attempt raises, since the call was refused: a client that tries again gets it again.
    """

    def __init__(
        self, attempts: Iterator[Attempt] | None = None, *, body: Any = _SENT, error: Exception | None = None
    ) -> None:
        self._attempts = attempts
        self._body = body
        self._error = error

    @property
    def changes(self) -> bool:
        """Whether another body is to be sent."""
        return self._body is not _SENT

    @property
    def body(self) -> Any:
        """The body to send, where it is another one."""
        return self._body

    def keep(self) -> None:
        """Have the attempts send what the program sends, which has the other body by now."""
        self._body = _SENT

    def attempt(self) -> HttpAnswer | None:
        """Return what the next attempt is given; None where it is to be made.

        Raises:
            Exception: The call was refused, or its client is given this instead of a response.
            RuntimeError: The controller has no answer for so many attempts.
        """
        if self._error is not None:
            raise self._error
        if self._attempts is None:
            return None
        given = next(self._attempts, None)
        if given is None:
            raise RuntimeError("the controller's answer has fewer attempts than the client makes")
        if isinstance(given, Exception):
            raise given
        return given


def decide(call: Call, body: Any) -> Decision:
    """Ask the controller about a model call, in a plain function.

    Args:
        call: The call; the decision stays with it.
        body: Of its request, as plain data.

    Raises:
        Exception: The call is refused.
        TypeError: The controller gave what is no answer of an HTTP endpoint.
    """
    try:
        ruling = control.ask_sync(_proposal(call, body), call.add)
        call.decision = _decision(ruling, body)
    except Exception as error:
        call.decision = Decision(error=error)
        raise
    return call.decision


async def decide_async(call: Call, body: Any) -> Decision:
    """Do the same in a coroutine."""
    try:
        ruling = await control.ask(_proposal(call, body), call.add)
        call.decision = _decision(ruling, body)
    except Exception as error:
        call.decision = Decision(error=error)
        raise
    return call.decision


def _proposal(call: Call, body: Any) -> control.Proposal:
    model = getattr(call.keyword("llm"), "model", None)
    name = model if isinstance(model, str) else ""
    return control.Proposal("llm_generate", name, body, call_id=call.call_id, emitter=call.emitter)


def _decision(ruling: control.Ruling, body: Any) -> Decision:
    if ruling.answer is not None:
        return Decision(iter(_attempts(ruling.answer.value)))
    return Decision() if ruling.args is body else Decision(body=ruling.args)


def _attempts(value: object) -> list[Attempt]:
    if isinstance(value, list | tuple):
        return [each if isinstance(each, Exception) else _http(each) for each in cast("Sequence[object]", value)]
    return [_http(value)]


def _http(value: object) -> HttpAnswer:
    if isinstance(value, HttpAnswer):
        return value
    if is_fields(value):
        return HttpAnswer(json.dumps(value).encode())
    kind = type(value).__name__
    raise TypeError(f"the controller answered a model call with {kind}; pass the body as a dict, or an HttpAnswer")
