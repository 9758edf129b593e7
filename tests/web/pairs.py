"""Two runs of one program that part, generated; with fixed times, the same in every run."""

from collections.abc import Iterator
from typing import Any

from stories import MINUTE, message, model_call, span_of, tool_call, wants

from inspector.model import Span

FIRST, SECOND, THIRD = "trip-first", "trip-second", "trip-third"
"""Runs: the second has another system text, another city and a booking; the third is as the second."""
CAUSE = "system text of chat gpt-4.1 changed"
SYSTEM = "You plan trips. {rule} Name the city, the price of the train, and what the weather will be."
ASKED = "Where is it warm at the weekend, and how do I get there?"


def two_trips() -> Iterator[Span]:
    yield from trip(FIRST, 0xD1, 0, rule="Stay below 300 €.", city="Lisbon", booked=False)
    yield from trip(SECOND, 0xD2, 2 * MINUTE, rule="Stay below 150 €.", city="Vienna", booked=True)
    yield from trip(THIRD, 0xD3, 4 * MINUTE, rule="Stay below 150 €.", city="Vienna", booked=True)


def many_trips() -> Iterator[Span]:
    """Yields eight runs with one system text and then eight with another; now and then one does something else."""
    for number in range(8):
        city = "Porto" if number == 3 else "Lisbon"
        start_ms = number * MINUTE
        yield from trip(
            f"first-{number}", 0xE0 + number, start_ms, rule="Stay below 300 €.", city=city, booked=number < 2
        )
    for number in range(8):
        city, start_ms = "Lisbon" if number == 5 else "Vienna", (8 + number) * MINUTE
        yield from trip(
            f"second-{number}", 0xF0 + number, start_ms, rule="Stay below 150 €.", city=city, booked=number < 5
        )


def trip(run: str, number: int, start_ms: float, *, rule: str, city: str, booked: bool) -> Iterator[Span]:
    trace_id = f"{number:032x}"

    def at(ms: float) -> dict[str, Any]:
        return {"start_ms": start_ms + ms, "run": run, "service": "trip-planner"}

    system, asked = message("system", SYSTEM.format(rule=rule)), message("user", ASKED)
    yield span_of(trace_id, 1, "agent", name="invoke_agent planner", agent="planner", took_ms=3000, **at(0))
    yield tool_call(trace_id, 2, "calendar", {"when": "weekend"}, {"free": True}, parent=1, took_ms=40, **at(10))
    yield tool_call(trace_id, 3, "profile", {"user": "ada"}, {"likes": "the sea"}, parent=1, took_ms=30, **at(60))
    first = message("assistant", "", wants("call_0000000001", "weather", city=city))
    yield model_call(trace_id, 4, [system, asked], first, parent=1, took_ms=800, **at(100))
    yield tool_call(trace_id, 5, "weather", {"city": city}, {"degrees": 21}, parent=1, took_ms=200, **at(950))
    yield tool_call(trace_id, 6, "trains", {"to": city}, {"eur": 89}, parent=1, took_ms=200, **at(1200))
    if booked:
        yield tool_call(trace_id, 7, "book", {"to": city}, {"seat": "12A"}, parent=1, took_ms=300, **at(1500))
    last = message("assistant", f"Go to {city}: 21 degrees, and the train is 89 €.")
    yield model_call(trace_id, 8, [system, asked, first], last, parent=1, took_ms=900, **at(1900))
