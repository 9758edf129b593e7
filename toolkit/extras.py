"""What is imported when it is first used: names of a package, and packages that only some parts need."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def lazily(package: str, homes: Mapping[str, tuple[str, ...]]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's ``__getattr__`` and ``__dir__``; ``homes`` has its names, by the modules that they are in."""
    places = {name: module for module, names in homes.items() for name in names}

    def look_up(name: str) -> Any:
        if name == "__all__":
            return sorted(places)
        if name not in places:
            # `from package import name` shows no AttributeError's words, and only its own error can say where to look.
            if sys._getframe(1).f_code.co_name == "_handle_fromlist":  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - who asks
                _refuse_import(package, name)
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            module = import_module(places[name])
        except ModuleNotFoundError as error:
            if error.name == "pydantic":
                need("pydantic", extra="toolkit", purpose=f"{package}.{name}")
            raise
        value = getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return look_up, lambda: sorted(places)


def _refuse_import(package: str, name: str) -> None:
    """Raise what says where ``name`` is, if that is known."""
    from toolkit.elsewhere import import_advice  # only who is wrong needs it

    if (advice := import_advice(package, name)) is not None:
        raise ImportError(f"cannot import name {name!r} from {package!r}; {advice}", name=package)


def need(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import ``module``, which comes with the extra ``extra``.

    Raises:
        ExtraMissing: It is not installed. An import that fails deeper inside passes as it is.
    """
    from toolkit.errors import ExtraMissing  # importing the toolkit alone does without

    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        package = error.name
    raise ExtraMissing(f"{purpose} needs {package}: pip install 'mcp-agent-inspector[{extra}]'", name=package)


def need_mcp(purpose: str) -> None:
    """See that the SDK of the Model Context Protocol is there, and is not too old."""
    need("mcp", extra="mcp", purpose=purpose)
    need("mcp.shared.dispatcher", extra="mcp", purpose=f"{purpose} (mcp 2 or newer)")
