"""What ``inspector show`` says about replays: whether a run can be replayed, and which run replays which."""

from collections.abc import Iterator

from inspector.cli.output.rows import short_run_id
from inspector.cli.output.terminal import Terminal
from inspector.cli.running.started import is_startable
from inspector.lookup import program_of, traces_of
from inspector.model import Run
from inspector.replayable import Replayable, replayable
from inspector.store import Store
from inspector.tape import replay_command

_NAMED = 3
"""The number of obstacles, and of replays, that are listed."""


def replay_lines(store: Store, run: Run, terminal: Terminal, name: str | None) -> Iterator[str]:
    """Say which run this one replays, or whether and with which command it can be replayed."""
    if not run.llm_calls + run.tool_calls:
        return
    found = replayable(store, run)
    if found.is_foreign:
        return
    if found.original is not None:
        first = short_run_id(found.original.run_id)
        # If the run is a file, the run that it replays is in another file, which may be anywhere.
        way = "" if name is not None else f": inspector diff {first} {short_run_id(run.run_id)}"
        yield f"a replay of {first}{way}"
        return
    yield from _judged(store, run, found, terminal, name or short_run_id(run.run_id))
    if found.replayable == "yes" and name is None:
        yield f"its calls with their ids: inspector events --run-id {terminal.safe(run.run_id)}"
    if found.replays:
        more = ", …" if found.more_replays or len(found.replays) > _NAMED else ""
        yield f"was replayed as {', '.join(short_run_id(each.run_id) for each in found.replays[:_NAMED])}{more}"


def _judged(store: Store, run: Run, verdict: Replayable, terminal: Terminal, name: str) -> Iterator[str]:
    if verdict.replayable == "yes":
        names_program = not is_startable(program_of(store, traces_of(store, run)))
        yield f"can be replayed: {terminal.safe(replay_command(name, names_program=names_program))}"
    elif verdict.reason is not None:
        verdict_text = "cannot be replayed" if verdict.replayable == "no" else "not known whether it can be replayed"
        yield terminal.safe(f"{verdict_text}: {verdict.reason}")
    # A loop makes the same call many times, and one of them says it.
    distinct = {(each.name, each.reason): each for each in reversed(verdict.obstacles)}
    named = list(reversed(distinct.values()))[:_NAMED]
    for obstacle in named:
        yield terminal.safe(obstacle.sentence)
    if verdict.obstacle_count > len(named):
        yield f"and {verdict.obstacle_count - len(named):,} more of its calls"
