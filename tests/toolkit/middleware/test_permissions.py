import json

import pytest

from instrument import register, unregister
from toolkit.errors import DefinitionInvalid, ToolRefused
from toolkit.functions import FunctionTool
from toolkit.middleware.cache import Cache
from toolkit.middleware.paths import PathRoots
from toolkit.middleware.redact import Redact
from toolkit.people.approve import Approve


@pytest.fixture
def home(tmp_path):
    """A root with a file, beside a folder that is none of its business; links lead out of it and back in."""
    for folder in ("root/inner", "other"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "root" / "a.txt").write_text("a")
    (tmp_path / "other" / "secret.txt").write_text("s")
    (tmp_path / "root" / "out").symlink_to(tmp_path / "other")
    (tmp_path / "root" / "in").symlink_to(tmp_path / "root" / "inner")
    (tmp_path / "root" / "loop").symlink_to("loop")
    return tmp_path


@pytest.mark.parametrize(
    "path",
    [
        "a.txt",
        "inner/new.txt",
        "./in/x",
        "inner/../a.txt",
        "{home}/root",
        "{home}/root/a.txt",
        "file://{home}/root/a.txt",
    ],
)
def test_paths_below_a_root_pass(tool, call, home, path):
    args = {"path": path.format(home=home)}
    made = tool(name="filesystem.read", source="runtime")
    assert call(made, args, PathRoots(home / "root")).text == "done"
    assert made.calls == [args]


@pytest.mark.parametrize(
    "path",
    [
        *(
            "..",
            "../other/secret.txt",
            "inner/../../other",
            "out/secret.txt",
            "out",
            "{home}/other",
            "{home}/rootless",
            "/",
        ),
        *("~/x", "~root", "$HOME/x", "a\0b", "loop", "file:///etc/passwd", "file://host/root", "https://host/x"),
        *("file://{home}/root/%2e%2e/other", "FILE:/etc/passwd"),
    ],
)
def test_paths_that_lead_elsewhere_are_refused(tool, call, home, path):
    made = tool(name="filesystem.read", source="runtime")
    result = call(made, {"path": path.format(home=home)}, PathRoots(home / "root"))
    assert made.calls == []
    assert isinstance(result.exception, ToolRefused)


@pytest.mark.parametrize(
    ["args", "passes"],
    [
        ({"source": "a.txt", "destination": "../x"}, False),
        ({"paths": ["a.txt", "inner"]}, True),
        ({"paths": ["a.txt", "../x"]}, False),
        ({"edits": [{"file_path": "../x"}]}, False),
        ({"options": {"CWD": ".."}}, False),
        ({"path": {"of": "../x"}}, False),
        ({"text": "../x", "count": 3, "path": None}, True),
        (None, True),
    ],
)
def test_arguments_are_taken_for_paths_by_their_names_wherever_they_stand(tool, call, home, args, passes):
    made = tool(name="filesystem.copy", source="mcp")
    assert call(made, args, PathRoots(home / "root")).is_error is not passes


@pytest.mark.parametrize("name", ["target", "location", "src", "dst", "output", "pathname", "where", "p", "command"])
@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../other/secret.txt", "out/secret.txt", "~/x", "$HOME/x", "file:///etc"]
)
def test_an_argument_of_an_unknown_name_may_be_a_path(tool, call, home, name, path):
    made = tool(name="read_file")
    result = call(made, {name: path}, PathRoots(home / "root", read_only=True))
    assert made.calls == []
    assert result.text.endswith("; if it is not a path, PathRoots(texts=…) can say so")


@pytest.mark.parametrize(
    ["args", "passes"],
    [
        ({"target": "a.txt"}, True),
        ({"target": "{home}/root/a.txt"}, True),
        ({"names": ["a.txt", "inner"]}, True),
        ({"names": ["a.txt", "/etc"]}, False),
        ({"order": "up", "price": "$5", "when": "24/12/2026", "n": 3, "flag": True}, True),
        ({"url": "https://host.example/a/../b?x=/etc"}, True),
        ({"note": "see https://host.example/a"}, True),
        ({"note": "see /etc/hosts"}, False),
        ({"command": "cat ../other/secret.txt"}, False),
        ({"command": "cat a.txt"}, True),
        ({"option": "--file=/etc/passwd"}, False),
        ({"address": "s3://bucket/x"}, False),
        ({"writes": {"/etc/passwd": "x"}}, False),
        ({"writes": {"inner/x": "x", "out": 1}}, True),
        ({"content": "/etc", "new_text": "../x", "query": "~", "message": "$HOME"}, True),
        ({"blob": "x" * 10_000}, True),
    ],
)
def test_what_cannot_lead_outside_passes_under_any_name(tool, call, home, args, passes):
    args = json.loads(json.dumps(args).replace("{home}", str(home)))
    assert call(tool(name="read_file"), args, PathRoots(home / "root")).is_error is not passes


SINGLE = [
    lambda one: Redact(keys=one).__dict__["_keys"],
    lambda one: [each.pattern for each in Redact(one).__dict__["_expressions"]],
    lambda one: list(PathRoots(".", reading=one).__dict__["_reading"]),
    lambda one: list(PathRoots(".", arguments=one).__dict__["_arguments"]),
    lambda one: list(PathRoots(".", texts=one).__dict__["_texts"]),
    lambda one: list(Approve(tools=one).tools),
]
"""Where names or patterns are wanted."""


@pytest.mark.parametrize("given", SINGLE)
def test_a_single_text_where_several_are_wanted_is_one_of_them_and_not_its_letters(given):
    assert given("read*") == ["read*"] == given(["read*"])


@pytest.mark.parametrize("given", SINGLE)
@pytest.mark.parametrize("wrong", [5, [None], [["password"]], [""], ""])
def test_what_is_no_name_or_pattern_is_refused(given, wrong):
    with pytest.raises(DefinitionInvalid, match="expected text, or a list of texts, found"):
        given(wrong)


def test_middleware_around_no_tool_at_all_is_refused():
    with pytest.raises(DefinitionInvalid, match=r"Approve\(tools=…\) names no tool"):
        Approve(tools=[])


def test_several_roots_a_base_and_names_of_ones_own(tool, call, home):
    roots = PathRoots([home / "root", home / "other"], base=home, arguments=["target"], texts=["path"])
    made = tool(name="open")
    assert not call(made, {"target": "other/secret.txt", "path": "/etc"}, roots).is_error
    assert call(made, {"target": "elsewhere"}, roots).text == (
        f"open: target 'elsewhere' is outside of {home}/root, {home}/other"
    )
    with pytest.raises(DefinitionInvalid, match="at least one root"):
        PathRoots([])


@pytest.mark.parametrize(
    ["name", "passes"],
    [
        ("filesystem.read", True),
        ("fs__read_text_file", True),
        ("list_directory", True),
        ("directory_tree", True),
        ("filesystem.write", False),
        ("thread_delete", False),
        ("read.delete", False),
        ("reading__write_list", False),
    ],
)
def test_where_only_reading_is_allowed_tools_have_to_say_that_they_read(tool, call, home, name, passes):
    roots = PathRoots(home / "root", read_only=True)
    assert call(tool(name=name), {"path": "a.txt"}, roots).is_error is not passes


@pytest.mark.parametrize("key", ["filePath", "filepath", "targetPath", "dirPath", "sourceFile", "workingDirectory"])
def test_arguments_that_are_paths_are_known_however_they_are_written(tool, call, home, key):
    hook = PathRoots(home / "root")
    assert call(tool(), {key: "/etc/passwd"}, hook).is_error
    assert not call(tool(), {key: "a.txt"}, hook).is_error


def test_patterns_of_ones_own_may_be_written_in_any_case(tool, call, home):
    hook = PathRoots(home / "root", arguments=["whereTo"], reading=["Look*"], read_only=True)
    assert "outside of" in call(tool(name="lookAt"), {"whereTo": "/etc/passwd"}, hook).text
    assert not call(tool(name="LOOK"), {"whereTo": "a.txt"}, hook).is_error


def test_permissions_go_before_all_middleware(call):
    asked = []

    async def approver(request):
        asked.append(request.tool_name)
        return True

    secret = FunctionTool(lambda: "TOP SECRET", name="secret", permissions=["secrets"])
    hooks = (Cache(), Approve(approver=approver))
    refused = "secret needs the permission 'secrets'"
    assert call(secret, {}, *hooks, permissions=frozenset()).text == refused
    assert asked == []
    assert call(secret, {}, *hooks, permissions=frozenset({"secrets"})).text == "TOP SECRET"
    assert call(secret, {}, *hooks, permissions=frozenset()).text == refused
    assert asked == ["secret"]


def test_a_hook_of_the_bus_that_calls_the_tool_itself_needs_the_permission_too(call):
    answers = []

    async def call_it(context, args, **_):
        answers.append((await context.original_tool_func(args)).text)

    secret = FunctionTool(lambda: "TOP SECRET", name="secret", permissions=["secrets"])
    register("before_tool_call", call_it)
    try:
        call(secret, {}, permissions=frozenset())
    finally:
        unregister("before_tool_call", call_it)
    assert answers == ["secret needs the permission 'secrets'"]
