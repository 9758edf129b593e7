"""What can be wrong with a cassette.

CassetteError
├── CassetteUnreadable   it is not there, or is none
└── SecretFound          the run has one, and nothing was written
"""


class CassetteError(Exception):
    """Root of everything that is raised on purpose here; the message says what, and the way out."""


class CassetteUnreadable(CassetteError):
    """A file is not there, or holds no span."""


class SecretFound(CassetteError):
    """What was to be written has a secret."""
