from pathlib import Path

import pytest
from playwright.sync_api import expect
from serving import fill
from stories import MINUTE, tool_call

RUNS = ("one", "two")


@pytest.fixture
def labelled(homes: Path, serving, request):
    home = homes / request.node.name[:40]
    fill(home, [tool_call(f"{at:032x}", at, "look", start_ms=at * MINUTE, run=run) for at, run in enumerate(RUNS, 1)])
    with serving(home) as server:
        yield server


def group(page, of):
    return page.get_by_role("group", name=f"Labels of this {of}")


@pytest.mark.slow
def test_a_run_is_good_by_one_click_and_found_by_that(labelled, visit):
    page = visit(labelled, "/runs/one")
    page.get_by_role("button", name="Label this run good").click()
    expect(page.get_by_role("button", name="Label this run good")).to_have_attribute("aria-pressed", "true")
    page = visit(labelled, "/?label=good")
    rows = page.get_by_role("grid", name="Runs").get_by_role("row").filter(has=page.get_by_role("gridcell"))
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("good")
    expect(page.get_by_role("button", name="Change label: good")).to_be_visible()


def test_the_keys_label_a_run_on_its_page_and_in_the_list(labelled, visit):
    page = visit(labelled, "/runs/one")
    expect(group(page, "run")).to_be_visible()
    page.keyboard.press("Shift+B")
    expect(page.get_by_role("button", name="Label this run bad")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Shift+G")
    expect(page.get_by_role("button", name="Label this run good")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Label this run bad")).to_have_attribute("aria-pressed", "false")
    page = visit(labelled, "/")
    runs = page.get_by_role("grid", name="Runs")
    runs.focus()
    page.keyboard.press("j")
    page.keyboard.press("-")
    expect(runs.get_by_role("row").nth(1)).to_contain_text("bad")
    page.keyboard.press("-")
    expect(runs.get_by_role("row").nth(1)).not_to_contain_text("bad")


@pytest.mark.slow
def test_a_number_a_note_and_a_tag_are_kept_and_taken_back(labelled, visit):
    page = visit(labelled, "/runs/two")
    expect(group(page, "run")).to_be_visible()
    page.keyboard.press("l")
    form = page.get_by_role("dialog", name="Label this run")
    form.get_by_label("Label").fill("quality=0.5")
    form.get_by_label("Note").fill("Right invoice, wrong tone.")
    form.get_by_role("button", name="Save").click()
    chip = group(page, "run").get_by_text("quality 0.5")
    expect(chip).to_be_visible()
    expect(group(page, "run").get_by_title("Right invoice, wrong tone.")).to_be_visible()
    page.get_by_role("button", name="Label this run", exact=True).click()
    form.get_by_label("Label").fill("a<b")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_contain_text("quality=0.8")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Remove the label quality 0.5").click()
    expect(chip).to_have_count(0)


@pytest.mark.slow
def test_on_a_phone_the_whole_form_is_on_the_page(labelled, visit):
    page = visit(labelled, "/runs/two", viewport={"width": 390, "height": 844})
    expect(group(page, "run")).to_be_visible()
    page.keyboard.press("l")
    form = page.get_by_role("dialog", name="Label this run")
    expect(form).to_be_visible()
    box = form.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390


@pytest.mark.slow
def test_a_span_is_labelled_in_its_detail_and_shows_on_its_run(labelled, visit):
    page = visit(labelled, "/runs/one")
    page.get_by_role("button", name="Label this span bad").click()
    expect(group(page, "run").get_by_text("on a span")).to_be_visible()
    page = visit(labelled, "/spans?label=bad")
    rows = page.get_by_role("grid", name="Spans").get_by_role("row").filter(has=page.get_by_role("gridcell"))
    expect(rows).to_have_count(1)


@pytest.mark.slow
def test_labels_take_no_line_of_their_own_where_there_is_room_beside_them(demo, visit):
    run = demo.get("/runs")["items"][0]["run_id"]
    page = visit(demo, f"/runs/{run}", viewport={"width": 1440, "height": 900})
    beside = {"run": page.get_by_text("Duration", exact=True).first, "span": page.get_by_role("heading", level=2).first}
    for of, text in beside.items():
        labels, line = group(page, of).bounding_box(), text.bounding_box()
        assert labels["y"] < line["y"] + line["height"], of
        assert line["y"] < labels["y"] + labels["height"], of


@pytest.mark.slow
def test_what_is_recorded_in_a_label_is_no_markup(labelled, visit):
    page = visit(labelled, "/runs/one")
    page.get_by_role("button", name="Label this run", exact=True).click()
    form = page.get_by_role("dialog", name="Label this run")
    form.get_by_label("Label").fill("img")
    form.get_by_label("Note").fill("<img src=x onerror=alert(1)>")
    form.get_by_role("button", name="Save").click()
    expect(group(page, "run").get_by_title("<img src=x onerror=alert(1)> · by a person")).to_be_visible()
    assert page.locator("#main img").count() == 0
