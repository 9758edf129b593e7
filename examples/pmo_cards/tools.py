"""The function tools of the cards beside it."""


def add_one(x: int) -> int:
    """Add one to x."""
    return x + 1
