"""The environment in which a program's Node notes its requests to models in a directory of ours."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from inspector.integrations.plain_http.apis import javascript_of_paths
from inspector.launch.program import Program

_NAMES = frozenset(("node", "nodejs", "npm", "npx", "pnpm", "pnpx", "ts-node", "tsx", "yarn", "yarnpkg"))
_OTHERS = frozenset(("bun", "bunx", "deno"))
_SHEBANG = re.compile(rb"#!.*[/ ](?:node|nodejs|tsx|ts-node)(?:\s|\Z)")
_OPTIONS = "NODE_OPTIONS"
_PERMISSION = ("--permission", "--experimental-permission")
_VARIABLE = "INSPECTOR_NODE"
_PRELOADED = Path(__file__).parent.parent / "node" / "preload.cjs"
_LONGEST_LINE = 256


def is_node(program: str) -> bool:
    """Tell whether the path of a program is that of Node, of what starts it, or of a script for it."""
    path = Path(program)
    return path.name in _NAMES or _SHEBANG.match(_first_line(path)) is not None


def why_not_node(program: Program, environ: Mapping[str, str]) -> str | None:
    """Return why a program in JavaScript is not recorded in this environment; None if it can be."""
    name = Path(program.path).name
    if name in _OTHERS:
        return f"{name} does not load what records, which {_OPTIONS} names; run the program with node, npm or npx"
    words = (*program.arguments, *environ.get(_OPTIONS, "").split())
    option = next((each for each in _PERMISSION if each in words), None)
    if option is not None and is_node(program.path):
        return f"with {option}, Node may neither load what records nor write what it notes; leave it out"
    return None


def environment_of_node(environ: Mapping[str, str], directory: Path) -> dict[str, str]:
    """Return the environment in which each Node notes its requests to models.

    Args:
        environ: Its environment otherwise.
        directory: A private directory.
    """
    # As Node reads it: https://nodejs.org/api/cli.html#node_optionsoptions
    path = str(_PRELOADED).replace("\\", "\\\\").replace('"', '\\"')
    ours = f'"--require={path}"'
    before = environ.get(_OPTIONS, "").replace(ours, "").strip()
    return {
        **environ,
        _OPTIONS: f"{before} {ours}" if before else ours,
        _VARIABLE: json.dumps({"directory": str(directory), "paths": javascript_of_paths()}),
    }


def _first_line(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.readline(_LONGEST_LINE)
    except OSError:
        # Whether it can be started is found out elsewhere.
        return b""
