"""The contract ``openapi.yaml``, written by hand and served as the JSON that the build makes of it."""

from functools import cache
from pathlib import Path

import msgspec

BUILT = Path(__file__).with_name("openapi.json")
"""Only in an installed package; a checkout has the source."""
SOURCE = Path(__file__).parents[2] / "openapi.yaml"


@cache
def contract_json() -> bytes:
    """Return the document as it is served."""
    if BUILT.is_file():
        return BUILT.read_bytes()
    # Installed for development only, like the checkout.
    import yaml

    # The same loader without libyaml takes five times as long.
    return msgspec.json.encode(yaml.load(SOURCE.read_text("utf-8"), yaml.CSafeLoader))
