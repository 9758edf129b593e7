import json
import re
import unicodedata
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.output.visible import cut, is_safe, json_text, pad, visible, visible_lines, width

HOSTILE = {
    "clear screen": "\x1b[2J",
    "window title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;cm0gLXJm\x1b\\",
    "hyperlink": "\x1b]8;;http://x\x1b\\y",
    "eight-bit CSI": "\x9b31m",
    "carriage return": "safe\rEVIL",
    "backspace": "rm\x08\x08ls",
    "forged line": "ok\nERROR all is lost",
    "bidi override": "user\u202etxt.exe",
    "bidi isolate": "\u2066a\u2069",
    "right-to-left mark": "\u200f",
    "zero-width": "pass\u200bword\u200d\ufeff",
    "tags": "hi" + "".join(chr(0xE0000 + ord(letter)) for letter in "do evil"),
    "variation selectors": "a\ufe01\U000e0101",
    "invisible letters": "\u3164\uffa0\u115f\u00ad\u034f",
    "line separator": "a\u2028b",
    "lone surrogate": "\ud800",
}


def forbidden(character):
    code = ord(character)
    tags_and_selectors = 0xE0000 <= code <= 0xE0FFF or 0xFE00 <= code <= 0xFE0D
    zero_width_or_bidi = 0x200B <= code <= 0x200F or 0x2028 <= code <= 0x202E or 0x2060 <= code <= 0x206F
    return unicodedata.category(character) in ("Cc", "Cs") or tags_and_selectors or zero_width_or_bidi or code == 0xFEFF


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_shown_and_never_obeyed(text):
    for unicode in (True, False):
        shown = visible(text, unicode=unicode)
        assert not any(forbidden(character) for character in shown)
        assert len(shown) >= len(text)


def test_control_characters_become_their_symbols():
    assert visible("a\x1b[31m\x00\x7f\x9b\u202e") == "a␛[31m␀␡⟨U+009B⟩⟨U+202E⟩"
    assert visible("a\x1b[31m\x00\x7f\x9b\u202eé", unicode=False) == r"a^[[31m^@^?<U+009B><U+202E>\xe9"


def test_ordinary_text_of_every_script_is_left_alone():
    text = "Grüße, 日本語, עברית, العربية, हिन्दी, 🏨 ❤️ é"
    assert visible(text) == text


def test_lines_are_split_before_they_are_made_visible():
    assert visible_lines("a\r\n\tb\x1b\rc") == ["a", "    b␛", "c"]


@given(st.text(st.characters(codec=None)))
def test_no_text_at_all_reaches_the_terminal_with_a_forbidden_character(text):
    for unicode in (True, False):
        shown = visible(text, unicode=unicode)
        assert is_safe(shown)
        assert not any(forbidden(character) for character in shown)
        assert unicode or shown.isascii()


@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_json_keeps_its_value_while_its_invisible_characters_become_escapes(value):
    for encoded in (msgspec.json.encode(value), msgspec.json.format(msgspec.json.encode(value), indent=2)):
        text = json_text(encoded)
        assert is_safe(text)
        assert json.loads(text) == value
        assert json_text(encoded, unicode=False).isascii()
        assert json.loads(json_text(encoded, unicode=False)) == value


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("abc", 3),
        ("日本", 4),
        ("e\u0301", 1),
        ("🏨", 2),
        ("❤\ufe0f", 2),
        ("", 0),
        ("→", 1),
        ("한국", 4),
        ("👩\u200d👧", 2),
    ],
)
def test_width_counts_terminal_columns(text, columns):
    assert width(text) == columns


def test_cutting_counts_columns_and_marks_the_cut():
    assert cut("日本語のホテル", 7) == "日本語…"
    assert cut("hotel", 5) == "hotel"
    assert cut("hotels", 5, mark="~") == "hote~"
    assert cut("hotels", 0) == ""


def test_a_mountain_of_accents_is_cut_though_it_has_no_width():
    assert len(cut("e" + "\u0301" * 10_000, 10)) <= 41


@given(st.text(), st.integers(0, 30))
def test_a_cut_text_never_takes_more_columns_than_it_may(text, columns):
    assert width(cut(visible(text), columns)) <= columns


@given(st.text(max_size=10))
def test_padding_fills_exactly_to_the_column(text):
    shown = visible(text)
    wanted = width(shown) + 3
    assert width(pad(shown, wanted)) == wanted
    assert pad(shown, wanted, right=True).endswith(shown)


def test_what_is_taken_for_narrow_at_a_glance_is_narrow_letter_by_letter():
    for code in range(0x20, 0x3000):
        if is_safe(chr(code)) and width(chr(code)) == 1:
            assert width(chr(code) + "\u0627") == 2, hex(code)


def test_the_web_app_shows_the_same_characters_as_symbols():
    source = (Path(__file__).parents[2] / "web" / "src" / "lib" / "visible.ts").read_text("utf-8")
    shown = [(int(first, 16), int(last, 16)) for first, last in re.findall(r"\[0x(\w+), 0x(\w+)\],", source)]
    lines = {ord("\t"), ord("\n"), ord("\r")}
    in_browser = {code for first, last in shown for code in range(first, last + 1)}
    assert in_browser == {code for code in range(0x110000) if not is_safe(chr(code))} - lines
