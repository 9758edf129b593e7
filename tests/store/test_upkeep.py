import itertools
import math

from inspector.store.sqlite.upkeep import background
from inspector.store.sqlite.upkeep.background import FAR_BEHIND, INDEX_LIMIT, LEAST_WAY, MOST_INDEXED, WAY, Upkeep


def ways_given(monkeypatch, left):
    """How many seconds others have first after each second of indexing, if so many changes are left then."""
    clock = itertools.count()
    monkeypatch.setattr(background.time, "monotonic", lambda: float(next(clock)))
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


def test_the_further_search_is_behind_the_more_it_takes_at_once():
    limits = []
    left = iter([FAR_BEHIND, FAR_BEHIND // 4, 100, 0])

    def index(limit):
        limits.append(limit)
        now_left = next(left)
        return (limit if now_left else 0), now_left

    work = Upkeep(index, lambda _, __: 0, lambda: None, lambda: None, lambda: True)
    work.run(for_s=1000, idle_s=1, busy=True, give_way=lambda _: None)
    assert limits == [INDEX_LIMIT, MOST_INDEXED, FAR_BEHIND // 16, INDEX_LIMIT]


class RollupUpkeep:
    """Upkeep with nothing left to index; ``least`` has the minimum of changes passed to each update of rollups."""

    def __init__(self):
        self.least = []
        self.upkeep = Upkeep(
            index=lambda _: (0, 0),
            add_up=lambda _, least: self.least.append(least) or 0,
            give_back=lambda: None,
            checkpoint=lambda: None,
            shrink_log=lambda: True,
        )

    def run(self, for_s):
        assert not self.upkeep.run(for_s=for_s, idle_s=1e6, busy=False, give_way=lambda _: None)


def test_rollups_wait_for_more_changes_and_then_follow_however_few_there_are(monkeypatch):
    for every_s, least in ((1e6, background.ADD_UP_LIMIT), (0.0, 1)):
        monkeypatch.setattr(background, "ADD_UP_EVERY_S", every_s)
        rollups = RollupUpkeep()
        for _ in range(2):
            rollups.upkeep.note_write()
            rollups.run(for_s=1)
        assert rollups.least == [1, least]


def test_rollups_that_waited_follow_without_another_write(monkeypatch):
    monkeypatch.setattr(background, "ADD_UP_EVERY_S", 1e6)
    rollups = RollupUpkeep()
    for _ in range(2):
        rollups.upkeep.note_write()
        rollups.run(for_s=1)
    rollups.upkeep._add_up_at_s = 0.0
    for _ in range(2):
        rollups.run(for_s=1)
    assert rollups.least == [1, background.ADD_UP_LIMIT, 1]


def test_rollups_follow_at_once_where_there_is_all_the_time(monkeypatch):
    monkeypatch.setattr(background, "ADD_UP_EVERY_S", 1e6)
    rollups = RollupUpkeep()
    for _ in range(2):
        rollups.upkeep.note_write()
        rollups.run(for_s=math.inf)
    assert rollups.least == [1, 1]
