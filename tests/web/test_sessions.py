"""What the list of sessions says of each of them."""

import re

import pytest
from playwright.sync_api import expect
from serving import fill
from stories import message, model_call, tool_call


@pytest.mark.slow
def test_a_session_says_what_it_began_with_and_of_how_many_traces_it_is(homes, serving, visit):
    home = homes / "what-sessions-began-with"
    of_session = {"session_id": "0bfcfafd-1e41-4536-8747-3a5608485fc4", "run": "one-program"}
    fill(
        home,
        [
            tool_call(f"{0x5E55:032x}", 1, "read_settings", **of_session),
            model_call(
                f"{0x5E56:032x}",
                1,
                [message("user", "Plan a trip to Graz")],
                message("assistant", "When?"),
                start_ms=5000,
                **of_session,
            ),
            model_call(
                f"{0x5E57:032x}",
                1,
                [message("user", "In May")],
                message("assistant", "Booked."),
                start_ms=9000,
                **of_session,
            ),
        ],
    )
    with serving(home) as server:
        page = visit(server, "/sessions")
        row = page.get_by_role("row").filter(has_text=of_session["session_id"])
        expect(row.get_by_role("link")).to_have_text("Plan a trip to Graz")
        headings = page.get_by_role("columnheader").all_inner_texts()
        expect(row.get_by_role("gridcell").nth(headings.index("Traces"))).to_have_text("3")
        row.get_by_role("link").click()
        head = page.get_by_role("region", name="Session")
        expect(head).to_contain_text(re.compile(r"\b3 traces"))
        expect(head.get_by_role("heading")).to_have_text("Plan a trip to Graz")
        expect(page.get_by_role("grid", name="Runs").locator('a[href*="one-program"]')).to_have_count(1)
