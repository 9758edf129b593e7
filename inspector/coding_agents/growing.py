"""A file to which another program appends lines."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_CHUNK: Final = 1 << 20


class Growing:
    """Reads a file as it grows.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._rest: list[bytes] = []
        """The beginning of a line that is not complete."""

    def lines(self) -> Iterator[bytes]:
        """Yield the lines that are complete since the last call; none once the file is gone.

        A file that has become shorter is read from its beginning.
        """
        try:
            file = self._path.open("rb")
        except OSError:
            return
        with file:
            if os.fstat(file.fileno()).st_size < self._offset:
                self._offset = 0
                self._rest.clear()
            file.seek(self._offset)
            while chunk := file.read(_CHUNK):
                self._offset += len(chunk)
                *complete, rest = chunk.split(b"\n")
                for line in complete:
                    yield b"".join((*self._rest, line))
                    self._rest.clear()
                self._rest.append(rest)
