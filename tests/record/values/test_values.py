"""Anything can be passed to a hook: the copy is private, bounded, valid, and none of the program's code runs for it."""

import array
import asyncio
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import functools
import gc
import io
import ipaddress
import json
import pathlib
import re
import resource
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
import types
import typing
import uuid
import warnings
import zoneinfo
from unittest import mock

import attrs
import msgspec
import numpy as np
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import trace

import instrument
from inspector.encoding import encode, write_mark
from inspector.plain import Cut, Limits, weigh, written
from inspector.record.calls.spans import failure_of
from inspector.record.capture.jsonrpc import read_envelope
from inspector.record.values.attributes import read, read_live
from inspector.record.values.failures import TracebackFrame, error_text, format_traceback, frames
from inspector.record.values.short_text import short_text
from inspector.record.values.snapshot import snapshot

MAX_BYTES = 1 << 20


def recorded(value):
    """What a reader of the recorded JSON gets."""
    return json.loads(encode(snapshot(value), max_bytes=MAX_BYTES).text)


class Trap:
    """Every way of looking at it the usual way runs its code, which is what must not happen."""

    def __init__(self):
        object.__setattr__(self, "shown", 1)

    def _sprung(self, *args, **kwargs):
        raise AssertionError("the application's code ran")

    __repr__ = __str__ = __eq__ = __bool__ = __iter__ = __len__ = __getattr__ = __getattribute__ = __hash__ = _sprung
    __format__ = __bytes__ = __int__ = __float__ = __index__ = __contains__ = __getitem__ = __reduce_ex__ = __dir__ = (
        _sprung
    )
    __lt__ = __le__ = __gt__ = __ge__ = __ne__ = __enter__ = __exit__ = __await__ = __next__ = __call__ = __copy__ = (
        _sprung
    )
    risky = property(_sprung)
    __class__ = property(_sprung)


class TrapMeta(type):
    def _sprung(cls, *args, **kwargs):
        raise AssertionError("the application's metaclass ran")

    __hash__ = __eq__ = __instancecheck__ = __subclasscheck__ = __repr__ = __getattribute__ = _sprung


class TrapClassed(metaclass=TrapMeta):
    pass


def trapped(base):
    """A subclass of a builtin type whose own methods are traps."""
    names = [
        name
        for name in vars(Trap)
        if name.startswith("__")
        and name not in ("__init__", "__dict__", "__weakref__", "__module__", "__doc__", "__qualname__")
    ]
    return types.new_class(
        f"Trapped_{base.__name__}", (base,), {}, lambda ns: ns.update(dict.fromkeys(names, Trap._sprung))
    )


@dataclasses.dataclass
class Order:
    number: int
    parts: list
    note: str = dataclasses.field(default="n", repr=False)
    me: object = None


@dataclasses.dataclass(slots=True)
class Slotted:
    left: int
    right: str


class Login(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    user: str
    password: pydantic.SecretStr
    pin: pydantic.SecretBytes = pydantic.SecretBytes(b"1234")
    internal: str = pydantic.Field(default="i", exclude=True)
    quiet: str = pydantic.Field(default="q", repr=False)

    @pydantic.computed_field
    @property
    def risky(self) -> str:
        raise AssertionError("the application's code ran")


@attrs.define
class Point:
    x: int
    y: int = attrs.field(repr=False, default=2)


class Packed(msgspec.Struct):
    name: str
    size: int = 3


class Color(enum.Enum):
    RED = "red"
    ODD = (1, 2)


class Level(enum.IntEnum):
    HIGH = 3


class Pair(typing.NamedTuple):
    left: int
    right: str


class OddZone(dt.tzinfo):
    def utcoffset(self, _):
        raise AssertionError("the application's code ran")


class Plain:
    limit = 5

    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)


def test_plain_values_stay_what_they_are_and_are_copied():
    inner = [1, 2.5, None, True, "é"]
    value = {"a": inner, "b": {"c": "d"}}
    copy = snapshot(value)
    assert copy == value
    inner.append("later")
    value["b"]["c"] = "later"
    assert copy == {"a": [1, 2.5, None, True, "é"], "b": {"c": "d"}}


MOMENT = dt.datetime(2024, 5, 6, 7, 8, 9, tzinfo=dt.UTC)

SHOWN = [
    ((1, 2), [1, 2]),
    ({3}, [3]),
    (frozenset({"x"}), ["x"]),
    (collections.deque([1, 2]), [1, 2]),
    (collections.OrderedDict(a=1), {"a": 1}),
    (collections.defaultdict(list, {"a": [1]}), {"a": [1]}),
    (collections.Counter("aa"), {"a": 2}),
    ({"a": 1}.keys(), ["a"]),
    ({"a": 1}.values(), [1]),
    ({"a": 1}.items(), [["a", 1]]),
    (types.MappingProxyType({"a": 1}), {"a": 1}),
    (types.SimpleNamespace(a=1), {"$type": "types.SimpleNamespace", "a": 1}),
    (
        Order(1, [Slotted(2, "r")]),
        {"number": 1, "parts": [{"left": 2, "right": "r"}], "note": "[hidden by its class]", "me": None},
    ),
    (Order(1, [], note=None), {"number": 1, "parts": [], "me": None}),
    (Point(1), {"x": 1, "y": "[hidden by its class]"}),
    (Packed("n"), {"name": "n", "size": 3}),
    (Pair(1, "r"), {"left": 1, "right": "r"}),
    (Color.RED, "red"),
    (Level.HIGH, 3),
    (MOMENT, "2024-05-06T07:08:09+00:00"),
    (MOMENT.date(), "2024-05-06"),
    (MOMENT.timetz(), "07:08:09+00:00"),
    (MOMENT.astimezone(zoneinfo.ZoneInfo("Europe/Paris")), "2024-05-06T09:08:09+02:00"),
    (dt.timedelta(hours=1), "1:00:00"),
    (dt.UTC, "UTC"),
    (decimal.Decimal("1.50"), "1.50"),
    (decimal.Decimal("sNaN"), "sNaN"),
    (fractions.Fraction(1, 3), "1/3"),
    (1 + 2j, "(1+2j)"),
    (uuid.UUID(int=255), "00000000-0000-0000-0000-0000000000ff"),
    (pathlib.PurePosixPath("/a/b"), "/a/b"),
    (ipaddress.ip_address("::1"), "::1"),
    (range(1, 9, 2), {"$type": "range", "start": 1, "stop": 9, "step": 2}),
    (b"abc", {"$type": "bytes", "size": 3, "base64": "YWJj"}),
    (bytearray(b"abc"), {"$type": "bytes", "size": 3, "base64": "YWJj"}),
    (memoryview(b"abc"), {"$type": "bytes", "size": 3, "base64": "YWJj"}),
    (array.array("i", [1, 2]), {"$type": "array.array", "typecode": "i", "size": 2, "values": [1, 2]}),
    (re.compile("a+"), {"$type": "re.Pattern", "pattern": "a+"}),
    (float("nan"), "NaN"),
    (float("-inf"), "-Infinity"),
    (2**63 - 1, 2**63 - 1),
    (2**63, "9223372036854775808"),
    (-(2**80), str(-(2**80))),
    ("\ud800x", "\ufffdx"),
    ({"\udfff": "\ud83d\ude00"}, {"\ufffd": "😀"}),
    (
        {1: "i", 1.5: "f", None: "n", False: "t", (1, "a"): "tuple"},
        {"false": "t", "1": "i", "1.5": "f", "null": "n", "('int', 'str')": "tuple"},
    ),
    (..., "Ellipsis"),
    (int, {"$type": "type", "name": "int"}),
    (json, {"$type": "module", "name": "json"}),
    (len, {"$type": "builtin_function_or_method", "name": "builtins.len"}),
    (
        test_plain_values_stay_what_they_are_and_are_copied,
        {"$type": "function", "name": f"{__name__}.test_plain_values_stay_what_they_are_and_are_copied"},
    ),
    (Plain(a=1, _b=2), {"$type": f"{__name__}.Plain", "a": 1}),
    (object(), {"$type": "object"}),
    (ValueError("bad", 3), {"$type": "ValueError", "args": ["bad", 3]}),
    (np.float64(1.5), 1.5),
    (np.int32(3), 3),
    (np.bool_(True), True),
    (
        np.array([[1, 2], [3, 4]]),
        {"$type": "numpy.ndarray", "shape": [2, 2], "dtype": "int64", "values": [[1, 2], [3, 4]]},
    ),
    (np.zeros((1000, 10)), {"$type": "numpy.ndarray", "shape": [1000, 10], "dtype": "float64"}),
]


@pytest.mark.parametrize(("value", "shown"), SHOWN, ids=lambda value: type(value).__name__)
def test_known_families_are_shown_by_their_content(value, shown):
    assert recorded(value) == shown
    assert recorded({"deep": [value]}) == {"deep": [shown]}


def test_a_partial_and_a_method_are_shown_by_what_they_call():
    partial = recorded(functools.partial(int, "7", base=8))
    assert partial == {
        "$type": "functools.partial",
        "func": {"$type": "type", "name": "int"},
        "args": ["7"],
        "keywords": {"base": 8},
    }
    assert recorded(Plain().__init__) == {"$type": "method", "name": f"{__name__}.Plain.__init__"}


def test_secrets_of_models_are_not_read_and_fields_kept_quiet_are_hidden():
    shown = recorded(Login(user="u", password="hunter2", extra_field="e"))
    assert shown == {
        "user": "u",
        "password": "**********",
        "pin": "**********",
        "internal": "[hidden by its class]",
        "quiet": "[hidden by its class]",
        "extra_field": "e",
    }
    assert recorded(pydantic.SecretStr("hunter2")) == "**********"
    assert recorded(pydantic.Secret[int](42)) == "**********"


def test_nothing_an_object_defines_is_run():
    trap = Trap()
    assert recorded({"a": trap, "b": [trap]})["a"] == {"$type": f"{__name__}.Trap", "shown": 1}
    assert recorded(TrapClassed()) == {"$type": f"{__name__}.TrapClassed"}
    assert recorded(TrapClassed) == {"$type": "type", "name": f"{__name__}.TrapClassed"}
    assert recorded(ValueError(trap))["args"] == [{"$type": f"{__name__}.Trap", "shown": 1}]
    assert recorded({Plain(): 1}) == {f"<{__name__}.Plain>": 1}
    assert recorded(collections.deque([trap])) == [{"$type": f"{__name__}.Trap", "shown": 1}]
    assert recorded(dt.datetime(2024, 1, 2, tzinfo=OddZone())) == f"2024-01-02T00:00:00[{__name__}.OddZone]"
    objects = np.empty(1, dtype=object)
    objects[0] = Plain()
    assert recorded(objects) == {"$type": "numpy.ndarray", "shape": [1], "dtype": "object"}


@pytest.mark.parametrize(
    ("base", "arguments", "shown"),
    [
        (str, ("text",), "text"),
        (int, (7,), 7),
        (float, (1.5,), 1.5),
        (list, ([1, 2],), [1, 2]),
        (tuple, ([1, 2],), [1, 2]),
        (dict, ({"a": 1},), {"a": 1}),
        (set, ([1],), [1]),
        (frozenset, ([1],), [1]),
        (bytes, (b"abc",), {"$type": "bytes", "size": 3, "base64": "YWJj"}),
        (bytearray, (b"abc",), {"$type": "bytes", "size": 3, "base64": "YWJj"}),
        (collections.deque, ([1],), [1]),
        (decimal.Decimal, ("1.5",), "1.5"),
        (dt.date, (2024, 1, 2), "2024-01-02"),
    ],
)
def test_subclasses_are_read_with_their_base_types_methods(base, arguments, shown):
    value = trapped(base)(*arguments)
    assert recorded([value]) == [shown]
    assert type(snapshot(value)) in (str, int, float, list, dict)


def a_generator():
    yield 1


async def a_coroutine():
    return 1


async def an_async_generator():
    yield 1


def test_nothing_is_consumed_awaited_or_warned_about():
    generator, coroutine, asynchronous = a_generator(), a_coroutine(), an_async_generator()
    file = io.StringIO("text")
    with socket.socket() as sock, warnings.catch_warnings():
        warnings.simplefilter("error")
        values = [
            generator,
            coroutine,
            asynchronous,
            file,
            sock,
            threading.Lock(),
            iter([1]),
            map(str, [1]),
            mock.MagicMock(),
            mock.AsyncMock(),
        ]
        shown = recorded(values)
    assert [item["$type"] for item in shown] == [
        "generator", "coroutine", "async_generator", "_io.StringIO", "socket.socket", "_thread.lock",
        "list_iterator", "map", "unittest.mock.MagicMock", "unittest.mock.AsyncMock",
    ]  # fmt: skip
    assert shown[-2] == {"$type": "unittest.mock.MagicMock"}
    assert next(generator) == 1
    assert file.read() == "text"
    assert asyncio.run(coroutine) == 1


def test_mocks_record_no_call():
    spy = mock.MagicMock()
    snapshot({"spy": spy, "child": spy.child})
    read(spy, "name")
    read_live(spy, "name")
    assert spy.mock_calls == []


def test_cycles_are_marked_and_repeats_are_not():
    shared = [1]
    cyclic = {"shared": [shared, shared]}
    cyclic["self"] = cyclic
    order = Order(1, [])
    order.me = order
    ring = [1]
    ring.append((ring,))
    assert recorded(cyclic) == {"shared": [[1], [1]], "self": {"$ref": "cycle"}}
    assert recorded(order)["me"] == {"$ref": "cycle"}
    assert recorded(ring) == [1, [{"$ref": "cycle"}]]
    trapped_dict = trapped(dict)()
    dict.__setitem__(trapped_dict, "me", trapped_dict)
    assert recorded(trapped_dict) == {"me": {"$ref": "cycle"}}


def test_depth_and_size_are_bounded():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert json.dumps(recorded(deep)).count("[") <= 33
    assert len(recorded(list(range(1_000_000)))) == 10_001
    wide = recorded({str(n): n for n in range(1_000_000)})
    assert len(wide) == 10_001
    assert wide["$more"] == "… [990,000 more items]"
    assert encode(snapshot([0] * 10_001), max_bytes=MAX_BYTES).truncated
    many = [[n] * 100 for n in range(10_000)]
    assert sum(len(item) for item in snapshot(many) if isinstance(item, list)) <= 11_000
    small = recorded({"a": {"b": {"c": {"d": {"e": 1}}}}})
    assert small == {"a": {"b": {"c": {"d": {"e": 1}}}}}
    while deep:
        deep = deep.pop()


def test_a_huge_text_is_cut_without_a_copy_and_keeps_both_ends():
    text = "a" * 50_000_000 + "z" * 50_000_000
    tracemalloc.start()
    copy = snapshot({"text": text, "again": trapped(str)("x" * 1000)})["text"]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000
    assert type(copy) is Cut
    encoded = encode(copy, max_bytes=MAX_BYTES)
    shown = json.loads(encoded.text)
    assert encoded.truncated
    assert shown.startswith("aaa") and shown.endswith("zzz")
    kept = shown.count("a") - "more characters".count("a") + shown.count("z")
    assert f"… [{100_000_000 - kept:,} more characters] …" in shown


def test_a_huge_text_of_a_subclass_is_cut_as_well():
    text = trapped(str)("a" * 1_000_000)
    copy = snapshot([text])[0]
    assert type(copy) is Cut and len(copy) < 300_000


def test_what_is_no_plain_value_is_no_mark():
    with pytest.raises(TypeError, match="object is not part of a plain value"):
        encode({"a": object()}, max_bytes=100)
    assert write_mark(Cut("a" * 9000, "b" * 9000, 5)) == "a" * 808 + "… [16,389 more characters] …" + "b" * 808


def test_huge_bytes_and_integers_show_their_size():
    shown = recorded([b"x" * 10_000_000, 10**100_000])
    assert shown[0]["size"] == 10_000_000
    assert len(shown[0]["base64"]) < 6000
    assert shown[1] == {"$type": "int", "bits": 332193}


def test_buffers_that_were_released_cost_only_themselves():
    view = memoryview(b"abc")
    view.release()
    assert recorded([1, view, 2]) == [1, {"$type": "memoryview", "$error": "ValueError"}, 2]


def test_containers_that_change_while_they_are_copied_are_survived():
    shared = {str(n): n for n in range(50)}
    stop = threading.Event()

    def change():
        n = 0
        while not stop.is_set():
            n += 1
            shared[f"k{n % 500}"] = n
            shared.pop(f"k{(n * 7) % 500}", None)

    thread = threading.Thread(target=change)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        thread.start()
        for _ in range(300):
            copy = snapshot({"shared": shared})
            assert "$error" not in copy
            assert isinstance(copy["shared"], dict)
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(interval)


def test_keyboard_interrupts_pass_through_live_reading():
    class Interrupts:
        @property
        def name(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_live(Interrupts(), "name")


def test_reading_is_static_and_takes_the_first_that_is_there():
    assert read({"a": None, "b": 2}, "a", "b") == 2
    assert read(Plain(a=1), "missing", "a") == 1
    assert read(Plain(), "limit") == 5
    assert read(Slotted(1, "r"), "right") == "r"
    assert read(Login(user="u", password="p"), "user") == "u"
    assert read(Packed("n"), "name") == "n"
    assert read(Trap(), "risky") is None
    assert read(Trap(), "shown") == 1
    assert read(None, "a") is None
    assert read(trapped(dict)({"a": 1}), "a") == 1


def test_live_reading_gives_texts_and_numbers_only():
    class Agent:
        label = "static"

        @property
        def name(self):
            return "computed"

        @property
        def broken(self):
            raise SystemExit(3)

        @property
        def odd(self):
            return trapped(str)("odd")

        @property
        def other(self):
            return [1]

    agent = Agent()
    assert read_live(agent, "name") == "computed"
    assert read_live(agent, "label") == "static"
    assert read_live(agent, "broken") is None
    assert type(read_live(agent, "odd")) is str
    assert read_live(agent, "other") is None
    assert read_live(agent, "missing") is None
    assert read_live({"name": "n"}, "name") == "n"
    assert read_live(Trap(), "name") is None


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, RuntimeError, asyncio.CancelledError, GeneratorExit])
def test_no_code_of_an_exception_runs_for_its_text(raised):
    ran = []

    def trap(*_):
        ran.append(1)
        raise raised

    class Meta(type):
        __module__ = property(trap)
        __name__ = property(trap)
        __subclasscheck__ = __instancecheck__ = __hash__ = __eq__ = trap

    class Held:
        __str__ = __repr__ = __format__ = __eq__ = __hash__ = trap

    names = {"__str__": trap, "__repr__": trap, "__getattribute__": trap, "__eq__": trap, "args": property(trap)}
    own = Meta("Own", (Exception,), names)("no city", 5)
    assert error_text(own) == "('no city', 5)"
    assert failure_of(own).message == "('no city', 5)"
    for exc in (ValueError(Held()), KeyError(Held()), OSError(2, Held()), ValueError("a", Held()), SyntaxError(Held())):
        assert "Held>" in error_text(exc)
    late = OSError(2, "gone", "f")
    late.filename = Held()
    assert error_text(late) == "(2, 'gone')"
    assert ran == []


def test_the_text_of_an_exception_is_what_python_shows():
    with pytest.raises(pydantic.ValidationError) as caught:
        pydantic.TypeAdapter(int).validate_python("x")
    invalid = caught.value
    for exc in (
        ValueError("bad"),
        ValueError(),
        ValueError(3, "x"),
        ValueError({"a": [1, None]}),
        KeyError("k"),
        OSError(2, "No such file", "f"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
        SyntaxError("bad", ("f.py", 3, 1, "x", 3, 2)),
        ImportError("no module", name="x"),
        subprocess.CalledProcessError(2, ["git", "status"]),
        ExceptionGroup("both", [ValueError(1), KeyError(2)]),
        json.JSONDecodeError("Expecting value", "x", 0),
        TimeoutError("late"),
        invalid,
    ):
        assert error_text(exc) == str(exc)


def test_an_exception_that_makes_its_own_text_shows_what_it_holds():
    class Failed(Exception):
        def __init__(self, message="", **held):
            self.__dict__.update(held)
            if message:
                self.message = message

        def __str__(self):
            return "anything"

    assert error_text(Failed("no such city")) == "no such city"
    assert error_text(Failed(code=5, _private=1)) == "code=5"
    assert error_text(Failed(error={"code": -32000, "message": "Connection closed"})) == "Connection closed"


def test_the_text_of_an_exception_is_short_and_well_formed():
    assert len(written(error_text(ValueError("x" * 50_000_000)))) < 10_100
    assert written(error_text(ValueError("x" * 10_005))) == "x" * 10_000 + "… [5 more characters]"
    assert error_text(ValueError("\ud800")) == "\ufffd"


def caught(function):
    try:
        function()
    except BaseException as exc:
        return exc
    raise AssertionError from None


def chained():
    try:
        int("x")
    except ValueError as exc:
        exc.add_note("while reading")
        try:
            raise KeyError("k") from exc
        except KeyError:
            raise RuntimeError("last")  # noqa: B904 -- the implicit context is the subject


def test_a_traceback_shows_the_whole_chain_with_source_lines():
    exc = caught(chained)
    places = frames(exc)
    assert all(type(place) is TracebackFrame for place in places)
    text = format_traceback("RuntimeError", "last", places)
    assert text.startswith("Traceback (most recent call last):\n")
    assert text.endswith("RuntimeError: last\n")
    assert 'raise KeyError("k") from exc' in text
    assert text.index("ValueError: invalid literal") < text.index("direct cause") < text.index("KeyError: 'k'")
    assert text.index("KeyError: 'k'") < text.index("During handling") < text.index("RuntimeError: last")
    assert ", in chained" in text


def test_a_suppressed_context_is_left_out():
    def suppressed():
        try:
            int("x")
        except ValueError:
            raise RuntimeError("only") from None

    assert "ValueError" not in format_traceback("RuntimeError", "only", frames(caught(suppressed)))


def test_chains_groups_and_recursions_of_any_size_are_bounded():
    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    assert len(frames(one)) < 20
    last = ValueError(0)
    for number in range(5000):
        following = ValueError(number)
        following.__context__ = last
        last = following
    assert len(frames(last)) < 500
    group = ExceptionGroup("innermost", [ValueError("leaf")])
    for number in range(1000):
        group = ExceptionGroup(str(number), [group])
    assert len(frames(group)) < 500
    shown = format_traceback(
        "ExceptionGroup", "g", frames(ExceptionGroup("g", [ValueError("leaf one"), KeyError("k")]))
    )
    assert "+ ValueError: leaf one" in shown and "+ KeyError: 'k'" in shown

    def deep(n):
        return deep(n + 1)

    places = frames(caught(lambda: deep(0)))
    assert len(places) <= 101
    assert any("more frames" in place.function for place in places)
    group.__cause__ = group.__context__ = None
    while isinstance(group, ExceptionGroup):
        group = group.exceptions[0]


def test_notes_are_shown_after_the_message():
    exc = caught(lambda: int("x"))
    exc.add_note("a hint")
    assert format_traceback("ValueError", "m", frames(exc)).endswith("ValueError: m\nnote: a hint\n")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=60), inner, max_size=20),
    max_leaves=40,
)


@given(JSON)
def test_plain_data_comes_back_as_it_was(value):
    assert recorded(value) == value


@given(JSON, st.integers(1, 600))
def test_json_is_valid_and_fits_however_little_room_there_is(value, max_bytes):
    encoded = encode(value, max_bytes=max_bytes)
    assert len(encoded.text.encode()) <= max_bytes
    shown = json.loads(encoded.text)
    assert encoded.truncated or shown == value


def test_the_longest_texts_are_shortened_first_and_to_one_length():
    value = {"short": "s" * 50, "long": "l" * 5000, "longer": "m" * 9000, "list": list(range(100))}
    encoded = encode(value, max_bytes=3000)
    shown = json.loads(encoded.text)
    assert shown["short"] == value["short"] and shown["list"] == value["list"]
    assert abs(shown["long"].count("l") - shown["longer"].count("m")) < 10
    assert 2600 < len(encoded.text) <= 3000
    assert re.fullmatch(r"l+… \[[\d,]+ more characters\] …l+", shown["long"])


def test_long_lists_lose_their_ends_when_texts_are_short_already():
    shown = json.loads(encode({"list": list(range(100_000)), "a": 1}, max_bytes=3000).text)
    assert shown["a"] == 1
    assert shown["list"][:3] == [0, 1, 2]
    assert re.fullmatch(r"… \[[\d,]+ more items\]", shown["list"][-1])


def test_text_that_takes_more_bytes_than_characters_fits_as_well():
    for text in ("é" * 5000, "\x00" * 5000, "😀" * 5000, '"' * 5000):
        encoded = encode({"text": text}, max_bytes=2000)
        assert len(encoded.text.encode()) <= 2000
        assert len(json.loads(encoded.text)["text"]) > 200


def test_copying_costs_little_whatever_the_value_is():
    values = [
        {str(n): {"a": [n] * 5} for n in range(200_000)},
        [b"x" * 10_000] * 100_000,
        ["é" * 200_000] * 1000,
        [10**3900] * 100_000,
        [Order(n, []) for n in range(20_000)],
        "x" * 100_000_000,
    ]
    for value in values:
        began_s = time.thread_time()
        snapshot(value)
        assert time.thread_time() - began_s < 0.5


def steps_of(value, limits):
    """How many lines of Python a snapshot runs."""
    steps = 0

    def trace(frame, event, _):
        nonlocal steps
        steps += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        snapshot(value, limits)
    finally:
        sys.settrace(before)
    return steps


class Holder:
    def __init__(self, count):
        self.__dict__.update({f"a{n}": n for n in range(count)})


def private_holder(count):
    held = Holder(0)
    vars(held).update({f"_a{n}": n for n in range(count)})
    return held


ODD_KINDS = (1, "a", None, 1.5, b"", (), frozenset(), 1j)

GIANTS = {
    "objects that hold much that is private": lambda count: [private_holder(400)] * count,
    "keys of many types": lambda count: {
        (*(ODD_KINDS[n >> 3 * place & 7] for place in range(20)), n): n for n in range(count)
    },
    "moments": lambda count: [MOMENT] * count,
    "small dictionaries": lambda count: [{"a": {}} for _ in range(count)],
    "odd keys": lambda count: {f"\ud800{n}": n for n in range(count)},
    "keys of one type": lambda count: {(n, n): n for n in range(count)},
    "keys shown alike": lambda count: {Holder(0): n for n in range(count)},
    "numbers as keys": lambda count: {n: n for n in range(count)},
    "long keys": lambda count: {"k" * 2000 + str(n): n for n in range(count)},
    "list": lambda count: list(range(count)),
    "list of lists": lambda count: [[n] for n in range(count)],
    "set": lambda count: set(range(count)),
    "keys view": lambda count: dict.fromkeys(range(count)).keys(),
    "one object": Holder,
    "objects": lambda count: [Holder(1) for _ in range(count)],
    "texts": lambda count: ["é" * 2000] * count,
    "integers": lambda count: [10**300] * count,
}


@pytest.mark.parametrize("make", GIANTS.values(), ids=GIANTS)
def test_the_work_on_a_value_is_bounded_however_many_entries_it_has(make):
    assert steps_of(make(20_000), Limits(items=500)) < 500 * 60


def shared(levels, kind):
    """Each level refers to the next twice, so that there are far more paths than can be copied."""
    value = None
    for _ in range(levels):
        if kind is Holder:
            above = Holder(0)
            above.a = above.b = value
            value = above
        else:
            value = {"a": value, "b": value} if kind is dict else kind((value, value))
    return value


def deeper(frames, action):
    return deeper(frames - 1, action) if frames else action()


def pages_taken(action):
    """How many pages of memory this thread got from the system meanwhile."""
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    action()
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before


@pytest.mark.sweep(1)
@pytest.mark.parametrize("kind", [list, dict, Holder])
def test_the_work_on_a_value_is_the_same_however_deep_the_programs_stack_is(kind):
    value, limits = shared(30, kind), Limits(items=4000)
    gc.collect()
    gc.disable()
    try:
        # Python has its frames in pieces that it gives back as they are left: its own end may lie at any of these.
        taken = [deeper(frames, lambda: pages_taken(lambda: snapshot(value, limits))) for frames in range(200)]
    finally:
        gc.enable()
    assert max(taken) < 250


def test_all_that_the_recorder_weighs_takes_one_frame():
    called = []
    value = snapshot(shared(30, list))
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        weight = weigh([value])
    finally:
        sys.setprofile(None)
    assert called == ["weigh"]
    assert weight > 8 * 4000


@pytest.mark.parametrize("letter", ["x", "é", "😀"])
def test_all_texts_of_a_value_together_are_bounded(letter):
    many = snapshot({"texts": [letter * 100_000] * 300, "small": {str(n): letter * 8000 for n in range(2000)}})
    assert weigh([many]) < 4_000_000
    assert many["texts"][0] == letter * 100_000
    assert many["texts"][-1] == "… [100,000 more characters] …"
    assert snapshot([letter * 100_000] * 20_000)[-1].endswith(" more items]")
    nested = {}
    for _ in range(3):
        nested = {str(n): nested or letter * 8000 for n in range(20)}
    assert weigh([snapshot(nested)]) < 4_000_000
    assert encode(many, max_bytes=1 << 20).truncated


def test_one_text_of_50_mb_is_copied_at_its_ends_alone():
    copy = snapshot("é" * 50_000_000)
    assert isinstance(copy, Cut)
    assert len(copy) < 300_000


def test_the_characters_that_are_repaired_are_bounded():
    odd = "\ud800" * 1000
    copy = snapshot({"values": [odd] * 10_000, "keys": {f"{odd}{n}": n for n in range(10_000)}})
    assert len(json.dumps(copy, ensure_ascii=False)) < 200_000
    assert snapshot("\ud800" * 5000 + "é") == "?" * 5000 + "é"
    assert snapshot("\ud83d\ude00" + "é" * 5000 + "\ud83d") == "😀" + "é" * 5000 + "\ufffd"


def test_what_a_dictionary_once_held_is_not_walked_over():
    drained = dict.fromkeys(range(1_000_000))
    for n in range(999_998):
        del drained[n]
    full = dict.fromkeys(map(str, range(100_000)))
    assert snapshot([drained, full])[0] == {"$more": "… [2 more items]"}
    named = dict.fromkeys(range(1_000_000))
    for n in range(1_000_000):
        del named[n]
    named["a"], named["b"] = 1, 2
    assert snapshot(named) == snapshot({"a": named})["a"] == {"$more": "… [2 more items]"}
    assert len(snapshot(full)) == 10_001


def test_large_numbers_are_not_written_out():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        shown = recorded([fractions.Fraction(10**5000, 3), decimal.Decimal("1" * 100_000), fractions.Fraction(1, 3)])
    finally:
        sys.set_int_max_str_digits(before)
    assert shown == [
        {"$type": "fractions.Fraction", "numerator": {"$type": "int", "bits": 16610}, "denominator": 3},
        {"$type": "decimal.Decimal", "exponent": 99_999},
        "1/3",
    ]


def test_a_small_array_of_large_texts_is_shown_by_its_kind():
    shown = recorded([np.array(["x" * 100_000] * 4), np.array(["x", "yy"])])
    assert shown[0] == {"$type": "numpy.ndarray", "shape": [4], "dtype": "<U100000"}
    assert shown[1]["values"] == ["x", "yy"]


class Told:
    """Its text is asked for by nobody but the program."""

    asked = 0

    def __repr__(self):
        type(self).asked += 1
        return "told"

    __str__ = __repr__


def invalid(kind, value):
    with pytest.raises(pydantic.ValidationError) as caught:
        pydantic.TypeAdapter(kind).validate_python(value)
    return caught.value


def test_no_value_that_was_invalid_is_shown_by_its_own_code_or_at_length():
    assert error_text(invalid(int, Told())) == (
        f"1 validation error for int\n\n  Input should be a valid integer [type=int_type, input_type={__name__}.Told]"
    )
    assert Told.asked == 0
    assert "input_value" not in error_text(invalid(dict[str, int], {"a": ["x" * 1000] * 100_000}))
    assert error_text(invalid(list[int], ["x"] * 1000)) == "1000 validation errors for list[int]"


def test_the_text_of_an_exception_is_made_of_a_bounded_number_of_characters():
    many = [["x" * 9999] * 50] * 50
    for exc in (ValueError(many), ValueError(*many), KeyError(many), ExceptionGroup("x" * 10_000_000, [ValueError()])):
        tracemalloc.start()
        assert len(written(error_text(exc))) < 10_100
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 300_000
    assert "more characters" in error_text(ExceptionGroup("x" * 10_000_000, [ValueError()]))


def test_the_frames_of_a_whole_chain_are_bounded():
    def failing(depth):
        if depth:
            failing(depth - 1)
        raise ValueError(depth)

    def chain(count):
        if not count:
            failing(400)
        try:
            chain(count - 1)
        except ValueError:
            failing(400)

    exc = caught(lambda: chain(30))
    assert sum(place.function.endswith("failing") for place in frames(exc)) < 1400
    assert frames(exc)[-1].function.endswith("failing")


def test_a_message_of_many_parts_is_read_as_far_as_it_says_which_it_is():
    numbers = ",".join("1" * 60_000)
    shown = read_envelope(f'{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"numbers":[{numbers}]}}}}')
    assert {**shown, "params": ""} == {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": ""}
    assert shown["params"] == f'{{"numbers":[{numbers}]}}'
    many = ",".join(f'"a{n}":1' for n in range(60_000))
    assert read_envelope(f'{{"id":7,{many}}}'.encode()) == {"id": 7}


def test_a_name_that_is_no_name_keeps_its_beginning():
    assert written(short_text("é" * 8192)) == "é" * 8192
    assert written(short_text("é" * 1_000_000)) == "é" * 8192 + "… [991,808 more characters]"


@pytest.mark.parametrize("nested", [False, True])
def test_keys_are_whole_and_well_formed_or_show_their_length(nested):
    def keys_of(value):
        return list(snapshot({"a": value})["a"] if nested else snapshot(value))

    assert keys_of(dict.fromkeys(("\ud800", "\ufffd"))) == ["\ufffd", "\ufffd (2)"]
    assert keys_of({"naïve": 1, "k" * 9216: 2}) == ["naïve", "k" * 9216]
    assert keys_of({"k" * 100_000_000: 1}) == ["… [100,000,000 more characters] …"]
    assert sum(map(len, keys_of({f"{n}" + "k" * 9000: n for n in range(2000)}))) < 2_200_000


def test_a_call_with_an_odd_key_in_what_was_noted_on_it_is_recorded(record):
    recording = record()
    with instrument.around("tool_call", tool_name="t", args={}, context=None):
        trace.get_current_span().set_attribute("noted", {"\ud800": 1})
    (span,) = recording.spans()
    assert span["attributes"]["noted"] == '{"\ufffd":1}'
    assert recording.spool.losses.unencodable == 0


def test_a_name_that_an_object_has_is_bounded_and_well_formed(record):
    recording = record()
    agent = types.SimpleNamespace(name="\ud800", description="x" * 1_000_000)
    odd = type("Odd", (), {})
    odd.__qualname__ = "\ud800" * 1000
    with instrument.around("agent_call", agent=agent), pytest.raises(ValueError):
        with instrument.around("agent_call", agent=odd()):
            raise type("Failed", (ValueError,), {"__qualname__": "\ud800"})
    outer, inner = recording.spans()
    assert outer["name"] == "invoke_agent \ufffd"
    assert len(outer["attributes"]["gen_ai.agent.description"]) < 8300
    assert len(inner["name"]) < 8300
    assert recording.spool.losses.unencodable == 0


@pytest.mark.parametrize("key", [5, None, "\ud800", "k" * 100_000])
def test_whatever_names_an_attribute_or_an_event_costs_no_call(record, key):
    recording = record()
    with instrument.around("tool_call", tool_name="t", args={}, context=None):
        span = trace.get_current_span()
        span.set_attribute(key, 1)
        span.add_event(key, {key: 1})
        span.update_name(key)
    assert len(recording.spans()) == 1
    assert recording.spool.losses.unencodable == 0
