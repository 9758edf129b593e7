from inspector.diff import cut_around


def test_texts_are_cut_from_a_little_before_the_first_difference():
    same = "a" * 1000
    a, b = cut_around(f"{same}Oslo{same}", f"{same}Rome{same}", most=20, before=5)
    assert a == "…aaaaaOsloaaaaaaaaaaa…"
    assert b == "…aaaaaRomeaaaaaaaaaaa…"


def test_texts_that_fit_stay_whole():
    assert cut_around("Oslo is cold", "Oslo", most=20) == ("Oslo is cold", "Oslo")
    assert cut_around("x" * 30, "x" * 20, most=20, before=5) == ("…" + "x" * 15, "…" + "x" * 5)


def test_a_text_alone_is_cut_at_its_end():
    assert cut_around(None, "b" * 30, most=20) == (None, "b" * 20 + "…")
    assert cut_around("a", None, most=20) == ("a", None)
