"""Why a test with a cassette cannot go on.

TestingError            the message says what, and the way out
└── CostUnknown         a call has no price
LeftRecording           the program asked for what was not recorded
"""


class TestingError(Exception):
    """Root of what is raised on purpose to whoever writes a test."""

    __test__ = False


class CostUnknown(TestingError):
    """A call has no price, or there is no price list."""


class LeftRecording(BaseException):
    """Ends a program in the test's own process; no `Exception`, which the program may catch."""
