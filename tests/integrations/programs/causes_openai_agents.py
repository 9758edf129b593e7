"""A trip planned by an agent of openai-agents."""

import agents
from agents import Agent, ModelSettings, Runner, function_tool
from openai import AsyncOpenAI
from seeded_causes import Trip, record

agents.set_tracing_disabled(disabled=True)


def plan(trip: Trip, question: str) -> None:
    agents.set_default_openai_client(AsyncOpenAI(), use_for_tracing=False)
    agent = Agent(
        name="planner",
        model=trip.model,
        instructions=trip.system,
        model_settings=ModelSettings(temperature=trip.temperature),
        tools=[
            function_tool(trip.find, description_override=trip.described),
            function_tool(trip.weather, description_override="Tell it."),
        ],
    )
    Runner.run_sync(agent, question)


record(plan)
