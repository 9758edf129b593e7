"""The contract ``openapi.yaml``: written by hand, packed into the wheel, served as it is."""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

PLACES = (Path(__file__).with_name("openapi.yaml"), Path(__file__).parents[2] / "openapi.yaml")
"""In an installed package, and in a checkout."""
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The safe loader; that of libyaml, where PyYAML was built with it, takes a sixth of the time."""


@cache
def contract() -> dict[str, Any]:
    """The document as plain values; not to be changed."""
    path = next(place for place in PLACES if place.is_file())
    return yaml.load(path.read_text("utf-8"), LOADER)  # noqa: S506 - a safe one, see LOADER


@cache
def contract_json() -> bytes:
    """The document as it is served."""
    return msgspec.json.encode(contract())
