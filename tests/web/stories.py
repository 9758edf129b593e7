"""Generated recordings: many runs, odd trees, long traces. Seeded and with fixed times, the same in every run."""

import json
import random
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from inspector import semconv
from inspector.model import KINDS, STATUSES, Kind, Span, SpanError, Status

START_NS = 1_790_000_000_000_000_000
"""2026-09-21 14:13:20 UTC."""
MS = 1_000_000
MINUTE = 60_000
HOOKS: dict[Kind, str | None] = {
    "workflow": "workflow_run",
    "agent": "agent_call",
    "llm": "llm_generate",
    "tool": "tool_call",
    "rpc": "rpc_request",
    "resource": "resource_fetch",
    "prompt": "prompt_apply",
    "other": None,
}

ORPHANS, CYCLE, DEEP, WIDE, ROOTS, SKEW, STATES, LONG, TWICE = (f"{number:032x}" for number in range(0xA1, 0xAA))
"""Ids of the traces of ``odd_trees``, ``kinds_and_statuses``, ``long_trace`` and ``told_twice``."""
TRACEBACK = """Traceback (most recent call last):
  File "/app/desk.py", line 41, in book
    return await self.client.post(url, json=room)
  File "/app/client.py", line 12, in post
    raise TimeoutError(f"no answer from {url}")
TimeoutError: no answer from https://hotel.example/rooms
"""


def span_of(
    trace_id: str, number: int, kind: Kind = "tool", *, start_ms: float = 0, took_ms: float | None = 1, **fields: Any
) -> Span:
    """A span whose id and place in time follow from its numbers; ``took_ms`` None: it has no end."""
    start_ns = START_NS + int(start_ms * MS)
    given: dict[str, Any] = {
        "trace_id": trace_id,
        "span_id": f"{int(trace_id[-8:], 16) << 32 | number:016x}",
        "name": f"{kind} {number}",
        "kind": kind,
        "status": "ok",
        "start_ns": start_ns,
        "end_ns": None if took_ms is None else start_ns + int(took_ms * MS),
        "hook": HOOKS[kind],
        "dialect": "inspector/1",
        "service": "stories",
    }
    parent = fields.pop("parent", None)
    if parent is not None:
        given["parent_id"] = f"{int(trace_id[-8:], 16) << 32 | parent:016x}"
    return Span(**(given | fields))


def message(role: str, text: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": [*([{"type": "text", "content": text}] if text else []), *parts]}


def model_call(
    trace_id: str,
    number: int,
    asked: list[dict[str, Any]],
    answer: dict[str, Any],
    model: str = "gpt-4.1",
    **fields: Any,
) -> Span:
    tokens = sum(len(json.dumps(each)) for each in asked) // 4
    attributes = {
        semconv.REQUEST_MODEL: model,
        semconv.RESPONSE_MODEL: model,
        semconv.PROVIDER_NAME: "openai",
        semconv.REQUEST_TEMPERATURE: 0.2,
        semconv.INPUT_MESSAGES: json.dumps(asked),
        semconv.OUTPUT_MESSAGES: json.dumps([answer]),
        semconv.USAGE_INPUT_TOKENS: tokens,
        semconv.USAGE_OUTPUT_TOKENS: 40,
        **fields.pop("attributes", {}),
    }
    return span_of(
        trace_id,
        number,
        "llm",
        name=f"chat {model}",
        model=model,
        input_tokens=tokens,
        output_tokens=40,
        cached_tokens=tokens // 2,
        cost_usd=tokens * 2e-6 + 0.0003,
        input_key=semconv.INPUT_MESSAGES,
        output_key=semconv.OUTPUT_MESSAGES,
        attributes=attributes,
        **fields,
    )


def tool_call(trace_id: str, number: int, tool: str, arguments: Any = None, result: Any = None, **fields: Any) -> Span:
    attributes = {
        semconv.TOOL_NAME: tool,
        semconv.TOOL_CALL_ARGUMENTS: json.dumps(arguments or {"query": f"{tool} {number}"}),
        semconv.TOOL_CALL_RESULT: json.dumps(result or {"found": number}),
        **fields.pop("attributes", {}),
    }
    return span_of(
        trace_id,
        number,
        "tool",
        name=f"execute_tool {tool}",
        tool=tool,
        input_key=semconv.TOOL_CALL_ARGUMENTS,
        output_key=semconv.TOOL_CALL_RESULT,
        attributes=attributes,
        **fields,
    )


LOOP = "loop-run"
"""The run of hand-written loops."""


def wants(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    """The part of an answer that asks for a tool."""
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def gave(call_id: str, text: str) -> dict[str, Any]:
    """The message with a tool's result."""
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": call_id, "response": text}]}


def loop_spans(number: int, question: str, start_ms: float) -> Iterator[Span]:
    """A loop of three model calls, each a trace of its own: the second tool fails, and the model goes on."""
    talk = [message("user", question)]
    answers = [
        message("assistant", "", wants("c1", "get_invoice", id=1137)),
        message("assistant", "", wants("c2", "send_mail", to="ann")),
        message("assistant", "It is sent."),
    ]
    results = [gave("c1", "84932.86"), gave("c2", "KeyError: 'ann'")]
    for at, answer in enumerate(answers):
        trace_id = f"{0x10000 + 16 * number + at:032x}"
        span = model_call(trace_id, 1, talk, answer, start_ms=start_ms + 200 * at, took_ms=100)
        yield replace(span, run=LOOP, service="mailer")
        talk = [*talk, answer, *results[at : at + 1]]


CROWDED = "crowded-run"
"""The run of a conversation that one tool's result fills."""


def crowded_spans(turns: int = 12, large: int = 7) -> Iterator[Span]:
    """A loop of model calls under a system text; what a tool gives before one of them is as long as all the rest."""
    talk = [message("system", "You keep the books. " * 20), message("user", "Check every invoice.")]
    for at in range(turns):
        name = "read_file" if at == large - 1 else "get_invoice"
        answer = message("assistant", f"Next is {at}.", wants(f"c{at}", name, id=at))
        yield replace(
            model_call(f"{0x30000 + at:032x}", 1, talk, answer, start_ms=3000 + 200 * at, took_ms=100),
            run=CROWDED,
            service="books",
        )
        talk = [*talk, answer, gave(f"c{at}", f"Invoice {at}: paid. " * (400 if at == large - 1 else 4))]


WORKFLOWS = ("answer_mail", "weekly_report", "triage_ticket", "research_topic", "refund_order")
AGENTS = ("planner", "researcher", "writer", "reviewer")
MODELS = ("gpt-4.1", "gpt-4.1-mini", "claude-sonnet-4-5")
TOOLS = ("search", "read_file", "send_mail", "query_orders", "fetch_page")
FAILURES = (
    ("TimeoutError", "no answer from https://hotel.example/rooms"),
    ("ValidationError", "1 validation error for Order: amount must be positive"),
    ("tool_error", "the mail server refused the recipient"),
)


def run_spans(number: int, start_ms: float, seed: int = 11) -> list[Span]:
    """A program's execution: a workflow, an agent that asks its model and calls tools in turn; every fifth fails."""
    r = random.Random(seed * 1_000_003 + number)
    trace_id, session = f"{0xC0000000 + number:032x}", f"session-{number // 4:04d}"
    agent, workflow = AGENTS[number % len(AGENTS)], WORKFLOWS[number % len(WORKFLOWS)]
    common: dict[str, Any] = {"session_id": session, "service": f"service-{number % 3}", "run": f"run-{number:04d}"}
    fails = number % 5 == 4
    spans: list[Span] = []
    history = [message("system", f"You are the {agent}."), message("user", f"Do {workflow} number {number}.")]
    at = start_ms + 5
    for turn in range(r.randrange(1, 4)):
        took = r.uniform(200, 1500)
        answer = message("assistant", f"I call {TOOLS[turn]} next.")
        model = MODELS[number % len(MODELS)]
        spans.append(
            model_call(
                trace_id,
                10 + turn * 2,
                history,
                answer,
                model,
                parent=1,
                start_ms=at,
                took_ms=took,
                agent=agent,
                **common,
            )
        )
        history = [*history, answer, message("user", f"Go on, turn {turn}.")]
        at += took + 3
        took = r.uniform(20, 900)
        spans.append(
            tool_call(
                trace_id,
                11 + turn * 2,
                TOOLS[(number + turn) % 5],
                parent=1,
                start_ms=at,
                took_ms=took,
                agent=agent,
                **common,
            )
        )
        at += took + 3
    error = None
    if fails:
        kind, text = FAILURES[number // 5 % 3]
        error = SpanError(kind, text, TRACEBACK if kind == "TimeoutError" else None)
        failed = spans.pop()
        spans.append(
            tool_call(
                trace_id,
                3,
                failed.tool or "",
                parent=1,
                start_ms=at - 300,
                took_ms=290,
                agent=agent,
                status="error",
                error=error,
                **common,
            )
        )
    state: Status = "error" if fails else "ok"
    inner = {"status": state, "error": error, **common}
    whole = at - start_ms + 5
    root = span_of(
        trace_id, 0, "workflow", name=f"invoke_workflow {workflow}", start_ms=start_ms, took_ms=whole, **inner
    )
    above = span_of(
        trace_id,
        1,
        "agent",
        name=f"invoke_agent {agent}",
        agent=agent,
        parent=0,
        start_ms=start_ms + 2,
        took_ms=whole - 4,
        **inner,
    )
    return [root, above, *spans]


def many_runs(count: int, *, apart_ms: float = 7 * MINUTE) -> Iterator[Span]:
    """Runs one after the other, the last one begun at ``START_NS``."""
    for number in range(count):
        yield from run_spans(number, -(count - 1 - number) * apart_ms)


def odd_trees() -> Iterator[Span]:
    """Traces that no well-behaved program makes."""
    yield span_of(ORPHANS, 1, name="orphan whose parent is missing", parent=99, took_ms=5)
    yield span_of(ORPHANS, 2, name="child of the orphan", parent=1, start_ms=1, took_ms=3)
    yield span_of(CYCLE, 1, name="first of the circle", parent=2, took_ms=5)
    yield span_of(CYCLE, 2, name="second of the circle", parent=1, start_ms=1, took_ms=5)
    yield span_of(CYCLE, 3, name="its own parent", parent=3, start_ms=2, took_ms=5)
    for depth in range(1000):
        yield span_of(
            DEEP,
            depth + 1,
            "agent",
            name=f"level {depth}",
            parent=depth or None,
            start_ms=depth,
            took_ms=2000 - 2 * depth,
        )
    yield span_of(WIDE, 1, "workflow", name="invoke_workflow wide", took_ms=3000)
    for number in range(3000):
        yield span_of(WIDE, number + 2, name=f"execute_tool t{number}", parent=1, start_ms=number, took_ms=0.9)
    for number in range(5):
        yield span_of(ROOTS, number + 1, "agent", name=f"root {number}", start_ms=number * 10, took_ms=8)
    yield span_of(SKEW, 1, "workflow", name="invoke_workflow skewed", start_ms=100, took_ms=50)
    yield span_of(SKEW, 2, name="begins before its parent", parent=1, start_ms=20, took_ms=60)
    yield span_of(SKEW, 3, name="ends before it begins", parent=1, start_ms=120, took_ms=-40)
    yield span_of(SKEW, 4, name="has no length", parent=1, start_ms=130, took_ms=0)


def kinds_and_statuses() -> Iterator[Span]:
    """One trace with every kind in every status."""
    yield span_of(STATES, 1, "workflow", name="invoke_workflow states", took_ms=1000, session_id="states")
    number = 1
    for kind in KINDS:
        for status in STATUSES:
            number += 1
            ends = status not in ("running", "lost")
            error = SpanError("DeskError", f"the {kind} failed", TRACEBACK) if status == "error" else None
            yield span_of(
                STATES,
                number,
                kind,
                name=f"{kind} that is {status}",
                parent=1,
                start_ms=number * 10,
                took_ms=30 if ends else None,
                status=status,
                error=error,
                session_id="states",
                agent="stateful" if kind in ("agent", "llm", "tool") else None,
                model="gpt-4.1" if kind == "llm" else None,
                tool="stateful_tool" if kind == "tool" else None,
            )


def told_twice() -> Iterator[Span]:
    """A framework over an instrumented SDK: three model calls and a tool call, each told of by two spans."""
    asked, answer = [message("user", "Where to?")], message("assistant", "Lisbon it is.")
    planner: dict[str, Any] = {"agent": "planner", "dialect": "openinference/1"}
    sdk: dict[str, Any] = {"dialect": "gen_ai/2", "attributes": {"otel.scope.name": "sdk", "otel.scope.version": "2.4"}}
    yield span_of(TWICE, 1, "agent", name="invoke_agent planner", took_ms=100, **planner)
    executor = {"otel.scope.name": "executor"}
    yield span_of(
        TWICE, 2, "agent", name="AgentExecutor", parent=1, start_ms=1, took_ms=98, attributes=executor, **planner
    )
    for number, start_ms in ((3, 2), (5, 30)):
        yield model_call(TWICE, number, asked, answer, parent=2, start_ms=start_ms, took_ms=20, **planner)
        yield model_call(TWICE, number + 1, asked, answer, parent=number, start_ms=start_ms + 1, took_ms=18, **sdk)
    # The framework does not know what this one used.
    yield span_of(TWICE, 7, "llm", name="generate", parent=2, start_ms=55, took_ms=20, **planner)
    yield model_call(TWICE, 8, asked, answer, parent=7, start_ms=56, took_ms=18, **sdk)
    yield tool_call(TWICE, 9, "desk__weather", parent=2, start_ms=80, took_ms=15, **planner)
    came_in = {semconv.SEED_RPC_DIRECTION: "inbound"}
    yield span_of(TWICE, 10, "rpc", name="tools/call weather", parent=9, start_ms=81, took_ms=13, attributes=came_in)
    yield tool_call(TWICE, 11, "weather", parent=10, start_ms=82, took_ms=10)


def long_trace(count: int, trace_id: str = LONG) -> Iterator[Span]:
    """A workflow of many agents that each ask a model and call eight tools; one tool in 500 fails."""
    yield span_of(trace_id, 1, "workflow", name="invoke_workflow long", took_ms=count * 2)
    number, agent = 2, 0
    while number <= count:
        agent, place = number, number
        yield span_of(
            trace_id,
            agent,
            "agent",
            name=f"invoke_agent worker-{agent % 7}",
            agent=f"worker-{agent % 7}",
            parent=1,
            start_ms=place * 2,
            took_ms=19,
        )
        for step in range(1, 10):
            if (number := agent + step) > count:
                return
            failed = number % 500 == 0
            yield span_of(
                trace_id,
                number,
                "llm" if step == 1 else "tool",
                name="chat gpt-4.1" if step == 1 else f"execute_tool tool-{number % 11}",
                model="gpt-4.1" if step == 1 else None,
                tool=None if step == 1 else f"tool-{number % 11}",
                input_tokens=900 if step == 1 else None,
                output_tokens=40 if step == 1 else None,
                cost_usd=0.002 if step == 1 else None,
                parent=agent,
                start_ms=place * 2 + step * 2,
                took_ms=1.8,
                status="error" if failed else "ok",
                error=SpanError("TimeoutError", f"call {number} took too long") if failed else None,
            )
        number += 1
