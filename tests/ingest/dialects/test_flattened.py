from hypothesis import given
from hypothesis import strategies as st

from inspector.reading.dialects.flattened import rebuilt

NAMES = st.text("abc_-é", min_size=1, max_size=6)
LEAVES = st.text(max_size=5) | st.integers() | st.booleans()
TREES = st.recursive(
    LEAVES,
    lambda below: st.lists(below, min_size=1, max_size=4) | st.dictionaries(NAMES, below, min_size=1, max_size=4),
    max_leaves=12,
)


def spelled(value, path):
    if isinstance(value, list):
        return [pair for at, item in enumerate(value) for pair in spelled(item, f"{path}.{at}")]
    if isinstance(value, dict):
        return [pair for name, item in value.items() for pair in spelled(item, f"{path}.{name}")]
    return [(path, value)]


@given(
    tree=st.lists(TREES, min_size=1, max_size=4) | st.dictionaries(NAMES, TREES, min_size=1, max_size=4), data=st.data()
)
def test_what_was_spelled_in_keys_is_rebuilt_whatever_their_order(tree, data):
    pairs = data.draw(st.permutations(spelled(tree, "llm")))
    assert rebuilt({"other": 1, "llmx.0": 2, **dict(pairs)}, "llm.") == tree


@given(
    st.dictionaries(
        st.lists(
            st.sampled_from(["0", "1", "7", "999999999", "9" * 40, "-1", "٣", "__proto__", "a", ""]), max_size=20
        ).map(lambda steps: ".".join(["m", *steps])),
        LEAVES,
        max_size=20,
    )
)
def test_no_keys_ask_for_more_than_was_sent(attributes):
    def size(value):
        if isinstance(value, dict):
            return sum(map(size, value.values()))
        return sum(map(size, value)) if isinstance(value, list) else 1

    found = rebuilt(attributes, "m.")
    assert found is None or size(found) <= len(attributes)


def test_indices_give_the_order_and_not_the_length():
    assert rebuilt({"m.999999999": "last", "m.10": "second", "m.9": "first"}, "m.") == ["first", "second", "last"]
    assert rebuilt({"m.9999999999": "too long", "m.0": "first"}, "m.") == {"9999999999": "too long", "0": "first"}


def test_a_value_gives_way_to_what_lies_below_it():
    below_first = {"m.0.role": "user", "m.0": "scalar"}
    assert rebuilt(below_first, "m.") == [{"role": "user"}]
    assert rebuilt(dict(reversed(below_first.items())), "m.") == [{"role": "user"}]
    assert rebuilt({"m.0.role": {"sent": "as a map"}, "m.0.role.x": 1}, "m.") == [{"role": {"x": 1}}]


def test_a_path_of_many_steps_ends_in_one_name():
    deep = "m." + ".".join("a" * 40)
    found = rebuilt({deep: 1}, "m.")
    for _ in range(11):
        found = found["a"]
    assert found == {".".join("a" * 29): 1}


def test_a_name_of_another_language_is_a_name():
    assert rebuilt({"m.__proto__.polluted": True, "m.constructor": 1}, "m.") == {
        "__proto__": {"polluted": True},
        "constructor": 1,
    }
