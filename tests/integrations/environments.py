"""Environments of published frameworks, made when a test first needs one and kept in the project's own."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
WATCHED = CHECKOUT / "tests" / "watched" / "sitecustomize.py"
LOCKS = CHECKOUT / "requirements" / "frameworks"
NEEDS_312 = frozenset({"fast-agent"})
FROM_SOURCE = "claude-agent-sdk"
"""Its wheels contain a program of 400 MB, which no test starts."""
BUILT_WITH = CHECKOUT / "requirements" / "build.txt"


class EnvironmentMissing(Exception):
    """The machine has no Python that these packages run on."""


def framework_python(name: str) -> Path:
    """Return the interpreter of the environment that ``requirements/frameworks/<name>.txt`` locks.

    It has the frameworks, what the inspector needs, and this checkout instead of an installed inspector.
    """
    lock = LOCKS / f"{name}.txt"
    home = Path(sys.prefix) / "frameworks" / name
    stamp = home / ".lock-of-this-environment"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    home.parent.mkdir(exist_ok=True)
    with (home.parent / f"{name}.making").open("w") as making:
        fcntl.flock(making, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text() != wanted:
            _make(home, lock, _base_python(name))
            stamp.write_text(wanted)
        _add_checkout(home)
    return home / "bin" / "python"


def _make(home: Path, lock: Path, base: str) -> None:
    uv = Path(sys.prefix) / "bin" / "uv"
    # Tests import a part of the frameworks; that is compiled as they do.
    environment = os.environ | {"UV_SYSTEM_CERTS": "1", "UV_COMPILE_BYTECODE": "0"}
    shutil.rmtree(home, ignore_errors=True)
    subprocess.run([uv, "venv", "--quiet", "--python", base, home], check=True, env=environment)
    python = home / "bin" / "python"
    source = ["--no-binary", FROM_SOURCE, "--build-constraints", BUILT_WITH]
    sync = [uv, "pip", "sync", "--quiet", "--python", python, "--require-hashes", *source, lock]
    subprocess.run(sync, check=True, env=environment)


def _add_checkout(home: Path) -> None:
    packages = next((home / "lib").glob("python3.*/site-packages"))
    added = packages / "mcp_agent_inspector_checkout.pth"
    # Has every process watched, see `emitted`, servers that the MCP SDK starts among them.
    watch = f"import os; 'INSPECTOR_EMITTED_UNKNOWN' in os.environ and __import__('runpy').run_path({str(WATCHED)!r})"
    lines = f"{CHECKOUT}\n{watch}\n"
    if not added.is_file() or added.read_text() != lines:
        added.write_text(lines)


def _base_python(name: str) -> str:
    if name not in NEEDS_312:
        return sys.executable
    versions = ("3.12", "3.13")
    found = [sys.executable] if sys.version_info >= (3, 12) else []
    found += filter(None, (shutil.which(f"python{version}") for version in versions))
    # A version manager's names on the path may lead nowhere; what it has installed is beside them.
    pyenv = os.environ.get("PYENV_ROOT")
    found += (str(each) for each in Path(pyenv or "/none").glob("versions/3.1[23]*/bin/python3"))
    for python in found:
        if subprocess.run([python, "-c", "import venv"], capture_output=True).returncode == 0:
            return python
    raise EnvironmentMissing(
        f"requirements/frameworks/{name}.txt needs Python {' or '.join(versions)}, which is not here"
    )
