"""Why a run cannot be written as a page.

PageFileError
├── RunTooLarge       more than a browser opens well
└── WebAppMissing     this installation has no web app
"""


class PageFileError(Exception):
    """Root of everything that is raised on purpose here; the message says what, and the way out."""


class RunTooLarge(PageFileError):
    """The run has more than a browser opens well."""


class WebAppMissing(PageFileError):
    """The web app was not built into this installation."""
