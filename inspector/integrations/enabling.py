"""Enables integrations when their frameworks are imported, and disables them again."""

import logging
from collections.abc import Collection, Iterable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from re import findall

from inspector.integrations.imports import ImportWatch
from inspector.integrations.patches import Patches
from inspector.integrations.registry import HTTP_CLIENTS, INTEGRATIONS, STANDARD_LIBRARY, Integration
from inspector.logger import logger


class IntegrationUnknown(ValueError):
    """No integration has this name."""


class Enabled:
    """The integrations that are enabled, or wait for their framework, in this process."""

    def __init__(self) -> None:
        self._watch = ImportWatch()
        self._patches: dict[str, Patches] = {}

    def enable(self, integrations: Iterable[Integration]) -> None:
        """Enable them, each as soon as its framework has been imported."""
        for integration in integrations:
            self._watch.expect(integration.trigger, lambda integration=integration: self._install(integration))

    def disable(self) -> None:
        """Disable them all, and restore every framework."""
        self._watch.stop()
        for patches in self._patches.values():
            patches.undo()
        self._patches.clear()

    @property
    def installed(self) -> tuple[str, ...]:
        """Names of the integrations whose framework is in use, without HTTP clients, which have many uses."""
        return tuple(sorted(self._patches.keys() - STANDARD_LIBRARY - HTTP_CLIENTS))

    def _install(self, integration: Integration) -> None:
        if integration.name in self._patches:
            return
        installed = _installed_version(integration.distribution)
        patches = self._patches[integration.name] = Patches(integration.name)
        try:
            import_module(f"inspector.integrations.{integration.name}").install(patches)
        # The border to a framework of any version: its program has to run as it would without us.
        except Exception:  # noqa: BLE001
            logger.warning(
                "%s %s cannot be recorded by this version of the inspector",
                integration.distribution,
                installed,
                exc_info=logger.isEnabledFor(logging.DEBUG),
            )
            patches.undo()
            return
        if patches.missing or not _is_supported(installed, integration):
            logger.warning(_notice(integration, installed, patches.missing))


def chosen(names: Collection[str] | None, *, without: Collection[str] = ()) -> tuple[Integration, ...]:
    """Return the integrations with these names, or all, without those left out.

    Raises:
        IntegrationUnknown: No integration has one of the names.
    """
    by_name = {each.name: each for each in INTEGRATIONS}
    unknown = sorted({*(names or ()), *without} - by_name.keys())
    if unknown:
        raise IntegrationUnknown(f"there is no integration {unknown[0]!r}; there are: {', '.join(by_name)}")
    return tuple(each for name, each in by_name.items() if (names is None or name in names) and name not in without)


def _installed_version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "(version unknown)"


def _is_supported(installed: str, integration: Integration) -> bool:
    numbers = tuple(int(part) for part in findall(r"\d+", installed.partition("+")[0])[:3])
    return not numbers or integration.since <= numbers < integration.before


def _notice(integration: Integration, installed: str, missing: tuple[str, ...]) -> str:
    since, before = (".".join(map(str, numbers)) for numbers in (integration.since, integration.before))
    lacking = f"; not there: {', '.join(missing)}" if missing else ""
    return (
        f"{integration.distribution} {installed} is not a version the inspector was tested with "
        f"(from {since}, below {before}); what can be recorded is recorded{lacking}"
    )
