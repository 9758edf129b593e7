"""How deep agents may call agents, and how much one run may spend."""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import ClassVar

from toolkit.errors import DefinitionInvalid
from toolkit.keywords import checks_keywords
from toolkit.models.model import ModelResponse
from toolkit.plain import member

CostOf = Callable[[ModelResponse], float]
"""Returns what an answer cost, in whatever unit ``Limits.cost`` is."""

_PARTS = (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
_LONGEST_PATH = 6
_SPENT = {
    "turns": ("asked models {limit} times", True),
    "calls": ("wanted {spent} tool calls", True),
    "tokens": ("used {spent} tokens", False),
    "cost": ("cost {spent:g}", False),
}
"""What is counted: what is said where it is too much, and whether that is known before; if not, reaching the limit is
the end, since the next answer would go beyond it."""


@checks_keywords
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a run, with everything below it; None for no limit.

    A run is the work of the outermost agent, including the agents that it calls in any way. When a limit is reached,
    all of them end, each with a result that says so. The limits of an agent inside a run apply to its own part of it,
    in addition to those of the run.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    """Refuses an unknown limit in a card."""

    depth: int | None = 10
    """How many agents may be at work below one another, the outermost one included; without a limit, some hundreds are
    Python's own, for recursion."""
    turns: int | None = 200
    """How many requests models may get; ``max_turns`` counts one agent's own turns."""
    calls: int | None = 1_000
    """How many tool calls models may make."""
    tokens: int | None = 5_000_000
    """How many tokens models may read and write, as they count them."""
    cost: float | None = None
    cost_of: CostOf | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in ("depth", "turns", "calls", "tokens", "cost"):
            limit: object = getattr(self, name)
            if limit is not None and (not isinstance(limit, int | float) or isinstance(limit, bool) or limit <= 0):
                raise DefinitionInvalid(f"Limits({name}={limit!r}): expected a number above 0, or None for no limit")
        if self.cost is not None and self.cost_of is None:
            raise DefinitionInvalid("Limits(cost=…) needs cost_of, a function that says what a ModelResponse cost")


@dataclass(slots=True, eq=False)
class Run:
    """What an agent and those below it have spent; with limits of its own, it also counts for the run around it."""

    name: str
    limits: Limits
    above: int = 0
    """How many agents are at work above it."""
    around: "Run | None" = None
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_SPENT, 0))
    """How much of each limit."""
    problem: str | None = None
    """The limit that was reached, which ends all agents of the run."""

    def begin(self, path: tuple[str, ...]) -> None:
        """Count one more agent, the last of those at work."""
        for run in self._all():
            limit = run.limits.depth
            if limit is not None and len(path) - run.above > limit:
                shown = " > ".join(path if len(path) <= _LONGEST_PATH else (*path[:3], "…", *path[-2:]))
                run.refuse("depth", limit, f"agents called agents {limit} deep ({shown})")

    def ask(self) -> str | None:
        """Count a request to a model; return why it may not be made, or None."""
        return self._count(lambda _: {"turns": 1})

    def call(self, number: int) -> str | None:
        """Count calls of tools; return why they may not be made, or None."""
        return self._count(lambda _: {"calls": number})

    def spend(self, response: ModelResponse) -> None:
        """Count what an answer took; one that takes too much still counts, and no further one is asked for."""
        tokens = _tokens(response)
        self._count(lambda limits: {"tokens": tokens, "cost": limits.cost_of(response) if limits.cost_of else 0})

    def refuse(self, name: str, limit: float, why: str) -> None:
        """End all agents of the run, unless it was ended before."""
        self.problem = self.problem or f"{why}, and Limits({name}={limit}) allows no more"

    def _count(self, amounts: Callable[[Limits], Mapping[str, float]]) -> str | None:
        for run in self._all():
            for name, amount in amounts(run.limits).items():
                spent = run.spent[name] = run.spent[name] + amount
                limit: float | None = getattr(run.limits, name)
                sentence, is_known_before = _SPENT[name]
                if limit is not None and (spent > limit or (spent == limit and not is_known_before)):
                    run.refuse(name, limit, f"{run.name} {sentence.format(limit=limit, spent=spent)}")
        return next((run.problem for run in self._all() if run.problem is not None), None)

    def has(self, limits: Limits) -> bool:
        """Return whether it, or a run around it, is held to these very limits."""
        return any(run.limits is limits for run in self._all())

    def _all(self) -> Iterator["Run"]:
        run: Run | None = self
        while run is not None:
            yield run
            run = run.around


_current: ContextVar[tuple[Run, tuple[str, ...]] | None] = ContextVar("toolkit_agents_at_work", default=None)
"""The run that this code is a part of, and the agents at work in it, the outermost first. No argument could carry it:
tools call agents as they call any function."""


@contextmanager
def running(name: str, limits: Limits | None) -> Generator[Run]:
    """Be at work as the agent ``name``: as the beginning of a run, or as a part of the one around."""
    outer = _current.get()
    run, path = (None, ()) if outer is None else outer
    # An agent that comes again below itself is within its limits already.
    if run is None or (limits is not None and not run.has(limits)):
        run = Run(name, limits or Limits(), above=len(path), around=run)
    path = (*path, name)
    run.begin(path)
    _current.set((run, path))
    try:
        yield run
    finally:
        # Not by token: a coroutine that is left may be closed in another context.
        _current.set(outer)


def _tokens(response: ModelResponse) -> int:
    total = member(response.usage, "total_tokens")
    if isinstance(total, int):
        return total
    parts = (member(response.usage, *names) for names in _PARTS)
    return sum(tokens for tokens in parts if isinstance(tokens, int))
