"""A trip that an agent plans, made again and again: as it was, and with one thing changed each time.

A program of a framework says how its agent is asked, and has each trip recorded as a session of its own.
"""

import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

os.environ |= {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_TRACKING": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "CREWAI_TESTING": "true",
    "OPENAI_API_KEY": "planted",
    "OTEL_SDK_DISABLED": "true",
}
from models import serving

from inspector import context

EQUAL = 6
"""Trips with nothing changed, besides the one that all are compared with."""


@dataclass(frozen=True)
class Trip:
    """What is planned, by which agent."""

    system: str = "You plan trips, and are brief."
    described: str = "Find a room."
    wish: str = "A room near the sea, please."
    temperature: float = 0.2
    model: str = "gpt-4o"
    price: int = 120
    is_full: bool = False
    stages: tuple[str, ...] = ("Oslo", "Rome")
    answered_by: str | None = None
    """A model that the provider says has answered; by default that which was asked."""
    said: str | None = None
    """What the model says, other than what follows from its input."""

    def find(self, city: str) -> dict[str, Any]:
        """Return a room, with an id and a time that no other trip has."""
        if self.is_full:
            raise LookupError(f"no room in {city}")
        booking = {"id": str(uuid.uuid4()), "at": datetime.now(UTC).isoformat()}
        return {"hotel": f"Casa {city}", "price": self.price, "booking": booking}

    def weather(self, city: str) -> str:
        return f"sun in {city}"

    def question(self, city: str) -> str:
        return f'{self.wish}\n!call find {{"city": "{city}"}}\n!call weather {{"city": "{city}"}}'


TRIP = Trip()
CHANGED = {
    "system text": replace(TRIP, system="You plan trips, and are thorough."),
    "tool definition": replace(TRIP, described="Find a room, or say that there is none."),
    "message": replace(TRIP, wish="A room near the station, please."),
    "parameter": replace(TRIP, temperature=0.9),
    "model that was asked": replace(TRIP, model="gpt-4o-mini"),
    "model that answered": replace(TRIP, answered_by="gpt-4o-2024-11-20", said="Take it."),
    "result of a tool": replace(TRIP, price=240),
    "failed tool": replace(TRIP, is_full=True),
    "package": replace(TRIP, price=130),
    "commit": replace(TRIP, stages=("Oslo", "Rome", "Bergen")),
    "step removed": replace(TRIP, stages=("Oslo",)),
    "another order": replace(TRIP, stages=("Rome", "Oslo")),
    "other answer": replace(TRIP, said="Better stay at home."),
}
"""What is changed, and the trip then."""


def record(plan: Callable[[Trip, str], object]) -> None:
    """Have every trip recorded.

    Args:
        plan: Asks an agent a question, for a trip.
    """
    trips = {"as it was": TRIP, **{f"equal {number}": TRIP for number in range(1, EQUAL + 1)}, **CHANGED}
    with serving() as models:
        os.environ["OPENAI_BASE_URL"] = f"{models.url}/v1"
        for name, trip in trips.items():
            models.answered_by, models.said = trip.answered_by, trip.said
            with context.bind(name):
                for city in trip.stages:
                    plan(trip, trip.question(city))
