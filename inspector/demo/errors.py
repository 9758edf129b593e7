"""What can go wrong in the demo."""


class DemoError(Exception):
    """The demo cannot run here."""
