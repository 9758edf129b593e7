"""What any engine of the store has to pass; another one is one more entry of `ENGINES`."""

import contextlib
import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from made_spans import AGENTS, ERRORS, MODELS, SERVICES, TOOLS, WORDS, Made, make, spans_of
from oracle import Oracle, duration_ms
from patience import PATIENT, let_one_write
from pydantic import SecretStr

from inspector.model import KINDS, STATUSES, Filter
from inspector.settings import Settings
from inspector.store import Store, open_store

SEEDS = (1, 2, 3, 4)
LIMITS = {
    "usual": PATIENT,
    "kept": replace(PATIENT, exact_calls=0),
    "walked": replace(PATIENT, few_matches=0, listed_spans=0, span_steps=(3,), sorted_steps=(5,), trace_steps=(2,)),
}
"""Ways to an answer, which an engine may have or not: by an index, by looking at rows in the order of the list, and for
statistics by what is kept of many calls, which nothing else is answered from."""
ENGINES = {"sqlite": (SEEDS, tuple(LIMITS)), "clickhouse": (SEEDS[:1], ("usual", "kept"))}
"""Each with what it is filled from and the ways that it has; a question to ClickHouse takes milliseconds at least."""


@dataclass(frozen=True)
class Kept:
    """A store, and what it has to answer."""

    store: Store
    oracle: Oracle
    made: Made
    seed: int

    def filters(self, count: int) -> Iterator[Filter]:
        """Filters that a few or many of the spans meet, always the same ones; fifty of them have every value."""
        rng = random.Random(f"filters {self.seed}")
        bounds = _bounds(rng, self.oracle)
        alone = [Filter(**{name: value}) for name, values in bounds.items() for value in values]
        dealt = itertools.chain.from_iterable(_deal(rng, _VALUES | bounds) for _ in itertools.count())
        return itertools.chain((Filter(),), alone, itertools.islice(dealt, count))


COUNT = itertools.count(1)
_VALUES = {
    "kinds": [(kind,) for kind in KINDS[:5]] + [("llm", "tool")],
    "statuses": [(status,) for status in STATUSES] + [("error", "running")],
    "session_id": ["s1", "s2", "nobody"],
    "run_id": ["r1", "r2", "nothing"],
    "parent_id": [f"{1:016x}", f"{3:016x}"],
    "name": [f"llm {WORDS[0]}", f"tool {WORDS[1]}"],
    "name_prefix": ["tool", "agent b", "llm"],
    "agent": AGENTS,
    "model": [*MODELS, "nowhere"],
    "tool": [*TOOLS, "hammer"],
    "service": SERVICES,
    "error_type": [*ERRORS, "Timeout"],
    "hook": ["tool_call", "run"],
    "duplicates": [False],
    "replays": [False],
    "min_cost_usd": [0.001, 0.25],
    "max_cost_usd": [0.0, 0.25],
    "attributes": [(("shade", WORDS[2]),), (("level", "2"),), (("shade", WORDS[0]), ("level", "1"))],
    "arguments": [(("city", WORDS[3]),), (("rows[0].id", "2"),)],
    "results": [(("city", WORDS[1]),)],
    "q": [WORDS[0], f"{WORDS[1]} {WORDS[2]}", "cop*", f"tool {WORDS[4]}", "found", "neverwritten"],
}


def _bounds(rng: random.Random, oracle: Oracle) -> dict[str, list[Any]]:
    """Times and lengths that are exactly those of a span, a trace or a run, where a wrong comparison is seen."""
    spans, whole = list(oracle.spans.values()), (oracle.traces(Filter()), oracle.runs(Filter()))
    starts = [[span.start_ns for span in spans], [int(each["start_time_unix_nano"]) for each in whole[0]]]
    lengths = [[duration_ms(span) for span in spans], *([each["duration_ms"] for each in of] for of in whole)]
    known = [[length for length in of if length] for of in lengths]
    return {
        **{name: [rng.choice(of) for of in starts] for name in ("since_ns", "until_ns")},
        **{name: [rng.choice(of) for of in known] for name in ("min_duration_ms", "max_duration_ms")},
    }


def _deal(rng: random.Random, values: dict[str, list[Any]]) -> Iterator[Filter]:
    """Each value of each field once, one to three fields in a filter."""
    cards = [(name, value) for name, of_field in values.items() for value in of_field]
    rng.shuffle(cards)
    while cards:
        # Of two values of a field the first waits for another filter.
        hand = dict(cards[: rng.choice((1, 1, 2, 3))])
        yield Filter(**hand)
        cards = [card for card in cards if card not in hand.items()]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave what is asked of ClickHouse to ``--all`` but for a case of each file; SQLite is asked all of it.

    That takes twenty times as long, and longest where a test fills a store of its own.
    """
    asked: set[Path] = set()
    for item in items:
        # Of all tests there are, so the cheaper question comes first.
        if "clickhouse" in item.nodeid.partition("[")[2] and Path(__file__).parent in item.path.parents:
            if item.path in asked or "fill" in item.fixturenames:
                item.add_marker(pytest.mark.slow)
            else:
                asked.add(item.path)


@pytest.fixture(scope="module")
def open_new() -> Iterator[Callable[..., Store]]:
    """Opens a new store of an engine in a directory; ClickHouse, in this process, has a database for each."""
    with contextlib.ExitStack() as stack:
        # Each is the only one of its database: looking for what others send would only take time.
        let_one_write(stack.enter_context(pytest.MonkeyPatch.context()))

        def opened(engine: str, home: Path, **options) -> Store:
            if engine == "sqlite":
                settings = Settings(home=home)
            else:
                settings = Settings(home=home, database_url=SecretStr(f"chdb://memory/{engine}_{next(COUNT)}"))
                if not opened_first:
                    # What is in memory is there as long as somebody has it open.
                    opened_first.append(stack.enter_context(closing(open_store(settings))))
            return open_store(settings, **options)

        opened_first: list[Store] = []
        yield opened


@pytest.fixture(scope="module", params=ENGINES)
def engine(request, open_new) -> Callable[..., Store]:
    """Opens a new store of each engine in a directory."""
    return partial(open_new, request.param)


@cache
def answered(seed: int) -> tuple[Made, Oracle]:
    """What is made from a seed, with an oracle that works each answer out once for all engines and ways."""
    made = make(seed)
    oracle = Oracle(made.folded)
    oracle.write(spans_of(made.batches))
    return made, oracle.settled()


def _params(kinds: set[str]) -> Iterator[Any]:
    """Each engine with each seed and each way of some that it has; without ``--all``, each way with one seed."""
    for engine, (seeds, ways) in ENGINES.items():
        for seed, way in itertools.product(seeds, ways):
            if way in kinds:
                marks = [] if seed == seeds[0 if way == "usual" else -1] else [pytest.mark.slow]
                yield pytest.param((engine, seed, way), id=str((engine, seed, way)), marks=marks)


@pytest.fixture(scope="module", params=_params({"usual", "walked"}))
def kept(request, open_new, tmp_path_factory) -> Iterator[Kept]:
    """A store that took everything in, to be looked at alone."""
    with _taken_in(*request.param, open_new, tmp_path_factory) as taken:
        yield taken


@pytest.fixture(scope="module", params=_params(set(LIMITS)))
def counted(request, open_new, tmp_path_factory) -> Iterator[Kept]:
    """The same for statistics."""
    with _taken_in(*request.param, open_new, tmp_path_factory) as taken:
        yield taken


@contextlib.contextmanager
def _taken_in(engine: str, seed: int, way: str, open_new, tmp_path_factory) -> Iterator[Kept]:
    made, oracle = answered(seed)
    with closing(open_new(engine, tmp_path_factory.mktemp("home") / "home", limits=LIMITS[way])) as store:
        for batch in made.batches:
            store.write(batch)
        store.maintain()
        yield Kept(store, oracle, made, seed)


@pytest.fixture
def store(engine, tmp_path) -> Iterator[Store]:
    """An empty store of each engine."""
    with closing(engine(tmp_path / "home", limits=PATIENT)) as opened:
        yield opened


@pytest.fixture
def fill(engine, tmp_path) -> Iterator[Callable[[int], Kept]]:
    """Fills a store that may be changed."""
    stores: list[Store] = []

    def filled(seed: int, **options) -> Kept:
        made, oracle = make(seed), None
        stores.append(engine(tmp_path / f"home {len(stores)}", **{"limits": PATIENT, **options}))
        oracle = Oracle(made.folded)
        for batch in made.batches:
            stores[-1].write(batch)
            oracle.write(batch)
        stores[-1].maintain()
        return Kept(stores[-1], oracle, made, seed)

    yield filled
    for store in stores:
        store.close()
