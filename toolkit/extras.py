"""Packages that only some parts of the toolkit need."""

from importlib import import_module
from types import ModuleType

from toolkit.errors import ExtraMissing


def need(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import ``module``, which comes with the extra ``extra``.

    Raises:
        ExtraMissing: It is not installed. An import that fails deeper inside passes as it is.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        package = error.name
    raise ExtraMissing(f"{purpose} needs {package}: pip install 'mcp-agent-inspector[{extra}]'", name=package)
