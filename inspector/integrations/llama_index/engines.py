"""Questions to query engines and chat engines, as workflows; one whose answer is a stream ends with that."""

from typing import Any, Final
from weakref import finalize

from inspector.integrations.calls import Call, Keywords, Named
from inspector.integrations.generators import Following, in_steps, opened_apart
from inspector.integrations.methods import reported_by


def _opened(engine: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    def describe() -> Keywords:
        question = args[0] if args else next(iter(kwargs.values()))
        text = getattr(question, "query_str", question)
        return {"workflow": Named(type(engine).__name__, workflow_type="query"), "input": text}

    return opened_apart("workflow_run", describe, emitter="llama_index")


def _answered(call: Call, response: Any) -> Any:
    stream = getattr(response, "response_gen", None) if hasattr(response, "response_txt") else None
    if stream is None:
        call.ended(lambda: {"result": str(response)})
        return response
    tokens: list[str] = []
    following = Following(call, tokens.append, lambda: call.ended(lambda: {"result": "".join(tokens)}))
    response.response_gen = in_steps(stream, lambda: following)
    finalize(response.response_gen, call.abandoned)
    return response


asked: Final = reported_by(_opened, _answered)
"""Reports each question."""
