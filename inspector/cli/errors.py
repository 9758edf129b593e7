"""Why a command could not do what it was asked.

CliError              exit code 1
├── NotCompared       exit code 2, where 1 says that two runs differ
├── SettingInvalid    a value in the environment or an option that no setting takes
├── SpanUnknown       no span has that id
├── CursorRefused     no page of this list ended there
├── ServerRefused     the running server did not do what only it can
│   └── SpansRefused      it takes other spans, but not these
└── ReaderGone        whoever read the output has ended, which is no fault
"""


class CliError(Exception):
    """The command ends with this message, in at most two lines: what is wrong and how to fix it."""

    exit_code = 1
    """The exit code of the command."""


class NotCompared(CliError):
    """The runs could not be compared."""

    exit_code = 2

    def __init__(self, reason: Exception) -> None:
        self.reason = reason
        super().__init__(str(reason))


class SettingInvalid(CliError):
    """A setting has an invalid value; the message names the variable and the value."""


class SpanUnknown(CliError):
    """No span has this id."""


class CursorRefused(CliError):
    """The value of ``--cursor`` is not from a previous page."""

    def __init__(self, reason: object) -> None:
        super().__init__(f"--cursor: {reason}")


class ServerRefused(CliError):
    """The server that owns the database did not make a change that only it can make."""


class SpansRefused(ServerRefused):
    """The server will never accept these spans, however often they are sent; others it may."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the server refused the spans: {reason}")


class ReaderGone(CliError):
    """The program that reads standard output has ended; nothing is printed about it."""
