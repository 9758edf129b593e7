"""Where MCP servers are: a command that runs one, or an address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO, TypeAlias

from toolkit.errors import DefinitionInvalid
from toolkit.keywords import checks_keywords


@checks_keywords
@dataclass(frozen=True, slots=True)
class StdioServer:
    """A server that is started as a process of its own, and ended with the connection."""

    command: str
    args: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Variables beside the few that every server gets, such as ``PATH`` and ``HOME``; it inherits no others."""
    cwd: str | Path | None = None
    stderr: Path | TextIO | None = None
    """Where its standard error goes: a file that is appended to, or an open one; by default where ours goes."""
    start_timeout_s: float = 30.0

    def __post_init__(self) -> None:
        if not isinstance(self.command, str) or not self.command.strip():  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
            raise DefinitionInvalid(f"{self.command!r} is no program; name the one that is the server, as in 'uvx'")
        if isinstance(self.args, str):
            raise DefinitionInvalid(f"args of {self.command} is one text; expected a list, as in [{self.args!r}]")
        if not isinstance(self.args, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance] - as above
            raise DefinitionInvalid(f"args of {self.command} is of type {type(self.args).__name__}; expected a list")
        for each in self.args:
            if not isinstance(each, str):  # pyright: ignore[reportUnnecessaryIsInstance] - as above
                raise DefinitionInvalid(f"args of {self.command}: {each!r} is no text; write {str(each)!r}")
        if not isinstance(self.env, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - as above
            raise DefinitionInvalid(f"env of {self.command} is no mapping; expected one, as in {{'NAME': 'value'}}")

    @property
    def found_at(self) -> list[str] | None:
        """What hooks tell of where it is: its command; None where that runs in a folder of its own."""
        return None if self.cwd is not None else [self.command, *self.args]


@checks_keywords
@dataclass(frozen=True, slots=True)
class HttpServer:
    """A server that is reached by streamable HTTP."""

    url: str
    """Its endpoint, as in ``http://127.0.0.1:8000/mcp``."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    token: str | None = field(default=None, repr=False)
    """Sent as ``Authorization: Bearer``, to this address's origin alone."""
    start_timeout_s: float = 30.0
    max_bytes: int = 64 << 20
    """How large one message in a stream of its answers may be, of which all is held in memory."""

    def __post_init__(self) -> None:
        if not str(self.url).lower().startswith(("http://", "https://")):
            command = str(self.url).partition(" ")[0]
            raise DefinitionInvalid(
                f"{self.url!r} is no http address; a program that is a server is StdioServer({command!r}, [arguments])"
            )

    @property
    def found_at(self) -> str:
        """What hooks tell of where it is."""
        return self.url


Place: TypeAlias = StdioServer | HttpServer
