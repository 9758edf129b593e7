"""Lists, reads, searches and writes the files of one folder."""

import builtins
from base64 import b64encode
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from toolkit.content import Content, ImageContent, ResourceContent, TextContent
from toolkit.errors import ToolkitError
from toolkit.functions import FunctionTool
from toolkit.middleware.selection import above_zero
from toolkit.result import ToolResult
from toolkit.tools.rooted import Entry, RootedFolder
from toolkit.tools.runtime import RuntimeTool

MOST_ENTRIES = 1_000
MOST_MATCHES = 200
_LONGEST_LINE = 500
Folder = Annotated[str, "Relative to the folder."]


class FilesystemTool(RuntimeTool, FunctionTool):
    """One of the tools that ``filesystem_tools`` makes; it works off the event loop, and all of them have bounds."""


def filesystem_tools(
    root: str | Path, *, read_only: bool = True, max_bytes: int = 1_000_000, max_files: int = 10_000
) -> list[FilesystemTool]:
    """Return ``filesystem.list``, ``.read``, ``.search`` and, unless ``read_only``, ``.write`` for one folder.

    Nothing outside of ``root`` can be reached, and symbolic links are not followed.

    Args:
        root: The folder.
        read_only: Leave out ``filesystem.write``.
        max_bytes: How much of a file is read or written at once.
        max_files: How many files a search looks into; its result says when there may be more.

    Raises:
        DefinitionInvalid: ``root`` is no folder, or a limit is not above 0.
        ExtraMissing: ``pydantic`` is not installed.
    """
    above_zero(max_bytes, "filesystem_tools(max_bytes=…)")
    above_zero(max_files, "filesystem_tools(max_files=…)")
    files = _Files(RootedFolder(root), max_bytes, max_files)
    read = f"Read a file, up to {max_bytes:,} bytes from an offset on."
    tools = [
        FilesystemTool(files.list, name="filesystem.list"),
        FilesystemTool(files.read, name="filesystem.read", description=read),
        FilesystemTool(files.search, name="filesystem.search"),
    ]
    return tools if read_only else [*tools, FilesystemTool(files.write, name="filesystem.write")]


@dataclass(frozen=True, slots=True)
class _Files:
    folder: RootedFolder
    max_bytes: int
    max_files: int

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

    def search(
        self,
        text: Annotated[str, Field(min_length=1, description="Upper and lower case are the same.")],
        path: Folder = ".",
        names: Annotated[str, "Only files of such names, as in '*.md'."] = "*",
    ) -> ToolResult:
        """Find the lines that contain a text in the files of a folder and below."""
        matches: builtins.list[dict[str, Any]] = []
        truncated, searched = False, 0
        for file in self.folder.files(path):
            if not fnmatchcase(file.rpartition("/")[2], names):
                continue
            searched += 1
            if searched > self.max_files or len(matches) > MOST_MATCHES:
                truncated = True
                break
            try:
                data, size = self.folder.read(file, max_bytes=self.max_bytes)
            except ToolkitError:
                continue  # gone, or not ours to read
            truncated = truncated or size > len(data)
            matches += _matches(file, data, text.casefold())
        truncated = truncated or len(matches) > MOST_MATCHES
        lines = [f"{match['path']}:{match['line']}: {match['text']}" for match in matches[:MOST_MATCHES]]
        lines += ["[there may be more]"] if truncated else []
        value = {"matches": matches[:MOST_MATCHES], "truncated": truncated}
        return ToolResult([TextContent("\n".join(lines) or "[nothing found]")], structured=value)

    def write(
        self, path: Folder, content: str, *, append: Annotated[bool, "Add to the end of what is there."] = False
    ) -> ToolResult:
        """Write a file; the folders it needs are made."""
        data = content.encode()
        if len(data) > self.max_bytes:
            raise ToolkitError(
                f"content: {len(data):,} bytes are more than {self.max_bytes:,}; write it in parts with append"
            )
        new = self.folder.write(path, data, append=append)
        did = "created" if new else "appended to" if append else "replaced"
        value = {"path": path, "bytes": len(data), "created": new}
        return ToolResult([TextContent(f"{did} {path} ({len(data):,} bytes)")], structured=value)


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


def _matches(path: str, data: bytes, wanted: str) -> list[dict[str, Any]]:
    if b"\0" in data:
        return []
    lines = enumerate(data.decode(errors="replace").splitlines(), 1)
    return [
        {"path": path, "line": number, "text": line[:_LONGEST_LINE]}
        for number, line in lines
        if wanted in line.casefold()
    ]
