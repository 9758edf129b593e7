"""A project that is built as this one is, with a web app of four files that needs no package."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

BUILD = """
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
appendFileSync("../builds", "built\\n");
rmSync("dist", { recursive: true, force: true });
mkdirSync("dist/assets", { recursive: true });
writeFileSync("dist/assets/index-1.js", readFileSync("src/main.js"));
writeFileSync("dist/index.html", "<!doctype html>built");
"""


def write_web(web: Path, build: str = BUILD) -> None:
    (web / "src").mkdir(parents=True)
    package = {"name": "small", "private": True, "type": "module", "scripts": {"build": "node build.js"}}
    (web / "package.json").write_text(json.dumps(package))
    (web / "package-lock.json").write_text(
        json.dumps({"name": "small", "lockfileVersion": 3, "requires": True, "packages": {"": {"name": "small"}}})
    )
    (web / "build.js").write_text(build)
    (web / "src" / "main.js").write_text("export {};\n")


@pytest.fixture
def project(tmp_path: Path, checkout: Path) -> Path:
    """A copy of what the build reads, with a small app."""
    made = tmp_path / "project"
    made.mkdir()
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "openapi.yaml", ".gitignore"):
        shutil.copy(checkout / name, made)
    for name in ("inspector", "instrument"):
        (made / name).mkdir()
        (made / name / "__init__.py").touch()
    write_web(made / "web")
    return made


@pytest.fixture
def run() -> Callable[..., "subprocess.CompletedProcess[str]"]:
    def run(directory: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("INSPECTOR_", "PYTHONPATH"))}
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=directory,
            env=kept | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )

    return run
