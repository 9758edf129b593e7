"""How much is searched for secrets, counted in calls of patterns: time says little on a busy machine."""

import re
import sys
from collections import Counter

import pytest

from inspector.redaction import Redactor


def pattern_calls(text):
    """How often each function had a pattern look at a part of a text."""
    calls = Counter()

    def count(frame, event, called):
        if event == "c_call" and isinstance(getattr(called, "__self__", None), re.Pattern):
            calls[frame.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        Redactor().redact_text("note", text)
    finally:
        sys.setprofile(before)
    return calls


def test_what_is_compared_with_a_secret_is_not_read_to_its_end_for_each_name():
    calls = pattern_calls("password==" * 50)
    assert calls["names_in"] >= 50
    assert calls["_bare"] == 0


@pytest.mark.parametrize("piece", ['password"{', "<Cookie ", ">_PAT}", "password\\"])
def test_before_a_name_that_is_no_item_of_a_list_nothing_is_searched(piece):
    calls = pattern_calls(piece * 50)
    assert (calls["value_after"], calls["_named"], calls["netrc_value"]) == (0, 0, 0)
