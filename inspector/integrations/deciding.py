"""Asks the controller about model calls over HTTP."""

import json
from collections.abc import Sequence
from typing import Any, cast

from inspector.integrations.calls import Call, enclosing
from inspector.integrations.decision import Attempt, Decision
from inspector.integrations.plain import is_fields
from instrument import control
from instrument.control import HttpAnswer


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
