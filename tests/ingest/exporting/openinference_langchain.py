# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "langchain==1.4.7",
#   "openinference-instrumentation-langchain==0.1.80",
# ]
# ///
"""An agent with a tool that works and one that fails, and a retriever, under OpenInference."""

from contextlib import suppress
from typing import Any

from exporting import exporting
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import tool
from openinference.instrumentation.langchain import LangChainInstrumentor


@tool
def weather(city: str) -> str:
    """Tells the weather."""
    return f"sunny in {city}"


@tool
def broken() -> str:
    """Fails."""
    raise RuntimeError("no weather today")


class Library(BaseRetriever):
    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
        return [Document("Paris is a city.", metadata={"page": 1}), Document("So is Rome.", id="d2")]


class Model(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> "Model":
        return self


with exporting("openinference-instrumentation-langchain", "langchain", "langchain-core") as provider:
    LangChainInstrumentor().instrument(tracer_provider=provider)
    usage = {"input_tokens": 20, "output_tokens": 5, "total_tokens": 25, "input_token_details": {"cache_read": 8}}
    call = ToolCall(name="weather", args={"city": "Paris"}, id="call_1")
    model = Model(
        messages=iter([AIMessage("", tool_calls=[call], usage_metadata=usage), AIMessage("It is sunny in Paris.")])
    )
    agent = create_agent(model, [weather], name="forecaster")
    config = {"configurable": {"thread_id": "thread-1"}, "metadata": {"session_id": "session-1"}}
    agent.invoke({"messages": [("user", "How is the weather?")]}, config)
    Library().invoke("cities")
    with suppress(RuntimeError):
        broken.invoke({})
