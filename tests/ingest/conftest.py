"""A home with a spool, and lines to write there."""

from pathlib import Path

import pytest
from lines import make_request, make_span, otlp_attributes

from inspector.settings import Settings

__all__ = ["make_request", "make_span", "otlp_attributes"]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", retention_days=36_500)


@pytest.fixture
def spool(settings: Settings) -> Path:
    settings.spool.mkdir(parents=True, mode=0o700)
    return settings.spool
