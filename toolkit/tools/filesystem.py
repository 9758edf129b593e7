"""Lists, reads, searches and writes the files of one folder."""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import asdict
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from toolkit.call import ToolCall
from toolkit.content import Content, ImageContent, ResourceContent, TextContent
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import ToolkitError
from toolkit.middleware.selection import above_zero
from toolkit.result import ToolResult
from toolkit.tool_class import arguments_of
from toolkit.tools.rooted import Entry, RootedFolder
from toolkit.tools.runtime import RuntimeTool

MOST_ENTRIES = 1_000
MOST_MATCHES = 200
_LONGEST_LINE = 500
_PATH = {"type": "string", "description": "Relative to the folder."}


class FilesystemTool(RuntimeTool):
    """One of the tools that ``filesystem_tools`` makes; it works off the event loop."""

    def __init__(self, definition: ToolDefinition, work: Callable[[Mapping[str, Any]], ToolResult]) -> None:
        super().__init__(definition)
        self._work = work

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:  # noqa: ARG002 - the signature of tools
        """Do it in a thread; one that is cancelled ends by itself, since all of them have bounds."""
        return await asyncio.to_thread(self._work, arguments_of(call))


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
    """
    above_zero(max_bytes, "filesystem_tools(max_bytes=…)")
    above_zero(max_files, "filesystem_tools(max_files=…)")
    folder = RootedFolder(root)
    tools = [_lister(folder), _reader(folder, max_bytes), _searcher(folder, max_bytes, max_files)]
    return tools if read_only else [*tools, _writer(folder, max_bytes)]


def _lister(folder: RootedFolder) -> FilesystemTool:
    return _tool("list", "List a folder.", {"path": _PATH}, partial(_list, folder))


def _reader(folder: RootedFolder, max_bytes: int) -> FilesystemTool:
    offset = {"type": "integer", "minimum": 0, "default": 0, "description": "In bytes."}
    return _tool(
        "read",
        f"Read a file, up to {max_bytes:,} bytes from an offset on.",
        {"path": _PATH, "offset": offset},
        partial(_read, folder, max_bytes),
        required=("path",),
    )


def _searcher(folder: RootedFolder, max_bytes: int, max_files: int) -> FilesystemTool:
    return _tool(
        "search",
        "Find the lines that contain a text in the files of a folder and below.",
        {
            "text": {"type": "string", "minLength": 1, "description": "Upper and lower case are the same."},
            "path": _PATH,
            "names": {"type": "string", "description": "Only files of such names, as in '*.md'."},
        },
        partial(_search, folder, max_bytes, max_files),
        required=("text",),
    )


def _writer(folder: RootedFolder, max_bytes: int) -> FilesystemTool:
    append = {"type": "boolean", "default": False, "description": "Add to the end of what is there."}
    return _tool(
        "write",
        "Write a file; the folders it needs are made.",
        {"path": _PATH, "content": {"type": "string"}, "append": append},
        partial(_write, folder, max_bytes),
        required=("path", "content"),
    )


def _tool(
    verb: str,
    description: str,
    properties: dict[str, Any],
    work: Callable[[Mapping[str, Any]], ToolResult],
    *,
    required: tuple[str, ...] = (),
) -> FilesystemTool:
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = list(required)
    definition = ToolDefinition(name=f"filesystem.{verb}", description=description, input_schema=schema)
    return FilesystemTool(definition, work)


def _list(folder: RootedFolder, arguments: Mapping[str, Any]) -> ToolResult:
    entries = folder.entries(arguments.get("path", "."))
    shown = entries[:MOST_ENTRIES]
    lines = [_line(each) for each in shown]
    if len(entries) > len(shown):
        lines.append(f"[{len(entries) - len(shown):,} more]")
    value = {"entries": [asdict(each) for each in shown], "truncated": len(entries) > len(shown)}
    return ToolResult([TextContent("\n".join(lines) or "[empty]")], structured=value)


def _line(entry: Entry) -> str:
    if entry.type == "folder":
        return f"{entry.name}/"
    return f"{entry.name} ({f'{entry.size:,} bytes' if entry.type == 'file' else entry.type})"


def _read(folder: RootedFolder, max_bytes: int, arguments: Mapping[str, Any]) -> ToolResult:
    path, offset = arguments["path"], arguments.get("offset", 0)
    data, size = folder.read(path, max_bytes=max_bytes, offset=offset)
    end = offset + len(data)
    content = [_content(path, data, whole=offset == 0 and end >= size)]
    if end < size:
        content.append(TextContent(f"[bytes {offset:,} to {end:,} of {size:,}; read on with offset={end}]"))
    return ToolResult(content, metadata={"path": path, "size": size, "offset": offset, "end": end})


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


def _search(folder: RootedFolder, max_bytes: int, max_files: int, arguments: Mapping[str, Any]) -> ToolResult:
    wanted, pattern = str(arguments["text"]).casefold(), arguments.get("names", "*")
    matches: list[dict[str, Any]] = []
    truncated, searched = False, 0
    for path in folder.files(arguments.get("path", ".")):
        if not fnmatchcase(path.rpartition("/")[2], pattern):
            continue
        searched += 1
        if searched > max_files or len(matches) > MOST_MATCHES:
            truncated = True
            break
        try:
            data, size = folder.read(path, max_bytes=max_bytes)
        except ToolkitError:
            continue  # gone, or not ours to read
        truncated = truncated or size > len(data)
        matches += _matches(path, data, wanted)
    truncated = truncated or len(matches) > MOST_MATCHES
    lines = [f"{each['path']}:{each['line']}: {each['text']}" for each in matches[:MOST_MATCHES]]
    lines += ["[there may be more]"] if truncated else []
    value = {"matches": matches[:MOST_MATCHES], "truncated": truncated}
    return ToolResult([TextContent("\n".join(lines) or "[nothing found]")], structured=value)


def _matches(path: str, data: bytes, wanted: str) -> list[dict[str, Any]]:
    if b"\0" in data:
        return []
    lines = enumerate(data.decode(errors="replace").splitlines(), 1)
    return [
        {"path": path, "line": number, "text": line[:_LONGEST_LINE]}
        for number, line in lines
        if wanted in line.casefold()
    ]


def _write(folder: RootedFolder, max_bytes: int, arguments: Mapping[str, Any]) -> ToolResult:
    path, data = arguments["path"], str(arguments["content"]).encode()
    if len(data) > max_bytes:
        raise ToolkitError(f"content: {len(data):,} bytes are more than {max_bytes:,}; write it in parts with append")
    append = arguments.get("append", False)
    new = folder.write(path, data, append=append)
    did = "created" if new else "appended to" if append else "replaced"
    value = {"path": path, "bytes": len(data), "created": new}
    return ToolResult([TextContent(f"{did} {path} ({len(data):,} bytes)")], structured=value)
