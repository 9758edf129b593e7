"""The checks of ``inspector doctor`` for sending to an endpoint."""

import time
from collections.abc import Iterator
from pathlib import Path

from inspector.cli.doctor.report import Check
from inspector.cli.output.figures import size
from inspector.cli.output.losses import ADVICE, counts_in, loss_sentence, sum_of
from inspector.forward import (
    Endpoint,
    EndpointInvalid,
    Sender,
    advice_on,
    as_answer,
    last_problem,
    left_over,
    waiting_elsewhere,
)
from inspector.ingest.losses import unwritten_losses, waiting_losses
from inspector.refusals import all_refused
from inspector.settings import Settings
from inspector.tail import list_segments

_ANSWER_S = 2.0


def check_endpoint(settings: Settings) -> Iterator[Check]:
    """Check whether recordings are sent to an endpoint, whether it accepts them, and what still waits."""
    try:
        target = Endpoint.chosen(
            None,
            configured=settings.endpoint,
            headers=settings.endpoint_headers.get_secret_value(),
            protocol=settings.endpoint_protocol,
        )
    except EndpointInvalid as error:
        yield Check("fail", "endpoint", str(error), "correct INSPECTOR_ENDPOINT, or leave it out")
        return
    if target is None:
        yield Check("ok", "endpoint", "INSPECTOR_ENDPOINT is not set: what is recorded stays here")
    else:
        yield _asked(target)
        yield _waiting(settings.outbox / target.key, target.url, "to send it: inspector forward")
        yield from _lost(settings, target.key, target.url)
    for url in waiting_elsewhere(settings.outbox, "" if target is None else target.url):
        key = Endpoint.of(url).key
        yield _waiting(settings.outbox / key, url, f"to send it: inspector forward --endpoint {url}")
        yield from _lost(settings, key, url)
    yield from _refused(settings)


def _asked(target: Endpoint) -> Check:
    """Send a request without spans, which changes nothing."""
    answer = Sender(target, timeout_s=_ANSWER_S).send(())
    if answer.outcome in ("taken", "refused", "split"):
        return Check("ok", "endpoint", f"{target.url} answers; what is recorded is sent there")
    advice = advice_on(answer.reason)
    if answer.outcome == "misdirected":
        return Check("fail", "endpoint", f"{target.url} refuses spans: {answer.reason}", advice or "correct it")
    return Check("warn", "endpoint", f"{target.url} does not answer: {answer.reason}", "what is recorded waits for it")


def _refused(settings: Settings) -> Iterator[Check]:
    for refused in all_refused(settings.outbox, days=settings.retention_days, now_ns=time.time_ns()):
        advice = f"see its responses; to reset the count, delete {refused.file}"
        yield Check("warn", "endpoint", refused.sentence, advice)


def _waiting(directory: Path, url: str, command: str) -> Check:
    waits = left_over(directory)
    if not waits:
        return Check("ok", "outbox", f"nothing waits for {url}")
    problem = last_problem(directory)
    why = f"; it last {as_answer(problem)}" if problem else ""
    return Check("warn", "outbox", f"{size(waits)} wait for {url}{why}", command)


def _lost(settings: Settings, key: str, url: str) -> Iterator[Check]:
    """Check what recorders that send there reported as not recorded."""
    directory = settings.outbox / key
    if not directory.exists():
        return
    segments, _ = list_segments(directory)
    losses = [*waiting_losses(segments, {}), *(loss for _, loss in unwritten_losses(directory))]
    for reason, count in counts_in(sum_of(losses)):
        yield Check("warn", "outbox", f"for {url}: {loss_sentence(reason, count)}", ADVICE[reason])
