"""A home that is deleted, or replaced, under the process that owns it: that is said, and nothing is mixed."""

import shutil
import threading

import pytest

from inspector.ingest import Owner
from inspector.model import Filter
from inspector.store import HomeGone


@pytest.fixture
def said(caplog):
    def wait(text):
        for _ in range(2000):
            if text in caplog.text:
                return
            threading.Event().wait(0.005)
        raise AssertionError(caplog.text)

    return wait


def test_a_home_deleted_under_its_owner_is_said_in_a_line_and_not_made_again(settings, spool, said, caplog):
    with Owner(settings) as owner:
        owner.start()
        shutil.rmtree(settings.home)
        said("was deleted or replaced while in use")
        gone = str(HomeGone(settings.home))
        assert [(record.getMessage(), record.exc_info) for record in caplog.records] == [(gone, False)]
        assert owner.failing == gone
        with pytest.raises(HomeGone, match=f"{settings.home} was deleted or replaced"):
            owner.store.write(())
        assert not settings.home.exists()


def test_a_home_put_in_the_place_of_another_is_left_to_whoever_owns_it(settings, spool, make_span, make_request, said):
    with Owner(settings) as first:
        first.start()
        settings.home.rename(settings.home.with_name("before"))
        said("was deleted or replaced while in use")
        with Owner(settings) as second:
            settings.spool.mkdir()
            (settings.spool / "a.jsonl").write_bytes(make_request(make_span(), process=None) + b"\n")
            first.stop()
            assert second.ingest_spools().spans == 1
            assert len(second.store.events(Filter()).items) == 1
            assert first.totals().spans == 0


def test_a_database_alone_that_was_moved_is_begun_anew(settings, spool, make_span, make_request):
    with Owner(settings) as owner:
        owner.start()
        settings.database.rename(settings.home / "kept.db")
        (spool / "a.jsonl").write_bytes(make_request(make_span(), process=None) + b"\n")
        for _ in range(2000):
            if owner.totals().spans:
                break
            threading.Event().wait(0.005)
        assert len(owner.store.events(Filter()).items) == 1
