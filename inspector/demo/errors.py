"""What can go wrong in the demo.

DemoError
└── DeskClosedError
"""


class DemoError(Exception):
    """The demo cannot run here."""


class DeskClosedError(DemoError):
    """The process of the demo's MCP server ended before it could answer; the message holds what it said."""
