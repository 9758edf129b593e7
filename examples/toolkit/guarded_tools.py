"""Tools that could do harm, held to what they are for.

Run it with `python examples/toolkit/guarded_tools.py`.
"""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from toolkit import ToolContext, ToolNode, tool
from toolkit.middleware.paths import PathRoots
from toolkit.tools import ShellTool, filesystem_tools


@tool(permissions=["mail"])
def send_mail(to: str, context: ToolContext) -> str:
    """Send a mail."""
    return f"sent to {to} with a key of {len(context.credential('smtp'))} letters"


CALLS = (
    ("shell.execute", {"argv": ["echo", "hello"]}),
    ("shell.execute", {"argv": ["rm", "-rf", "."]}),
    ("shell.execute", {"argv": ["echo", "$(id)"]}),
    ("filesystem.read", {"path": "notes.txt"}),
    ("filesystem.read", {"path": "../etc/passwd"}),
    ("filesystem.write", {"path": "notes.txt", "content": ""}),
    ("send_mail", {"to": "ann"}),
)


async def attempt(folder: str) -> None:
    """Try what is allowed and what is not."""
    node = ToolNode(
        [ShellTool(allow=["echo"]), *filesystem_tools(folder, read_only=True), send_mail],
        tool_hooks=[PathRoots(folder, tools="filesystem.*")],
        context=ToolContext(permissions=frozenset(), credentials={"smtp": "s3cret"}),
    )
    for name, arguments in CALLS:
        [result] = await node.invoke([{"name": name, "arguments": arguments}])
        print("refused:" if result.is_error else "ok:", result.text.replace(folder, "FOLDER"))


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        Path(temporary, "notes.txt").write_text("buy milk")
        asyncio.run(attempt(str(Path(temporary).resolve())))
