"""What can be wrong with a cassette.

CassetteError
├── CassetteUnreadable   the file is missing, damaged or not a cassette
└── SecretFound          the run contains a secret, so nothing was written
"""


class CassetteError(Exception):
    """Root of the errors raised on purpose here; the message says what is wrong and how to fix it."""


class CassetteUnreadable(CassetteError):
    """The file is missing, has no span, or a line of it cannot be read."""


class SecretFound(CassetteError):
    """What was to be written contains a secret."""
