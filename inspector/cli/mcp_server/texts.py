"""Recorded values as text for an answer: spans on one line each, messages and values in full."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from inspector.cli.output import figures, status
from inspector.cli.output.operation import shown_name
from inspector.cli.output.visible import visible, visible_lines
from inspector.lookup import SHORT_ID
from inspector.model import Event, LargeField, SpanError, decoded_field
from inspector.reading.call_messages import messages_of

_MOST_NAME = 100
_MOST_MESSAGE = 160
_WHOLE_ID = 16
_JSON = msgspec.json.Encoder(decimal_format="number")

WITHOUT_CONTENT: Final = "Prompts, answers, arguments, results and error messages are left out (--no-content)."


def one_line(text: str, most: int) -> str:
    """Return the beginning of a recorded text on one line."""
    # Cut first: a text may have megabytes.
    line = visible(" ".join(text[: most * 4].split()))
    return line if len(line) <= most and len(text) <= most * 4 else f"{line[: most - 1]}…"


def shortened(text: str, most: int) -> str:
    """Return the beginning and the end of a long text; errors say the most at their ends."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"


def shown(text: str) -> str:
    """Return recorded text with invisible characters as symbols; lines stay lines."""
    return "\n".join(visible_lines(text))


def short_ids(ids: Iterable[str]) -> Mapping[str, str]:
    """Return the shortest beginnings, all of one length, that tell these ids apart; rows without a span have none."""
    spans = {each for each in ids if "-" not in each}
    length = SHORT_ID
    while length < _WHOLE_ID and len({each[:length] for each in spans}) < len(spans):
        length += 1
    return {each: each[:length] for each in spans}


def name_of_call(event: Event) -> str:
    """Return the name of a span without its kind, which stands beside it, and with the tool or agent that it lacks."""
    called = {"tool": event.tool, "agent": event.agent}.get(event.kind)
    name = shown_name(event.name).removeprefix(f"{event.kind} ")
    return one_line(f"{name} {called}" if called and called not in event.name else name, _MOST_NAME)


def error_of(error: SpanError | None, *, content: bool, most: int = _MOST_MESSAGE) -> str:
    """Return the type of an error and its message on one line; without content, only its type."""
    if error is None:
        return ""
    message = one_line(error.message or "", most) if content else ""
    return ": ".join(filter(None, (one_line(error.name or "", _MOST_NAME), message)))


def span_line(event: Event, *, span_id: str, content: bool, notes: Sequence[str] = (), with_error: bool = True) -> str:
    """Write a span on one line: id, kind, name, status unless it is ok, duration, tokens, cost, error."""
    tokens = figures.tokens(event.input_tokens, event.output_tokens)
    parts = (
        span_id,
        event.kind,
        name_of_call(event),
        status.word(event.status),
        figures.duration(event.duration_ms),
        f"{tokens} tok" if tokens else "",
        figures.cost(event.cost_usd),
        *notes,
        error_of(event.error, content=content) if with_error else "",
    )
    return "  ".join(filter(None, parts))


def value_text(recorded: LargeField) -> str:
    """Return a recorded value as text: a string as it is, anything else as indented JSON."""
    value = decoded_field(recorded)
    if value is None or not isinstance(recorded, msgspec.Raw):
        return ""
    return shown(value if isinstance(value, str) else msgspec.json.format(bytes(recorded), indent=1).decode())


def input_texts(event: Event) -> list[str]:
    """Return each message of a model call's input, or the arguments of another call, as text."""
    messages = messages_of(event)["input"] if event.kind in ("llm", "agent", "workflow") else []
    return [_message(each) for each in messages] or list(filter(None, (value_text(event.input),)))


def output_texts(event: Event) -> list[str]:
    """Return the messages of an answer, or the result of another call, as text."""
    messages = messages_of(event)["output"] if event.kind != "rpc" else []
    return [_message(each) for each in messages] or list(filter(None, (value_text(event.output),)))


def new_messages(event: Event) -> list[str]:
    """Return the messages of a model call that follow the last answer in its input: what it was told since."""
    messages = messages_of(event)["input"]
    last = max((at for at, each in enumerate(messages) if each["role"] == "assistant"), default=-1)
    return [_message(each) for each in messages[last + 1 :]]


def _message(message: Mapping[str, Any]) -> str:
    role = one_line(str(message["role"]), _MOST_NAME)
    return f"{role}: {shown(chr(10).join(_parts(message['parts'])))}"


def _parts(parts: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for part in parts:
        match part.get("type"):
            case "text":
                yield str(part["content"])
            case "reasoning":
                yield f"(reasoning) {part['content']}"
            case "tool_call":
                yield f"(calls {part['name']}) {_plain(part['arguments'])}"
            case "tool_call_response":
                yield f"({'failed' if part.get('is_error') else 'result'}) {_plain(part['response'])}"
            case "json" | "structured":
                yield _plain(part.get("content"))
            case kind:
                yield f"({kind})"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else _JSON.encode(value).decode()
