import pytest

from inspector.diff.fisher import ALPHA, Table, certain, least_p, p_value


@pytest.mark.parametrize(
    ("table", "p"),
    [
        # R 4.4: fisher.test(matrix(c(3, 1, 1, 3), 2))$p.value, and so on.
        (Table(3, 4, 1, 4), 0.4857142857),
        (Table(0, 5, 5, 5), 0.0079365079),
        (Table(1, 10, 8, 10), 0.0054774947),
        (Table(2, 5, 2, 5), 1.0),
        (Table(0, 0, 3, 3), 1.0),
        (Table(0, 4, 0, 7), 1.0),
    ],
)
def test_a_table_is_as_likely_as_the_exact_test_says(table, p):
    assert p_value(table) == pytest.approx(p)


def test_the_groups_can_change_sides():
    for a in range(6):
        for b in range(4):
            assert p_value(Table(a, 5, b, 3)) == pytest.approx(p_value(Table(b, 3, a, 5)))


def test_no_table_is_less_likely_than_the_least():
    for a in range(6):
        for b in range(6):
            assert p_value(Table(a, 5, b, 5)) >= least_p(Table(a, 5, b, 5)) * (1 - 1e-9)


def test_rates_of_enough_runs_differ_for_certain():
    assert certain([Table(0, 10, 10, 10), Table(4, 10, 6, 10), Table(0, 10, 0, 10)]) == [True, False, False]


def test_rates_of_three_runs_never_do():
    assert certain([Table(0, 3, 3, 3)]) == [False]


def test_rates_that_cannot_show_anything_take_nothing_from_the_others():
    telling = Table(0, 5, 5, 5)
    assert p_value(telling) <= ALPHA
    assert certain([telling, *[Table(0, 5, 0, 5)] * 10_000])[0]
    assert not certain([telling] * 100)[0]
