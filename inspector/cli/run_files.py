"""Files that contain a run: cassettes, exports, and what the pytest plugin keeps of a failed test."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory

from inspector.cli.output.notices import notice
from inspector.cli.writing.import_files import import_files
from inspector.lookup import RunUnknown
from inspector.settings import Settings

SUFFIXES = (".json", ".jsonl", ".gz")


def file_of(text: str) -> Path | None:
    """Return the file that a word names, if it names one rather than a run.

    Raises:
        RunUnknown: It has the form of a file name, but there is no such file.
    """
    file = Path(text)
    if file.is_file():
        return file
    # The id of a run has no dot.
    if "." in text or os.sep in text:
        raise RunUnknown(f"there is no file {text}{_meant(file)}")
    return None


def _meant(file: Path) -> str:
    """Suggest a file beside it; the directory may be gone or unreadable."""
    try:
        beside = [each.name for each in file.parent.iterdir() if each.suffix in SUFFIXES]
    except OSError:
        return ""
    near = get_close_matches(file.name, beside, n=1)
    return f"; did you mean {file.parent / near[0]}?" if near else ""


@contextmanager
def home_of(file: Path) -> Generator[Settings]:
    """Import a file into a home of its own until the block ends.

    Raises:
        RunUnknown: It contains no span.
        CliError: It cannot be read.
    """
    with TemporaryDirectory(prefix="inspector-file-") as home:
        settings = Settings(home=Path(home))
        imported = import_files(settings, (str(file),))
        if imported.bad_files or not imported.spans:
            raise RunUnknown(imported.bad_files[0] if imported.bad_files else f"{file} contains no span")
        for omission in imported.omissions():
            notice(f"inspector: {file}: {omission}")
        yield settings
