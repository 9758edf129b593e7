"""Why a command could not do what it was asked.

CliError              exit code 1
├── SettingInvalid    a value in the environment or an option that no setting takes
├── SpanUnknown       no span has that id
├── CursorRefused     no page of this list ended there
├── ServerRefused     the running server did not do what only it can
│   └── SpansRefused      it takes other spans, but not these
└── ReaderGone        whoever read the output has ended, which is no fault
"""


class CliError(Exception):
    """The command ends with exit code 1 and this message, at most two lines: what, and the way out."""


class SettingInvalid(CliError):
    """A setting has a value that it does not take; the message names the variable and the value."""


class SpanUnknown(CliError):
    """No span has the id that was asked for."""


class CursorRefused(CliError):
    """The value of ``--cursor`` was not given by the page before."""

    def __init__(self, reason: object) -> None:
        super().__init__(f"--cursor: {reason}")


class ServerRefused(CliError):
    """The server that owns the database did not carry out a change that only it can make."""


class SpansRefused(ServerRefused):
    """The server will never take these spans, however often they are sent; others it may.

    Args:
        reason: What it said.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the server refused the spans: {reason}")


class ReaderGone(CliError):
    """The program that standard output was piped to has ended; nothing is said about it."""
