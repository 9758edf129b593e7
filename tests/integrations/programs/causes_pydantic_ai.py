"""A trip planned by an agent of pydantic-ai."""

from pydantic_ai import Agent, ModelRetry, Tool
from seeded_causes import Trip, record


def plan(trip: Trip, question: str) -> None:
    def find(city: str) -> dict[str, object]:
        try:
            return trip.find(city)
        except LookupError as error:
            raise ModelRetry(str(error)) from error

    agent = Agent(
        f"openai-chat:{trip.model}",
        name="planner",
        instructions=trip.system,
        model_settings={"temperature": trip.temperature},
        tools=[Tool(find, description=trip.described), Tool(trip.weather, name="weather", description="Tell it.")],
        retries=3,
    )
    agent.run_sync(question)


record(plan)
