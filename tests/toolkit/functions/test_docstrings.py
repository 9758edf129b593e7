import pytest

from toolkit.functions.docstrings import documentation

GOOGLE = """Search the web.

    Slowly, and: with care.

    Args:
        query: What to look for,
            in words: any language.
        limit (int, optional): How many.
        *others: More of them.
        **options: Passed on.

    Returns:
        list: what was found.

    Raises:
        ValueError: query is empty.
    """


def test_a_docstring_says_what_the_function_does_and_what_each_argument_is():
    told = documentation(GOOGLE)
    assert told.description == "Search the web.\n\nSlowly, and: with care."
    assert told.arguments == {
        "query": "What to look for, in words: any language.",
        "limit": "How many.",
        "others": "More of them.",
        "options": "Passed on.",
    }


def test_no_docstring_says_nothing():
    assert documentation(None).description == ""
    assert documentation("").arguments == {}


def test_a_docstring_without_sections_is_the_description():
    told = documentation("One.\n\n    Two: three.\n    Note: this is prose.\n")
    assert told.description == "One.\n\nTwo: three.\nNote: this is prose."
    assert told.arguments == {}


def test_arguments_may_come_after_another_section():
    told = documentation("Do.\n\nExample:\n    x: 1\n\nArgs:\n    a: The first.\n")
    assert told.description == "Do."
    assert told.arguments == {"a": "The first."}


def test_an_argument_without_a_text_is_there():
    assert documentation("Do.\n\nArgs:\n    a:\n        Below.\n    b:\n").arguments == {"a": "Below.", "b": ""}


def test_arguments_that_stand_with_an_indented_first_line_are_found():
    assert documentation("\n    Do.\n\n    Args:\n        a: The first.\n    ").arguments == {"a": "The first."}


@pytest.mark.parametrize("hostile", ["Args:", "Args:\n", "Args:\n  :", "\t\tx\n\ty", "-" * 9])
def test_odd_docstrings_are_read_without_a_fault(hostile):
    documentation(hostile)
    documentation(f"One.\n\n{hostile}\n")
