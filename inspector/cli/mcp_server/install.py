"""The lines that make a coding agent start the server, for a person to copy."""

import json
import shlex
from collections.abc import Iterator, Sequence


def install_lines(command: Sequence[str]) -> Iterator[str]:
    """Write how to add the server to each coding agent; nothing is changed."""
    program, arguments = command[0], list(command[1:])
    line = shlex.join(command)
    entry = {"command": program, "args": arguments}
    yield "Claude Code"
    yield f"  claude mcp add inspector -- {line}"
    yield ""
    yield "Codex"
    yield f"  codex mcp add inspector -- {line}"
    yield "or in ~/.codex/config.toml:"
    yield "  [mcp_servers.inspector]"
    # A string and a list of strings are the same in TOML as in JSON.
    yield f"  command = {json.dumps(program)}"
    yield f"  args = {json.dumps(arguments)}"
    yield ""
    yield "Gemini CLI"
    # What follows is the server's, not an option of this command.
    yield f"  gemini mcp add --scope user inspector {shlex.quote(program)} -- {shlex.join(arguments)}"
    yield ""
    yield "opencode"
    yield f"  opencode mcp add inspector -- {line}"
    yield ""
    yield "GitHub Copilot CLI"
    yield f"  copilot mcp add inspector -- {line}"
    yield ""
    yield "Cursor, in .cursor/mcp.json of the project or ~/.cursor/mcp.json:"
    yield f"  {json.dumps({'mcpServers': {'inspector': entry}})}"
    yield ""
    yield "VS Code"
    yield f"  code --add-mcp {shlex.quote(json.dumps({'name': 'inspector', **entry}))}"
    yield "or in .vscode/mcp.json of the project:"
    yield f"  {json.dumps({'servers': {'inspector': entry}})}"
