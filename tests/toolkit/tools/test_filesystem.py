import asyncio
import os
import threading
import time
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.content import ImageContent, ResourceContent
from toolkit.context import ToolContext
from toolkit.errors import ArgumentsInvalid, DefinitionInvalid, ToolkitError
from toolkit.middleware.paths import PathRoots
from toolkit.result import ToolResult
from toolkit.tools.filesystem import filesystem_tools
from toolkit.tools.rooted import RootedFolder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with some files, and a secret beside it."""
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "root"
    (folder / "notes").mkdir(parents=True)
    (folder / "a.txt").write_text("first\nSecond line ü\n")
    (folder / "notes" / "b.md").write_text("# second\n")
    return folder


def call(root: Path, verb: str, *, context: ToolContext | None = None, **arguments: Any) -> ToolResult:
    offered = filesystem_tools(root, read_only=False, max_bytes=1000)
    tools = {each.name: each for each in offered}
    return asyncio.run(tools[f"filesystem.{verb}"](arguments, context))


def test_writing_has_to_be_asked_for(root: Path) -> None:
    names = ["filesystem.list", "filesystem.read"]
    assert [each.name for each in filesystem_tools(root)] == names
    assert [each.name for each in filesystem_tools(root, read_only=False)] == [*names, "filesystem.write"]


def test_a_folder_is_listed(root: Path) -> None:
    (root / "link").symlink_to("a.txt")
    result = call(root, "list")
    assert result.text == "a.txt (21 bytes)\nlink (link)\nnotes/"
    assert result.structured == {
        "entries": [
            {"name": "a.txt", "type": "file", "size": 21},
            {"name": "link", "type": "link", "size": 0},
            {"name": "notes", "type": "folder", "size": 0},
        ],
        "truncated": False,
    }
    assert call(root, "list", path="notes").text == "b.md (9 bytes)"


def test_a_large_folder_is_listed_in_part(root: Path) -> None:
    for at in range(1000):
        (root / f"{at:04}").touch()
    result = call(root, "list")
    first, *_, last, rest = result.text.splitlines()
    assert (first, last, rest) == ("0000 (0 bytes)", "0999 (0 bytes)", "[2 more]")
    assert (len(result.structured["entries"]), result.structured["truncated"]) == (1000, True)


def test_a_file_is_read(root: Path) -> None:
    for path in ("a.txt", ".//./a.txt", str(root / "a.txt")):
        assert call(root, "read", path=path).text == "first\nSecond line ü\n"


def test_a_large_file_is_read_in_parts(root: Path) -> None:
    (root / "large").write_text("x" * 1000 + "y" * 10)
    first = call(root, "read", path="large")
    assert first.text == "x" * 1000 + "\n[bytes 0 to 1,000 of 1,010; read on with offset=1000]"
    assert call(root, "read", path="large", offset=1000).text == "y" * 10


def test_images_and_bytes_are_content_of_their_own(root: Path) -> None:
    (root / "p.png").write_bytes(b"\x89PNG\xff")
    (root / "data").write_bytes(b"\0\1")
    assert call(root, "read", path="p.png").content == [ImageContent(b64encode(b"\x89PNG\xff").decode(), "image/png")]
    assert call(root, "read", path="data").content == [
        ResourceContent("data", "application/octet-stream", blob=b64encode(b"\0\1").decode())
    ]


ESCAPES = [
    "../secret.txt",
    "notes/../../secret.txt",
    "/etc/passwd",
    "linked",
    "away/secret.txt",
    "notes/up/secret.txt",
    "a\0b",
    "..",
    "~/x",
]


@pytest.mark.parametrize("path", ESCAPES)
@pytest.mark.parametrize("verb", ["read", "write", "list"])
def test_nothing_outside_is_reached(root: Path, path: str, verb: str) -> None:
    (root / "linked").symlink_to(root.parent / "secret.txt")
    (root / "away").symlink_to(root.parent)
    (root / "notes" / "up").symlink_to("../..")
    more = {"content": "broken"} if verb == "write" else {}

    result = call(root, verb, path=path, **more)

    assert "secret" not in result.text.replace("secret.txt", "")
    assert (root.parent / "secret.txt").read_text() == "secret"
    assert sorted(each.name for each in root.parent.iterdir()) == ["root", "secret.txt"]
    if path != "~/x":
        assert result.is_error
        assert isinstance(result.exception, ToolkitError)


def test_a_link_that_is_put_in_place_of_a_folder_meanwhile_is_not_followed(root: Path) -> None:
    """Whatever the moment: the reader sees the file inside, or nothing."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "b.md").write_text("secret")
    stop = threading.Event()

    def swap() -> None:
        while not stop.wait(0.001):
            (root / "notes").rename(root / "kept")
            (root / "notes").symlink_to(outside)
            stop.wait(0.001)
            (root / "notes").unlink()
            (root / "kept").rename(root / "notes")

    swapping = threading.Thread(target=swap)
    swapping.start()
    folder = RootedFolder(root)
    found: list[bytes] = []
    refused = 0
    deadline = time.monotonic() + 10
    try:
        while (len(found) < 200 or refused < 200) and time.monotonic() < deadline:
            try:
                found.append(folder.read("notes/b.md", max_bytes=100)[0])
            except ToolkitError:
                refused += 1
    finally:
        stop.set()
        swapping.join()
    assert set(found) == {b"# second\n"}
    assert refused


@given(path=st.text("./\\ab~\0-ü ", max_size=12))
def test_no_path_leads_out(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    top = tmp_path_factory.mktemp("top")
    (top / "root" / "a").mkdir(parents=True)
    (top / "b").write_text("secret")
    (top / "root" / "a" / "b").write_text("inside")
    try:
        data, _ = RootedFolder(top / "root").read(path, max_bytes=10)
    except ToolkitError:
        return
    assert data == b"inside"


def test_pipes_and_devices_are_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert call(root, "read", path="pipe").text == "pipe: not a file"
    assert call(root, "write", path="pipe", content="x").text == "pipe: not a file"


@pytest.mark.parametrize(
    ("verb", "path", "said"),
    [
        ("read", "nope", "nope: there is nothing of that name"),
        ("read", "a.txt/b", "a.txt/b: a part of the path is not a folder, or a link"),
        ("read", "notes", "notes: not a file"),
        ("read", ".", "'.' names the folder itself; expected a file in it"),
        ("list", "a.txt", "a.txt: a part of the path is not a folder, or a link"),
        ("read", "link", "link: symbolic links are not followed"),
        ("read", "../x", "../x: '..' is not allowed in a path"),
        ("read", "/etc/passwd", "/etc/passwd: outside of the folder; give a path relative to it"),
    ],
)
def test_errors_say_what_is_wrong_with_the_path(root: Path, verb: str, path: str, said: str) -> None:
    (root / "link").symlink_to("a.txt")
    assert call(root, verb, path=path).text == said


def test_a_file_is_written_as_a_whole_with_the_folders_it_needs(root: Path) -> None:
    result = call(root, "write", path="new/deep/c.txt", content="ü")
    assert (result.text, result.structured["created"]) == ("created new/deep/c.txt (2 bytes)", True)
    assert (root / "new/deep/c.txt").read_text() == "ü"

    (root / "a.txt").chmod(0o600)
    assert call(root, "write", path="a.txt", content="new").text == "replaced a.txt (3 bytes)"
    assert ((root / "a.txt").read_text(), (root / "a.txt").stat().st_mode & 0o777) == ("new", 0o600)
    assert sorted(each.name for each in root.iterdir()) == ["a.txt", "new", "notes"]


def test_too_much_is_not_written(root: Path) -> None:
    result = call(root, "write", path="a.txt", content="x" * 1001)
    assert result.text == "content: 1,001 bytes are more than 1,000"
    assert (root / "a.txt").read_text().startswith("first")


def test_arguments_are_checked(root: Path) -> None:
    assert isinstance(call(root, "read", path="a.txt", offset=-1).exception, ArgumentsInvalid)
    assert isinstance(call(root, "read").exception, ArgumentsInvalid)


def test_middleware_for_paths_stands_around_them(root: Path) -> None:
    context = ToolContext(tool_hooks=(PathRoots(root / "notes", base=root, read_only=True),))
    assert call(root, "read", path="notes/b.md", context=context).text == "# second\n"
    assert call(root, "read", path="a.txt", context=context).is_error
    assert call(root, "write", path="notes/x", content="x", context=context).is_error


def test_a_root_has_to_be_a_folder(root: Path) -> None:
    with pytest.raises(DefinitionInvalid, match="is not a folder"):
        filesystem_tools(root / "a.txt")
