"""The toolkit's exceptions. Every message says what is wrong, where, and what would be right."""

from collections.abc import Iterable
from dataclasses import dataclass


class ToolkitError(Exception):
    """The root of the toolkit's exceptions."""


class ExtraMissing(ToolkitError, ImportError):
    """A part of the toolkit needs a package that is not installed."""


class DefinitionInvalid(ToolkitError, ValueError):
    """A tool, an agent, a middleware or a server cannot be made, or used, as the program has it.

    Whatever is made of a program's own words may raise it, and the message says what to write instead.
    """


class SpecInvalid(DefinitionInvalid):
    """A ``module.py:function`` does not name anything usable."""


@dataclass(frozen=True, slots=True)
class CardProblem:
    """One thing that is wrong in a file that declares agents or servers."""

    source: str
    """The file or address, as it was given."""
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.message}"


class CardInvalid(DefinitionInvalid):
    """A declaration cannot be used; the message begins with the file and line of the first of its ``problems``."""

    def __init__(self, problems: tuple[CardProblem, ...]) -> None:
        first, *others = problems
        more = f" (and {len(others)} more; 'toolkit check' lists them)" if others else ""
        super().__init__(f"{first}{more}")
        self.problems = problems


class EndRun(ToolkitError):
    """Ends the run in which it is raised, by a tool, a middleware, a guardrail or an ``on_error``.

    Everything else that they raise is a result that the model reads; this goes on to whoever started the run.
    """


class DependencyMissing(DefinitionInvalid):
    """A tool needs a dependency or a credential that its caller's context does not have; the program has to pass it."""


class ToolUnknown(ToolkitError, LookupError):
    """There is no tool with this name."""


class ToolRefused(ToolkitError, PermissionError):
    """A guardrail, a missing permission or a person refused the call; the message is meant for the model."""


class ToolTimedOut(ToolkitError, TimeoutError):
    """A tool took longer than it may."""


class QuotaExceeded(ToolkitError):
    """A tool was called more often than it may be; the message says when it may be again."""


class ModelFailed(ToolkitError):
    """A model gave no usable answer."""


class NoAnswer(ToolkitError):
    """An agent gave no answer: its turns or limits were reached, or its model gave no usable answer."""


class ScriptInvalid(ToolkitError, ValueError):
    """A scripted model's file cannot be read; the message begins with the file and the place in it."""


class ServerFailed(ToolkitError):
    """An MCP server could not be started or reached, went away, or answered a request with an error."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One place where a value does not fit its schema."""

    path: str
    """Where, as in ``filters[0].city``; empty for the whole value."""
    message: str
    """What is expected there, and what was found."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class SchemaMismatch(ToolkitError, ValueError):
    """A value does not fit its schema; ``problems`` lists every place."""

    def __init__(self, what: str, problems: "tuple[Problem, ...]") -> None:
        super().__init__(f"{what}: {'; '.join(map(str, problems))}")
        self.problems = problems


class ArgumentsInvalid(SchemaMismatch):
    """A tool was called with arguments that do not fit its input schema."""


class ResultInvalid(SchemaMismatch):
    """A tool returned what does not fit its output schema."""


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the most similar of ``known`` as the end of a message, or nothing."""
    from difflib import get_close_matches  # slow to import, and only failures need it

    near = get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return f"; did you mean {near[0]!r}?" if near else ""
