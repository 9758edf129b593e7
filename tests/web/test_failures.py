"""Which runs and traces failed, why, how often for the same reason, and what a good one did otherwise."""

import re

import pytest
from playwright.sync_api import expect
from serving import fill
from settling import settle
from stories import MINUTE, message, model_call, span_of
from test_accessibility import assert_accessible

from inspector.model import SpanError

LIMIT = SpanError("openai.RateLimitError", "429: try again in 1.2 s", None)
LATE = SpanError("TimeoutError", "no answer within 30 s", None)
REASONS = (None, LIMIT, None, LATE, LIMIT, None)


def answered(number, error, *, start_ms, question, **run):
    """A question that a model answers, or that fails as its model call does."""
    trace = f"{0xFA11 + number:032x}"
    status = "error" if error else "ok"
    common = {"status": status, "error": error, "service": "evaluate", **run}
    yield span_of(trace, 1, "workflow", name="answer_question", start_ms=start_ms, took_ms=900, **common)
    asked = [message("user", question)]
    answer = message("assistant", f"Answer {number}.")
    yield model_call(trace, 2, asked, answer, parent=1, start_ms=start_ms + 5, took_ms=800, **common)


def interrupted():
    """A run that went on to its end after the process of two of its calls had died."""
    common = {"service": "evaluate", "run": "interrupted"}
    trace = f"{0xFA80:032x}"
    yield span_of(trace, 1, "workflow", name="answer_question", start_ms=2 * MINUTE, took_ms=900, **common)
    for number in (2, 3):
        start_ms = 2 * MINUTE + 100 * number
        yield span_of(trace, number, parent=1, start_ms=start_ms, took_ms=None, status="lost", tool="search", **common)


@pytest.fixture(scope="module")
def evaluations(homes, serving):
    home = homes / "evaluations"
    questions = [(number, error, f"How many live in city {number}?") for number, error in enumerate(REASONS)]
    batch = [
        span
        for number, error, question in questions
        for span in answered(number, error, start_ms=number * 1000, question=question, run="batch")
    ]
    single = [
        span
        for number, error, question in questions
        for span in answered(
            100 + number, error, start_ms=MINUTE + number * 1000, question=question, run=f"question-{number}"
        )
    ]
    fill(home, [*batch, *single, *interrupted()])
    with serving(home) as server:
        yield server


def row_of(page, run_id):
    return page.get_by_role("grid", name="Runs").get_by_role("row").filter(has=page.locator(f'a[href*="{run_id}"]'))


def test_a_failed_run_says_why_in_the_list(evaluations, visit):
    page = visit(evaluations, "/")
    expect(row_of(page, "question-1")).to_contain_text("How many live in city 1?")
    expect(row_of(page, "question-1")).to_contain_text("RateLimitError: 429: try again in 1.2 s")
    expect(row_of(page, "question-2")).to_contain_text("Answer 102.")
    page.set_viewport_size({"width": 390, "height": 800})
    expect(row_of(page, "question-3").get_by_text("TimeoutError: no answer within 30 s")).to_be_visible()
    assert_accessible(page)


@pytest.mark.slow
def test_lost_calls_of_a_run_that_ended_well_are_no_failures(evaluations, visit):
    page = visit(evaluations, "/runs/interrupted", color_scheme="light")
    strip = page.get_by_role("region", name="What was lost")
    expect(strip).to_contain_text("Lost call, 200 ms in: tool call search, whose process ended first.")
    expect(strip).to_contain_text("The run continued and succeeded.")
    expect(strip).to_contain_text("1 of 2")
    strip.get_by_role("button", name="Next lost call").click()
    expect(strip).to_contain_text("2 of 2")
    expect(page.get_by_role("region", name="What failed")).to_have_count(0)
    workflow = page.get_by_role("treegrid").get_by_role("row").filter(has_text="answer_question")
    workflow.get_by_title("Collapse").click()
    expect(workflow.get_by_title("2 lost calls below")).to_be_visible()
    expect(workflow.get_by_title("failure", exact=False)).to_have_count(0)
    assert_accessible(page)


@pytest.mark.slow
def test_a_run_of_several_traces_says_how_many_of_them_failed(evaluations, visit):
    page = visit(evaluations, "/")
    expect(row_of(page, "batch")).to_contain_text("3 of 6 traces failed")
    row_of(page, "batch").get_by_role("link").first.click()
    expect(page.locator("#main header").first).to_contain_text(re.compile(r"Traces\s*6, 3 failed"))


@pytest.mark.slow
def test_failed_runs_are_counted_by_their_error_and_a_click_lists_those(evaluations, visit):
    page = visit(evaluations, "/", color_scheme="light")
    expect(page.get_by_role("list", name="Failed runs by error")).to_have_count(0)
    page.get_by_label("Runs in figures").get_by_role("link", name="4").click()
    errors = page.get_by_role("list", name="Failed runs by error").get_by_role("link")
    # The batch has failures of both.
    expect(errors).to_have_text([re.compile(r"RateLimitError\s*3"), re.compile(r"TimeoutError\s*2")])
    settle(page)
    assert_accessible(page)
    errors.last.click()
    expect(page.get_by_role("button", name=re.compile("Remove error type: TimeoutError"))).to_be_visible()
    expect(row_of(page, "question-3")).to_have_count(1)
    expect(row_of(page, "question-1")).to_have_count(0)


@pytest.mark.slow
def test_failures_are_counted_by_their_error_and_a_click_goes_to_the_next_with_it(evaluations, visit):
    page = visit(evaluations, "/runs/batch", color_scheme="light")
    failed = page.get_by_role("region", name="What failed")
    errors = failed.get_by_role("list", name="Failures by error").get_by_role("button")
    expect(errors).to_have_text([re.compile(r"RateLimitError\s*2"), re.compile(r"TimeoutError\s*1")])
    expect(errors.first).to_have_attribute("aria-current", "true")
    for at in ("3 of 3", "1 of 3"):
        errors.first.click()
        expect(failed).to_contain_text(at)
    errors.last.click()
    expect(failed).to_contain_text("2 of 3")
    expect(failed).to_contain_text("no answer within 30 s")
    expect(errors.last).to_have_attribute("aria-current", "true")
    assert_accessible(page)


@pytest.mark.slow
def test_at_four_times_the_size_the_line_of_a_failure_is_not_cut(evaluations, visit):
    page = visit(evaluations, "/runs/batch", viewport={"width": 320, "height": 800})
    failed = page.get_by_role("region", name="What failed")
    expect(failed.get_by_role("link", name="Compare with the last good one")).to_be_in_viewport(ratio=1)
    expect(failed.get_by_role("button", name="Next failure")).to_be_in_viewport(ratio=1)


@pytest.mark.slow
def test_a_failed_trace_is_compared_with_the_last_good_one_of_its_run(evaluations, visit):
    page = visit(evaluations, "/runs/batch")
    page.get_by_role("button", name=re.compile("TimeoutError")).click()
    page.get_by_role("link", name="Compare with the last good one").click()
    page.wait_for_url(re.compile(f"a={0xFA11 + 2:032x}&b={0xFA11 + 3:032x}"))
    expect(page.locator("#main")).to_contain_text("TimeoutError")


def test_a_failed_run_is_compared_with_the_last_good_one_of_its_program(evaluations, visit):
    page = visit(evaluations, "/runs/question-4")
    page.get_by_role("link", name="Compare with the last good one").click()
    page.wait_for_url(re.compile("a=question-2&b=question-4"))


@pytest.mark.slow
def test_what_ended_well_is_not_compared_with_a_good_one(demo, visit):
    page = visit(demo, f"/runs/{demo.get('/runs?limit=1')['items'][0]['run_id']}")
    expect(page.get_by_role("region", name="What failed")).to_contain_text("The run continued and succeeded.")
    expect(page.get_by_role("link", name="Compare with the last good one")).to_have_count(0)


@pytest.fixture(scope="module")
def crashed(homes, serving):
    """A program that asked twice, and then ended with an exception of its own."""
    asked = [
        span
        for number in (1, 2)
        for span in answered(200 + number, None, start_ms=number * 1000, question=f"Question {number}?", run="crashed")
    ]
    ended = {"name": "uncaught exception", "hook": "uncaught", "status": "error", "run": "crashed"}
    error = SpanError("RuntimeError", "boom", None)
    home = homes / "crashed"
    fill(home, [*asked, span_of(f"{0xFA11 + 203:032x}", 1, "other", start_ms=5000, took_ms=0, error=error, **ended)])
    with serving(home) as server:
        yield server


@pytest.mark.slow
def test_a_run_that_an_exception_ended_says_so_and_no_figure_counts_it(crashed, visit):
    page = visit(crashed, "/")
    expect(row_of(page, "crashed")).to_contain_text("RuntimeError: boom")
    expect(row_of(page, "crashed")).to_contain_text("2 traces")
    expect(row_of(page, "crashed")).not_to_contain_text("failed")
    row_of(page, "crashed").get_by_role("link").first.click()
    header = page.locator("#main header").first
    expect(header).to_contain_text(re.compile(r"Traces\s*2(?!, )"))
    expect(header).to_contain_text(re.compile(r"Calls\s*4Errors\s*0 \+ uncaught"))
    expect(page.get_by_role("region", name="What failed")).to_contain_text("boom")
