"""A trip planned by a crew of CrewAI."""

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from seeded_causes import Trip, record


def plan(trip: Trip, question: str) -> None:
    def find(city: str) -> dict[str, object]:
        return trip.find(city)

    def weather(city: str) -> str:
        """Tell it."""
        return trip.weather(city)

    find.__doc__ = trip.described
    agent = Agent(
        role="planner",
        goal="plan trips",
        backstory=trip.system,
        llm=LLM(model=f"openai/{trip.model}", temperature=trip.temperature),
        tools=[tool("find")(find), tool("weather")(weather)],
    )
    task = Task(description=f"\n{question}\n", expected_output="an answer", agent=agent, name="plan it")
    Crew(name="travel", agents=[agent], tasks=[task]).kickoff()


record(plan)
