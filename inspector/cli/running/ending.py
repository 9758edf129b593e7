"""What ``inspector run`` prints when the program has ended: where to look, or why nothing was recorded."""

import os
import shlex
import signal
from collections.abc import Collection, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from inspector.cli.output.losses import loss_sentences
from inspector.cli.running.collecting import why_of_another
from inspector.cli.views import run_view, service_view, trace_view
from inspector.configured import configured
from inspector.environment import Environment
from inspector.integrations import INTEGRATIONS, STANDARD_LIBRARY
from inspector.launch import Choices, LeftOut, Outcome, Program, switched_off

_MOST_NOTICES = 5
_HIDES = " hides "
_IN_ANOTHER_WAY = (
    "other calls can be recorded with --otel and an instrumentor of the library, with hooks, or as OTLP: "
    "docs/frameworks.md"
)
_WITHOUT_CONTENT = (
    " without prompts, answers, arguments and results; INSPECTOR_CAPTURE_CONTENT=true records and sends them"
)


def ending_lines(program: Program, choices: Choices, outcome: Outcome, status: int) -> Iterator[str]:
    """Say in two or three lines what was recorded and how to see it, and then what went wrong."""
    environment = configured(home=choices.home)
    if not outcome.spans:
        why = why_of_another(program) or _why(program, choices, outcome, status)
        yield f"inspector: nothing was recorded{': ' if why else ''}{why}"
        if _made_none(outcome) and not _ended_early(outcome, status):
            yield f"inspector: {_IN_ANOTHER_WAY}"
    elif environment.endpoint is not None:
        yield f"inspector: recorded {_counted(outcome)} ({_which(outcome)}{_trace_id(outcome)})"
        is_decided = environment.capture_content is not None or not choices.content
        yield from _sent(environment, environment.endpoint, outcome, without="" if is_decided else _WITHOUT_CONTENT)
    else:
        one = f"inspector show {_trace_id(outcome)}{_elsewhere(choices)}"
        if _is_one_trace(outcome):
            yield f"inspector: recorded {_counted(outcome)}; to see it: {one}"
        else:
            every = f"inspector {_all_of_it(outcome)}{_elsewhere(choices)}"
            yield f"inspector: recorded {_counted(outcome)}; to see them: {every}"
            if outcome.shown_trace is not None and (outcome.shown_trace.failed or outcome.shown_trace.calls > 1):
                yield f"inspector: {_which(outcome)}{one}"
        yield _in_the_browser(environment, choices, outcome)
    for sentence in loss_sentences(outcome.losses):
        yield f"inspector: {sentence}"
    yield from _notices(environment, outcome)
    if outcome.going_on:
        pids = ", ".join(map(str, outcome.going_on))
        yield f"inspector: still running, and being recorded: process {pids}"


def _is_one_trace(outcome: Outcome) -> bool:
    return outcome.runs == 1 or (not outcome.runs and outcome.own_runs == 1)


def _all_of_it(outcome: Outcome) -> str:
    """Return the arguments that show everything: the program's run, or the list if requests or blocks are runs too."""
    if not outcome.own_runs:
        return f"show {outcome.run_id}"
    service = _service(outcome)
    return f"runs --service {shlex.quote(service)}" if service else "runs"


def _service(outcome: Outcome) -> str:
    return outcome.services[0] if len(outcome.services) == 1 else ""


def _notices(environment: Environment, outcome: Outcome) -> Iterator[str]:
    """Repeat the warnings of the recorders, and check the settings if no recorder was there to warn."""
    endpoint = environment.endpoint
    # Why an endpoint accepts nothing was already printed, with what to do.
    waiting = "spans wait on disk: "
    warned = (
        text for text in outcome.notices if endpoint is None or not (text.startswith(waiting) and endpoint in text)
    )
    notices = tuple(dict.fromkeys((*environment.ignored, *warned)))
    for text in notices[:_MOST_NOTICES]:
        yield f"inspector: {text}"
    if notices[_MOST_NOTICES:]:
        yield f"inspector: {len(notices) - _MOST_NOTICES} more warnings are on the logger mcp.inspector"


def _counted(outcome: Outcome) -> str:
    # Which spans are duplicates is decided once they are stored; until then only their number is certain.
    noun, number = ("span", outcome.spans) if outcome.perhaps else ("call", outcome.calls)
    calls = f"{number:,} {noun}{'' if number == 1 else 's'}{_failed(outcome)}"
    if not outcome.runs and outcome.own_runs:
        return f"{calls} in {outcome.own_runs:,} {'run' if outcome.own_runs == 1 else 'runs'}"
    if not outcome.runs:
        return f"{calls} of traces that began elsewhere"
    noun = "run" if outcome.own_runs == outcome.runs else "trace"
    return f"{calls} in {outcome.runs:,} {noun}{'' if outcome.runs == 1 else 's'}"


def _failed(outcome: Outcome) -> str:
    if outcome.perhaps_failed:
        least = max(1, outcome.failed)
        return f" (at least {least:,} {'call' if least == 1 else 'calls'} failed)"
    calls = f" {'call' if outcome.failed == 1 else 'calls'}" if outcome.perhaps else ""
    return f" ({outcome.failed:,}{calls} failed)" if outcome.failed else ""


def _which(outcome: Outcome) -> str:
    """Say why one of several traces is named."""
    if outcome.runs == 1 or outcome.shown_trace is None:
        return ""
    return "where something failed: " if outcome.shown_trace.failed else "the largest: "


def _trace_id(outcome: Outcome) -> str:
    return "" if outcome.shown_trace is None else outcome.shown_trace.trace_id


def _elsewhere(choices: Choices) -> str:
    return "" if choices.home is None else f" --home {shlex.quote(str(choices.home))}"


def prepare() -> None:
    """Import what takes long to import while the program runs; missing packages are reported where they are needed."""
    with suppress(ImportError):
        import_module("inspector.cli.ownership")


def _sent(environment: Environment, url: str, outcome: Outcome, *, without: str) -> Iterator[str]:
    from inspector.forward import Endpoint, advice_on, last_problem, left_over

    endpoint = Endpoint.of(url)
    directory = environment.outbox / endpoint.key
    if not left_over(directory):
        # What it refused is among the notices.
        if not any(notice.startswith(f"{endpoint.url} refused") for notice in outcome.notices):
            yield f"inspector: sent to {endpoint.url}{without}"
        return
    problem = last_problem(directory)
    why = f" ({problem})" if problem else ""
    yield f"inspector: {endpoint.url} has not accepted all of it{why}; to send the rest: inspector forward"
    if advice_on(problem):
        yield f"inspector: {advice_on(problem)}"


def _in_the_browser(environment: Environment, choices: Choices, outcome: Outcome) -> str:
    from inspector.cli.ownership import current_owner

    owner = current_owner(environment.lock_file)
    if owner is not None and owner.url is not None:
        return f"inspector: in the browser: {owner.url}/{_view(outcome)}"
    return f"inspector: in the browser: inspector serve{_elsewhere(choices)}"


def _view(outcome: Outcome) -> str:
    if _is_one_trace(outcome):
        return trace_view(_trace_id(outcome))
    return service_view(_service(outcome)) if outcome.own_runs else run_view(outcome.run_id)


def _why(program: Program, choices: Choices, outcome: Outcome, status: int) -> str:
    """Say why there is nothing to see; empty if that was already said."""
    off = switched_off(os.environ, choices)
    also = f"; switched off: {', '.join(off)} (INSPECTOR_INTEGRATIONS_OFF, --without or --integrations)" if off else ""
    if _lost_something(outcome):
        return ""
    if outcome.joined:
        return _no_call(outcome) + _before_it_failed(outcome, status) + also
    if outcome.left_out:
        return _left_out(outcome.left_out[-1])
    if outcome.reached:
        return _nothing_imported(off, status) + also
    if program.isolation is not None:
        option = program.isolation
        return f"{option} makes Python ignore what starts the recorder; leave it out, or call inspector.attach()"
    return _no_python(Path(program.arguments[0]).name, status)


def _no_python(name: str, status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"{name} was ended by {_signal_name(os.WTERMSIG(status))} before it started a Python that is recorded"
    return f"{name} started no Python, or only with -I, -E or -S, which leave the recorder out"


def _nothing_imported(off: Collection[str], status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code:
        how = f"it failed (exit code {code})" if code > 0 else f"it was ended by {_signal_name(-code)}"
        return f"{how} before it imported anything that is recorded"
    left_out = STANDARD_LIBRARY.union(off)
    packages = ", ".join(each.distribution for each in INTEGRATIONS if each.name not in left_out)
    none = f", and none of {packages}" if packages else ""
    return f"it imported nothing that is recorded: no hooks of its own (instrument){none}"


def _ended_early(outcome: Outcome, status: int) -> bool:
    """Return whether the program failed or was stopped before there was anything to record."""
    return outcome.reached and not outcome.joined and not outcome.left_out and status != 0


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        # Real-time signals but the first and the last have no name.
        return f"signal {number}"


def _lost_something(outcome: Outcome) -> bool:
    """Return whether calls were not recorded; further lines say which."""
    return bool(outcome.losses.calls or outcome.losses.unmatched)


def _made_none(outcome: Outcome) -> bool:
    """Return whether no call was made where calls are recorded, although there could have been some."""
    if _lost_something(outcome) or outcome.left_out:
        return False
    return outcome.reached and (outcome.ended or not outcome.joined)


def _no_call(outcome: Outcome) -> str:
    if outcome.frameworks:
        return f"no call was made through what it imported ({', '.join(outcome.frameworks)})"
    if outcome.ended:
        return "it made no call that is recorded, by hooks of its own (instrument) or by a framework"
    return "it was killed or left by os._exit; what ended in its last few milliseconds may be missing"


def _before_it_failed(outcome: Outcome, status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f" before it failed (exit code {code})" if outcome.ended and code > 0 else ""


def _left_out(left_out: LeftOut) -> str:
    if left_out.has_reported:
        return ""
    if _HIDES in left_out.reason:
        return left_out.reason
    return f"in {left_out.python} {left_out.reason}"
