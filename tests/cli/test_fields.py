import json

import pytest

from inspector.cli.app import run as command


@pytest.fixture
def home(home, write_spans, span):
    """A home with two tool calls of one trace, the first with arguments, the second with a session."""
    arguments = "gen_ai.tool.call.arguments"
    write_spans(
        span(name="book", attributes={arguments: '{"city":"Rome"}'}, input_key=arguments),
        span(name="pay", session_id="trip-1"),
    )
    return home


@pytest.fixture
def ask(home, capsys):
    def read(*words):
        code = command([*words, "--home", str(home)])
        written = capsys.readouterr()
        assert (code, written.err) == (0, "")
        return json.loads(written.out)

    return read


def test_events_keep_the_named_fields_in_their_order(ask):
    assert ask("events", "--json", "status,name") == {
        "items": [{"status": "ok", "name": "pay"}, {"status": "ok", "name": "book"}],
        "next_cursor": None,
    }


def test_a_large_field_is_read_when_it_is_named(ask):
    assert ask("events", "--order", "asc", "--json", "input")["items"] == [{"input": {"city": "Rome"}}, {"input": None}]


def test_without_names_every_small_field_is_there(ask):
    (first, _) = ask("events", "--json", "--order", "asc")["items"]
    assert first["name"] == "book" and "input" not in first and "seq" in first


def test_sessions_and_a_single_event_keep_the_named_fields(ask):
    assert ask("sessions", "--json", "session_id,calls")["items"] == [{"session_id": "trip-1", "calls": 2}]
    assert ask("show", "--span", "0" * 15 + "1", "--json", "name,input") == {"name": "book", "input": {"city": "Rome"}}


@pytest.mark.parametrize("words", [("--json", "4bf9"), ("4bf9", "--json"), ("--json", "last"), ("last", "--json")])
def test_an_id_after_json_is_an_id(ask, words):
    assert [item["name"] for item in ask("show", *words)["items"]] == ["book", "pay"]


def test_full_alone_writes_the_whole_event(ask):
    assert ask("show", "--span", "0" * 15 + "1", "--full")["input"] == {"city": "Rome"}


def test_the_events_of_a_trace_keep_the_named_fields(ask):
    assert ask("show", "last", "--json", "name")["items"] == [{"name": "book"}, {"name": "pay"}]


@pytest.mark.parametrize("name", ["events", "sessions", "show", "tail"])
def test_an_unknown_field_is_refused_with_those_there_are(name, home, capsys):
    assert command([name, "--json", "statu", "--home", str(home)]) == 2
    said = capsys.readouterr().err
    assert "no field 'statu'; did you mean 'status'? There are " in said and "session_id" in said
    assert said.count("\n") == 2
