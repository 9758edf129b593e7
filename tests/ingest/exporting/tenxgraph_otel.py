# /// script
# requires-python = ">=3.12"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "10xgraph==0.10.3",
# ]
# ///
"""A graph of 10xgraph with a node that asks and a node of tools, at the level that has content."""

import asyncio

from exporting import exporting
from opentelemetry import trace
from tenxgraph.core.graph import StateGraph, ToolNode
from tenxgraph.core.state import AgentState, Message
from tenxgraph.core.state.message import TokenUsages
from tenxgraph.core.state.message_block import TextBlock, ToolCallBlock
from tenxgraph.runtime.publisher.otel_publisher import ObservabilityLevel, OtelPublisher
from tenxgraph.utils.constants import END


def weather(city: str) -> str:
    """Tells the weather."""
    return f"sunny in {city}"


def ask(state: AgentState) -> Message:
    usages = TokenUsages(prompt_tokens=20, completion_tokens=5, total_tokens=25)
    if any(message.role == "tool" for message in state.context):
        return Message(role="assistant", content=[TextBlock(text="It is sunny.")], usages=usages)
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Paris"}'}}
    return Message(
        role="assistant",
        content=[ToolCallBlock(id="call_1", name="weather", args={"city": "Paris"})],
        tools_calls=[call],
        usages=usages,
    )


def route(state: AgentState) -> str:
    return "tools" if state.context[-1].role == "assistant" and state.context[-1].tools_calls else END


async def main() -> None:
    graph = StateGraph(publisher=OtelPublisher(level=ObservabilityLevel.FULL))
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode([weather]))
    graph.add_conditional_edges("ask", route, {"tools": "tools", END: END})
    graph.add_edge("tools", "ask")
    graph.set_entry_point("ask")
    compiled = graph.compile()
    await compiled.ainvoke({"messages": [Message.text_message("How is the weather?")]}, {"thread_id": "session-1"})
    await compiled.aclose()


with exporting("10xgraph") as provider:
    trace.set_tracer_provider(provider)
    asyncio.run(main())
