import itertools

from inspector.store.sqlite import upkeep
from inspector.store.sqlite.upkeep import FAR_BEHIND, LEAST_WAY, WAY, Upkeep


def ways_given(monkeypatch, left):
    """How many seconds others have first after each second of indexing, if so many changes are left then."""
    clock = itertools.count()
    monkeypatch.setattr(upkeep.time, "monotonic", lambda: float(next(clock)))
    ways = []
    followed = iter([*((512, each) for each in left), (0, 0)])
    work = Upkeep(
        index=lambda _: next(followed),
        add_up=lambda _, __: 0,
        give_back=lambda: None,
        checkpoint=lambda: None,
        shrink_log=lambda: True,
    )
    work.run(for_s=1000, idle_s=1, busy=True, give_way=ways.append)
    return ways


def test_search_that_is_nearly_level_lets_others_write_most_of_the_time(monkeypatch):
    assert ways_given(monkeypatch, [0]) == [WAY]


def test_the_further_search_is_behind_the_less_it_gives_way(monkeypatch):
    half_way = FAR_BEHIND // 2
    assert ways_given(monkeypatch, [FAR_BEHIND, half_way, 0]) == [LEAST_WAY, WAY / 2, WAY]


def test_search_far_behind_gives_way_a_little_so_that_others_still_write(monkeypatch):
    assert ways_given(monkeypatch, [100 * FAR_BEHIND]) == [LEAST_WAY]
