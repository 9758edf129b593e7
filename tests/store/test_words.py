import random

from inspector.store.values.words import words_of


def test_words_are_the_same_whether_or_not_a_text_has_other_letters_besides():
    chance = random.Random(7)
    for length in range(120):
        text = "".join(chr(chance.randrange(128)) for _ in range(length))
        assert words_of(f"{text} é") == f"{words_of(text) or ' '}e ", text


def test_between_words_is_one_space_however_much_was_there():
    assert words_of(f"One{' ' * 1000}two_THREE\n\n--4") == " one two three 4 "
    assert words_of(" _ ") == ""
