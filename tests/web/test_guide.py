import re

import pytest
from serving import ROOT

GUIDE = ROOT / "docs" / "web.md"
MOST_IMAGE_BYTES = 250_000


def test_the_guide_names_every_shortcut_and_no_other():
    source = (ROOT / "web/src/lib/shortcuts.ts").read_text()
    listed = re.findall(r'\{ page: "(.*?)", keys: \[(.*?)\], what: "(.*?)" \}', source)
    assert len(listed) == source.count("{ page:")
    rows = [(page, [f"`{key}`" for key in re.findall('"(.*?)"', keys)], what) for page, keys, what in listed]
    wanted = [f"| {page} | {' or '.join(keys)} | {what} |" for page, keys, what in rows]
    table = GUIDE.read_text().split("| Where | Keys | What |\n|---|---|---|\n")[1].split("\n\n")[0]
    assert table.splitlines() == wanted


def test_the_guide_names_every_parameter_of_an_address():
    fields = re.search(r"TEXT_FIELDS = \[(.*?)\].*NUMBER_FIELDS = \[(.*?)\]", filter_source(), re.DOTALL)
    names = re.findall(r'"(\w+)"', fields.group(1) + fields.group(2)) + ["kind", "status", "since", "until", "attr"]
    for url in sorted((ROOT / "web/src/features").glob("*/url.ts")):
        names += re.findall(r"\bfound\.(\w+) =", url.read_text())
    text = GUIDE.read_text()
    assert [name for name in names if f"`{name}`" not in text and f"`{name}=" not in text] == []


def filter_source():
    return (ROOT / "web/src/lib/filter-fields.ts").read_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_picture_is_shown_and_small(theme):
    pictures = sorted((ROOT / "docs" / "images").glob(f"*-{theme}.png"))
    assert len(pictures) == 11
    text = GUIDE.read_text()
    assert [each.name for each in pictures if f"images/{each.name}" not in text] == []
    assert [each.name for each in pictures if each.stat().st_size > MOST_IMAGE_BYTES] == []
