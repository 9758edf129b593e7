"""docs/diff.md shows what the command prints."""


def test_the_page_shows_what_the_command_prints(root, run, blocks, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tests" / "web"))
    from pairs import FIRST, SECOND, two_trips
    from serving import fill

    fill(tmp_path / "home", two_trips())
    # Stories have times of their own.
    settings = {"INSPECTOR_HOME": str(tmp_path / "home"), "INSPECTOR_RETENTION_DAYS": "36500"}
    done = run("inspector", "diff", FIRST, SECOND, TZ="UTC", PYTHONIOENCODING="utf-8", **settings)
    assert done.stderr == ""
    (shown,) = (block.text for block in blocks("docs/diff.md", "text"))
    assert done.stdout == shown
