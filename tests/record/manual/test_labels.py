import json
from fractions import Fraction

import pytest

import inspector
from inspector import record
from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings
from instrument import around


@pytest.fixture
def labels(tmp_path):
    def taken_in():
        inspector.detach()
        with Owner(Settings(home=tmp_path)) as owner:
            owner.ingest_spools()
            return list(owner.store.labels().items[::-1]), owner.store.runs(Filter(), order="asc").items

    inspector.attach(home=tmp_path, integrations=False)
    yield taken_in
    inspector.detach()


def call():
    return around("tool_call", tool_name="look", args={}, context=None)


def test_a_label_given_in_a_call_is_on_that_call(labels):
    with call():
        inspector.label("quality", Fraction(1, 2), value="fair", note="too short", author="my check")
    (label,), (run,) = labels()
    assert (label.name, label.score, label.value, label.note) == ("quality", 0.5, "fair", "too short")
    assert (label.author, label.source, label.run_id) == ("my check", "code", None)
    assert run.labels == (label,)


def test_a_label_given_where_no_call_is_open_is_on_the_run_and_makes_no_span(labels):
    with call():
        pass
    inspector.label("good")
    (label,), (run,) = labels()
    assert (label.name, label.score, label.run_id, label.span_id) == ("good", None, run.run_id, None)
    assert (run.spans, run.traces) == (1, 1)


def test_a_label_may_be_of_the_run_although_a_call_is_open(labels):
    with call():
        inspector.label("bad", run=True)
    (label,), (run,) = labels()
    assert label.run_id == run.run_id


def test_a_label_given_in_a_block_is_on_the_run_of_the_block(labels):
    with inspector.run("job") as job:
        with call():
            pass
        inspector.label(note="done")
    (label,), (run,) = labels()
    assert (label.run_id, label.name, label.note) == (job.id, "note", "done")
    assert run.run_id == job.id


def test_a_later_label_of_the_program_takes_the_place_of_the_earlier_one(labels):
    with call():
        inspector.label("good")
        inspector.label("bad")
    (label,), _ = labels()
    assert label.name == "bad"


@pytest.mark.parametrize("name, score", [("good", "high"), (3, None), ("good", float("nan")), (None, None)])
def test_a_label_that_cannot_be_one_breaks_nothing(labels, name, score):
    with call():
        inspector.label(name, score)
    _, (run,) = labels()
    assert run.calls == 1


def test_a_name_that_no_filter_can_hold_loses_what_it_must(labels):
    with call():
        inspector.label("a<b=c\n")
    (label,), _ = labels()
    assert label.name == "a b c"


def test_without_a_recording_nothing_happens():
    assert record.attached() is None
    inspector.label("good")


def test_with_content_off_a_label_has_no_note(tmp_path):
    inspector.attach(home=tmp_path, integrations=False, capture_content=False)
    with call():
        inspector.label("good", note="the secret plan")
    inspector.label("bad", note="the secret plan")
    inspector.detach()
    with Owner(Settings(home=tmp_path)) as owner:
        owner.ingest_spools()
        found = owner.store.labels().items
    assert {(label.name, label.note) for label in found} == {("good", None), ("bad", None)}
    assert not any(b"secret plan" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_note_is_searched_for_secrets(labels):
    secret = "sk-proj-" + "a1B2" * 12
    with call():
        inspector.label("bad", note=f"used {secret}")
    inspector.label("bad", note=f"used {secret}")
    found, _ = labels()
    assert len(found) == 2
    assert not any(secret in (label.note or "") for label in found)


def test_labels_do_not_count_as_calls_of_a_program(labels):
    inspector.label("good")
    found, runs = labels()
    assert [label.name for label in found] == ["good"]
    assert runs == ()


def test_json_of_a_label_is_plain(labels):
    with call():
        inspector.label("good", author="\ud800")
    found, _ = labels()
    assert json.dumps(found[0].author)
