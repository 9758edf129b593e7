"""Every row of the table of nouns is there in every place."""

import pytest
from hook_tables import PARTS, ROOT, renewed

from inspector.model import KINDS, Span
from inspector.nouns import NOUNS, kinds_of
from inspector.reading.describe import DESCRIBE
from inspector.received.labels import LABEL_HOOK
from inspector.record.capture.hooks import CAPTURES
from inspector.store.values.identity import identity_text
from instrument import HOOKS

IN_CONTRACT = {noun.name for noun in NOUNS.values() if noun.hooks}


def test_the_nouns_with_hooks_are_those_of_the_contract():
    assert {hook.noun for hook in HOOKS.values() if hook.phase == "before"} == IN_CONTRACT
    for noun in IN_CONTRACT:
        assert {hook.phase for hook in HOOKS.values() if hook.noun == noun} >= {"before", "after", "error"}


def test_every_noun_with_hooks_is_captured_and_every_noun_described():
    assert {capture.noun for capture in CAPTURES} == IN_CONTRACT
    for capture in CAPTURES:
        hooks = (capture.before_hook, capture.after_hook, capture.error_hook)
        assert [HOOKS[hook].noun for hook in hooks] == [capture.noun] * 3
    assert DESCRIBE.keys() - {LABEL_HOOK} == NOUNS.keys()


def test_every_kind_is_that_of_a_noun_and_has_one_part_in_a_call_recorded_twice():
    assert {noun.kind for noun in NOUNS.values()} | {"other"} == set(KINDS)
    parts = [kinds_of(role) for role in ("call", "between", "sent", "around")]
    assert sorted(kind for part in parts for kind in part) == sorted(KINDS)


def test_spans_are_compared_where_their_noun_says_so():
    for noun in NOUNS.values():
        span = Span("a" * 32, "1" * 16, "work", noun.kind, "ok", 1, attributes={"inspector.hook": noun.name})
        assert (identity_text(span) is not None) == (noun.role in ("call", "sent")), noun.name


@pytest.mark.parametrize("name", PARTS)
def test_the_pages_and_the_contract_of_the_api_have_every_hook_as_it_is(name):
    written = (ROOT / name).read_text(encoding="utf-8")
    assert written == renewed(name), f"{name} is out of date; run: python tests/hook_tables.py"
