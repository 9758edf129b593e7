"""What ``inspector run`` says when the program has ended: where to look, or why there is nothing to see."""

import shlex
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from urllib.parse import quote

from inspector.environment import Environment, read_environment
from inspector.integrations import INTEGRATIONS
from inspector.launch import Choices, LeftOut, Outcome, Program
from inspector.semconv import RUN_ID

_INVALID = "VariableInvalid: "
_INSTALL = 'pip install "mcp-agent-inspector[inspector]"'


def ending_lines(program: Program, choices: Choices, outcome: Outcome) -> Iterator[str]:
    """Say in two or three lines what was recorded and how to see it."""
    # What cannot be read has kept the program from being recorded.
    environment = read_environment(home=choices.home) if outcome.calls else None
    if environment is not None and environment.endpoint is not None:
        yield f"inspector: recorded {_counted(outcome)}, in trace {outcome.trace_id}"
        yield _sent(environment, environment.endpoint)
    elif environment is not None:
        yield f"inspector: recorded {_counted(outcome)}; to see {_which(outcome)}: {_show(choices, outcome)}"
        if outcome.runs > 1:
            yield f"inspector: all of them: inspector events --attr {RUN_ID}={outcome.run_id}{_elsewhere(choices)}"
        yield _in_the_browser(environment, choices, outcome)
    else:
        why = _why(program, outcome)
        yield f"inspector: nothing was recorded{': ' if why else ''}{why}"
    if outcome.going_on:
        pids = ", ".join(map(str, outcome.going_on))
        yield f"inspector: still running, and being recorded: process {pids}"


def _counted(outcome: Outcome) -> str:
    failed = f" ({outcome.failed} failed)" if outcome.failed else ""
    calls = f"{outcome.calls:,} {'call' if outcome.calls == 1 else 'calls'}{failed}"
    if not outcome.runs:
        return f"{calls} of traces that began elsewhere"
    return f"{calls} in {outcome.runs:,} {'run' if outcome.runs == 1 else 'runs'}"


def _which(outcome: Outcome) -> str:
    return "it" if outcome.runs == 1 else "the last"


def _show(choices: Choices, outcome: Outcome) -> str:
    return f"inspector show {outcome.trace_id}{_elsewhere(choices)}"


def _elsewhere(choices: Choices) -> str:
    return "" if choices.home is None else f" --home {shlex.quote(str(choices.home))}"


def prepare() -> None:
    """Load what takes long to load, while the program runs; what is missing is missed where it is needed."""
    with suppress(ImportError):
        import_module("inspector.cli.ownership")


def _sent(environment: Environment, url: str) -> str:
    from inspector.forward import Endpoint, left_over

    endpoint = Endpoint.of(url)
    if left_over(environment.outbox / endpoint.key):
        return f"inspector: {endpoint.url} has not taken all of it; what waits is sent by: inspector forward"
    return f"inspector: sent to {endpoint.url}"


def _in_the_browser(environment: Environment, choices: Choices, outcome: Outcome) -> str:
    from inspector.cli.ownership import current_owner

    owner = current_owner(environment.lock_file)
    if owner is not None and owner.url is not None:
        several = f"#/?attr={quote(f'{RUN_ID}={outcome.run_id}')}"
        view = several if outcome.runs > 1 else f"#/traces/{outcome.trace_id}"
        return f"inspector: in the browser: {owner.url}/{view}"
    return f"inspector: in the browser: inspector serve{_elsewhere(choices)}"


def _why(program: Program, outcome: Outcome) -> str:
    """Say why there is nothing to see; an empty text when it has been said."""
    if outcome.frameworks:
        return f"no call was made through what it imported ({', '.join(outcome.frameworks)})"
    if outcome.joined:
        return "it made no call (of a program that is killed or leaves by os._exit, the last 0.1 s are not kept)"
    if outcome.left_out:
        return _left_out(outcome.left_out[-1])
    if outcome.reached:
        known = ", ".join(each.distribution for each in INTEGRATIONS)
        return f"it imported nothing that is recorded: no hooks of its own (instrument), and none of {known}"
    if program.isolation is not None:
        option = program.isolation
        return f"{option} makes Python ignore what starts the recorder; leave it out, or call inspector.attach()"
    name = Path(program.arguments[0]).name
    return f"{name} started no Python, or only with -I, -E or -S, which leave the recorder out"


def _left_out(found: LeftOut) -> str:
    if found.told:
        return ""
    if found.reason.startswith(_INVALID):
        return found.reason.removeprefix(_INVALID)
    install = f"; install it there: {found.python} -m {_INSTALL}" if "not installed" in found.reason else ""
    return f"in {found.python} {found.reason}{install}"
