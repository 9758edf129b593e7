"""A run, its replays, and a run that cannot be replayed, generated; with fixed times, the same in every run."""

import json
from collections.abc import Iterator

from stories import MINUTE, message, model_call

from inspector.model import Span

ANSWER = json.dumps([{"status": 200, "headers": {"content-type": "application/json"}, "text": ["{}"]}])
ORIGINAL, AGAIN, LATEST, CUT = "trip-original", "trip-again", "trip-latest", "trip-cut"


def call(
    run: str, number: int, asked: str, start_ms: float, *, trace: int, exchanges: str | None = ANSWER, **attributes: str
) -> Span:
    """A model call as the recorder has it of the SDK of OpenAI."""
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": asked}]}
    held = {"inspector.emitter": "openai", "mcp.llm.prompt_json": json.dumps(body)}
    raw = {} if exchanges is None else {"inspector.raw.exchanges": exchanges}
    return model_call(
        f"{trace:032x}",
        number,
        [message("user", asked)],
        message("assistant", "Lisbon."),
        run=run,
        start_ms=start_ms,
        attributes=held | raw | attributes,
    )


def replayed_runs() -> Iterator[Span]:
    """Yields a run of two calls, two replays of it, and a run with a call that is in the way of one."""
    program = json.dumps({"argv": ["trip.py"], "directory": "/work"})
    of_original = {"inspector.replay.run": ORIGINAL}
    yield call(ORIGINAL, 1, "Where is it warm?", 0, trace=1, **{"inspector.raw.program": program})
    yield call(ORIGINAL, 2, "And the train?", 10, trace=1)
    yield call(AGAIN, 1, "Where is it warm?", MINUTE, trace=2, **of_original)
    yield call(LATEST, 1, "Where is it warm now?", 2 * MINUTE, trace=3, **of_original)
    yield call(CUT, 1, "Where is it cold?", 3 * MINUTE, trace=4)
    yield call(CUT, 2, "And the bus?", 3 * MINUTE + 10, trace=4, exchanges=None)
