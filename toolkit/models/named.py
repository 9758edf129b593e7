"""Finds a model by its name, as a program, a command line or a card gives it."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

from toolkit.errors import DefinitionInvalid, SpecInvalid
from toolkit.extras import need
from toolkit.models.model import Model
from toolkit.models.openai import OpenAIModel


def models_named(spec: str, base_path: Path | None = None) -> Callable[[str], Model]:
    """Return what gives each agent, by its name, the model that ``spec`` means.

    That is ``openai:NAME`` or the name alone, for OpenAI or, by ``OPENAI_BASE_URL``, a compatible endpoint; or
    ``scripted:FILE`` for a script, whose path is relative to ``base_path``.
    """
    kind, colon, rest = spec.strip().partition(":")
    if kind == "scripted" and rest:
        need("pydantic", extra="toolkit", purpose=f"the model {spec}")
        from toolkit.models.scripts import Script

        return Script.read((base_path or Path()) / rest).model_for
    name = rest if kind == "openai" else kind
    # What stands alone is a name, unless it is only the beginning of one.
    if name and (kind == "openai" or not colon) and name != "scripted":
        model = OpenAIModel(name)
        return lambda _agent: model
    raise SpecInvalid(f"{spec!r} names no model; expected openai:NAME, NAME alone, or scripted:FILE")


def as_model(value: object, agent: str) -> Model:
    """Return the model that was given to ``agent``, as itself or by its name."""
    if isinstance(value, str):
        return models_named(value)(agent)
    is_named = all(isinstance(getattr(value, name, None), str) for name in ("name", "provider"))
    if is_named and callable(getattr(value, "generate", None)) and not isinstance(value, type):
        return cast("Model", value)
    kind = f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
    raise DefinitionInvalid(
        f"model of {agent}: expected a model (a name, a provider and an async generate) "
        f"or the name of one, as in 'openai:gpt-5-mini', not {kind}"
    )
