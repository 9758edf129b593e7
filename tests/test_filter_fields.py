"""Every row of the table of filters is there in every place, and narrows every list."""

import re
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import click
import pytest
import yaml
from filter_fields import FILE, source
from msgspec.structs import replace

from inspector.api.queries.parameters import EventsQuery, RunsQuery, StatsQuery, StreamQuery, TracesQuery
from inspector.api.queries.query import read_query
from inspector.cli.filters import filter_of, narrowed_by_options
from inspector.model import FILTER_FIELDS, PARAMETERS, Filter, NewLabel, Span, SpanError
from inspector.settings import Settings
from inspector.store import open_store

ROOT = Path(__file__).parents[1]
SECOND_NS = 1_000_000_000
WANTED, OTHER = "a" * 32, "b" * 32
ASKED = {
    "trace_id": WANTED,
    "parent_id": "c" * 16,
    "kind": "tool",
    "status": "error",
    "run_id": "run-1",
    "session_id": "trip",
    "name": "trips",
    "name_prefix": "tri",
    "agent": "planner",
    "model": "gpt-5",
    "tool": "weather",
    "service": "trips",
    "error_type": "TimeoutError",
    "hook": "tool_call",
    "since": "1970-01-01T00:01:40Z",
    "until": "1970-01-01T00:00:50Z",
    "min_duration_ms": "5000",
    "max_duration_ms": "500",
    "min_cost_usd": "5",
    "max_cost_usd": "0.5",
    "attr": ("color", "red"),
    "args": ("city", "Oslo"),
    "result": ("sky", "clear"),
    "label": "good",
    "q": "overcast",
    "duplicates": "false",
    "replays": "false",
}
"""A value of each filter that the wanted span alone meets; a run of a program has the name of its service."""
BEFORE = {"until": 10 * SECOND_NS}
"""When the wanted span began, where that is not 200 seconds after the epoch."""
LASTS_MS = {"min_duration_ms": 9000, "max_duration_ms": 100}
COSTS = {"min_cost_usd": 9.0, "max_cost_usd": 0.1}


def span(trace_id, span_id, **fields):
    start_ns = fields.pop("start_ns", 60 * SECOND_NS)
    lasts_ns = fields.pop("lasts_ms", 1000) * 1_000_000
    common = {"name": "work", "kind": "agent", "status": "ok", "cost_usd": 1.0, "run": "run-2", "session_id": "other"}
    made = Span(trace_id=trace_id, span_id=span_id, start_ns=start_ns, **(common | fields))
    return replace(made, end_ns=start_ns + lasts_ns)


def wanted(name):
    """Returns the one span that meets the filter of this name, alone in its trace and its run."""
    texts = {"inspector.tool.args_json": '{"city":"Oslo"}', "inspector.tool.result_json": '{"sky":"clear"}'}
    return span(
        WANTED,
        "1" * 16,
        parent_id="c" * 16,
        kind="tool",
        status="error",
        error=SpanError("TimeoutError", "overcast"),
        run="run-1",
        session_id="trip",
        name="trips",
        agent="planner",
        model="gpt-5",
        tool="weather",
        service="trips",
        hook="tool_call",
        start_ns=BEFORE.get(name, 200 * SECOND_NS),
        lasts_ms=LASTS_MS.get(name, 1000),
        cost_usd=COSTS.get(name, 1.0),
        attributes={"color": "red", **texts},
        input_key="inspector.tool.args_json",
        output_key="inspector.tool.result_json",
    )


def pair(name):
    """Returns parameter and value of a filter, as a query has them."""
    value = ASKED[name]
    return (f"{name}.{value[0]}", value[1]) if isinstance(value, tuple) else (name, value)


def by_api(model, name):
    return read_query(model, urlencode([pair(name)]).encode()).as_filter()


@pytest.fixture
def filled(tmp_path):
    """Opens a store with the wanted span and two others, one of which is a duplicate of the other."""

    def fill(name):
        settings = Settings(home=tmp_path / "home")
        store = open_store(settings)
        replayed = {"inspector.replay.run": "run-3"} if name == "replays" else {}
        other = span(OTHER, "2" * 16, kind="llm", model="gpt-4", attributes={"inspector.emitter": "one", **replayed})
        beside = {"parent_id": other.span_id, "attributes": {"inspector.emitter": "two", **replayed}}
        store.write([wanted(name), other, span(OTHER, "3" * 16, kind="llm", model="gpt-4", **beside)])
        store.set_label(NewLabel(trace_id=WANTED, span_id="1" * 16, name="good", time_ns=1))
        store.maintain()
        return closing(store)

    return fill


def test_every_row_has_an_example_and_a_version():
    assert list(ASKED) == list(PARAMETERS)
    assert {row.field for row in FILTER_FIELDS} == set(Filter.__dataclass_fields__)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", row.since) and row.help for row in PARAMETERS.values())


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", [name for name in PARAMETERS if name != "duplicates"])
def test_a_filter_narrows_every_list_that_takes_it_and_its_figures(filled, name):
    with filled(name) as store:
        events = by_api(EventsQuery, name)
        assert [event.trace_id for event in store.events(events).items] == [WANTED]
        assert [event.trace_id for event in store.after(0, by_api(StreamQuery, name))] == [WANTED]
        assert store.stats(by_api(StatsQuery, name)).total.count == 1
        lists = {"trace": (TracesQuery, store.traces), "run": (RunsQuery, store.runs)}
        for level, (model, read) in lists.items():
            # What no list of traces takes by itself, figures of traces take all the same.
            where = by_api(model if level in PARAMETERS[name].lists else StatsQuery, name)
            assert [item.trace_id for item in read(where).items] == [WANTED], level
            assert store.stats(where, of=f"{level}s").total.count == 1


def test_duplicates_are_left_out_where_they_are_not_asked_for(filled):
    with filled("duplicates") as store:
        assert len(store.events(Filter()).items) == 3
        assert len(store.events(by_api(EventsQuery, "duplicates")).items) == 2


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_command_line_makes_the_filter_that_the_api_makes(name):
    @click.command()
    @narrowed_by_options("span")
    def command(**options):
        return filter_of(options)

    value = ASKED[name]
    option = "--" + {"args": "arg"}.get(name, name).replace("_", "-")
    arguments = [f"--no-{name}"] if PARAMETERS[name].form == "flag" else [option, "=".join(pair(name)[1:])]
    if isinstance(value, tuple):
        arguments = [option, "=".join(value)]
    assert command.main(arguments, standalone_mode=False) == by_api(EventsQuery, name)


def test_the_contract_names_each_parameter_with_the_version_that_brought_it():
    parameters = yaml.safe_load((ROOT / "openapi.yaml").read_text("utf-8"))["components"]["parameters"]
    since = {name: parameters[name]["x-since"] for name in parameters if "x-since" in parameters[name]}
    assert since == {name: row.since for name, row in PARAMETERS.items()}


def test_the_page_knows_the_fields_of_the_table():
    assert FILE.read_text("utf-8") == source(), "run: python tests/filter_fields.py"


def test_the_pages_about_the_api_name_each_parameter():
    table = (ROOT / "docs" / "api.md").read_text("utf-8").partition("## Filters")[2].partition("\n## ")[0]
    for name, row in PARAMETERS.items():
        spelled = f"{name}.<{row.key}>" if row.form == "pairs" else name
        assert f"`{spelled}`" in table
