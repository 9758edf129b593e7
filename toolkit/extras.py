"""Packages that only some parts of the toolkit need."""

from importlib import import_module
from importlib.util import find_spec
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


def need_mcp(purpose: str) -> None:
    """See that the SDK of the Model Context Protocol is there.

    Raises:
        ExtraMissing: It is not installed, or is too old.
    """
    need("mcp", extra="mcp", purpose=purpose)
    if find_spec("mcp.shared.dispatcher") is None:
        raise ExtraMissing(f"{purpose} needs mcp 2 or newer: pip install 'mcp-agent-inspector[mcp]'", name="mcp")
