import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from inspector.api import Token, TokenUnusable, load_or_create
from inspector.api.access.codes import OneTimeCodes
from inspector.settings import Settings


def home_of(tmp_path) -> Settings:
    return Settings(home=tmp_path / "home")


def test_a_new_token_is_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        token = load_or_create(home_of(tmp_path))
    finally:
        os.umask(before)
    file = tmp_path / "home" / "token"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert file.read_text().strip() == token.secret
    assert len(token.secret) >= 43
    assert [each.name for each in file.parent.iterdir()] == ["token"]


def test_everybody_who_starts_at_once_gets_the_same_token(tmp_path):
    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(lambda _: load_or_create(home_of(tmp_path)).secret, range(32)))
    assert len(found) == 1


def test_the_token_does_not_appear_in_a_log(tmp_path):
    token = load_or_create(home_of(tmp_path))
    assert token.secret not in repr(token)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_file_open_to_others_is_refused_with_the_way_out(tmp_path, mode):
    load_or_create(home_of(tmp_path))
    file = tmp_path / "home" / "token"
    file.chmod(mode)
    with pytest.raises(TokenUnusable, match=f"open to others .*chmod 600 {file}"):
        load_or_create(home_of(tmp_path))


def test_a_link_is_refused(tmp_path):
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "target").write_text("x" * 40)
    (tmp_path / "home" / "token").symlink_to(tmp_path / "target")
    with pytest.raises(TokenUnusable, match="is a link"):
        load_or_create(home_of(tmp_path))


def test_a_dangling_link_is_not_written_through(tmp_path):
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "token").symlink_to(tmp_path / "target")
    with pytest.raises(TokenUnusable):
        load_or_create(home_of(tmp_path))
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize("make", [lambda path: os.mkfifo(path, 0o600), lambda path: path.mkdir(mode=0o700)])
def test_what_is_no_file_is_refused_without_waiting(tmp_path, make):
    (tmp_path / "home").mkdir(mode=0o700)
    make(tmp_path / "home" / "token")
    with pytest.raises(TokenUnusable):
        load_or_create(home_of(tmp_path))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_somebody_else_is_refused(tmp_path):
    load_or_create(home_of(tmp_path))
    os.chown(tmp_path / "home" / "token", 12345, -1)
    with pytest.raises(TokenUnusable, match="belongs to another user"):
        load_or_create(home_of(tmp_path))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give directories away")
def test_a_home_of_somebody_else_is_refused(tmp_path):
    (tmp_path / "home").mkdir(mode=0o700)
    os.chown(tmp_path / "home", 12345, -1)
    with pytest.raises(TokenUnusable, match="belongs to 12345; run this as 12345"):
        load_or_create(home_of(tmp_path))


def test_a_home_that_others_can_write_is_refused(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home").chmod(0o777)
    with pytest.raises(TokenUnusable, match="chmod 700"):
        load_or_create(home_of(tmp_path))


def test_a_home_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "home").write_text("")
    with pytest.raises(TokenUnusable, match="INSPECTOR_HOME"):
        load_or_create(home_of(tmp_path))


@pytest.mark.parametrize("text", ["", "short", "with a space in it, long", "ünïcödé-and-long-enough", "a\nb" * 20])
def test_a_file_without_a_token_is_refused(tmp_path, text):
    load_or_create(home_of(tmp_path))
    (tmp_path / "home" / "token").write_text(text)
    with pytest.raises(TokenUnusable, match="holds no token"):
        load_or_create(home_of(tmp_path))


def test_the_setting_goes_before_the_file_and_must_not_be_guessable(tmp_path):
    assert load_or_create(Settings(home=tmp_path / "home", token="0123456789abcdef")).secret == "0123456789abcdef"
    assert not (tmp_path / "home").exists()
    with pytest.raises(TokenUnusable, match="INSPECTOR_TOKEN"):
        load_or_create(Settings(home=tmp_path / "home", token="short"))


def test_a_derived_token_may_do_its_part_and_nothing_else():
    token = Token("0123456789abcdef")
    assert token.scopes(token.secret) == {"read", "ingest", "control"}
    assert token.scopes(token.derive("read")) == {"read"}
    assert token.scopes(token.derive("ingest")) == {"ingest"}
    assert token.scopes(token.derive("control")) == {"read", "control"}
    assert token.scopes(Token("another-secret!!").derive("read")) == frozenset()
    assert token.scopes("") == frozenset()
    assert token.scopes("\udcff") == frozenset()
    with pytest.raises(KeyError):
        token.derive("everything")


def test_a_code_works_once_and_for_ten_minutes():
    now = [0.0]
    codes = OneTimeCodes(clock=lambda: now[0])
    first, second, third = codes.create(), codes.create(), codes.create()
    assert codes.redeem(first)
    assert not codes.redeem(first)
    now[0] = 599.9
    assert codes.redeem(second)
    now[0] = 600.0
    assert not codes.redeem(third)
    assert not codes.redeem("guess")
    assert not codes.redeem("")


def test_only_so_many_codes_wait_at_a_time():
    codes = OneTimeCodes(clock=lambda: 0.0)
    issued = [codes.create() for _ in range(70)]
    assert not codes.redeem(issued[0])
    assert codes.redeem(issued[-1])
