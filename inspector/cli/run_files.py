"""Files that stand for a run: cassettes, exports, what the plugin of pytest left of a test that failed."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from inspector.cli.intake import take_in
from inspector.lookup import RunUnknown
from inspector.settings import Settings

SUFFIXES = (".json", ".jsonl", ".gz")


def file_of(text: str) -> Path | None:
    """Return the file that a word is, if it is one rather than a run.

    Raises:
        RunUnknown: It is written as a file is, and there is none.
    """
    file = Path(text)
    if file.is_file():
        return file
    if file.suffix in SUFFIXES or os.sep in text:
        raise RunUnknown(f"there is no file {text}; 'inspector export -o {file.name}' writes one")
    return None


@contextmanager
def home_of(file: Path) -> Generator[Settings]:
    """Take a file in, into a home of its own for as long as the block lasts.

    Raises:
        RunUnknown: It holds no span.
        CliError: It cannot be read.
    """
    with TemporaryDirectory(prefix="inspector-file-") as home:
        settings = Settings(home=Path(home))
        taken = take_in(settings, (str(file),))
        if taken.bad_files or not taken.spans:
            raise RunUnknown(taken.bad_files[0] if taken.bad_files else f"{file} contains no span")
        yield settings
