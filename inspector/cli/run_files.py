"""Files that contain a run: cassettes, exports, and what the pytest plugin keeps of a failed test."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from difflib import get_close_matches
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
        raise RunUnknown(f"there is no file {text}{_meant(file)}")
    return None


def _meant(file: Path) -> str:
    """Ask whether a file beside it was meant; the directory may be gone, or nobody's to look into."""
    try:
        beside = [each.name for each in file.parent.iterdir() if each.suffix in SUFFIXES]
    except OSError:
        return ""
    near = get_close_matches(file.name, beside, n=1)
    return f"; did you mean {file.parent / near[0]}?" if near else ""


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
