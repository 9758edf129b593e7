"""The tools that a node offers: those that it was given, and those of whoever supplies tools."""

import asyncio
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass

from toolkit.adapters import ToolSupplier, as_tools, supplies_tools
from toolkit.errors import DefinitionInvalid, ToolkitError
from toolkit.node.registry import Registry
from toolkit.tool_class import Tool


@dataclass(slots=True)
class _Supplier:
    supplier: ToolSupplier
    tools: tuple[Tool, ...] | None = None
    """Its last answer; None if it was never asked."""


class OfferedTools:
    """Tools, and suppliers of tools with what each of them answered last; both may change while they are in use."""

    def __init__(self) -> None:
        self._registry = Registry()
        self._suppliers: list[_Supplier] = []
        self._whole: tuple[Registry, DefinitionInvalid | None] | None = None

    def register(self, sources: Iterable[object]) -> None:
        """Add tools, and suppliers of tools."""
        registry = copy(self._registry)
        suppliers: list[_Supplier] = []
        for source in sources:
            if supplies_tools(source):
                suppliers.append(_Supplier(source))
                continue
            for tool in as_tools(source):
                if not any(tool is known for known in registry):
                    registry.register(tool)
        self._registry, self._whole = registry, None
        self._suppliers.extend(suppliers)

    def unregister(self, tool: object) -> None:
        """Remove a tool, by its name or itself, or a supplier."""
        others = [known for known in self._suppliers if known.supplier is not tool]
        registry = copy(self._registry)
        if len(others) == len(self._suppliers):
            registry.unregister(f"{tool.name}@{tool.definition.version}" if isinstance(tool, Tool) else str(tool))
        self._suppliers, self._registry, self._whole = others, registry, None

    async def ask(self) -> list[tuple[ToolSupplier, BaseException]]:
        """Ask all suppliers for their tools, and return those that failed, with their errors."""
        asked = list(self._suppliers)
        # One that fails does not stop the others, whose tools can be called.
        answers = await asyncio.gather(*(known.supplier.tools() for known in asked), return_exceptions=True)
        failures: list[tuple[ToolSupplier, BaseException]] = []
        for known, answer in zip(asked, answers, strict=True):
            if isinstance(answer, BaseException):
                failures.append((known.supplier, answer))
            elif known.tools != (tools := tuple(answer)):
                known.tools, self._whole = tools, None
        return failures

    async def callable(self, names: Iterable[str]) -> tuple[Registry, str]:
        """Return all tools, the first of several with one name, and what is to be said of an unknown name besides.

        Models call what they were offered, so suppliers are asked again only about names that they never offered.
        """
        trouble = ""
        if self._suppliers and any(self._all()[0].offered(name) is None for name in names):
            trouble = "".join(
                f"; {type(supplier).__name__} could not list its tools: {error}" for supplier, error in await self.ask()
            )
        return self._all()[0], trouble

    def distinct(self) -> Registry:
        """Return all tools as the suppliers last had them; two with one name are an error."""
        registry, clash = self._all()
        if clash is not None:
            raise clash
        return registry

    def require_known(self) -> None:
        """Refuse to go on without the answer of a supplier that was never asked."""
        for known in self._suppliers:
            if known.tools is None:
                raise ToolkitError(
                    f"the tools of {type(known.supplier).__name__} are not known yet; await all_tools() once before"
                )

    def _all(self) -> tuple[Registry, DefinitionInvalid | None]:
        if self._whole is None:
            registry, clash = copy(self._registry), None
            for tool in (tool for known in self._suppliers for tool in known.tools or ()):
                try:
                    registry.register(tool)
                except DefinitionInvalid as error:
                    clash = clash or error
            self._whole = registry, clash
        return self._whole
