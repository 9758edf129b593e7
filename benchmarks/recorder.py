"""What recording costs: one call, before and after, complete to the spool, against the plain OpenTelemetry SDK.

Both sides are measured in CPU time of the whole process (all threads), in turn, in one run. The SDK's side starts a
span, sets five attributes and ends it, with a batch processor and an exporter that does nothing; ours captures 500 B of
arguments and a result, makes the span, redacts, encodes and writes it to a file.

With ``--call model`` it is a model call whose history of 40 messages, 60 kB, is sent again and again with one more
question: the SDK's side has the JSON of that as an attribute. Ours also has the answer as its HTTP client got it,
unless there is ``--without-raw``.

    python benchmarks/recorder.py [--call tool] [--calls 5000] [--rounds 9] [--without-raw] [--json]
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Tracer

import inspector
import instrument
from inspector.record import Attachment

Emit = Callable[..., Awaitable[object]]
BUDGET = 1.5
ARGUMENTS = {
    "city": "Lisbon",
    "from": "2026-11-27",
    "to": "2026-11-29",
    "guests": 2,
    "near": ["old town", "river", "a station of the blue line"],
    "notes": "Quiet room, no ground floor, breakfast before eight, late arrival on the first evening is likely. " * 3,
    "max_price": 140.5,
}
HISTORY = 40
SAID = "How quiet the room is, which floor it is on and when breakfast begins was asked and answered at length. " * 14
HEADERS = {"content-type": "application/json", "x-request-id": "req_5f2b8c1d"}
RESULT = {"hotels": [{"name": "Casa do Rio", "price": 128}, {"name": "Pensão Alta", "price": 96}], "complete": True}


class NoExporter(SpanExporter):
    """Takes every batch and does nothing with it."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        return


def history(call: int) -> list[dict[str, str]]:
    """The messages of a call: those of the call before, less the oldest, with one more."""
    return [
        {"role": "user" if at % 2 else "assistant", "content": f"{at}: {SAID}"} for at in range(call, call + HISTORY)
    ]


def prompt(call: int) -> dict[str, object]:
    return {"model": "gpt-4.1", "temperature": 0.2, "messages": history(call)}


def answer(call: int) -> dict[str, object]:
    message = {"role": "assistant", "content": f"{call + HISTORY}: {SAID}"}
    usage = {"prompt_tokens": 15_000, "completion_tokens": 350}
    return {"id": f"r{call}", "model": "gpt-4.1", "choices": [{"message": message}], "usage": usage}


def sdk_tool(tracer: Tracer, call: int) -> None:
    with tracer.start_as_current_span("execute_tool find_hotels") as span:
        span.set_attribute("gen_ai.operation.name", "execute_tool")
        span.set_attribute("gen_ai.tool.name", "find_hotels")
        span.set_attribute("gen_ai.tool.call.id", str(call))
        span.set_attribute("gen_ai.tool.call.arguments", "x" * 500)
        span.set_attribute("gen_ai.tool.call.result", "y" * 100)


def sdk_model(tracer: Tracer, call: int) -> None:
    asked, answered = PROMPTS[call % len(PROMPTS)], ANSWERS[call % len(PROMPTS)]
    with tracer.start_as_current_span("chat gpt-4.1") as span:
        span.set_attribute("gen_ai.operation.name", "chat")
        span.set_attribute("gen_ai.request.model", "gpt-4.1")
        span.set_attribute("gen_ai.input.messages", json.dumps(asked["messages"]))
        span.set_attribute("gen_ai.output.messages", json.dumps(answered["choices"]))


async def our_tool(emit: Emit, call: int) -> None:
    call_id = str(call)
    await emit("before_tool_call", tool_name="find_hotels", args=ARGUMENTS, context=None, call_id=call_id)
    await emit("after_tool_call", tool_name="find_hotels", args=ARGUMENTS, result=RESULT, context=None, call_id=call_id)


async def our_model(emit: Emit, call: int) -> None:
    call_id = str(call)
    asked, answered = PROMPTS[call % len(PROMPTS)], ANSWERS[call % len(PROMPTS)]
    await emit("before_llm_generate", llm="gpt-4.1", prompt=asked, call_id=call_id)
    answer = {"response": answered, "usage": None, "exchanges": EXCHANGES[call % len(PROMPTS)]}
    await emit("after_llm_generate", llm="gpt-4.1", prompt=asked, call_id=call_id, **answer)


PROMPTS = [prompt(call) for call in range(200)]
ANSWERS = [answer(call) for call in range(200)]
EXCHANGES = [
    [{"end": "whole", "status": 200, "headers": HEADERS, "pieces": [json.dumps(each).encode()], "at_ns": []}]
    for each in ANSWERS
]
SDK = {"tool": sdk_tool, "model": sdk_model}
OURS = {"tool": our_tool, "model": our_model}


def sdk_round(provider: TracerProvider, call: str, calls: int) -> tuple[float, float]:
    tracer, make = provider.get_tracer("benchmark"), SDK[call]

    async def agent() -> None:
        for i in range(calls):
            make(tracer, i)
            if i % 200 == 199:
                await asyncio.sleep(0.001)

    cpu, caller = time.process_time(), time.thread_time()
    asyncio.run(agent())
    caller = time.thread_time() - caller
    provider.force_flush()
    return (time.process_time() - cpu) / calls, caller / calls


def first_call(recording: Attachment, call: str) -> float:
    """What a program pays once: its first call, whose record says of which packages and commit the program is."""
    cpu = time.process_time()
    asyncio.run(OURS[call](instrument._emit, -1))
    assert recording.flush(30), "the spool did not keep up"
    return time.process_time() - cpu


def our_round(recording: Attachment, call: str, calls: int) -> tuple[float, float]:
    make = OURS[call]

    async def agent() -> None:
        emit = instrument._emit
        for i in range(calls):
            await make(emit, i)
            if i % 200 == 199:
                await asyncio.sleep(0.001)

    cpu, caller = time.process_time(), time.thread_time()
    asyncio.run(agent())
    caller = time.thread_time() - caller
    assert recording.flush(30), "the spool did not keep up"
    return (time.process_time() - cpu) / calls, caller / calls


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--call", choices=SDK, default="tool")
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--without-raw", action="store_true", help="as with INSPECTOR_CAPTURE_RAW=false")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ["INSPECTOR_CAPTURE_RAW"] = str(not options.without_raw)
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(NoExporter(), max_queue_size=10 * options.calls))
    ours: list[tuple[float, float]] = []
    sdk: list[tuple[float, float]] = []
    once = 0.0
    with tempfile.TemporaryDirectory() as home:
        for turn in range(options.rounds + 1):
            sdk_cost = sdk_round(provider, options.call, options.calls)
            recording = inspector.attach(home=home)
            once = first_call(recording, options.call)
            our_cost = our_round(recording, options.call, options.calls)
            inspector.detach()
            if turn:
                sdk.append(sdk_cost)
                ours.append(our_cost)
        written = sum(path.stat().st_size for path in Path(home).rglob("*.jsonl"))
    ratio = statistics.median(a[0] / b[0] for a, b in zip(ours, sdk, strict=True))
    figures = {
        "ratio_to_sdk": round(ratio, 2),
        "budget": BUDGET,
        "ours_us": round(statistics.median(a for a, _ in ours) * 1e6, 1),
        "ours_caller_us": round(statistics.median(b for _, b in ours) * 1e6, 1),
        "sdk_us": round(statistics.median(a for a, _ in sdk) * 1e6, 1),
        "bytes_a_call": round(written / ((options.calls + 1) * (options.rounds + 1))),
        "first_call_ms": round(once * 1e3, 1),
    }
    if options.json:
        print(json.dumps(figures))
    else:
        print(f"one {options.call} call, before + after, complete to the spool; CPU of the whole process")
        for name, value in figures.items():
            print(f"  {name:16} {value}")
    return int(ratio > BUDGET)


if __name__ == "__main__":
    sys.exit(main())
