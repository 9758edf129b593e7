"""What a program did in a test, for the test to check."""

import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import Any, cast

from inspector import semconv as sc
from inspector.model import Event, ancestors
from inspector.testing.errors import CostUnknown, ProgramFailed
from inspector.toolnames import is_same_tool


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool."""

    name: str
    args: Any
    """A mapping if the tool takes its arguments by name."""
    result: Any = None
    """The result as JSON; None if it is not known, or if the call failed."""
    error: str | None = None
    """Why it failed."""


class Trace:
    """What was recorded of a program during a test.

    Args:
        events: Returns the spans so far, in the order they began; with costs if it is passed ``is_priced=True``.
        run: Runs a program, as `run` does.
    """

    def __init__(
        self,
        events: Callable[..., Sequence[Event]],
        run: Callable[[Sequence[str], Path | None], "subprocess.CompletedProcess[str]"],
    ) -> None:
        self._events = events
        self._run = run

    def run(
        self, *program: str | Path, cwd: Path | None = None, check: bool = True
    ) -> "subprocess.CompletedProcess[str]":
        """Run a program as ``inspector run`` would, and return its exit code and its output.

        Args:
            program: A Python file, ``-m`` and a module, or any command, and its arguments.
            cwd: The directory in which it runs; by default the root directory of pytest.
            check: Whether an exit code other than 0 fails the test.

        Raises:
            ProgramFailed: It failed; this is a `subprocess.CalledProcessError`.
            ProgramNotStarted: There is no such program.
        """
        __tracebackhide__ = True
        words = [str(word) for word in program]
        completed = self._run(words, cwd)
        if check and completed.returncode:
            raise ProgramFailed(completed.returncode, words, completed.stdout, completed.stderr)
        return completed

    @property
    def tools(self) -> list[str]:
        """The names of the tools that were called, in order; those that one answer requests, in the order it does."""
        return [call.name for call in self.calls()]

    def calls(self, name: str | None = None) -> list[ToolCall]:
        """Return the calls of a tool, or of all tools, in the order they were made.

        If nothing recorded them, as for a function that a loop calls itself, they are the calls that models requested.
        """
        return [call for call in _tool_calls(self._events()) if name in (None, call.name)]

    @property
    def is_concurrent(self) -> bool:
        """Whether a model was called during another model call, so that the order of calls may differ each time."""
        spans = sorted(
            (int(each.start_time_unix_nano), int(each.end_time_unix_nano or 0)) for each in _models(self._events())
        )
        ends = accumulate((ended for _, ended in spans), max)
        return any(begun < ended for (begun, _), ended in zip(spans[1:], ends, strict=False))

    @property
    def answer(self) -> str | None:
        """The text of the last model answer that requested no tool; None if there was none."""
        latest: str | None = None
        for event in _models(self._events()):
            parts = list(_parts(event, sc.OUTPUT_MESSAGES))
            texts = [str(part.get("content")) for part in parts if part.get("type") == "text"]
            done = {part.get("id") for part in parts if part.get("type") == "tool_call_response"}
            if texts and not any(part.get("type") == "tool_call" and part.get("id") not in done for part in parts):
                latest = "".join(texts)
        return latest

    @property
    def tokens(self) -> int:
        """Input and output tokens of all model calls together."""
        return sum((event.input_tokens or 0) + (event.output_tokens or 0) for event in _models(self._events()))

    @property
    def cost(self) -> float:
        """The cost of all model calls in US dollars, by the installed price list.

        Raises:
            CostUnknown: There is no price list, or a model is not on it.
        """
        try:
            import_module("genai_prices")
        except ImportError as error:
            install = 'pip install "mcp-agent-inspector[inspector]"'
            raise CostUnknown(f"trace.cost needs a price list: {install}") from error
        models = list(_models(self._events(is_priced=True)))
        unpriced = sorted({event.model or event.name for event in models if event.cost_usd is None})
        if unpriced:
            raise CostUnknown(f"no price is known for {', '.join(unpriced)}, or a call reported no tokens")
        return sum(event.cost_usd or 0.0 for event in models)

    @property
    def errors(self) -> list[str]:
        """The failed calls in the order they began: the name of each, and why it failed, as in ``inspector show``."""
        failed = (event for event in self._events() if event.status == "error")
        return [f"{event.name}: {_why(event)}" for event in failed]


def _tool_calls(events: Sequence[Event]) -> Iterator[ToolCall]:
    recorded = {event.span_id: event for event in _outermost(events, "tool")}
    recorded_calls = {_tool(event) for event in recorded.values()}
    results = dict(_results(events))
    models = {event.span_id for event in _models(events)}
    asked: list[dict[str, Any]] = []
    called: list[ToolCall] = []
    for event in events:
        if event.span_id in recorded:
            why = _why(event) if event.status == "error" else None
            called.append(ToolCall(_tool(event), _json(event.input), None if why else _json(event.output), why))
        elif event.span_id in models:
            yield from _as_asked(called, asked)
            called, asked = [], [part for part in _parts(event, sc.OUTPUT_MESSAGES) if part.get("type") == "tool_call"]
            for part in asked:
                if part.get("name") not in recorded_calls:
                    yield ToolCall(str(part.get("name")), part.get("arguments"), results.get(str(part.get("id"))))
    yield from _as_asked(called, asked)


def _as_asked(calls: Sequence[ToolCall], asked: Sequence[Mapping[str, Any]]) -> Sequence[ToolCall]:
    """Return the calls that follow an answer in the order in which it requests them, since threads begin them in any.

    They stay in the order they began if the answer does not request all of them.
    """
    left = dict(enumerate(asked))
    places: list[int] = []
    for call in calls:
        place = next((place for place, part in left.items() if _is_asked(call, part)), None)
        if place is None:
            return calls
        del left[place]
        places.append(place)
    return [call for _, call in sorted(zip(places, calls, strict=True), key=itemgetter(0))]


def _is_asked(call: ToolCall, part: Mapping[str, Any]) -> bool:
    name, arguments = str(part.get("name")), part.get("arguments")
    is_it = is_same_tool(call.name, name) or is_same_tool(name, call.name)
    return is_it and (_parsed(arguments) if isinstance(arguments, str) else arguments) == call.args


def _results(events: Iterable[Event]) -> Iterator[tuple[str, Any]]:
    """Yield the results of tools that models were sent, or got from their provider, by call id."""
    for event in _models(events):
        for part in (*_parts(event, sc.INPUT_MESSAGES), *_parts(event, sc.OUTPUT_MESSAGES)):
            if part.get("type") == "tool_call_response":
                response = part.get("response", part.get("result"))
                yield str(part.get("id")), _parsed(response) if isinstance(response, str) else response


def _models(events: Iterable[Event]) -> Iterator[Event]:
    return _outermost(events, "llm")


def _outermost(events: Iterable[Event], kind: str) -> Iterator[Event]:
    """Yield calls without duplicates below them: an SDK's call below a framework's."""
    every = list(events)
    by_id = {event.span_id: event for event in every}
    for event in every:
        if event.kind == kind and not any(_is_same(event, above) for above in ancestors(event, by_id)):
            yield event


def _is_same(event: Event, above: Event) -> bool:
    return above.kind == event.kind and (event.kind != "tool" or _tool(above) == _tool(event))


def _parts(event: Event, key: str) -> Iterator[dict[str, Any]]:
    attributes = _json(event.attributes)
    messages = _parsed(attributes.get(key)) if isinstance(attributes, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] - JSON
    for message in cast("list[Any]", messages) if isinstance(messages, list) else ():
        yield from (part for part in message.get("parts", ()) if isinstance(part, dict))


def _tool(event: Event) -> str:
    return event.tool or event.name


def _why(event: Event) -> str:
    error = event.error
    return ": ".join(filter(None, (error.name, error.message))) if error is not None else "failed"


def _json(raw: Any) -> Any:
    return json.loads(bytes(raw)) if raw else None


def _parsed(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text
