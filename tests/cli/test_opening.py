import io
import os

import pytest

from inspector.cli.following import follow
from inspector.cli.opening import opened
from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings
from inspector.store import StoreBusy


@pytest.fixture
def settings(tmp_path):
    settings = Settings(home=tmp_path / "home")
    settings.spool.mkdir(parents=True, mode=0o700)
    for number in range(3):
        (settings.spool / f"collector-{number}.jsonl").write_text("{}\n")
    return settings


def test_a_person_at_a_terminal_sees_how_many_files_are_taken_in(settings, monkeypatch):
    screen, inside = os.openpty()
    with os.fdopen(inside, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        with opened(settings, quiet_s=-1.0):
            shown = ""
            while "100%" not in shown:
                shown += os.read(screen, 10_000).decode()
    os.close(screen)
    assert "storing what programs recorded" in shown


def test_a_pipe_gets_nothing_of_it(settings, monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    with opened(settings, quiet_s=-1.0):
        pass
    assert pipe.getvalue() == ""


def test_who_follows_begins_anew_where_the_database_was_replaced(tmp_path, span, capsys):
    settings = Settings(home=tmp_path / "home")
    with Owner(settings, url="http://127.0.0.1:1") as owner:
        owner.store.write([span() for _ in range(5)])
        events = follow(settings, Filter(), last=1, full=False)
        assert next(events).seq == 5
        settings.database.rename(tmp_path / "away.db")
        with pytest.raises(StoreBusy, match="repeat the write"):
            owner.store.write([])
        owner.store.write([span(name="in the new one")])
        assert next(events).name == "in the new one"
        events.close()
    assert "the database was replaced" in capsys.readouterr().err
