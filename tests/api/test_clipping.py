import json

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from inspector.api.clipping import clip
from inspector.model import Event, SpanError

LONG = "word " * 100


def test_long_values_are_left_out_and_named(client, store, span):
    happening = {"name": "exception", "time_unix_nano": "1", "attributes": {"stack": LONG, "short": "é"}}
    store.write(
        [
            span(
                1,
                input_key="in",
                output_key="out",
                attributes={"in": json.dumps({"text": LONG}), "out": '"brief"', "n": 1.5, LONG: "kept"},
                events=({"name": "first", "time_unix_nano": "0", "attributes": {}}, happening),
                links=(
                    {"trace_id": "a" * 32, "span_id": "b" * 16, "attributes": {"short": 1}},
                    {"trace_id": "c" * 32, "span_id": "d" * 16, "attributes": {"why": LONG, "short": 2}},
                ),
                name=LONG,
                error=SpanError("E", LONG, LONG + LONG),
                status="error",
            )
        ]
    )
    whole = client.get(f"/events/{1:016x}").json()
    clipped = client.get(f"/events/{1:016x}?clip=100").json()
    assert "clipped" not in whole
    assert clipped.pop("clipped") == {
        "input": len(json.dumps({"text": LONG})),
        "attributes.in": len(json.dumps(json.dumps({"text": LONG}))),
        "events.1.stack": len(json.dumps(LONG)),
        "links.1.why": len(json.dumps(LONG)),
        "error.message": len(json.dumps(LONG)),
        "error.traceback": len(json.dumps(LONG + LONG)),
    }
    whole["input"] = None
    del whole["attributes"]["in"]
    whole["events"][1]["attributes"]["stack"] = None
    whole["links"][1]["attributes"]["why"] = None
    whole["error"] |= {"message": None, "traceback": None}
    assert clipped == whole


def test_a_clip_that_fits_everything_changes_nothing(client, store, run):
    store.write(run)
    for number in range(1, 6):
        whole = client.get(f"/events/{number:016x}").json()
        assert client.get(f"/events/{number:016x}?clip=1000000000").json() == whole | {"clipped": {}}


def test_a_clip_of_another_form_is_refused(client, problem):
    for value in ("0", "-1", "1000000001", "1.5", ""):
        assert problem(client.get(f"/events/{1:016x}?clip={value}"))["parameter"] == "clip"


def event_of(attributes, happenings, error):
    nothing = dict.fromkeys(
        ("parent_id", "session_id", "hook", "dialect", "service", "agent", "model", "tool", "end_time_unix_nano")
    )
    unknown = dict.fromkeys(("duration_ms", "input_tokens", "output_tokens", "cached_tokens", "cost_usd"))
    return Event(
        seq=1,
        trace_id="a",
        span_id="b",
        kind="tool",
        name="n",
        status="ok",
        start_time_unix_nano="0",
        **nothing,
        **unknown,
        error=error,
        input=msgspec.Raw(msgspec.json.encode(attributes)),
        attributes=msgspec.Raw(msgspec.json.encode(attributes)),
        events=msgspec.Raw(msgspec.json.encode(happenings)),
        links=msgspec.Raw(msgspec.json.encode(happenings)),
    )


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    attributes=st.dictionaries(st.text(), VALUES, max_size=4),
    happenings=st.lists(
        st.fixed_dictionaries({"name": st.text(), "attributes": st.dictionaries(st.text(), VALUES, max_size=3)})
        | st.just({"attributes": None})
        | st.just({}),
        max_size=3,
    ),
    error=st.none() | st.builds(SpanError, st.none() | st.text(), st.none() | st.text(), st.none() | st.text()),
    most=st.integers(1, 30),
)
def test_exactly_what_is_longer_is_left_out(attributes, happenings, error, most):
    def length(value):
        return len(msgspec.json.encode(value).decode())

    found = clip(event_of(attributes, happenings, error), most)
    kept = {key: value for key, value in attributes.items() if length(value) <= most}
    assert msgspec.json.decode(found.attributes) == kept
    expected = {f"attributes.{key}": length(value) for key, value in attributes.items() if key not in kept}
    if length(attributes) > most:
        expected["input"] = length(attributes)
    for at, happening in enumerate(happenings):
        for key, value in (happening.get("attributes") or {}).items():
            if length(value) > most:
                expected[f"events.{at}.{key}"] = expected[f"links.{at}.{key}"] = length(value)
    for side in ("message", "traceback"):
        text = getattr(error, side, None)
        if text is not None and length(text) > most:
            expected[f"error.{side}"] = length(text)
    assert found.clipped == expected
    assert (found.input is None) == ("input" in expected)
    for shown in (found.events, found.links):
        assert [set(each) for each in msgspec.json.decode(shown)] == [set(each) for each in happenings]
    for side in ("message", "traceback"):
        kept = None if f"error.{side}" in expected else getattr(error, side, None)
        assert getattr(found.error, side, None) == kept
