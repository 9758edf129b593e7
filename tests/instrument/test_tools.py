import asyncio
import inspect
import traceback

import pytest

from instrument import control
from instrument.control import Answer, Denied, Proceed
from instrument.testing import capture
from instrument.tools import tool


@tool
def search(query: str, limit: int = 10) -> list[str]:
    """Search."""
    return [query] * limit


@tool(name="look_up")
async def look_up(query, /, *more, key="k", **rest):
    await asyncio.sleep(0)
    return [query, more, key, rest]


@tool()
def plain(*, fails):
    if fails:
        raise OSError("down")
    return


class Desk:
    def __init__(self, name):
        self.name = name

    @tool
    def book(self, seats):
        return f"{self.name} books {seats}"


def outline(emitted):
    return [(name, values["tool_name"], values["args"], values.get("result")) for name, values in emitted]


def test_a_call_is_announced_with_its_arguments_by_name_and_its_result():
    with capture() as emitted:
        assert search("a", limit=2) == ["a", "a"]
    assert outline(emitted) == [
        ("before_tool_call", "search", {"query": "a", "limit": 2}, None),
        ("after_tool_call", "search", {"query": "a", "limit": 2}, ["a", "a"]),
    ]
    assert emitted[0][1]["function"] is search.__wrapped__


def test_a_coroutine_function_stays_one_and_takes_arguments_of_every_kind():
    assert inspect.iscoroutinefunction(look_up)
    with capture() as emitted:
        asyncio.run(look_up("a", 1, 2, key="c", color="red"))
    (_, name, args, _), (_, _, _, result) = outline(emitted)
    assert (name, args) == ("look_up", {"query": "a", "more": [1, 2], "key": "c", "color": "red"})
    assert result == ["a", (1, 2), "c", {"color": "red"}]


def test_what_it_raises_ends_the_call_by_its_error_hook():
    with capture() as emitted, pytest.raises(OSError, match="down"):
        plain(fails=True)
    assert [name for name, _ in emitted] == ["before_tool_call", "error_tool_call"]


def test_arguments_that_do_not_fit_are_refused_by_the_function_itself():
    with capture() as emitted, pytest.raises(TypeError, match="missing 1 required positional argument: 'query'"):
        search(limit=3)
    assert emitted[0][1]["args"] == {"limit": 3}
    with capture() as emitted, pytest.raises(TypeError, match="takes from 1 to 2 positional arguments"):
        search(1, 2, 3)
    assert emitted[0][1]["args"] == {"args": [1, 2, 3]}


def test_with_nobody_there_it_is_the_function():
    assert search("a", 1) == ["a"]
    assert asyncio.run(look_up("a")) == ["a", (), "k", {}]


def test_name_docstring_and_signature_are_the_functions():
    assert (search.__name__, search.__doc__) == ("search", "Search.")
    assert str(inspect.signature(search)) == "(query: str, limit: int = 10) -> list[str]"


def test_a_method_is_called_on_its_object_which_is_no_argument():
    desk = Desk("north")
    with capture() as emitted, control.install(lambda call: Proceed({"seats": call.args["seats"] + 1})):
        assert desk.book(2) == "north books 3"
    assert emitted[0][1]["args"] == {"seats": 2}


def test_a_controller_may_change_arguments_of_every_kind():
    def change(call):
        return Proceed({**call.args, "query": "b", "more": [3], "color": "blue"})

    with control.install(change):
        assert asyncio.run(look_up("a", 1, 2, color="red")) == ["b", (3,), "k", {"color": "blue"}]
    with control.install(lambda _: Proceed({"query": "z", "limit": 1})):
        assert search("a", 5) == ["z"]
    with control.install(lambda _: Proceed({"query": "z"})):
        assert len(search("a", 5)) == 10


def test_a_parameter_before_the_rest_is_given_by_place():
    @tool
    def total(first, *rest):
        return (first, *rest)

    with control.install(lambda call: Proceed({**call.args, "first": 9})):
        assert total(1, 2, 3) == (9, 2, 3)
        assert total(1) == (9,)


def test_a_controller_may_answer_or_refuse_and_the_function_does_not_run():
    ran = []

    @tool
    def wipe():
        ran.append(1)

    with control.install(lambda _: Answer("wiped")), capture() as emitted:
        assert wipe() == "wiped"
    assert emitted[1][1]["controlled"]["did"] == "answered"

    def deny(_call):
        raise Denied("no")

    with control.install(deny), pytest.raises(Denied):
        wipe()
    with control.install(deny), pytest.raises(Denied):
        asyncio.run(look_up("a"))
    with control.install(lambda _: Answer("there")):
        assert asyncio.run(look_up("a")) == "there"
    assert ran == []


def test_arguments_that_are_no_mapping_are_refused_with_their_type():
    with (
        control.install(lambda _: Proceed([1])),
        pytest.raises(TypeError, match="arguments of search to list; pass a mapping"),
    ):
        search("a")


def test_a_generator_is_refused_when_it_is_decorated():
    def pages():
        yield 1

    async def later():
        yield 1

    for function in (pages, later):
        with pytest.raises(TypeError, match="is a generator, which cannot be a tool; return a list"):
            tool(function)


def test_a_controller_is_told_of_a_function_that_changes_nothing():
    said = []

    def look(call):
        said.append((call.name, call.read_only))

    with control.install(look):
        tool(name="reads", read_only=True)(lambda city: city)("Oslo")
        tool(name="writes")(lambda city: city)("Oslo")
    assert said == [("reads", True), ("writes", False)]


def frames(error):
    return [each.name for each in traceback.extract_tb(error.__traceback__)][1:]


def test_what_a_call_raises_has_no_frame_of_the_decorator_and_those_of_a_controller():
    @tool
    def book():
        raise KeyError("booked out")

    @tool
    async def book_later():
        raise KeyError("booked out")

    def refuse(_):
        raise Denied("not today")

    with control.install(lambda _: None):
        with pytest.raises(KeyError) as caught:
            book()
        assert frames(caught.value) == ["book"]
        with pytest.raises(KeyError) as caught:
            asyncio.run(book_later())
        assert frames(caught.value)[-1] == "book_later"
        assert "called" not in frames(caught.value)
        with pytest.raises(TypeError) as caught:
            book(1)
        assert frames(caught.value) == []
    with control.install(refuse):
        with pytest.raises(Denied) as caught:
            book()
        assert frames(caught.value) == ["refuse"]
