"""Finds a model by its name, as a command line or a card gives it."""

from collections.abc import Callable
from pathlib import Path

from toolkit.errors import SpecInvalid
from toolkit.model import Model
from toolkit.models.openai import OpenAIModel
from toolkit.models.scripts import Script


def models_named(spec: str, base_path: Path | None = None) -> Callable[[str], Model]:
    """Return what gives each agent, by its name, the model that ``spec`` means.

    Args:
        spec: ``openai:NAME`` for OpenAI or, by ``OPENAI_BASE_URL``, a compatible endpoint, one for all agents;
            ``scripted:FILE`` for a script, whose path is relative to ``base_path``.
        base_path: A directory; None for the working directory.

    Raises:
        SpecInvalid: It is neither.
        ScriptInvalid: The file is no script.
    """
    kind, _, rest = spec.partition(":")
    if kind == "scripted" and rest:
        return Script.read((base_path or Path()) / rest).model_for
    if kind == "openai" and rest:
        model = OpenAIModel(rest)
        return lambda _agent: model
    raise SpecInvalid(f"{spec!r} names no model; expected scripted:FILE or openai:NAME")
