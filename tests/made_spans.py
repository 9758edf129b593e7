"""Spans as several programs would record them, made from a seed: with starts, repeats, duplicates and gaps."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from inspector.model import STATUSES, Span, SpanError

SERVERS = ("desk", "shop")
BASE_NS = 1_790_000_000_000_000_000
MS = 1_000_000
ONE, OTHER = "langchain", "openai"
ANSWER = "gen_ai.response.id"
WORDS = ("anchor", "basil", "copper", "delta", "ember")
ERRORS = ("ValueError", "app.errors.Timeout", "other.Timeout", "tool_error")
MODELS, TOOLS, AGENTS, SERVICES = (
    ("m1", "m2", "m2-2026"),
    ("search", "pay", "clock"),
    ("writer", "critic"),
    ("web", "api"),
)


@dataclass
class Made:
    """What was made."""

    batches: list[list[Span]]
    """As they arrive."""
    spans: dict[tuple[str, str], Span] = field(default_factory=dict)
    """What each is in the end."""
    folded: dict[tuple[str, str], str] = field(default_factory=dict)
    """Duplicates, each with the span id of its call."""


def begin_of(number: int) -> int:
    """When a trace began: one every twenty minutes, and a day later from the eighth on."""
    return BASE_NS + (number * 1_200 + number // 8 * 86_400) * 1_000 * MS


def make(seed: int, traces: int = 16) -> Made:
    """Makes the spans of some traces, always the same ones for a seed."""
    rng = random.Random(seed)
    made = Made([])
    for number in range(traces):
        _add_trace(rng, made, f"{seed:04x}{number:028x}", begin_of(number))
    records = list(made.spans.values())
    records += [_start_of(span) for span in records if span.status != "running" and rng.random() < 0.4]
    records += [span for span in made.spans.values() if rng.random() < 0.15]
    rng.shuffle(records)
    while records:
        size = rng.randint(1, 15)
        made.batches.append(records[:size])
        del records[:size]
    return made


def _add_trace(rng: random.Random, made: Made, trace_id: str, start_ns: int) -> None:
    session = rng.choice((None, None, "s1", "s2", "s3"))
    run = rng.choice((None, None, "r1", "r2", f"block-{trace_id[-2:]}"))
    common = {
        "trace_id": trace_id,
        "service": rng.choice(SERVICES),
        "run": run,
        "process": f"20261122T120000-17-{rng.choice('ab') * 8}" if run else None,
    }
    is_rootless = rng.random() < 0.2
    members: list[Span] = []
    for at in range(rng.randint(1, 9)):
        parent = rng.choice(members) if members else None
        begin_ns = start_ns + at * 40 * MS + rng.randint(0, 3) * MS
        named = session if rng.random() < 0.6 else rng.choice((None, None, None, "s2"))
        span = _make_span(rng, at, begin_ns, session_id=named, **common)
        if parent is not None:
            span = replace(span, parent_id=parent.span_id)
        elif is_rootless:
            span = replace(span, parent_id="f" * 16)
        elif run and run.startswith("block"):
            span = replace(span, hook="run")
        if int(trace_id[4:], 16) % 5 == 3:
            replayed = {"inspector.replay.run": "r1", **({"inspector.replay.live": True} if at == 2 else {})}
            span = replace(span, attributes={**span.attributes, **replayed})
        if span.kind == "llm" and at % 2:
            span = replace(span, attributes={**span.attributes, ANSWER: f"msg_{at}"})
        members.append(span)
        if span.kind == "llm" and span.status == "ok" and span.input_tokens:
            members.append(_duplicate_of(span, at))
            made.folded[trace_id, members[-1].span_id] = span.span_id
    made.spans.update({(span.trace_id, span.span_id): span for span in members})


def _make_span(rng: random.Random, at: int, start_ns: int, **common) -> Span:
    kind = rng.choice(("agent", "workflow") if at == 0 else ("llm", "llm", "tool", "tool", "agent", "rpc", "other"))
    status = rng.choices(STATUSES, (2, 13, 4, 1, 1, 1, 1))[0]
    ended = status not in ("running", "lost")
    attributes: dict[str, object] = {"inspector.emitter": ONE, "shade": rng.choice(WORDS), "level": rng.randint(1, 3)}
    span = Span(
        span_id=f"{at + 1:016x}",
        name=f"{kind} {rng.choice(WORDS)}",
        kind=kind,
        status=status,
        start_ns=start_ns,
        end_ns=start_ns + rng.randint(0, 30) * MS if ended else None,
        error=SpanError(rng.choice(ERRORS), f"it broke: {rng.choice(WORDS)}") if status == "error" else None,
        dialect="inspector/1",
        events=({"name": "note", "time_unix_nano": str(start_ns), "attributes": {"k": 1}},)
        if rng.random() < 0.2
        else (),
        links=({"trace_id": "1" * 32, "span_id": "2" * 16, "attributes": {}},) if rng.random() < 0.1 else (),
        **common,
    )
    if kind == "llm":
        tokens = rng.choice((None, 0, 7, 11, 1000 + at))
        cost_usd = rng.choice((None, 0.0, 0.25, 0.001)) if tokens is not None else None
        model = rng.choice(MODELS)
        if rng.random() < 0.3:
            attributes["gen_ai.request.model"] = "m1"
        span = replace(
            span,
            model=model,
            input_tokens=tokens,
            output_tokens=tokens and 5,
            cached_tokens=tokens and 2,
            cost_usd=cost_usd,
        )
    if kind == "tool":
        tool = rng.choice(TOOLS)
        attributes["gen_ai.tool.name"] = tool
        if at % 3:
            attributes["inspector.tool.server"] = SERVERS[at % 2]
        attributes["gen_ai.tool.call.arguments"] = json.dumps({"city": rng.choice(WORDS), "rows": [{"id": at}]})
        attributes["gen_ai.tool.call.result"] = f"{rng.choice(WORDS)} was found"
        span = replace(
            span,
            tool=tool,
            hook="tool_call",
            input_key="gen_ai.tool.call.arguments",
            output_key="gen_ai.tool.call.result",
        )
    if kind == "agent":
        attributes["gen_ai.input"] = f"please do {rng.choice(WORDS)} number {at}"
        attributes["gen_ai.output"] = f"done with {rng.choice(WORDS)}"
        span = replace(span, agent=rng.choice(AGENTS), input_key="gen_ai.input", output_key="gen_ai.output")
    return replace(span, attributes=attributes)


def _duplicate_of(span: Span, at: int) -> Span:
    """What another recorder says of a model call, from inside of it, or next to it with the same answer."""
    kept = {key: value for key, value in span.attributes.items() if key.startswith(("inspector.replay.", ANSWER))}
    attributes = {"inspector.emitter": OTHER, "shade": "inner", **kept}
    parent_id = span.parent_id if ANSWER in kept else span.span_id
    return replace(
        span, span_id=f"{at + 1:08x}{'d' * 8}", parent_id=parent_id, attributes=attributes, name="chat", hook=None
    )


def _start_of(span: Span) -> Span:
    """What is known of a span while it runs."""
    return replace(
        span,
        status="running",
        end_ns=None,
        error=None,
        input_tokens=None,
        output_tokens=None,
        cached_tokens=None,
        cost_usd=None,
    )


def spans_of(batches: Sequence[Sequence[Span]]) -> list[Span]:
    """Every record, in order."""
    return [span for batch in batches for span in batch]
