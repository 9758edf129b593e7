"""Checks the environment of a recorded program: whether its integrations exist, and its endpoint is valid."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from inspector.environment import Environment, ignored, read_environment
from inspector.integrations import INTEGRATIONS

_NAMES = {each.name for each in INTEGRATIONS}


def configured(*, home: str | Path | None = None, environ: Mapping[str, str] = os.environ) -> Environment:
    """Read the variables; unknown integrations and invalid endpoints are ignored like other invalid values."""
    return _with_valid_endpoint(_with_known_integrations(read_environment(home=home, environ=environ)))


def _with_known_integrations(settings: Environment) -> Environment:
    unknown = [name for name in settings.integrations_off if name not in _NAMES]
    if not unknown:
        return settings
    why = f"there is no integration of that name; there are: {', '.join(sorted(_NAMES))}"
    return replace(
        settings,
        integrations_off=tuple(name for name in settings.integrations_off if name in _NAMES),
        ignored=(*settings.ignored, ignored("INTEGRATIONS_OFF", ",".join(unknown), why)),
    )


def _with_valid_endpoint(settings: Environment) -> Environment:
    if settings.endpoint is None and not settings.endpoint_headers:
        return settings
    # Imported here, because most programs send nothing.
    from inspector.forward import Endpoint, EndpointInvalid, headers_of

    try:
        if settings.endpoint is not None:
            Endpoint.of(settings.endpoint)
    except EndpointInvalid as error:
        sentence = ignored("ENDPOINT", "", f"{error}; what is recorded stays on this machine")
        return replace(settings, endpoint=None, endpoint_headers="", ignored=(*settings.ignored, sentence))
    try:
        headers_of(settings.endpoint_headers)
    except EndpointInvalid as error:
        return replace(settings, endpoint_headers="", ignored=(*settings.ignored, f"{error}; all of it is ignored"))
    return settings
