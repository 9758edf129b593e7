"""Why a program could not be started.

LaunchError
├── ProgramNotFound         there is no such program
└── ProgramNotExecutable    it is there, and the system does not run it
"""


class LaunchError(Exception):
    """The program did not start; the message says why."""

    code = 1
    """The exit code of a shell in this case (POSIX, Shell Command Language, 2.8.2)."""


class ProgramNotFound(LaunchError):
    """No program of that name is on the path, or no file is at that place."""

    code = 127


class ProgramNotExecutable(LaunchError):
    """The file may not be executed, or is not a program."""

    code = 126
