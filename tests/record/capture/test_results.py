import dataclasses
import datetime as dt
import decimal
import enum
import json
import math
import pathlib
import tracemalloc
import typing
import uuid
from collections import Counter, OrderedDict, defaultdict, deque

import mcp.types
import msgspec
import pydantic
import pydantic.dataclasses
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import ToolMessage

import inspector
import instrument
from inspector.encoding import encode
from inspector.ingest import Owner
from inspector.model import Filter
from inspector.reading.results import ResultUnusable, read_error, read_result
from inspector.record.capture.captured import captured_result
from inspector.record.capture.results import error_of, own_outcome_of, result_of
from inspector.settings import Settings
from toolkit.errors import ToolRefused
from toolkit.result import ToolResult


@dataclasses.dataclass
class Hotel:
    name: str
    prices: tuple[int, ...] = ()
    near: "Hotel | None" = None


@dataclasses.dataclass(frozen=True, slots=True)
class Room:
    floor: int
    _key: bytes = b"\0"


class Guest(pydantic.BaseModel):
    model_config = {"extra": "allow"}

    name: str
    born: dt.date | None = None
    room: Room | None = None


@pydantic.dataclasses.dataclass(repr=False)
class Photo:
    data: bytes
    identifier: typing.Annotated[str | None, pydantic.Field(exclude=True)] = None


@dataclasses.dataclass
class Move:
    PARENT: typing.ClassVar[str] = "the parent"
    to: str
    now: dataclasses.InitVar[bool] = True


class Hidden(pydantic.BaseModel):
    token: pydantic.SecretStr


@dataclasses.dataclass
class HiddenByItself:
    token: str = dataclasses.field(repr=False)


class Board(enum.Enum):
    HALF = "half"


class Size(enum.IntEnum):
    LARGE = 3


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Mode(enum.IntFlag):
    FAST = 4


class Point(typing.NamedTuple):
    x: int
    y: float


class Plain:
    pass


class FullyBooked(Exception):
    def __init__(self, hotel, *, until):
        super().__init__(f"{hotel} is full until {until}")
        self.hotel, self.until = hotel, until


class NoRoom(OSError):
    def __init__(self, *args):
        super().__init__(*args)
        self.seen = True


@dataclasses.dataclass
class Failed(Exception):
    why: str


class Struct(msgspec.Struct):
    n: int


def given_back(value):
    facts = {"result": captured_result(value)}
    written = json.dumps(result_of("tool_call", {"result": value}, facts)["result"])
    return read_result(written, encode(facts["result"], max_bytes=4 << 20).text)


def test_class_variables_and_arguments_of_the_initialization_are_no_fields():
    moved = given_back(Move("ann"))
    assert (moved.PARENT, vars(moved)) == ("the parent", {"to": "ann"})


def raised_again(exc):
    return read_error(json.dumps(error_of("tool_call", exc)["error"]))


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "text",
        1.5,
        {"a": [1, {"b": None}], "n": 2**60},
        {"isError": True, "content": []},
        ("a", 1),
        {1: "a", (2, 3): "b"},
        {"$kind": "tuple", "items": []},
        {"a", "b"},
        frozenset({1}),
        b"\xff\0",
        bytearray(b"x"),
        2**70,
        math.inf,
        dt.datetime(2026, 11, 25, 14, 3, tzinfo=dt.UTC),
        dt.date(2026, 11, 25),
        dt.time(14, 3),
        decimal.Decimal("1.10"),
        uuid.UUID(int=7),
        pathlib.PurePosixPath("/a/b"),
        dt.timedelta(days=-1, seconds=5, microseconds=3),
        OrderedDict(b=1, a=(2,)),
        Counter("aab"),
        defaultdict(list, {"a": [1], 2: []}),
        defaultdict(None, a=1),
        deque([1, (2,)], maxlen=3),
        range(1, 2**70, 5),
        complex(1.5, -2),
        Board.HALF,
        Access.READ,
        Access.READ | Access.WRITE,
        Access(0),
        Size.LARGE,
        Point(1, 2.5),
        Hotel("Casa", (1, 2), Hotel("Pensão")),
        Room(3),
        Guest(name="Ada", born=dt.date(1815, 12, 10), room=Room(1), vip=True),
        [Hotel("Casa"), {"guest": Guest(name="Ada")}],
        Photo(b"\x89PNG"),
        HiddenByItself(""),
        ToolMessage("moved", tool_call_id="1", response_metadata={"to": "ann"}),
        mcp.types.CallToolResult(content=[mcp.types.TextContent(type="text", text="18 °C")], isError=False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_same_kind_of_object_comes_back(value):
    found = given_back(value)
    assert found == value
    assert type(found) is type(value)


def test_a_model_knows_which_of_its_fields_were_set():
    found = given_back(Guest(name="Ada"))
    assert (found.model_fields_set, found.model_dump(exclude_unset=True)) == ({"name"}, {"name": "Ada"})
    assert found.model_copy(update={"name": "Eva"}).name == "Eva"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner) | st.tuples(inner, inner),
)


@given(values)
def test_any_value_of_pythons_own_comes_back(value):
    assert given_back(value) == value


def test_what_is_json_is_not_written_twice():
    for value in ({"a": 1}, [1], "text", 3, None):
        assert result_of("tool_call", {"result": value}, {"result": captured_result(value)}) == {"result": "same"}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (iter([1]), "builtins:list_iterator"),
        ({"a": [Plain()]}, r".*test_results:Plain at \.a\[0\]"),
        (Hidden(token="t"), r"pydantic.types:SecretStr at \.token"),
        (HiddenByItself("t"), ".*test_results:HiddenByItself"),
        (Struct(1), ".*test_results:Struct"),
        ("\ud800", "half a surrogate pair"),
        ("x" * (2 << 20), "too large"),
        (tuple(range(20_000)), "too large"),
        (lambda: None, "builtins:function"),
        (Mode(4 | 8), ".*test_results:Mode"),
        (defaultdict(lambda: 3, a=1), "collections:defaultdict"),
    ],
    ids=lambda each: each if isinstance(each, str) and len(each) < 99 else type(each).__name__,
)
def test_what_cannot_be_given_back_is_named(value, why):
    with pytest.raises(ResultUnusable, match=f"cannot be replayed: {why}"):
        given_back(value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: bytes(8 << 20),
        lambda: {"page": bytearray(8 << 20)},
        lambda: dict.fromkeys(range(100_000)),
        lambda: KeyError(dict.fromkeys(range(100_000))),
    ],
    ids=["bytes", "bytearray", "dict", "exception"],
)
def test_what_is_too_large_for_a_replay_is_neither_encoded_nor_listed(make):
    value = make()
    tracemalloc.start()
    try:
        if isinstance(value, Exception):
            noted = error_of("tool_call", value)["error"]
        else:
            noted = result_of("tool_call", {"result": value}, {})["result"]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert noted["unrecordable"] == "too large"
    assert peak < 1 << 20


def test_a_value_within_itself_cannot_be_given_back():
    value = [()]
    value[0] = (value,)
    with pytest.raises(ResultUnusable, match="nested too deeply"):
        given_back(value)


@pytest.mark.parametrize(
    "exc",
    [
        ValueError("no such hotel"),
        KeyError("hotel"),
        FileNotFoundError(2, "No such file", "rooms.csv"),
        FullyBooked("Casa", until=dt.date(2026, 12, 1)),
        Failed("x"),
        RuntimeError(("a", 1), None),
        json.JSONDecodeError("Expecting value", "x", 0),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
        UnicodeEncodeError("ascii", "é", 0, 1, "ordinal not in range(128)"),
        SyntaxError("invalid syntax", ("a.py", 1, 2, "x y", 1, 3)),
        NoRoom(28, "No space left"),
    ],
    ids=lambda exc: type(exc).__name__,
)
def test_the_same_exception_is_raised_again(exc):
    found = raised_again(exc)
    assert (type(found), str(found), found.args) == (type(exc), str(exc), exc.args)
    assert vars(found) == vars(exc)


def test_what_an_exception_of_pythons_own_reads_from_its_arguments_is_there_again():
    assert raised_again(StopIteration(5)).value == 5
    assert raised_again(SystemExit(3)).code == 3
    assert raised_again(NoRoom(28, "No space left")).errno == 28
    assert raised_again(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid")).object == b"\xff"


def test_the_cause_of_an_exception_and_of_that_one_come_back():
    def chained(*raised):
        for exc, cause in zip(raised, raised[1:], strict=False):
            exc.__cause__ = cause
        return raised_again(raised[0])

    found = chained(FullyBooked("Casa", until="May"), KeyError("rooms"), NoRoom(28, "No space left"))
    assert repr(found.__cause__) == "KeyError('rooms')"
    assert type(found.__cause__.__cause__) is NoRoom
    assert found.__suppress_context__
    assert chained(ValueError("a"), ValueError(Plain())).__cause__ is None
    written = error_of("tool_call", KeyError("a"))["error"]
    written["cause"] = {"$kind": "exception", "class": "no.such.module:Thing", "args": []}
    assert read_error(json.dumps(written)).__cause__ is None


def test_no_code_of_the_program_runs_for_the_cause_of_an_exception():
    class Own(ValueError):
        @property
        def __cause__(self):
            raise SystemExit

    assert "cause" not in error_of("tool_call", Own("a"))["error"]


def test_what_python_names_in_an_exception_comes_back():
    found = raised_again(ImportError("no", name="rooms", path="/rooms.py"))
    assert (found.name, found.path) == ("rooms", "/rooms.py")
    assert raised_again(NameError("no", name="rooms")).name == "rooms"
    assert raised_again(AttributeError("no", name="rooms", obj=1)).name == "rooms"
    assert raised_again(ImportError("no")).name is None


def test_an_ordered_dictionary_comes_back_in_the_order_to_which_its_items_were_moved():
    ordered = OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    assert list(given_back(ordered)) == ["b", "a"]


def test_the_factory_of_a_dictionary_is_never_anything_but_a_class_of_pythons_own():
    found = given_back(defaultdict(list, a=[1]))
    assert (found["a"], found["b"]) == ([1], [])
    with pytest.raises(ResultUnusable, match="os:system is no class of Python's own"):
        read_result('{"value":{"$kind":"defaultdict","factory":"os:system","items":[]}}', "1")


@dataclasses.dataclass
class Refusal:
    words: str
    error: BaseException | None = dataclasses.field(default=None, repr=False, metadata={"given_back": True})


def test_an_exception_in_a_result_comes_back_from_a_field_that_says_so():
    found = given_back([Refusal("full", FullyBooked("Casa", until=dt.date(2026, 12, 1))), Refusal("none")])
    assert found[0].words == "full"
    assert (type(found[0].error), vars(found[0].error)) == (
        FullyBooked,
        vars(FullyBooked("Casa", until=dt.date(2026, 12, 1))),
    )
    assert found[1] == Refusal("none")


def test_a_result_of_the_toolkit_comes_back_with_what_its_tool_raised():
    failed = ToolResult.error("sold out", exception=ToolRefused("sold out"), rooms=0)
    found = given_back(failed)
    assert found == failed
    assert (type(found.exception), str(found.exception)) == (ToolRefused, "sold out")


def test_an_exception_that_holds_what_cannot_be_given_back_is_named_with_its_message():
    written = error_of("tool_call", ValueError("no", Plain()))["error"]
    assert (written["class"], written["message"].startswith("('no', ")) == ("builtins:ValueError", True)
    with pytest.raises(ResultUnusable, match=r".*test_results:Plain at \.args\[1\]"):
        read_error(json.dumps(written))
    with pytest.raises(pydantic.ValidationError) as invalid:
        Guest()
    with pytest.raises(ResultUnusable, match="ValidationError"):
        raised_again(invalid.value)


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        "true",
        "{}",
        '{"value":{"$kind":"x"}}',
        '{"value":{"$kind":[]}}',
        '{"value":{"$kind":"tuple"}}',
        '{"value":{"$kind":"uuid","text":"x"}}',
        '{"value":{"$kind":"record","class":"os:system","fields":{}}}',
        '{"value":{"$kind":"record","class":"builtins:int","fields":{"a":1}}}',
        '{"value":{"$kind":"enum","class":"builtins:int","name":"a"}}',
        '{"value":{"$kind":"path","class":"builtins:int","text":"1"}}',
        '{"value":{"$kind":"namedtuple","class":"builtins:int","items":[]}}',
        '{"value":{"$kind":"record","class":"no.such.module:Thing","fields":{}}}',
        '{"value":{"$kind":"exception","class":"builtins:int","args":[]}}',
        '{"value":{"$kind":"exception","class":"builtins:ValueError"}}',
        '{"class":"os:system","args":[]}',
        '{"class":"builtins:int","args":[]}',
    ],
)
def test_what_is_damaged_or_forged_says_so(damaged):
    with pytest.raises(ResultUnusable):
        read_result(damaged, "1")
    with pytest.raises(ResultUnusable):
        read_error(damaged)


def test_nothing_is_imported_for_a_recording(monkeypatch):
    monkeypatch.delitem(__import__("sys").modules, "this", raising=False)
    with pytest.raises(ResultUnusable, match="there is no class this:Zen"):
        read_result('{"value":{"$kind":"record","class":"this:Zen","fields":{}}}', "1")


def test_what_came_of_a_tools_own_code_is_given_back_where_a_framework_made_something_else_of_it():
    shown = {"result": "a text for the model"}
    own = own_outcome_of("tool_call", {**shown, "returned": Hotel("Casa")}, shown)
    assert own["body"] is True
    assert read_result(json.dumps(own["result"]), '"a text for the model"') == Hotel("Casa")
    raised = own_outcome_of("tool_call", {**shown, "raised": KeyError("hotel")}, shown)
    assert repr(read_error(json.dumps(raised["error"]))) == "KeyError('hotel')"
    assert own_outcome_of("tool_call", {**shown, "returned": shown["result"]}, shown) == {
        "result": "same",
        "body": True,
    }
    assert own_outcome_of("tool_call", shown, shown) is None


def test_other_calls_give_nothing():
    assert result_of("agent_call", {"result": Plain()}, {"result": None}) is None
    assert error_of("agent_call", ValueError()) is None


def recorded(home, monkeypatch, **environment):
    """What is on the spans of three tool calls and a prompt, by their names."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    inspector.attach(home=home, integrations=False)
    try:
        for name, result in (("json", {"a": 1}), ("object", Hotel("Casa")), ("file", iter(()))):
            with instrument.around("tool_call", tool_name=name, args={}, context=None) as call:
                call.set(result=result)
        with (
            pytest.raises(FullyBooked),
            instrument.around("tool_call", tool_name="failing", args={}, context=None),
        ):
            raise FullyBooked("Casa", until="May")
        with instrument.around("prompt_apply", template_id="plan", parameters={}, context=None) as call:
            call.set(rendered=mcp.types.GetPromptResult(messages=[]))
    finally:
        inspector.detach()
    with Owner(Settings(home=home)) as owner:
        owner.ingest_spools()
        events = owner.store.events(Filter(), full=True, raw=True).items
    return {event.name.split()[-1]: (json.loads(bytes(event.attributes)), event.output) for event in events}


def test_what_calls_gave_or_raised_is_on_their_spans(tmp_path, monkeypatch):
    found = recorded(tmp_path, monkeypatch)

    def given(name, key="inspector.raw.result"):
        attributes, output = found[name]
        return read_result(attributes[key], bytes(output).decode())

    assert (given("json"), given("object")) == ({"a": 1}, Hotel("Casa"))
    assert given("plan") == mcp.types.GetPromptResult(messages=[])
    with pytest.raises(ResultUnusable, match="builtins:tuple_iterator"):
        given("file")
    assert vars(read_error(found["failing"][0]["inspector.raw.error"])) == {"hotel": "Casa", "until": "May"}


@pytest.mark.parametrize("name", ["INSPECTOR_CAPTURE_RAW", "INSPECTOR_CAPTURE_CONTENT"])
def test_nothing_of_it_is_recorded_where_it_is_switched_off(name, tmp_path, monkeypatch):
    for attributes, _ in recorded(tmp_path, monkeypatch, **{name: "false"}).values():
        assert not any(key.startswith("inspector.raw.") for key in attributes)


def test_a_secret_in_a_result_is_not_recorded(tmp_path, monkeypatch):
    secret = "sk-proj-" + "aB3dE5fG7h" * 6
    inspector.attach(home=tmp_path, integrations=False)
    try:
        with instrument.around("tool_call", tool_name="find", args={}, context=None) as call:
            call.set(result=Hotel(secret))
        with pytest.raises(ValueError), instrument.around("tool_call", tool_name="find", args={}, context=None):
            raise ValueError(f"refused: {secret}")
    finally:
        inspector.detach()
    spool = b"".join(path.read_bytes() for path in tmp_path.glob("spool/*.jsonl"))
    assert b'"fields"' in spool
    assert secret[8:20].encode() not in spool
