"""Lists, reads and writes the files of one folder."""

from base64 import b64encode
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from toolkit.content import Content, ImageContent, ResourceContent, TextContent
from toolkit.errors import ToolkitError
from toolkit.functions import FunctionTool
from toolkit.middleware.selection import above_zero
from toolkit.result import ToolResult
from toolkit.tools.rooted import Entry, RootedFolder
from toolkit.tools.runtime import RuntimeTool

MOST_ENTRIES = 1_000
Folder = Annotated[str, "Relative to the folder."]


class FilesystemTool(RuntimeTool, FunctionTool):
    """One of the tools that ``filesystem_tools`` makes; it works off the event loop, and all of them have bounds."""


def filesystem_tools(root: str | Path, *, read_only: bool = True, max_bytes: int = 1_000_000) -> list[FilesystemTool]:
    """Return ``filesystem.list``, ``.read`` and, unless ``read_only``, ``.write`` for one folder.

    Nothing outside of ``root`` can be reached, and symbolic links are not followed.

    Args:
        root: The folder.
        read_only: Leave out ``filesystem.write``.
        max_bytes: How much of a file is read or written at once.
    """
    above_zero(max_bytes, "filesystem_tools(max_bytes=…)")
    files = _Files(RootedFolder(root), max_bytes)
    read = f"Read a file, up to {max_bytes:,} bytes from an offset on."
    tools = [
        FilesystemTool(files.list, name="filesystem.list"),
        FilesystemTool(files.read, name="filesystem.read", description=read),
    ]
    return tools if read_only else [*tools, FilesystemTool(files.write, name="filesystem.write")]


@dataclass(frozen=True, slots=True)
class _Files:
    folder: RootedFolder
    max_bytes: int

    def list(self, path: Folder = ".") -> ToolResult:
        """List a folder."""
        entries = self.folder.entries(path)
        shown = entries[:MOST_ENTRIES]
        lines = [_line(entry) for entry in shown]
        if len(entries) > len(shown):
            lines.append(f"[{len(entries) - len(shown):,} more]")
        value = {"entries": [asdict(entry) for entry in shown], "truncated": len(entries) > len(shown)}
        return ToolResult([TextContent("\n".join(lines) or "[empty]")], structured=value)

    def read(self, path: Folder, offset: Annotated[int, Field(ge=0, description="In bytes.")] = 0) -> ToolResult:
        data, size = self.folder.read(path, max_bytes=self.max_bytes, offset=offset)
        end = offset + len(data)
        content = [_content(path, data, whole=offset == 0 and end >= size)]
        if end < size:
            content.append(TextContent(f"[bytes {offset:,} to {end:,} of {size:,}; read on with offset={end}]"))
        return ToolResult(content, metadata={"path": path, "size": size, "offset": offset, "end": end})

    def write(self, path: Folder, content: str) -> ToolResult:
        """Write a file; the folders it needs are made."""
        data = content.encode()
        if len(data) > self.max_bytes:
            raise ToolkitError(f"content: {len(data):,} bytes are more than {self.max_bytes:,}")
        new = self.folder.write(path, data)
        value = {"path": path, "bytes": len(data), "created": new}
        text = f"{'created' if new else 'replaced'} {path} ({len(data):,} bytes)"
        return ToolResult([TextContent(text)], structured=value)


def _line(entry: Entry) -> str:
    if entry.type == "folder":
        return f"{entry.name}/"
    return f"{entry.name} ({f'{entry.size:,} bytes' if entry.type == 'file' else entry.type})"


def _content(path: str, data: bytes, *, whole: bool) -> Content:
    try:
        text = data.decode() if whole else data.decode(errors="replace")
    except UnicodeDecodeError:
        text = None
    if text is not None and "\0" not in text:
        return TextContent(text)
    from mimetypes import guess_type  # slow to import, and most files are text

    mime_type = guess_type(path)[0] or "application/octet-stream"
    encoded = b64encode(data).decode()
    if mime_type.startswith("image/") and whole:
        return ImageContent(encoded, mime_type)
    return ResourceContent(path, mime_type, blob=encoded)
