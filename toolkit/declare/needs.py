"""What declared agents need of this machine: their models, their servers' programs, and packages."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from toolkit.declare.config import AgentConfig
from toolkit.declare.settings import Settings
from toolkit.errors import CardProblem, ToolkitError
from toolkit.extras import need
from toolkit.mcp.places import Place, StdioServer
from toolkit.mcp.servers import need_sdk
from toolkit.model import Model
from toolkit.models.named import models_named

Tell = Callable[[str], CardProblem]
"""Makes a problem of what is wrong with one key."""


def problems_of_models(
    configs: Iterable[AgentConfig], model: Model | str | None, settings: Settings
) -> Iterator[CardProblem]:
    """Return which agents name a model that there is not; ``model`` goes before that of the settings."""
    for config in configs:
        spec, base_path, tell = config.model, config.origin.base_path, _of_agent(config, "model")
        if spec is None:
            spec, base_path = (model, None) if model is not None else (settings.default_model, settings.base_path)
            if model is None and settings.document is not None:
                tell = _of_settings(settings, "default_model")
        if isinstance(spec, str) and (said := _wrong_with(spec, base_path, config.name)):
            yield tell(said)


def problems_of_servers(
    configs: Sequence[AgentConfig], places: Mapping[str, Place], settings: Settings
) -> Iterator[CardProblem]:
    """Return which servers of the agents cannot be started here."""
    users = {name: each for each in reversed(configs) for name in each.servers if name in places}
    try:
        if users:
            need_sdk()
    except ToolkitError as error:
        yield _of_agent(next(reversed(users.values())), "servers")(str(error))
    for name, config in users.items():
        place = places[name]
        if isinstance(place, StdioServer) and place.required and not _is_there(place):
            is_in_file = settings.servers.get(name) is place
            tell = _of_settings(settings, "mcp", "servers", name) if is_in_file else _of_agent(config, "servers")
            yield tell(f"there is no program {place.command!r}")


def _wrong_with(spec: str, base_path: Path | None, agent: str) -> str | None:
    try:
        models_named(spec, base_path)(agent)
        if spec.startswith("openai:"):
            need("openai", extra="openai", purpose=f"the model {spec}")
    except ToolkitError as error:
        return str(error)
    return None


def _is_there(place: StdioServer) -> bool:
    # As the operating system does it: a path is looked up from the server's own folder.
    is_path = "/" in place.command or os.sep in place.command
    command = str(Path(place.cwd or ".") / place.command) if is_path else place.command
    return shutil.which(command, path=place.env.get("PATH")) is not None


def _of_agent(config: AgentConfig, key: str) -> Tell:
    return lambda said: config.origin.problem(f"{key}: {said}", key)


def _of_settings(settings: Settings, *path: str) -> Tell:
    def tell(said: str) -> CardProblem:
        assert settings.document is not None
        return settings.document.problem(f"{path[-1]}: {said}", *path)

    return tell
