import asyncio
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from inspector.integrations.calls import is_inside, opened
from inspector.integrations.methods import reported
from inspector.integrations.patches import Patches
from instrument.testing import capture

PAGE = Path(__file__).parents[2] / "docs" / "frameworks.md"


def begin(subject, args, kwargs):
    if is_inside(subject):
        return None
    call = opened("tool_call", lambda: {"tool_name": "tool", "args": kwargs}, emitter="framework")
    call.subject = subject
    return call


def read(result):
    return ValueError("no") if result == "failed" else {"result": result}


class Plain:
    def run(self, **kwargs):
        return kwargs["result"]


class Coroutine:
    async def run(self, **kwargs):
        return kwargs["result"]


class Passed:
    """A method that is no coroutine function, but returns the coroutine of one."""

    def run(self, **kwargs):
        return Coroutine().run(**kwargs)


class Derived(Plain):
    def run(self, **kwargs):
        return super().run(**kwargs)


@pytest.fixture(params=[Plain, Coroutine, Passed, Derived])
def ask(request):
    patches = Patches("framework")
    for cls in (Plain, Derived) if request.param is Derived else (request.param,):
        patches.wrap(cls, "run", reported(begin, read))

    async def awaited(work):
        return await work

    def ask(**kwargs):
        result = request.param().run(**kwargs)
        return asyncio.run(awaited(result)) if hasattr(result, "__await__") else result

    yield ask
    patches.undo()


def test_a_call_ends_once_with_what_its_method_returned(ask):
    with capture() as emitted:
        assert ask(result=7) == 7
    assert [hook for hook, _ in emitted] == ["before_tool_call", "after_tool_call"]
    assert emitted[0][1]["args"] == {"result": 7}
    assert emitted[1][1]["result"] == 7


def test_a_call_fails_with_the_failure_that_its_result_reports(ask):
    with capture() as emitted:
        assert ask(result="failed") == "failed"
    assert [(hook, repr(keywords.get("exc"))) for hook, keywords in emitted][1:] == [
        ("error_tool_call", "ValueError('no')")
    ]


def test_a_call_fails_with_what_its_method_raises(ask):
    with capture() as emitted, pytest.raises(KeyError) as caught:
        ask()
    assert [hook for hook, _ in emitted] == ["before_tool_call", "error_tool_call"]
    assert emitted[1][1]["exc"] is caught.value
    assert not [each for each in caught.traceback if "/inspector/integrations/" in str(each.path)]


def test_the_smallest_integration_is_the_one_on_the_page_about_frameworks(monkeypatch):
    example = re.search(r"```python\n(.*?def install.*?)```", PAGE.read_text("utf-8"), re.DOTALL).group(1)
    integration = {}
    exec(compile(example, str(PAGE), "exec"), integration)  # noqa: S102 - the page's own
    framework = ModuleType("framework.tools")

    class Tool:
        name = "tool"

    class Clock(Tool):
        async def run(self, **kwargs):
            return f"noon in {kwargs['zone']}"

    framework.Tool = Tool
    monkeypatch.setitem(sys.modules, "framework.tools", framework)
    patches = Patches("framework")
    integration["install"](patches)
    with capture() as emitted:
        assert asyncio.run(Clock().run(zone="WET")) == "noon in WET"
    patches.undo()
    told = [(hook, keywords["tool_name"], keywords.get("result")) for hook, keywords in emitted]
    assert told == [("before_tool_call", "tool", None), ("after_tool_call", "tool", "noon in WET")]
