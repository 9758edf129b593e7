import pytest

from inspector.model import Filter, LabelFilter, NewLabel, parse_label_filter

A, B = "a" * 32, "b" * 32


def label(name, at=1, **fields):
    return NewLabel(name=name, time_ns=at, **fields)


@pytest.fixture
def two(store, make_span):
    """Two runs, a program's and another's, of a span each."""
    store.write(
        [
            make_span(trace_id=A, span_id="1" * 16, run="one", kind="tool", tool="t"),
            make_span(trace_id=A, span_id="2" * 16, run="one", kind="llm", parent_id="1" * 16),
            make_span(trace_id=B, span_id="1" * 16, run="two", kind="llm"),
        ]
    )
    return store


def asked(*texts, **fields):
    labels = tuple(filter(None, map(parse_label_filter, texts)))
    assert len(labels) == len(texts)
    return Filter(labels=labels, **fields)


def names(store, **target):
    return [each.name for each in store.labels(**target).items]


def run_ids(store, *texts, **fields):
    return [run.run_id for run in store.runs(asked(*texts), **fields).items]


def test_a_label_is_on_what_it_was_given_to_and_nowhere_else(two):
    on_run = two.set_label(label("good", 1, run_id="one", author="ada"))
    on_span = two.set_label(label("quality", 2, trace_id=A, span_id="2" * 16, score=0.5, note="short"))
    assert (on_run.run_id, on_run.span_id, on_run.author) == ("one", None, "ada")
    assert (on_span.run_id, on_span.span_id, on_span.score, on_span.note) == (None, "2" * 16, 0.5, "short")
    assert names(two, run_id="one") == ["quality", "good"]
    assert names(two, trace_id=A) == names(two, trace_id=A, span_id="2" * 16) == ["quality"]
    assert names(two, run_id="two") == names(two, trace_id=A, span_id="1" * 16) == []
    assert [each.name for each in two.run("one").labels] == ["good", "quality"]
    assert two.run("two").labels == ()


@pytest.mark.parametrize("target", [{"run_id": "three"}, {"trace_id": A, "span_id": "9" * 16}])
def test_what_is_not_recorded_takes_no_label(two, target):
    assert two.set_label(label("good", **target)) is None
    assert names(two) == []


def test_the_later_one_of_good_and_bad_holds(two):
    for at, name in enumerate(("bad", "good")):
        two.set_label(label(name, at, run_id="one", author="ada"))
    two.set_label(label("bad", 5, run_id="one", author="ben"))
    assert [(each.name, each.author) for each in two.labels(run_id="one").items] == [("bad", "ben"), ("good", "ada")]


def test_the_same_label_again_replaces_the_earlier_one_and_an_older_one_does_not(two):
    two.set_label(label("quality", 5, run_id="one", score=0.5))
    two.set_label(label("quality", 9, run_id="one", score=0.9))
    two.set_label(label("quality", 7, run_id="one", score=0.7))
    assert [each.score for each in two.labels().items] == [0.9]


def test_notes_stand_beside_one_another_but_not_twice(two):
    for note in ("one", "two", "one"):
        two.set_label(label("note", run_id="one", note=note))
    assert sorted(each.note for each in two.labels().items) == ["one", "two"]


def test_a_label_may_come_before_what_it_is_on(store, make_span):
    store.write([], labels=[label("good", trace_id=A, span_id="1" * 16), label("bad", run_id="one")])
    store.write([make_span(trace_id=A, span_id="1" * 16, run="one")])
    assert [each.name for each in store.run("one").labels] == ["bad", "good"]


def test_an_id_is_never_used_again(two):
    first = two.set_label(label("good", run_id="one"))
    assert two.remove_label(first.label_id) == first
    assert two.remove_label(first.label_id) is None
    assert two.set_label(label("good", run_id="one")).label_id != first.label_id


def test_runs_traces_and_events_are_found_by_their_labels(two):
    two.set_label(label("bad", run_id="two"))
    two.set_label(label("quality", trace_id=A, span_id="2" * 16, score=0.5, value="fair"))
    assert run_ids(two, "bad") == ["two"]
    assert run_ids(two, "quality>=0.5") == run_ids(two, "quality=fair") == run_ids(two, "quality=0.5") == ["one"]
    assert run_ids(two, "quality>0.5") == run_ids(two, "bad", "quality") == run_ids(two, "ba") == []
    assert [trace.trace_id for trace in two.traces(asked("bad")).items] == [B]
    assert [trace.trace_id for trace in two.traces(asked("quality<1")).items] == [A]
    assert [event.span_id for event in two.events(asked("quality")).items] == ["2" * 16]
    assert two.events(asked("bad")).items == ()
    assert [event.span_id for event in two.after(0, asked("quality"))] == ["2" * 16]


def test_runs_and_events_are_sorted_by_the_score_of_the_label_asked_for(two):
    two.set_label(label("quality", run_id="one", score=0.1))
    two.set_label(label("quality", trace_id=B, span_id="1" * 16, score=0.9))
    two.set_label(label("speed", run_id="one", score=7))
    assert run_ids(two, "quality", sort="score") == ["two", "one"]
    assert run_ids(two, "quality", sort="score", order="asc") == ["one", "two"]
    assert run_ids(two, sort="score") == ["one", "two"]
    assert [event.span_id for event in two.events(Filter(), sort="score").items] == ["1" * 16]


def test_pages_of_a_sorted_list_go_on_where_the_last_one_ended(two):
    for run, score in (("one", 0.5), ("two", 0.5)):
        two.set_label(label("quality", run_id=run, score=score))
    first = two.runs(asked("quality"), sort="score", limit=1)
    second = two.runs(asked("quality"), sort="score", limit=1, cursor=first.next_cursor)
    assert {first.items[0].run_id, second.items[0].run_id} == {"one", "two"}
    assert second.next_cursor is None


@pytest.mark.parametrize("of", ["events", "traces", "runs"])
def test_figures_are_split_by_label_with_the_mean_of_its_scores(two, of):
    for trace, span, score in ((A, "1", 0.5), (A, "2", 1.0), (B, "1", 0.0)):
        two.set_label(label("quality", trace_id=trace, span_id=span * 16, score=score))
    two.set_label(label("relevance", trace_id=B, span_id="1" * 16, value="fair"))
    stats = two.stats(Filter(), of=of, by="label")
    found = {group.key: (group.count, group.mean_score) for group in stats.groups}
    whole = 3 if of == "events" else 2
    assert found == {"quality": (whole, 0.5), "relevance=fair": (1, None)}
    assert stats.total.count == whole
    narrowed = two.stats(asked("relevance"), of=of, by="label")
    assert {group.key: group.mean_score for group in narrowed.groups}["quality"] == 0.0


def test_what_has_no_label_is_a_group_of_its_own(two):
    two.set_label(label("good", run_id="one"))
    assert {each.key: each.count for each in two.stats(Filter(), of="runs", by="label").groups} == {"good": 1, None: 1}


def test_labels_go_with_what_they_are_on(two):
    two.set_label(label("good", run_id="one"))
    two.set_label(label("bad", run_id="two"))
    two.set_label(label("quality", trace_id=A, span_id="2" * 16))
    two.delete("run", "one")
    assert names(two) == ["bad"]


def test_a_label_of_what_was_never_recorded_goes_by_its_age(two):
    two.write([], labels=[label("good", 10, run_id="three"), label("bad", 10, trace_id="c" * 32, span_id="1" * 16)])
    two.set_label(label("kept", 10, run_id="two"))
    two.prune(before_ns=10)
    assert sorted(names(two)) == ["bad", "good", "kept"]
    two.prune(before_ns=11)
    assert names(two) == ["kept"]


def test_half_a_surrogate_pair_costs_a_character(two):
    assert two.set_label(label("note", run_id="one", note="a\ud800b")).note == "a�b"


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("good", LabelFilter("good")),
        ("a b=c=d>1", LabelFilter("a b", "=", "c=d>1")),
        ("quality>=-0.5", LabelFilter("quality", ">=", "-0.5")),
        ("quality<2", LabelFilter("quality", "<", "2")),
        ("quality>high", None),
        (">1", None),
        ("", None),
        ("x=", None),
    ],
)
def test_what_is_asked_of_a_label_is_read_from_text(text, wanted):
    assert parse_label_filter(text) == wanted
