"""A recorded run as a file beside a test: all that a replay of it needs, written so that `git diff` stays readable.

`write_cassette` writes one. `events_of_file` reads one, or a recorder's file, without a database.
"""

from inspector.cassette.errors import CassetteError, CassetteUnreadable, SecretFound
from inspector.cassette.lines import cassette_lines, write_cassette
from inspector.cassette.reading import events_of_directory, events_of_file, frozen_of

__all__ = [
    "CassetteError",
    "CassetteUnreadable",
    "SecretFound",
    "cassette_lines",
    "events_of_directory",
    "events_of_file",
    "frozen_of",
    "write_cassette",
]
