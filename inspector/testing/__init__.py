"""A recorded run as a test: what the plugin of pytest is made of, imported when a test uses it."""

from inspector.testing.errors import CostUnknown, LeftRecording, TestingError
from inspector.testing.trace import ToolCall, Trace

__all__ = ["CostUnknown", "LeftRecording", "TestingError", "ToolCall", "Trace"]
