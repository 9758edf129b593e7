import pytest

ONE, TWO = f"{1:032x}", f"{2:032x}"


def test_an_outline_has_a_value_of_each_event_in_each_column(client, store, run):
    store.write(run)
    outline = client.get(f"/traces/{ONE}/outline").json()
    events = client.get(f"/traces/{ONE}").json()
    assert outline["trace"] == events["trace"]
    assert outline["seq"] == store.last_seq()
    assert outline["next_cursor"] is None
    columns, tables = outline["columns"], outline["tables"]
    assert {len(column) for column in columns.values()} == {4}
    assert columns["span_id"] == [event["span_id"] for event in events["items"]]
    assert columns["parent_id"] == [event["parent_id"] for event in events["items"]]
    assert columns["offset_ms"] == [0.0, 1.0, 2.0, 3.0]
    assert columns["duration_ms"] == [event["duration_ms"] for event in events["items"]]
    assert [tables["kind"][at] for at in columns["kind"]] == ["workflow", "llm", "tool", "tool"]
    assert tables["model"] == ["gpt-4o"]
    assert columns["model"] == [-1, 0, -1, -1]
    assert [tables["error_type"][at] for at in columns["error_type"] if at >= 0] == ["TimeoutError"]
    assert columns["cost_usd"] == [None, 0.0123, None, None]


def test_a_search_that_is_not_understood_is_answered_with_a_notice(client, store, run):
    store.write(run)
    while store.index():
        pass
    for path in ("/events", "/traces", "/runs", "/stats"):
        answer = client.get(path, params={"q": '"zebra'})
        assert answer.status_code == 200
        assert "without its pair" in answer.json()["notice"]
        assert "notice" not in client.get(path, params={"q": "zebra"}).json()
    assert [event["name"] for event in client.get("/events", params={"q": '"zebra'}).json()["items"]] == ["chat gpt-4o"]


def test_the_hits_of_a_search_inside_a_trace_are_answered_with_their_places(client, store, run, problem):
    store.write(run)
    while store.index():
        pass
    answer = client.get(f"/traces/{ONE}/hits", params={"q": "zebra hot*"}).json()
    place = {
        "within": "messages",
        "path": "[0].parts[0].content",
        "text": "find a zebra hotel",
        "marks": [[7, 12], [13, 16]],
    }
    assert answer == {"items": [{"span_id": f"{2:016x}", "places": [place]}], "total": 1, "complete": True}
    run_id = client.get(f"/traces/{ONE}").json()["trace"]["run_id"]
    assert client.get(f"/runs/{run_id}/hits", params={"q": "zebra hot*"}).json() == answer
    assert client.get("/runs/none/hits?q=a").status_code == 404
    assert client.get(f"/traces/{9:032x}/hits?q=a").status_code == 404
    assert client.get(f"/traces/{ONE}/hits").status_code == 422
    assert "without its pair" in client.get(f"/traces/{ONE}/hits", params={"q": '"zebra'}).json()["notice"]


def test_an_outline_comes_in_pages(client, store, run):
    store.write(run)
    first = client.get(f"/traces/{ONE}/outline", params={"limit": 3}).json()
    rest = client.get(f"/traces/{ONE}/outline", params={"limit": 3, "cursor": first["next_cursor"]}).json()
    assert [len(first["columns"]["span_id"]), len(rest["columns"]["span_id"])] == [3, 1]
    assert rest["next_cursor"] is None
    assert rest["tables"]["status"] == ["running"]


def test_an_outline_of_no_trace_is_a_problem(client, problem):
    answer = client.get(f"/traces/{ONE}/outline")
    assert answer.status_code == 404
    assert "there is no trace" in problem(answer)["detail"]
    assert client.get(f"/traces/{ONE}/outline?limit=50001").status_code == 422


def test_an_outline_is_looked_at_and_never_changed(client, store, run, problem):
    store.write(run)
    head = client.head(f"/traces/{ONE}/outline")
    assert (head.status_code, head.content) == (200, b"")
    assert client.options(f"/traces/{ONE}/outline").headers["allow"] == "GET, HEAD, OPTIONS"
    assert problem(client.delete(f"/traces/{ONE}/outline"))["status"] == 405


@pytest.mark.parametrize(
    "query, expected",
    [
        ({"kind": ["agent", "llm"]}, [TWO, ONE]),
        ({"tool": "book_hotel", "kind": "llm"}, []),
        ({"attr.gen_ai.provider.name": "openai", "kind": "tool"}, []),
        ({"q": "zebra", "kind": "llm"}, [ONE]),
        ({"sort": "tokens", "order": "asc"}, [TWO, ONE]),
    ],
)
def test_traces_are_narrowed_by_what_one_of_their_events_is(client, store, run, query, expected):
    store.write(run)
    while store.index():
        pass
    assert [trace["trace_id"] for trace in client.get("/traces", params=query).json()["items"]] == expected


def test_a_timeline_comes_only_when_it_is_asked_for(client, store, run):
    store.write(run)
    assert all("timeline" not in trace for trace in client.get("/traces").json()["items"])
    assert "timeline" not in client.get(f"/traces/{ONE}").json()["trace"]
    two, one = client.get("/traces", params={"timeline": "true"}).json()["items"]
    assert [(bar["offset_ms"], bar["kind"], bar["status"]) for bar in one["timeline"]] == [
        (1.0, "llm", "ok"),
        (2.0, "tool", "error"),
        (3.0, "tool", "running"),
    ]
    assert one["timeline"][2]["duration_ms"] is None
    assert two["timeline"] == [{"offset_ms": 0.0, "duration_ms": 0.25, "kind": "agent", "status": "ok"}]


def test_figures_of_traces_count_each_once(client, store, run):
    store.write(run)
    found = client.get("/stats", params={"of": "traces", "by": "kind", "buckets": 2}).json()
    assert found["total"]["count"] == 2
    assert {group["key"]: group["count"] for group in found["groups"]} == {"workflow": 1, "agent": 1}
    assert [bucket["count"] for bucket in found["buckets"]] == [1, 1]
    assert found["complete"] is True
    assert client.get("/stats", params={"of": "traces", "tool": "book_hotel"}).json()["total"]["count"] == 1
    assert client.get("/stats", params={"of": "events"}).json() == client.get("/stats").json()
