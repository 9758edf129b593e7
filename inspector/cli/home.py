"""The settings that the environment and a command's options make."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from inspector.cli.errors import SettingInvalid
from inspector.settings import Settings

_SECRETS = ("token", "endpoint_headers")
_SHOWN_CHARACTERS = 80


def settings_of(
    home: Path | None, *, host: str | None = None, port: int | None = None, otlp_grpc_port: int | None = None
) -> Settings:
    """Read the settings; options go before the environment.

    Raises:
        SettingInvalid: A value is not taken; the message names the variable or option, and the way out.
    """
    given: dict[str, Any] = {"home": home, "host": host, "port": port, "otlp_grpc_port": otlp_grpc_port}
    options = {name: value for name, value in given.items() if value is not None}
    try:
        settings = Settings(**options)
    except ValidationError as error:
        raise SettingInvalid(_explained(error, options)) from error
    except RuntimeError as error:
        raise SettingInvalid("there is no home directory; set INSPECTOR_HOME to a directory of your own") from error
    if settings.home.exists() and not settings.home.is_dir():
        raise SettingInvalid(f"{settings.home} is not a directory; set INSPECTOR_HOME or --home to one")
    return settings


def _explained(error: ValidationError, options: dict[str, Any]) -> str:
    first, *others = error.errors(include_url=False)
    name = str(first["loc"][0]) if first["loc"] else ""
    value = "" if name in _SECRETS else f"={str(first['input'])[:_SHOWN_CHARACTERS]}"
    place = f"--{name.replace('_', '-')}" if name in options else f"INSPECTOR_{name.upper()}"
    why = first["msg"].removeprefix("Input ").removeprefix("Value error, ")
    more = f" ({len(others)} more after this one)" if others else ""
    return f"{place}{value}: {why}; correct it or leave it out{more}"
