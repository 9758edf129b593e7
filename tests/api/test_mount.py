import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.testclient import TestClient

from inspector.api import AddressUnusable, create_app, mount
from inspector.api.service import LateHome, OpenHome
from inspector.store import OwnedElsewhere, OwnerLock, StoreBusy
from inspector.store.sqlite import SqliteStore

SECRET = "a-secret-of-the-tests-only"
BEARER = {"Authorization": f"Bearer {SECRET}"}
BASE = "http://127.0.0.1:7800"


@pytest.fixture
def mounted(settings):
    """Mount in an application, and close the home that its first request opens."""
    apps = []

    def make(app, prefix):
        path = mount(app, prefix, settings)
        apps.append(app)
        return path

    yield make
    for app in apps:
        for route in app.routes:
            home = getattr(getattr(getattr(route, "app", None), "state", None), "service", None)
            if home is not None and home.home._opened is not None:
                opened = home.home._opened
                (opened.owner or opened.store).close()


@pytest.mark.parametrize("outer", [FastAPI, Starlette])
@pytest.mark.parametrize("prefix", ["/inspector", "/tools/agents/"])
def test_it_works_below_any_prefix(mounted, settings, outer, prefix, span):
    app = outer()
    path = mounted(app, prefix)
    below = prefix.rstrip("/")
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        assert client.get(f"{below}/events").status_code == 401
        assert client.get(f"{below}/events", headers=BEARER).json() == {"items": [], "next_cursor": None}
        assert client.get(f"{below}/healthz").json() == {"status": "ok"}
        assert client.get(f"{below}/nothing", headers=BEARER).json()["instance"] == "/nothing"
        assert client.post(f"{below}/events", headers=BEARER).headers["allow"] == "GET, HEAD, OPTIONS"
        assert client.get(f"{below}/events", headers={**BEARER, "Host": "evil.example"}).status_code == 421
        signed_in = client.get(path)
        assert signed_in.status_code == 303
        assert f"Path={below}/;" in signed_in.headers["set-cookie"]
        assert client.get(f"{below}/").status_code == 200
        assert client.get(f"{below}/readyz").json()["owner"] is True
        assert client.get("/events", headers=BEARER).status_code == 404


def test_two_prefixes_of_one_application_are_two_inspectors(mounted, settings, tmp_path):
    app = FastAPI()
    mounted(app, "/one")
    mounted(app, "/two")
    with TestClient(app, base_url=BASE) as client:
        assert client.get("/one/readyz", headers=BEARER).json()["owner"] is True
        assert client.get("/two/readyz", headers=BEARER).json()["owner"] is False


def test_mounting_opens_nothing_until_somebody_asks(mounted, settings):
    app = Starlette()
    mounted(app, "/inspector")
    assert not settings.database.exists()
    lock = OwnerLock(settings.lock_file)
    lock.acquire()
    lock.release()


def test_it_owns_the_home_from_the_first_request(mounted, settings):
    app = Starlette()
    mounted(app, "/inspector")
    with TestClient(app, base_url=BASE) as client:
        client.get("/inspector/events", headers=BEARER)
        with pytest.raises(OwnedElsewhere):
            OwnerLock(settings.lock_file).acquire()


def test_it_only_reads_where_a_server_owns_the_home(mounted, settings, store, span):
    store.write([span(1)])
    with OwnerLock(settings.lock_file):
        app = Starlette()
        mounted(app, "/inspector")
        with TestClient(app, base_url=BASE) as client:
            assert len(client.get("/inspector/events", headers=BEARER).json()["items"]) == 1
            refused = client.delete(f"/inspector/traces/{1:032x}", headers=BEARER)
            assert refused.status_code == 409
            assert client.get("/inspector/readyz", headers=BEARER).json()["owner"] is False


def test_it_becomes_the_owner_once_another_has_ended(mounted, settings, store, span, until):
    store.write([span(1)])
    app = Starlette()
    mounted(app, "/inspector")
    with TestClient(app, base_url=BASE) as client:
        with OwnerLock(settings.lock_file):
            assert client.get("/inspector/readyz", headers=BEARER).json()["owner"] is False
        until(lambda: client.get("/inspector/readyz", headers=BEARER).json()["owner"])
        # Nobody closed the database, so it is looked through for damage before anything is removed from it.
        until(lambda: client.delete(f"/inspector/traces/{1:032x}", headers=BEARER).status_code != 503)
        assert client.get("/inspector/events", headers=BEARER).json()["items"] == []


def test_a_home_that_only_reads_tries_to_own_once_a_second(settings, store, owner):
    clock = [100.0]
    answers = [None, None, StoreBusy("locked"), OpenHome(owner.store, owner)]
    tried = []

    def own():
        tried.append(clock[0])
        answer = answers[len(tried) - 1]
        if isinstance(answer, StoreBusy):
            raise answer
        return answer

    home = LateHome(own, lambda: OpenHome(SqliteStore(settings.database, read_only=True)), now_s=lambda: clock[0])
    reading = home.store
    for now_s in (100.5, 101.0, 101.5, 102.0, 102.5):
        clock[0] = now_s
        assert home.owner is None
        assert home.store is reading
    clock[0] = 103.0
    assert home.owner is owner
    assert home.store is owner.store
    clock[0] = 110.0
    assert home.owner is owner
    assert tried == [100.0, 101.0, 102.0, 103.0]


@pytest.mark.parametrize("prefix", ["", "/", "inspector", "http://x"])
def test_what_is_no_prefix_is_refused(settings, prefix):
    with pytest.raises(AddressUnusable, match="prefix"):
        mount(Starlette(), prefix, settings)


def test_an_application_of_ones_own_can_be_mounted_by_hand(settings, store, span):
    store.write([span(1)])
    outer = Starlette()
    outer.mount("/by/hand", create_app(store, settings=settings))
    with TestClient(outer, base_url=BASE) as client:
        assert len(client.get("/by/hand/events", headers=BEARER).json()["items"]) == 1


def test_the_exclusion_of_a_users_own_stays(settings):
    app = FastAPI(telemetry={"exclude": lambda scope: scope["path"] == "/quiet"})
    mount(app, "/inspector", settings)
    exclude = app._telemetry["exclude"]
    paths = ["/quiet", "/inspector", "/inspector/events", "/inspectors", "/mine"]
    assert [exclude({"path": path, "root_path": ""}) for path in paths] == [True, True, True, False, False]


def test_a_store_that_is_handed_in_stays_open(settings, tmp_path):
    store = SqliteStore(tmp_path / "other.db")
    with TestClient(create_app(store, settings=settings), base_url=BASE) as client:
        assert client.get("/events", headers=BEARER).status_code == 200
    assert store.last_seq() == 0
    store.close()
