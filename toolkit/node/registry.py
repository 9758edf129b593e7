"""The tools that can be called, by name and version; it may change while it is in use."""

from collections.abc import Iterable, Iterator

from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ToolUnknown, did_you_mean
from toolkit.tool_class import Tool

# Enough to choose from; a model with hundreds of tools need not read them all again.
_MOST_NAMES = 20
_LONGEST_NAME = 200


class Registry:
    """An ordered collection of tools.

    A name may have several versions: a name alone means the one registered last, as iterating does, and
    ``name@version`` one of them. Tools are found by their name and by the name that models know
    (``ToolDefinition.model_name``).
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._versions: dict[str, dict[str, Tool]] = {}
        for tool in tools:
            self.register(tool)

    def register(self, tool: Tool) -> None:
        """Add ``tool`` behind the others, or as a version of the ones that have its name."""
        definition = tool.definition
        for versions in self._versions.values():
            for other in versions.values():
                _require_distinct(definition, other.definition)
        # Replaced rather than changed, so that whoever iterates goes on with what there was.
        versions = self._versions.get(definition.name, {}) | {definition.version: tool}
        self._versions = self._versions | {definition.name: versions}

    def unregister(self, name: str) -> None:
        """Remove all versions of ``name``, or the one that ``name@version`` means."""
        definition = self.get(name).definition
        versions = dict(self._versions[definition.name]) if "@" in name else {}
        versions.pop(definition.version, None)
        others = {key: known for key, known in self._versions.items() if key != definition.name or versions}
        self._versions = others | ({definition.name: versions} if versions else {})

    def get(self, name: str) -> Tool:
        """Return the version of ``name`` registered last, or the one that ``name@version`` means."""
        wanted, at, version = name.partition("@")
        versions = self._versions_of(wanted)
        tool = versions.get(version) if at else self.offered(wanted)
        if tool is None:
            raise self.unknown(name)
        return tool

    def offered(self, name: str) -> Tool | None:
        """Return the tool that a model means by ``name``: its last version, which it was told of, or None."""
        versions = self._versions_of(name)
        return _latest(versions) if versions else None

    def unknown(self, name: str) -> ToolUnknown:
        """Return what is said of a name that no tool has."""
        names, shown = [tool.name for tool in self], name[:_LONGEST_NAME]
        listed = ", ".join(map(repr, names[:_MOST_NAMES])) + (", …" if len(names) > _MOST_NAMES else "")
        return ToolUnknown(f"there is no tool {shown!r}{did_you_mean(shown, names)} (there are: {listed or 'none'})")

    def __iter__(self) -> Iterator[Tool]:
        return iter([_latest(versions) for versions in self._versions.values()])

    def _versions_of(self, name: str) -> dict[str, Tool]:
        if (known := self._versions.get(name)) is not None:
            return known
        for versions in self._versions.values():
            if _latest(versions).definition.model_name == name:
                return versions
        return {}


def _require_distinct(new: ToolDefinition, old: ToolDefinition) -> None:
    if new.name == old.name:
        if new.version == old.version:
            version = f" version {new.version!r}" if new.version else ""
            raise DefinitionInvalid(
                f"two tools are called {new.name!r}{version}: {_first_line(old)} and {_first_line(new)}; "
                "name one differently"
            )
    elif new.model_name == old.model_name:
        raise DefinitionInvalid(f"models cannot tell {old.name!r} from {new.name!r}: both are {new.model_name!r}")
    elif new.mcp_route is not None and new.mcp_route == old.mcp_route:
        raise DefinitionInvalid(f"{old.name!r} and {new.name!r} have the same route {new.mcp_route!r}")


def _first_line(definition: ToolDefinition) -> str:
    first = definition.description.partition("\n")[0]
    return repr(first) if first else "one without a description"


def _latest(versions: dict[str, Tool]) -> Tool:
    return next(reversed(versions.values()))
