"""The settings from the environment and the options of a command."""

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
    """Read the settings; options take precedence over the environment.

    Raises:
        SettingInvalid: A value is invalid; the message names the variable or option, and how to fix it.
    """
    values: dict[str, Any] = {"home": home, "host": host, "port": port, "otlp_grpc_port": otlp_grpc_port}
    options = {name: value for name, value in values.items() if value is not None}
    try:
        return _read(options)
    except ValidationError as error:
        first, *others = _refusals(error, options).values()
        more = f" ({len(others)} more after this one)" if others else ""
        raise SettingInvalid(f"{first}; correct it or leave it out{more}") from error


def settings_without_refused(home: Path | None) -> tuple[Settings, list[str]]:
    """Read the settings with defaults in place of invalid values, and say why each of those is invalid.

    Raises:
        SettingInvalid: There is no home directory, or the given one is not a directory or cannot be reached.
    """
    options: dict[str, Any] = {} if home is None else {"home": home}
    try:
        return _read(options), []
    except ValidationError as error:
        refused = _refusals(error, options)
    defaults = {name: Settings.model_fields[name].get_default(call_default_factory=True) for name in refused}
    return _read(options | defaults), list(refused.values())


def _read(options: dict[str, Any]) -> Settings:
    try:
        settings = Settings(**options)
    except RuntimeError as error:
        raise SettingInvalid("there is no home directory; set INSPECTOR_HOME to a directory of your own") from error
    home = settings.home
    try:
        is_other = home.exists() and not home.is_dir()
    except OSError as error:
        raise SettingInvalid(f"{home}: {error.strerror}; set INSPECTOR_HOME to a directory of yours") from error
    if is_other:
        raise SettingInvalid(f"{home} is not a directory; set INSPECTOR_HOME or --home to one")
    return settings


def _refusals(error: ValidationError, options: dict[str, Any]) -> dict[str, str]:
    """Why each value is invalid, by the name of its setting."""
    refused: dict[str, str] = {}
    for problem in error.errors(include_url=False):
        name = str(problem["loc"][0])
        value = "" if name in _SECRETS else f"={str(problem['input'])[:_SHOWN_CHARACTERS]}"
        place = f"--{name.replace('_', '-')}" if name in options else f"INSPECTOR_{name.upper()}"
        why = problem["msg"].removeprefix("Input ").removeprefix("Value error, ").partition(", unable to")[0]
        why = why.replace("a valid boolean", "true or false")
        refused.setdefault(name, f"{place}{value}: {why}")
    return refused
