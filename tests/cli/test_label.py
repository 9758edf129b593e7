import json

import pytest


@pytest.fixture
def recorded(write_spans, span):
    """Two runs of a span each; of the first one the ids of a run and a span."""
    named = {"inspector.hook": "run", "inspector.run.id": "one"}
    first = span(trace_id="a" * 32, span_id="a1b2c3d4e5f60718", run="one", hook="run", attributes=named)
    write_spans(first, span(trace_id="b" * 32, run="two"))
    return "one", first.span_id


def listed(inspector, what):
    return json.loads(inspector("label", what, "--json").stdout)["items"]


def test_a_run_is_labelled_listed_and_found(inspector, recorded):
    done = inspector("label", "one", "good", "quality=0.8", "tone=curt", "--note", "Right invoice.", "--author", "ada")
    assert done.returncode == 0
    printed = done.stdout.decode()
    assert all(text in printed for text in ("good", "quality 0.8", "tone curt", "Right invoice.", "ada"))
    runs = json.loads(inspector("runs", "--label", "quality>0.5", "--label", "tone=curt", "--json").stdout)["items"]
    assert [run["run_id"] for run in runs] == ["one"]
    assert "good" in inspector("runs", "--label", "good").stdout.decode()
    assert "Right invoice." in inspector("show", "one").stdout.decode()


def test_a_span_is_labelled_by_a_part_of_its_id(inspector, recorded):
    _, span_id = recorded
    assert inspector("label", span_id[:12], "bad").returncode == 0
    assert [(label["span_id"], label["name"]) for label in listed(inspector, span_id)] == [(span_id, "bad")]
    events = json.loads(inspector("events", "--label", "bad", "--json").stdout)["items"]
    assert [event["span_id"] for event in events] == [span_id]
    assert "bad" in inspector("show", span_id).stdout.decode()


def test_a_note_alone_is_a_label(inspector, recorded):
    inspector("label", "two", "--note", "looked at it")
    assert [(label["name"], label["note"]) for label in listed(inspector, "two")] == [("note", "looked at it")]


def test_labels_are_removed_by_their_names(inspector, recorded):
    inspector("label", "one", "good", "flaky")
    assert inspector("label", "one", "flaky", "--remove").returncode == 0
    assert [label["name"] for label in listed(inspector, "one")] == ["good"]
    again = inspector("label", "one", "flaky", "--remove")
    assert (again.returncode, again.stderr) == (
        1,
        b"inspector: no label flaky to remove; leave out --remove to list the labels\n",
    )


def test_nothing_said_is_told(inspector, recorded):
    done = inspector("label", "one")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"no labels\n")


@pytest.mark.parametrize("said", ["a<b", "quality>1", "=x", "tab\there"])
def test_what_is_no_label_is_refused_with_what_is_one(inspector, recorded, said):
    refused = inspector("label", "one", said)
    assert refused.returncode == 2
    assert b"give good, bad, a tag, or NAME=NUMBER or NAME=WORD" in refused.stderr


def test_removing_nothing_is_refused(inspector, recorded):
    assert b"inspector label last good --remove" in inspector("label", "one", "--remove").stderr


def test_one_of_several_traces_is_pointed_to_its_run(inspector, write_spans, span):
    write_spans(span(trace_id="c" * 32, run="three"), span(trace_id="d" * 32, run="three"))
    refused = inspector("label", "c" * 32, "good")
    assert b"traces carry no labels: name the run, three, or a span" in refused.stderr


def test_figures_by_label_have_the_mean_score(inspector, recorded):
    inspector("label", "one", "quality=0.5")
    inspector("label", "two", "quality=1")
    printed = inspector("stats", "--runs", "--by", "label").stdout.decode().splitlines()
    assert printed[0].split()[:5] == ["LABEL", "RUNS", "ERRORS", "MEAN", "SCORE"]
    assert printed[1].split()[:4] == ["quality", "2", "0", "0.75"]


def test_an_exported_run_has_its_labels_where_it_is_imported(inspector, recorded, tmp_path):
    run_id, span_id = recorded
    inspector("label", "one", "good", "--note", "kept")
    inspector("label", span_id, "quality=0.5")
    file, other = tmp_path / "run.jsonl", str(tmp_path / "other")
    inspector("export", "one", "-o", str(file))
    done = inspector("import", str(file), INSPECTOR_HOME=other)
    assert done.stderr.startswith(b"imported 1 span of 1 trace")
    found = json.loads(inspector("label", "one", "--json", INSPECTOR_HOME=other).stdout)["items"]
    assert sorted((label["name"], label["score"], label["note"]) for label in found) == [
        ("good", None, "kept"),
        ("quality", 0.5, None),
    ]


def test_a_value_with_another_value_in_it_is_no_label(inspector, write_spans, span):
    write_spans(span())
    refused = inspector("label", "last", "quality=abc=3")
    assert refused.returncode == 2
    assert b"'quality=abc=3' is not a label; give good, bad, a tag, or NAME=NUMBER or NAME=WORD" in refused.stderr
