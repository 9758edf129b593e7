"""What can be wrong with a cassette.

CassetteError
├── CassetteUnreadable   the file is missing or not a cassette
└── SecretFound          the run contains a secret, so nothing was written
"""


class CassetteError(Exception):
    """Root of everything that is raised on purpose here; the message says what, and the way out."""


class CassetteUnreadable(CassetteError):
    """A file is not there, or holds no span."""


class SecretFound(CassetteError):
    """What was to be written has a secret."""
