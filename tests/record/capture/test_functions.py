import asyncio
import functools

import pytest

import instrument
from toolkit.functions import tool

HERE = __name__


def refund(invoice, *, amount=1.0):
    return f"{amount} for {invoice}"


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def asking(context, question):
    return question


def by_place(a, b, /):
    return a + b


def of_a_name_that_is_gone():
    """Cannot be found in its module."""


GONE = of_a_name_that_is_gone
del of_a_name_that_is_gone


class Desk:
    def refund(self, invoice):
        return invoice

    @tool
    def close(self, invoice: str) -> str:
        """Close a case."""
        return invoice


def called(function, **args):
    with instrument.around("tool_call", tool_name="any", args=args, context=None, function=function):
        pass


def of_function(recording):
    (span,) = recording.spans()
    wanted = ("code.function.name", "inspector.tool.reference", "inspector.tool.unreachable")
    return tuple(span["attributes"].get(each) for each in wanted)


def test_a_function_of_a_module_is_named_and_says_how_it_is_imported(record):
    recording = record()
    called(refund, invoice="A-17")
    assert of_function(recording) == (f"{HERE}.refund", f"{HERE}:refund", None)


def test_a_function_that_a_decorator_made_a_tool_of_is_imported_through_the_tool(record):
    recording = record()
    asyncio.run(add({"a": 1, "b": 2}))
    assert of_function(recording) == (f"{HERE}.add", f"{HERE}:add.function", None)


@pytest.mark.parametrize(
    ("function", "args", "name", "why"),
    [
        (Desk().refund, {"invoice": "A-17"}, "Desk.refund", "method"),
        (lambda: None, {}, "<lambda>", "lambda"),
        (GONE, {}, "of_a_name_that_is_gone", "hidden"),
        (refund, {"amount": 2.0}, "refund", "arguments"),
        (asking, {"question": "Why?"}, "asking", "arguments"),
        (by_place, {"a": 1, "b": 2}, "by_place", "arguments"),
        (refund, {}, "refund", "arguments"),
    ],
)
def test_a_function_that_cannot_be_called_from_outside_says_why(record, function, args, name, why):
    recording = record()
    called(function, **args)
    assert of_function(recording) == (f"{HERE}.{name}", None, why)


def test_a_function_made_inside_another_says_so(record):
    def inner():
        return None

    recording = record()
    called(inner)
    assert of_function(recording)[1:] == (None, "nested")


def test_a_tool_of_an_instance_is_a_method(record):
    recording = record()
    asyncio.run(Desk().close({"invoice": "A-17"}))
    assert of_function(recording) == (f"{HERE}.Desk.close", None, "method")


class Hostile:
    """Raises whatever is asked of it."""

    def __getattribute__(self, name):
        raise RuntimeError(name)


@pytest.mark.parametrize("function", [None, "refund", 7, len, functools.partial(refund, "A"), Desk, Hostile])
def test_what_is_no_function_of_python_leaves_nothing(record, function):
    recording = record()
    called(function() if function is Hostile else function)
    assert of_function(recording) == (None, None, None)


def test_a_function_whose_module_is_gone_leaves_nothing_and_breaks_nothing(record):
    space = {"__name__": "a_module_that_is_not_there"}
    exec("def f():\n    return 1", space)
    recording = record()
    called(space["f"])
    assert of_function(recording) == (None, None, None)
