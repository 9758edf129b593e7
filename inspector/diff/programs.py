"""How the programs of two runs differ: packages, Python and the commit, as recorded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

ProgramPart: TypeAlias = Literal["package", "python", "commit"]

_DIGITS = 12
"""The length of an abbreviated commit."""


@dataclass(frozen=True, slots=True)
class ProgramChange:
    """A difference between the programs of two runs."""

    kind: ProgramPart
    name: str
    """The package, or else the same as ``kind``."""
    a: str
    b: str

    @property
    def sentence(self) -> str:
        """The difference in a few words."""
        return f"{self.name} {self.a} became {self.b}"


def program_changes(a: Mapping[str, Any] | None, b: Mapping[str, Any] | None) -> Sequence[ProgramChange]:
    """Return the differences, packages first; none if one program is not known.

    Args:
        a: The recording of the first run's program, from `inspector.lookup.program_of`.
        b: That of the second one.
    """
    one, other = ({} if program is None else dict(_parts(program)) for program in (a, b))
    # A package that one of them has alone may have been imported later by the other.
    return [ProgramChange(*part, one[part], other[part]) for part in one if one[part] != other.get(part, one[part])]


def _parts(program: Mapping[str, Any]) -> Iterator[tuple[tuple[ProgramPart, str], str]]:
    packages: Any = program.get("packages")
    if isinstance(packages, dict):
        for name, version in sorted(cast("dict[str, Any]", packages).items()):
            yield ("package", name), str(version)
    if program.get("python") is not None:
        yield ("python", "python"), str(program["python"])
    if program.get("commit") is not None:
        yield (
            ("commit", "commit"),
            f"{str(program['commit'])[:_DIGITS]}{' with changes' if program.get('changed') else ''}",
        )
