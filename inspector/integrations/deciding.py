"""The controller's decision about a model call over HTTP, one for all attempts of its client."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias, cast

from inspector.integrations.calls import Call, enclosing
from inspector.integrations.plain import is_fields
from instrument import control
from instrument.control import HttpAnswer

Attempt: TypeAlias = HttpAnswer | Exception
"""The outcome of one attempt: a response, or an exception of its client."""

_SENT: Final = object()
"""Stands for the body that the program sends."""


class Decision:
    """The decision about a call.

    Args:
        attempts: The outcomes of its attempts, in order; None to make the attempts.
        body: A body to send instead, as plain data.
        error: The refusal, which every attempt raises, including retries.
    """

    def __init__(
        self, attempts: Iterator[Attempt] | None = None, *, body: Any = _SENT, error: Exception | None = None
    ) -> None:
        self._attempts = attempts
        self._body = body
        self._error = error

    @property
    def changes(self) -> bool:
        """Whether to send another body."""
        return self._body is not _SENT

    @property
    def body(self) -> Any:
        """The body to send instead."""
        return self._body

    def keep(self) -> None:
        """Let the attempts send the program's request, which contains the other body by now."""
        self._body = _SENT

    def attempt(self) -> HttpAnswer | None:
        """Return the outcome of the next attempt; None to make it.

        Raises:
            Exception: The call was refused, or this is the outcome of the attempt.
            RuntimeError: The controller has too few outcomes.
        """
        if self._error is not None:
            raise self._error
        if self._attempts is None:
            return None
        recorded = next(self._attempts, None)
        if recorded is None:
            raise RuntimeError("the controller's answer has fewer attempts than the client makes")
        if isinstance(recorded, Exception):
            raise recorded
        return recorded


def is_undecided(call: Call) -> bool:
    """Tell whether to ask a controller about a model call, unless it already decided on an enclosing one."""
    if control.controller is None or call.decision is not None:
        return False
    outer = next((each for each in enclosing("llm_generate") if each is not call and each.decision), None)
    if outer is not None:
        call.decision = outer.decision
    return outer is None


def decide(call: Call, body: Any) -> Decision:
    """Ask the controller about a model call, synchronously.

    Raises:
        Exception: The call is refused.
        TypeError: The controller's answer is not one of an HTTP endpoint.
    """
    try:
        ruling = control.ask_sync(_proposal(call, body), call.add)
        call.decision = _decision(ruling, body)
    except Exception as error:
        call.decision = Decision(error=error)
        raise
    return call.decision


async def decide_async(call: Call, body: Any) -> Decision:
    """Like `decide`, in a coroutine."""
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
