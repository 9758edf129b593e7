"""Models: asked, from a script, and behind any endpoint that speaks OpenAI's chat completions."""

from typing import TYPE_CHECKING

from toolkit.extras import lazily

if TYPE_CHECKING:
    from toolkit.middleware.models import generate as generate
    from toolkit.models.openai import OpenAIModel as OpenAIModel
    from toolkit.models.scripted import ScriptedModel as ScriptedModel
    from toolkit.models.scripted import Turn as Turn
    from toolkit.models.scripts import Script as Script

__getattr__ = lazily(
    __name__,
    {
        "toolkit.middleware.models": ("generate",),
        "toolkit.models.openai": ("OpenAIModel",),
        "toolkit.models.scripted": ("ScriptedModel", "Turn"),
        "toolkit.models.scripts": ("Script",),
    },
)
