"""Models: asked, from a script, and behind any endpoint that speaks OpenAI's chat completions."""

from typing import TYPE_CHECKING

from toolkit.extras import lazily

if TYPE_CHECKING:
    from toolkit.models.asking import generate as generate
    from toolkit.models.model import Message as Message
    from toolkit.models.model import Model as Model
    from toolkit.models.model import ModelRequest as ModelRequest
    from toolkit.models.model import ModelResponse as ModelResponse
    from toolkit.models.openai import OpenAIModel as OpenAIModel
    from toolkit.models.scripted import ScriptedModel as ScriptedModel
    from toolkit.models.scripted import Turn as Turn
    from toolkit.models.scripts import Script as Script

__getattr__, __dir__ = lazily(
    __name__,
    {
        "toolkit.models.asking": ("generate",),
        "toolkit.models.model": ("Message", "Model", "ModelRequest", "ModelResponse"),
        "toolkit.models.openai": ("OpenAIModel",),
        "toolkit.models.scripted": ("ScriptedModel", "Turn"),
        "toolkit.models.scripts": ("Script",),
    },
)
