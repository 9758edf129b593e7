"""The tools that can be called, by name and version; it may change while it is in use."""

import re
from collections.abc import Iterable, Iterator

from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ToolUnknown
from toolkit.tool_class import Tool


class Registry:
    """An ordered collection of tools.

    A name may have several versions: iterating, ``definitions`` and a name alone give the latest, ``name@version``
    gives one of them. Tools are found by their name and by the name that models know (``ToolDefinition.model_name``).

    Args:
        tools: The first ones.

    Raises:
        DefinitionInvalid: Two of them cannot be told apart.
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._versions: dict[str, dict[str, Tool]] = {}
        self._revision = 0
        for each in tools:
            self.register(each)

    @property
    def revision(self) -> int:
        """Grows with every change."""
        return self._revision

    def register(self, tool: Tool, *, replace: bool = False) -> Tool:
        """Add ``tool`` behind the others, or as a version of the ones that have its name.

        Args:
            tool: The tool.
            replace: Take the place of one that has the same name and version.

        Raises:
            DefinitionInvalid: Another tool has the name and version, the name for models, or the route.
        """
        definition = tool.definition
        for name, versions in self._versions.items():
            for other in versions.values():
                self._require_distinct(definition, other.definition, replace=replace and name == definition.name)
        # Replaced rather than changed, so that whoever iterates goes on with what there was.
        known = self._versions.get(definition.name, {})
        self._versions = self._versions | {definition.name: known | {definition.version: tool}}
        self._revision += 1
        return tool

    def unregister(self, name: str) -> None:
        """Remove all versions of ``name``, or the one that ``name@version`` means.

        Raises:
            ToolUnknown: There is none.
        """
        wanted, at, version = name.partition("@")
        known = self._versions_of(wanted, name)
        found = next(iter(known.values())).name
        left = {each: tool for each, tool in known.items() if each != version} if at else {}
        if len(left) == len(known):
            raise self._unknown(name)
        others = {each: versions for each, versions in self._versions.items() if each != found or left}
        self._versions = others | ({found: left} if left else {})
        self._revision += 1

    def get(self, name: str) -> Tool:
        """Return the latest version of ``name``, or the one that ``name@version`` means.

        Raises:
            ToolUnknown: There is none; the message lists what there is.
        """
        wanted, at, version = name.partition("@")
        known = self._versions_of(wanted, name)
        if not at:
            return _latest(known)
        if version not in known:
            raise self._unknown(name)
        return known[version]

    def offered(self, name: str) -> Tool | None:
        """Return the tool that a model means by ``name``: the latest, which alone it was told of; None for no tool."""
        known = self._versions.get(name)
        if known is not None:
            return _latest(known)
        try:
            return _latest(self._versions_of(name, name))
        except ToolUnknown:
            return None

    def versions(self, name: str) -> tuple[Tool, ...]:
        """Return every version of ``name``, the latest first.

        Raises:
            ToolUnknown: There is none.
        """
        known = self._versions_of(name, name)
        return tuple(known[each] for each in sorted(known, key=_age, reverse=True))

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """Return what the tools are, for a model."""
        return tuple(each.definition for each in self)

    def __iter__(self) -> Iterator[Tool]:
        return iter([_latest(each) for each in self._versions.values()])

    def __len__(self) -> int:
        return len(self._versions)

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and bool(self.get(name))
        except ToolUnknown:
            return False

    def _versions_of(self, name: str, asked: str) -> dict[str, Tool]:
        if (known := self._versions.get(name)) is not None:
            return known
        for each in self._versions.values():
            if next(iter(each.values())).definition.model_name == name:
                return each
        raise self._unknown(asked)

    def _unknown(self, name: str) -> ToolUnknown:
        told = [f"{each}@{version}" if version else each for each, of in self._versions.items() for version in of]
        return ToolUnknown(f"unknown tool {name!r}; registered: {', '.join(map(repr, told)) or 'none'}")

    @staticmethod
    def _require_distinct(new: ToolDefinition, old: ToolDefinition, *, replace: bool) -> None:
        if new.name == old.name:
            if new.version == old.version and not replace:
                version = f" version {new.version!r}" if new.version else ""
                raise DefinitionInvalid(
                    f"two tools are called {new.name!r}{version}: {_told(old)} and {_told(new)}; name one differently"
                )
        elif new.model_name == old.model_name:
            raise DefinitionInvalid(f"models cannot tell {old.name!r} from {new.name!r}: both are {new.model_name!r}")
        elif new.mcp_route is not None and new.mcp_route == old.mcp_route:
            raise DefinitionInvalid(f"{old.name!r} and {new.name!r} have the same route {new.mcp_route!r}")


def _told(definition: ToolDefinition) -> str:
    first = definition.description.partition("\n")[0]
    return repr(first) if first else "one without a description"


def _latest(versions: dict[str, Tool]) -> Tool:
    return versions[max(versions, key=_age)] if len(versions) > 1 else next(iter(versions.values()))


def _age(version: str) -> tuple[list[tuple[int, int, str]], int, list[tuple[int, int, str]]]:
    """Order versions as people do: 10 after 9, and 2.0-rc1 before 2.0."""
    release, dash, early = version.removeprefix("v").partition("-")
    return _parts(release), 0 if dash else 1, _parts(early)


def _parts(text: str) -> list[tuple[int, int, str]]:
    found: list[str] = re.findall(r"\d+|[^\d.]+", text)
    return [(1, int(each), "") if each.isdigit() else (0, 0, each) for each in found]
