import dataclasses

import pytest
from lists import fields_of
from made_spans import MS, begin_of
from oracle import named_model, quantile

from inspector.model import Filter
from inspector.toolnames import served_name

KEYS = {
    "kind": lambda span: span.kind,
    "model": named_model,
    "tool": lambda span: served_name(span.tool, span.attributes.get("inspector.tool.server")),
    "agent": lambda span: span.agent,
    "service": lambda span: span.service,
    "status": lambda span: span.status,
    "error_type": lambda span: span.error.type if span.error else None,
    "name": lambda span: span.name,
}
NAMES = ("count", "errors", "p50_ms", "p95_ms", "p99_ms", "cost_usd", "unpriced_calls")
NAMES += ("input_tokens", "output_tokens", "cached_tokens")


def calls_of(counted, where):
    return counted.oracle.events(dataclasses.replace(where, duplicates=False))


def figures(counted, calls):
    """Those of the oracle; of many calls an engine may know quantiles within a hundredth."""
    exact = counted.oracle.figures(calls)
    return {
        name: pytest.approx(value, rel=0.01 + 1e-9) if name.startswith("p") and value else value
        for name, value in exact.items()
    }


def test_figures_of_calls_are_those_of_the_calls_of_the_filter(counted):
    for where in counted.filters(60):
        found = counted.store.stats(where)
        assert found.complete
        assert fields_of(found.total, NAMES) == figures(counted, calls_of(counted, where)), where


@pytest.mark.parametrize("by", KEYS)
def test_groups_hold_the_calls_of_their_key(counted, by):
    for where in counted.filters(6):
        expected = {}
        for call in calls_of(counted, where):
            expected.setdefault(KEYS[by](call), []).append(call)
        found = counted.store.stats(where, by=by)
        assert {group.key: fields_of(group, NAMES) for group in found.groups} == {
            key: figures(counted, calls) for key, calls in expected.items()
        }
        counts = [group.count for group in found.groups]
        assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize("buckets", [1, 3, 24])
def test_slices_of_time_hold_the_calls_that_began_in_them(counted, buckets):
    where = Filter(since_ns=begin_of(0) + 1, until_ns=begin_of(15) + 20 * MS)
    found = counted.store.stats(where, buckets=buckets).buckets
    assert len(found) == buckets
    edges = [int(each.start_time_unix_nano) for each in found] + [where.until_ns]
    assert edges[0] == where.since_ns
    calls = calls_of(counted, where)
    for at, each in enumerate(found):
        inside = [call for call in calls if edges[at] <= call.start_ns < edges[at + 1]]
        assert fields_of(each, NAMES) == figures(counted, inside)


@pytest.mark.parametrize("of", ["traces", "runs"])
def test_figures_of_wholes_count_each_once(counted, of):
    for where in counted.filters(40):
        wholes = getattr(counted.oracle, of)(where)
        found = counted.store.stats(where, of=of).total
        lengths = sorted(each["duration_ms"] for each in wholes if each["duration_ms"] is not None)
        costs = [each["cost_usd"] for each in wholes if each["cost_usd"] is not None]
        assert (found.count, found.errors) == (len(wholes), sum(each["status"] == "error" for each in wholes)), where
        assert (found.p50_ms, found.p99_ms) == (quantile(lengths, 50), quantile(lengths, 99))
        assert found.input_tokens == sum(each["input_tokens"] for each in wholes)
        assert found.cost_usd == (pytest.approx(sum(costs)) if costs else None)


def test_a_tool_of_each_server_has_a_row_whose_key_finds_its_calls(counted):
    groups = counted.store.stats(Filter(), by="tool").groups
    named = {group.key: group.count for group in groups if group.key is not None}
    assert {key.rpartition("/")[0] for key in named} >= {"desk", "shop"}
    for key, count in named.items():
        wanted = [call for call in calls_of(counted, Filter()) if KEYS["tool"](call) == key]
        found = counted.store.events(Filter(tool=key, duplicates=False), limit=500).items
        if "/" in key:
            assert sorted(event.span_id for event in found) == sorted(call.span_id for call in wanted)
        assert count == len(wanted)
