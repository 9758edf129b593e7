import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), ROOT / "tests" / "README.md", *(ROOT / "docs").glob("**/*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    for target in LINK.findall(page.read_text()):
        if re.match(r"https?:|mailto:", target):
            continue
        place, _, fragment = target.partition("#")
        file = (page.parent / place) if place else page
        assert file.exists(), f"{page.name}: {target}"
        if fragment:
            headings = re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE)
            assert fragment in [anchor(each) for each in headings], f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_of_the_code_that_a_page_names_is_there(page):
    named = re.findall(
        r"`((?:inspector|instrument|toolkit|web|benchmarks)/[\w./-]+\.(?:py|tsx?|css))`", page.read_text()
    )
    missing = [path for path in named if not (ROOT / path).exists()]
    assert missing == []


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "index.md").read_text()
    missing = [page.name for page in (ROOT / "docs").glob("*.md") if page.name != "index.md" and page.name not in index]
    assert missing == []


@pytest.mark.parametrize("name", ["telemetry", "recording", "web", "api", "development"])
def test_the_pages_that_rest_on_the_hook_contract_lead_to_it(name):
    targets = LINK.findall((ROOT / "docs" / f"{name}.md").read_text())
    assert "instrumentation-hooks.md" in {target.partition("#")[0] for target in targets}


def test_the_hook_contract_says_its_version_date_and_status():
    head = (ROOT / "docs" / "instrumentation-hooks.md").read_text().partition("##")[0]
    assert re.search(r"^Contract version: 1\.\d+\. Date: \d{4}-\d\d-\d\d\. Status: \w+\.$", head, re.MULTILINE)


def test_python_examples_of_every_page_are_valid_python():
    for page in PAGES:
        for example in re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
            compile(example, str(page), "exec", flags=0x2000)  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def test_the_style_sheet_has_the_layers_that_are_checked(root):
    layers = re.search(r"^layers = \[(.*?)^\]", (root / "pyproject.toml").read_text(), re.MULTILINE | re.DOTALL)
    checked = " > ".join(re.findall(r'"(.*?)"', layers.group(1))).replace("inspector.", "")
    stated = re.search(r"Imports only go down: `(.*?)`", (root / "CONTRIBUTING.md").read_text()).group(1)
    assert stated.replace(", ", " | ") == checked


def test_each_row_of_attributes_names_hooks_of_the_contract(root):
    """The contract's first version asks for a last column *Hook*."""
    import instrument

    page = (root / "docs" / "telemetry.md").read_text()
    header, _, *rows = re.search(r"^\| Noun \| Standard .*?\n\n", page, re.MULTILINE | re.DOTALL).group().split("\n")
    assert header.endswith("| Hook |")
    for row in filter(None, rows):
        named = re.findall(r"`(\w+_\w+)`", row.rsplit("|", 2)[1])
        assert set(named) <= instrument.HOOKS.keys(), row
