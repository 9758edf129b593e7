"""Graphs and agents of LangGraph and LangChain: tools of every kind, side by side, a retriever, an interrupt."""

from __future__ import annotations

import asyncio
import os
import warnings
from typing import Annotated, Any

from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.messages import ToolMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool, InjectedToolCallId, Tool, ToolException, tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode, tools_condition
from langgraph.types import Command, interrupt

IS_RECORDED = "REPLAYED" not in os.environ
model = ChatOpenAI(model="gpt-4o")


@tool
def find(city: str, beds: int = 1) -> dict[str, Any]:
    """Find rooms."""
    assert IS_RECORDED
    return {"hotel": f"Casa {city}", "beds": beds}


@tool(response_format="content_and_artifact")
async def photo(place: str) -> tuple[str, bytes]:
    """Take a photo."""
    assert IS_RECORDED
    return f"a photo of {place}", b"\xff\xd8"


@tool
def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise KeyError(why)


def rules(topic: str) -> str:
    assert IS_RECORDED
    raise ToolException(f"no rules on {topic}")


@tool
def note(text: str, state: Annotated[Any, InjectedState], call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Take a note."""
    assert IS_RECORDED
    return Command(
        update={
            "messages": [
                ToolMessage(
                    f"noted {text} of {len(state['messages'])}",
                    tool_call_id=call_id,
                    response_metadata={"at": "the desk"},
                )
            ]
        }
    )


@tool
def pay(amount: int) -> str:
    """Pay."""
    assert IS_RECORDED
    return f"paid {amount}: {interrupt({'amount': amount})}"


class Weather(BaseTool):
    name: str = "weather"
    description: str = "Tell the weather."

    def _run(self, city: str) -> str:
        assert IS_RECORDED
        return f"sun in {city}"


class Shelf(BaseRetriever):
    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
        assert IS_RECORDED
        return [Document(page_content=f"on {query}", metadata={"page": 3})]


tools = [
    find,
    photo,
    note,
    pay,
    Weather(),
    Tool("rules", rules, "Tell the rules.", handle_tool_error=True),
]
agent = create_agent(model, tools, name="planner", checkpointer=InMemorySaver())


def looked_up(state: MessagesState) -> dict[str, Any]:
    (found,) = Shelf().invoke(str(state["messages"][0].content))
    return {"messages": [("system", f"{found.page_content}, page {found.metadata['page']}")]}


def asked(state: MessagesState) -> dict[str, Any]:
    return {"messages": [model.bind_tools([find, fail]).invoke(state["messages"])]}


def graph() -> Any:
    built = StateGraph(MessagesState)
    built.add_node("looked_up", looked_up)
    built.add_node("asked", asked)
    built.add_node("tools", ToolNode([find, fail], handle_tool_errors=True))
    built.add_edge(START, "looked_up")
    built.add_edge("looked_up", "asked")
    built.add_conditional_edges("asked", tools_condition, {"tools": "tools", END: END})
    built.add_edge("tools", "asked")
    return built.compile(name="loop")


def show(state: dict[str, Any]) -> None:
    for message in state["messages"]:
        print(message.type, message.content, getattr(message, "status", None), getattr(message, "artifact", None))
        print(message.response_metadata if message.type == "tool" else "")


def on(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


async def main() -> None:
    turn = '!call find {"city": "Rome", "beds": 2}\n!call photo {"place": "Rome"}\n!call weather {"city": "Rome"}'
    show(await agent.ainvoke({"messages": [("user", turn)]}, on("a")))
    show(await agent.ainvoke({"messages": [("user", '!call rules {"__arg1": "smoking"}')]}, on("b")))
    async for kind, _ in agent.astream({"messages": [("user", "say it")]}, on("c"), stream_mode="messages"):
        print(type(kind).__name__, kind.content)


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    asyncio.run(main())
    show(agent.invoke({"messages": [("user", '!call note {"text": "buy milk"}')]}, on("d")))
    paused = agent.invoke({"messages": [("user", '!call pay {"amount": 3}')]}, on("e"))
    print([each.value for each in paused["__interrupt__"]])
    show(agent.invoke(Command(resume="yes"), on("e")))
    show(graph().invoke({"messages": [("user", '!call find {"city": "Oslo"}\n!call fail {"why": "no such place"}')]}))
