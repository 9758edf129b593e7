"""The spans that the benchmarks of the store and of receivers write.

Ten-span agent traces (a workflow, two agents, three model calls that resend their history, three tools, one RPC) with
about 1.2 KB of attributes a span.
"""

import json
import random
from collections.abc import Iterator

from inspector.model import Span, SpanError

START_NS = 1_790_000_000_000_000_000
_BEGIN, _END = (
    ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe"),
    ("lor", "net", "sim", "tar", "vok", "wen", "zip"),
)
WORDS = [a + b + c for c in ("", *_END) for b in _END for a in _BEGIN] + [
    a + b + c for a in _BEGIN for b in _BEGIN for c in _END
]
WEIGHTS = [1 / (at + 1) for at in range(len(WORDS))]
"""Words are as unevenly spread as in real text (Zipf)."""


class Rows:
    """Seeded spans, the same for every run."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._at = 0
        self._words = self._random.choices(WORDS, WEIGHTS, k=200_000)

    def text(self, words: int) -> str:
        start = self._random.randrange(len(self._words) - words)
        return " ".join(self._words[start : start + words])

    def trace(self) -> list[Span]:
        self._at += 1
        r = self._random
        trace_id, session = f"{r.getrandbits(128):032x}", f"session-{self._at // 5:06d}"
        ids = [f"{r.getrandbits(64):016x}" for _ in range(10)]
        kinds = ("workflow", "agent", "agent", "llm", "tool", "llm", "tool", "llm", "tool", "rpc")
        parents = (None, 0, 0, 1, 1, 1, 1, 2, 2, 8)
        history = [{"role": "system", "content": self.text(60)}, {"role": "user", "content": self.text(60)}]
        spans: list[Span] = []
        for at, kind in enumerate(kinds):
            start = START_NS + self._at * 40_000_000 + at * 3_000_000
            attributes, fields = getattr(self, f"_{kind}")(history)
            bad = r.random() < 0.01
            spans.append(
                Span(
                    trace_id=trace_id,
                    span_id=ids[at],
                    parent_id=None if parents[at] is None else ids[parents[at]],
                    name=f"{kind} {r.randrange(20)}",
                    kind=kind,
                    status="error" if bad else "ok",
                    error=SpanError("TimeoutError", self.text(8)) if bad else None,
                    start_ns=start,
                    end_ns=start + r.randrange(1_000_000, 2_000_000_000),
                    session_id=session,
                    dialect="inspector/1",
                    service="bench",
                    agent=f"agent-{r.randrange(5)}",
                    attributes={"session.id": session, "inspector.call_id": ids[at], **attributes},
                    **fields,
                )
            )
        return spans

    def _workflow(self, _: list[dict[str, str]]) -> tuple[dict[str, object], dict[str, object]]:
        return {"mcp.workflow.input_json": json.dumps({"goal": self.text(40)})}, {
            "hook": "workflow_run",
            "input_key": "mcp.workflow.input_json",
        }

    def _agent(self, _: list[dict[str, str]]) -> tuple[dict[str, object], dict[str, object]]:
        return {"inspector.agent.input_json": json.dumps(self.text(30)), "gen_ai.agent.name": "a"}, {
            "hook": "agent_call",
            "input_key": "inspector.agent.input_json",
        }

    def _llm(self, history: list[dict[str, str]]) -> tuple[dict[str, object], dict[str, object]]:
        prompt = json.dumps(history)
        answer = {"role": "assistant", "content": self.text(60)}
        history += [answer, {"role": "user", "content": self.text(60)}]
        model = f"model-{self._random.randrange(4)}"
        tokens = self._random.randrange(100, 4000)
        return {
            "gen_ai.request.model": model,
            "gen_ai.response.model": model,
            "gen_ai.input.messages": prompt,
            "gen_ai.output.messages": json.dumps([answer]),
            "gen_ai.usage.input_tokens": tokens,
            "gen_ai.usage.output_tokens": 80,
        }, {
            "hook": "llm_generate",
            "model": model,
            "input_tokens": tokens,
            "output_tokens": 80,
            "cost_usd": tokens * 2e-6,
            "input_key": "gen_ai.input.messages",
            "output_key": "gen_ai.output.messages",
        }

    def _tool(self, _: list[dict[str, str]]) -> tuple[dict[str, object], dict[str, object]]:
        arguments, tool = json.dumps({"query": self.text(15)}), f"tool-{self._random.randrange(12)}"
        result = json.dumps({"result": self.text(20)})
        return {
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.arguments": arguments,
            "mcp.tool.input_json": arguments,
            "gen_ai.tool.call.result": result,
            "mcp.tool.output_json": result,
            "customer": f"customer-{self._random.randrange(5000)}",
        }, {
            "hook": "tool_call",
            "tool": tool,
            "input_key": "gen_ai.tool.call.arguments",
            "output_key": "gen_ai.tool.call.result",
        }

    def _rpc(self, _: list[dict[str, str]]) -> tuple[dict[str, object], dict[str, object]]:
        return {"mcp.method.name": "tools/call", "mcp.rpc.request_json": json.dumps({"params": self.text(30)})}, {
            "hook": "rpc_request",
            "input_key": "mcp.rpc.request_json",
        }

    def batches(self, rows: int, size: int) -> Iterator[list[Span]]:
        """Sixteen traces at a time, interleaved, as agents that run side by side write them."""
        waiting: list[Span] = []
        made = 0
        while made < rows:
            traces = [self.trace() for _ in range(16)]
            waiting += [span for spans in zip(*traces, strict=True) for span in spans]
            made += 160
            while len(waiting) >= size:
                yield waiting[:size]
                waiting = waiting[size:]
        if waiting:
            yield waiting
