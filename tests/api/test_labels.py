import json

import pytest

A = "a" * 32


@pytest.fixture
def labelled(client, store, span):
    store.write([span(1, trace_id=A, span_id="1" * 16, run="one"), span(2, trace_id="b" * 32, run="two")])
    return client


def test_a_label_is_given_read_found_and_removed(labelled):
    given = labelled.post("/labels", json={"run_id": "one", "name": "quality", "score": 0.5, "note": "short"})
    label = given.json()
    assert given.status_code == 201
    assert (label["name"], label["score"], label["note"], label["source"]) == ("quality", 0.5, "short", "person")
    assert labelled.get("/labels", params={"run_id": "one"}).json()["items"] == [label]
    assert labelled.get("/runs/one").json()["run"]["labels"] == [label]
    found = labelled.get("/runs", params={"label": ["quality>0.4", "quality<1"]}).json()["items"]
    assert [run["labels"] for run in found] == [[label]]
    groups = labelled.get("/stats", params={"of": "runs", "by": "label"}).json()["groups"]
    assert [(group["key"], group["mean_score"]) for group in groups] == [("quality", 0.5), (None, None)]
    assert labelled.delete(f"/labels/{label['label_id']}").json() == label
    assert labelled.delete(f"/labels/{label['label_id']}").status_code == 404
    assert labelled.get("/labels").json() == {"items": [], "next_cursor": None}


def test_figures_of_other_groups_say_nothing_of_scores(labelled):
    assert "mean_score" not in labelled.get("/stats", params={"by": "kind"}).json()["groups"][0]


def test_a_span_is_labelled_by_its_trace_and_id(labelled):
    target = {"trace_id": A, "span_id": "1" * 16}
    assert labelled.post("/labels", json={**target, "name": "bad", "source": "model"}).status_code == 201
    assert [each["name"] for each in labelled.get("/labels", params=target).json()["items"]] == ["bad"]
    assert [each["span_id"] for each in labelled.get("/events", params={"label": "bad"}).json()["items"]] == ["1" * 16]
    assert [run["run_id"] for run in labelled.get("/runs", params={"label": "bad"}).json()["items"]] == ["one"]


@pytest.mark.parametrize("target", [{"run_id": "three"}, {"trace_id": A, "span_id": "9" * 16}])
def test_what_is_not_there_cannot_be_labelled(labelled, target):
    refused = labelled.post("/labels", json={**target, "name": "good"})
    assert refused.status_code == 404
    assert "to label" in refused.json()["detail"]


@pytest.mark.parametrize(
    "fields, parameter",
    [
        ({"name": "good"}, "run_id"),
        ({"run_id": "one", "trace_id": A, "span_id": "1" * 16, "name": "good"}, "run_id"),
        ({"trace_id": A, "name": "good"}, "run_id"),
        ({"run_id": "one"}, "name"),
        ({"run_id": "one", "name": "a=b"}, "name"),
        ({"run_id": "one", "name": "good", "score": "high"}, "score"),
        ({"run_id": "one", "name": "good", "score": True}, "score"),
        ({"run_id": "one", "name": "good", "colour": "red"}, "colour"),
        ({"run_id": "one", "name": "good", "source": "robot"}, "source"),
        ([], "name"),
    ],
)
def test_a_label_that_is_not_as_declared_is_refused_by_the_name_of_its_field(labelled, fields, parameter):
    refused = labelled.post("/labels", json=fields)
    assert (refused.status_code, refused.json()["parameter"]) == (422, parameter)


@pytest.mark.parametrize(
    "body, told",
    [
        (b'{"run_id": "one", "name": "quality", "value": 0.5}', "value takes a word; send a number as score"),
        (b'{"run_id": "one", "name": "quality", "score": 1e999}', "score is not as declared: it takes a number from"),
    ],
)
def test_a_number_in_the_wrong_place_or_beyond_bounds_is_told_so(labelled, body, told):
    refused = labelled.post("/labels", content=body, headers={"Content-Type": "application/json"})
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith(told)


@pytest.mark.parametrize("body", [b"", b"{", b'{"name": NaN}', b"\xff", b"[" * 10_000])
def test_what_is_no_json_is_refused(labelled, body):
    refused = labelled.post("/labels", content=body, headers={"Content-Type": "application/json"})
    assert refused.status_code == 422
    assert "JSON object" in refused.json()["detail"]


def test_another_type_and_a_body_that_is_too_large_are_refused(labelled):
    body = json.dumps({"run_id": "one", "name": "good"})
    assert labelled.post("/labels", content=body, headers={"Content-Type": "text/plain"}).status_code == 415
    large = iter([b'{"note": "', b"x" * 70_000])
    assert labelled.post("/labels", content=large, headers={"Content-Type": "application/json"}).status_code == 413


@pytest.mark.parametrize("label", ["", "quality>high", ">1", "a" * 101])
def test_a_label_that_nothing_can_have_is_refused_as_a_filter(labelled, label):
    refused = labelled.get("/runs", params={"label": label})
    assert (refused.status_code, refused.json()["parameter"]) == (422, "label")
    assert "quality>0.8" in refused.json()["detail"]


def test_who_may_only_read_labels_nothing(labelled, app):
    reading = {"Authorization": f"Bearer {app.state.service.access.token.derive('read')}"}
    assert labelled.post("/labels", json={"run_id": "one", "name": "good"}, headers=reading).status_code == 403
    assert labelled.delete("/labels/1", headers=reading).status_code == 403
    assert labelled.get("/labels", headers=reading).status_code == 200
