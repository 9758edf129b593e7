import logging
import pickle
import sys

import pytest

from toolkit.errors import SpecInvalid
from toolkit.functions.loading import load, load_callable
from toolkit.middleware.checks import check_tool_hook


def test_a_function_is_loaded_relative_to_the_base_path(tmp_path, monkeypatch):
    (tmp_path / "tools.py").write_text("def add_one(x: int) -> int:\n    return x + 1\n")
    assert load_callable("tools.py:add_one", tmp_path)(1) == 2
    assert load_callable(f"{tmp_path}/tools.py:add_one")(2) == 3
    monkeypatch.chdir(tmp_path)
    assert load_callable("tools.py:add_one")(3) == 4
    (tmp_path / "cards").mkdir()
    assert load_callable("../tools.py:add_one", tmp_path / "cards")(4) == 5


def test_what_cannot_be_loaded_is_logged_with_the_traceback_of_its_file(tmp_path, caplog):
    (tmp_path / "tools.py").write_text("def add():\n    pass\n\n\nraise OSError('cut')\n")
    with caplog.at_level(logging.INFO, "mcp.toolkit"), pytest.raises(SpecInvalid):
        load_callable("tools.py:add", tmp_path)
    assert "tools.py:5 failed while it was loaded: OSError: cut" in caplog.text
    assert "raise OSError('cut')" in caplog.text


def test_a_specification_can_name_any_object(tmp_path):
    (tmp_path / "tools.py").write_text("numbers = [1, 2]\n")
    assert load("tools.py:numbers", tmp_path) == [1, 2]
    with pytest.raises(SpecInvalid, match=":numbers' is a list, which cannot be called"):
        load_callable("tools.py:numbers", tmp_path)


def test_a_callable_is_its_own_specification():
    assert load_callable(len) is len


def test_a_file_runs_once_for_all_of_its_functions_until_it_changes(tmp_path):
    path = tmp_path / "state.py"
    path.write_text("seen = []\ndef put(x):\n    seen.append(x)\ndef get():\n    return seen\n")
    load_callable("state.py:put", tmp_path)("a")
    get = load_callable("state.py:get", tmp_path)
    assert get() == ["a"]
    path.write_text("def get():\n    return 'anew'\n")
    assert load_callable("state.py:get", tmp_path)() == "anew"
    assert get() == ["a"]


def test_equally_named_files_are_modules_of_their_own_and_nothing_is_written_beside_them(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tools.py").write_text(f"def who():\n    return {name!r}\n")
    first, second = (load_callable("tools.py:who", tmp_path / name) for name in ("a", "b"))
    assert (first(), second()) == ("a", "b")
    assert first.__module__ != second.__module__ and first.__module__.startswith("_toolkit_tools_")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "tools.py", "tools.py"]


def test_dataclasses_and_pickle_find_the_module(tmp_path):
    (tmp_path / "shapes.py").write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n\n"
        "@dataclass\nclass Point:\n    x: int = 0\n"
    )
    point = load_callable("shapes.py:Point", tmp_path)(3)
    assert pickle.loads(pickle.dumps(point)) == point


@pytest.mark.parametrize(
    ["spec", "message"],
    [
        ("tools.py", "'tools.py' does not name a function; write it as 'module.py:function'"),
        ("tools:add", "does not name a function"),
        ("tools.py:", "does not name a function"),
        (":add", "does not name a function"),
        ("tools.py:add one", "does not name a function"),
        ("", "does not name a function"),
        ("none.py:add", "there is no file .*none.py"),
        ("nul\0.py:add", "there is no file"),
        ("folder.py:add", "folder.py is not a file"),
        ("tools.py:ad", "tools.py has no 'ad'; did you mean 'add'?"),
        ("tools.py:LIMIT", "'tools.py:LIMIT' is a int, which cannot be called"),
        ("syntax.py:add", r"syntax.py:2 failed while it was loaded: SyntaxError"),
        ("raises.py:add", r"raises.py:3 failed while it was loaded: ZeroDivisionError: division by zero"),
        ("exits.py:add", r"exits.py:1 failed while it was loaded: SystemExit: 3"),
        ("imports.py:add", r"imports.py:1 failed while it was loaded: ModuleNotFoundError: No module named 'nowhere'"),
        ("itself.py:add", r"itself.py:\d+ failed while it was loaded"),
        (3, "expected a function or 'module.py:function', not int"),
    ],
)
def test_a_specification_that_names_nothing_usable_says_why(tmp_path, spec, message):
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "tools.py").write_text("LIMIT = 3\ndef add():\n    pass\n")
    (tmp_path / "syntax.py").write_text("x = 1\ndef (:\n")
    (tmp_path / "raises.py").write_text("def f():\n\n    return 1 / 0\nf()\n")
    (tmp_path / "exits.py").write_text("import sys; sys.exit(3)\n")
    (tmp_path / "imports.py").write_text("import nowhere\n")
    (tmp_path / "itself.py").write_text(
        f"from toolkit.functions.loading import load_callable\nload_callable('itself.py:add', {str(tmp_path)!r})\n"
    )
    known = set(sys.modules)
    with pytest.raises(SpecInvalid, match=message) as caught:
        load_callable(spec, tmp_path)
    assert "\n" not in str(caught.value)
    assert not [name for name in set(sys.modules) - known if name.startswith("_toolkit_") and "tools" not in name]


def test_a_keyboard_interrupt_while_a_file_runs_is_not_held_back(tmp_path):
    (tmp_path / "stop.py").write_text("raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load_callable("stop.py:f", tmp_path)


async def good(ctx, args, call_next): ...
async def with_defaults(ctx, args, call_next, extra=None, *more, option=1): ...
async def any_number(*args): ...
async def two(ctx, args): ...
async def four(ctx, args, call_next, more): ...
async def keyword(ctx, args, call_next, *, must): ...
async def yields(ctx, args, call_next):
    yield


def plain(ctx, args, call_next): ...


class Hook:
    async def __call__(self, ctx, args, call_next): ...
    async def method(self, ctx, args, call_next): ...
    def sync(self, ctx, args, call_next): ...


@pytest.mark.parametrize("hook", [good, with_defaults, any_number, Hook(), Hook().method])
def test_whatever_can_be_awaited_with_three_arguments_is_a_hook(hook):
    assert check_tool_hook(hook) is hook


@pytest.mark.parametrize(
    ["hook", "message"],
    [
        (
            two,
            r"two\(ctx, args\) does not take three positional arguments; write it as: async def two\(ctx, args, call_",
        ),
        (four, "does not take three positional arguments"),
        (keyword, "does not take three positional arguments"),
        (plain, r"plain is no 'async def'; write it as: async def plain\(ctx, args, call_next\)"),
        (yields, "yields is no 'async def'"),
        (Hook().sync, "sync is no 'async def'"),
        (Hook, r"Hook is a class; give an instance of it, Hook\(…\)"),
        ("hooks.py:f", "a str cannot be called"),
        (None, "a NoneType cannot be called"),
        (len, "len is no 'async def'"),
    ],
)
def test_what_cannot_be_a_hook_is_told_apart_when_it_is_loaded(hook, message):
    with pytest.raises(SpecInvalid, match="tool_hooks: .*" + message):
        check_tool_hook(hook)
