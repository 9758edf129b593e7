import pytest

from inspector.diff.volatile import Volatile


@pytest.mark.parametrize(
    "text",
    [
        "call_0001",
        "call_abcdefgh",
        "chatcmpl-A1b2C3d4E5f6",
        "0123456789abcdef",
        "0123456789abcdef0123456789abcdef",
    ],
)
def test_an_id_is_taken_out_where_it_is_a_whole_word(text):
    volatile = Volatile()
    assert volatile.without(f'{{"id":"{text}"}} and {text}.') == '{"id":"<id>"} and <id>.'
    assert volatile.without(f"pre{text} {text}_post {text}-post") == f"pre{text} {text}_post {text}-post"
    assert volatile.counts == {"id": 2}


@pytest.mark.parametrize("text", ["{}", "lc_run--{}-0", "run-{}", "{}_post"])
def test_a_uuid_is_taken_out_of_a_name_that_is_made_with_it(text):
    volatile = Volatile()
    uuid = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    assert volatile.without(f"of {text.format(uuid)}.") == f"of {text.format('<id>')}."
    assert volatile.without(f"a{uuid} {uuid}b") == f"a{uuid} {uuid}b"
    assert volatile.counts == {"id": 1}


@pytest.mark.parametrize("text", ["2026-11-25T10:00:01Z", "2026-11-25 10:00", "2026-11-25T10:00:01.123+01:00"])
def test_a_time_has_a_date_and_a_clock(text):
    volatile = Volatile()
    assert volatile.without(f"At {text} and {text}") == "At <time> and <time>"
    assert volatile.without(f"1{text}, 2026-11-25, 10:00") == f"1{text}, 2026-11-25, 10:00"
    assert volatile.counts == {"time": 2}


def test_a_text_that_comes_again_is_counted_again():
    volatile = Volatile()
    for _ in range(3):
        assert volatile.without("call_abcdefgh at 2026-11-25 10:00") == "<id> at <time>"
    assert volatile.counts == {"id": 3, "time": 3}


def test_of_equal_texts_one_is_kept():
    volatile = Volatile()
    first, second = (volatile.without(b"the same history".decode()) for _ in range(2))
    assert first is second
