"""One file to send: a recorded run inside the page that shows it, without a server or a network."""

from inspector.api.packed import FilePage, packed_file_page
from inspector.page_file.comparison import page_of_diff
from inspector.page_file.errors import PageFileError, RunTooLarge, WebAppMissing
from inspector.page_file.writing import page_of_run

__all__ = [
    "FilePage",
    "PageFileError",
    "RunTooLarge",
    "WebAppMissing",
    "packed_file_page",
    "page_of_diff",
    "page_of_run",
]
