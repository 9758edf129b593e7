"""A server over a database that has broken pages, or had no owner that closed it."""

import os
import sqlite3
import threading
from contextlib import closing

import pytest
from starlette.testclient import TestClient

from inspector.api import create_app
from inspector.ingest import Owner
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.database import integrity

from .conftest import BASE, SECRET

BEARER = {"Authorization": f"Bearer {SECRET}"}


def break_index(path, name):
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * 16384)
        file.write(b"\xff" * 16384)


@pytest.fixture
def damaged(settings, run):
    """A home with a closed database, one index of it broken, and a file in the spool."""
    with closing(SqliteStore(settings.database)) as store:
        store.write(run)
    break_index(settings.database, "ix_contents_span")
    settings.spool.mkdir(mode=0o700)
    (settings.spool / "a.jsonl").write_text('{"resourceSpans":[]}\n')
    return settings


def test_a_damaged_database_is_served_as_far_as_it_can_be_read_and_every_place_says_so(damaged, until):
    before = damaged.database.read_bytes()
    with Owner(damaged, check_later=True) as owner:
        owner.start()
        until(lambda: "is damaged" in (owner.failing or ""))
        app = create_app(owner.store, settings=damaged, owner=owner)
        with TestClient(app, base_url=BASE, headers=BEARER) as client:
            assert len(client.get("/events").json()["items"]) == 5
            answer = client.get("/readyz")
            assert (answer.status_code, answer.json()["ready"]) == (503, False)
            assert answer.json()["spans"] == 5
            assert "move" in answer.json()["problems"][0]
            metrics = client.get("/metrics")
            assert metrics.status_code == 200
            assert "inspector_ready 0\n" in metrics.text
            span = {"traceId": f"{9:032x}", "spanId": f"{9:016x}", "name": "a span", "startTimeUnixNano": "1"}
            sent = client.post("/v1/traces", json={"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
            assert sent.status_code == 503
            deleted = client.delete(f"/traces/{1:032x}")
            assert (deleted.status_code, "is damaged" in deleted.json()["detail"]) == (503, True)
    assert damaged.database.read_bytes() == before
    assert (damaged.spool / "a.jsonl").exists()


def test_a_page_that_breaks_later_is_one_problem_and_the_server_is_not_ready_from_then_on(settings, run):
    with Owner(settings) as owner:
        owner.store.write(run)
        owner.store.sync()
        app = create_app(owner.store, settings=settings, owner=owner)
        with TestClient(app, base_url=BASE, headers=BEARER, raise_server_exceptions=False) as client:
            assert client.get("/readyz").status_code == 200
            break_index(settings.database, "ix_spans_time")
            answer = client.get("/events")
            assert answer.status_code == 503
            assert "is damaged" in answer.json()["detail"]
            answer = client.get("/readyz")
            assert answer.status_code == 503
            assert "is damaged" in answer.json()["problems"][0]
            assert client.get("/metrics").status_code == 200


def test_a_new_database_takes_in_what_waited_once_the_damaged_one_was_moved_away(damaged, until, tmp_path):
    with Owner(damaged, check_later=True) as owner:
        owner.start()
        until(lambda: owner.failing)
        until(lambda: "is damaged" in owner.failing)
        for file in damaged.home.glob("inspector.db*"):
            file.rename(tmp_path / file.name)
        until(lambda: owner.failing is None)
        until(lambda: owner.totals().lines == 1)
        assert owner.store.last_seq() == 0


def test_a_server_reads_while_it_checks_and_is_ready_when_it_has(settings, run, until, monkeypatch):
    with closing(SqliteStore(settings.database)) as store:
        store.write(run)
    os.utime(settings.database)
    go_on, real = threading.Event(), integrity.check

    def slow(path, **options):
        assert go_on.wait(60)
        real(path, **options)

    monkeypatch.setattr(integrity, "check", slow)
    with Owner(settings, check_later=True) as owner:
        owner.start()
        app = create_app(owner.store, settings=settings, owner=owner)
        with TestClient(app, base_url=BASE, headers=BEARER) as client:
            assert len(client.get("/events").json()["items"]) == 5
            answer = client.get("/readyz")
            assert (answer.status_code, "being checked" in answer.json()["problems"][0]) == (503, True)
            go_on.set()
            until(lambda: client.get("/readyz").status_code == 200)
