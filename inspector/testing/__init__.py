"""A recorded run as a test: the parts of the pytest plugin, imported only when a test uses it."""

from inspector.testing.errors import CostUnknown, LeftRecording, TestingError
from inspector.testing.trace import ToolCall, Trace

__all__ = ["CostUnknown", "LeftRecording", "TestingError", "ToolCall", "Trace"]
