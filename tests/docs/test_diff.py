import pytest


@pytest.fixture
def printed(root, run, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tests" / "web"))
    from serving import fill

    def printed(spans, *words):
        fill(tmp_path / "home", spans)
        # Stories have times of their own.
        settings = {"INSPECTOR_HOME": str(tmp_path / "home"), "INSPECTOR_RETENTION_DAYS": "36500"}
        done = run("inspector", "diff", *words, TZ="UTC", PYTHONIOENCODING="utf-8", **settings)
        assert done.stderr == ""
        return done.stdout

    return printed


def test_the_page_shows_what_is_said_of_two_runs(printed, blocks):
    from pairs import FIRST, SECOND, two_trips

    assert printed(two_trips(), FIRST, SECOND) == blocks("docs/diff.md", "text")[0].text


def test_the_page_shows_what_is_said_of_several_runs(printed, blocks):
    from pairs import many_trips

    assert printed(many_trips(), "--runs", "8") == blocks("docs/diff.md", "text")[1].text
