"""A trip planned by an agent of LangChain, which is a graph of LangGraph."""

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool, ToolException
from langchain_openai import ChatOpenAI
from seeded_causes import Trip, record


def plan(trip: Trip, question: str) -> None:
    def find(city: str) -> dict[str, object]:
        try:
            return trip.find(city)
        except LookupError as error:
            raise ToolException(str(error)) from error

    tools = [
        StructuredTool.from_function(find, description=trip.described, handle_tool_error=True),
        StructuredTool.from_function(trip.weather, name="weather", description="Tell it."),
    ]
    model = ChatOpenAI(model=trip.model, temperature=trip.temperature)
    create_agent(model, tools, system_prompt=trip.system, name="planner").invoke({"messages": [("user", question)]})


record(plan)
