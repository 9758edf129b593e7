"""Runs beside each other: two, several with several, and a replay with its recording."""
