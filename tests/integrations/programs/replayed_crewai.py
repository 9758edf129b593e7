"""A crew and a flow of CrewAI: tools that give objects and fail."""

import os
from typing import Any

from crewai import LLM, Agent, Crew, Task
from crewai.flow.flow import Flow, listen, start
from crewai.tools import BaseTool, tool

IS_RECORDED = "REPLAYED" not in os.environ
llm = LLM(model="openai/gpt-4o")


@tool("find")
def find(city: str, beds: int = 1) -> dict[str, Any]:
    """Find a room."""
    assert IS_RECORDED
    return {"hotel": f"Casa {city}", "beds": beds}


class Weather(BaseTool):
    name: str = "weather"
    description: str = "Tell the weather."

    def _run(self, city: str) -> str:
        assert IS_RECORDED
        return f"sun in {city}"


@tool("fail")
def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise KeyError(why)


def kicked_off(question: str) -> str:
    agent = Agent(role="planner", goal="plan", backstory="none", llm=llm, tools=[find, Weather(), fail])
    task = Task(description=f"\n{question}\n", expected_output="an answer", agent=agent, name="plan it")
    return str(Crew(name="travel", agents=[agent], tasks=[task]).kickoff().raw)


class Trip(Flow[Any]):
    @start()
    def where(self) -> str:
        return "Bergen"

    @listen(where)
    def weather(self, city: str) -> str:
        return kicked_off(f'!call weather {{"city": "{city}"}}')


print(kicked_off('!call find {"city": "Oslo"}\n!call find {"city": "Rome", "beds": 2}'))
print(kicked_off('!call fail {"why": "no such place"}'))
print(Trip(suppress_flow_events=True).kickoff())
