"""Adds and removes labels through the process that may write the database: this one, or the server that owns it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspector.cli.errors import CliError
from inspector.cli.ownership import other_server
from inspector.cli.writing.request import create_label, delete_label
from inspector.lookup import TraceUnknown
from inspector.model import Event, Label, NewLabel, Run, Trace
from inspector.settings import Settings
from inspector.store import Store

_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Target:
    """What to label: a run or a span."""

    run_id: str | None = None
    trace_id: str | None = None
    span_id: str | None = None

    def fields(self) -> dict[str, str]:
        """Return the ids that identify it."""
        named = {"run_id": self.run_id, "trace_id": self.trace_id, "span_id": self.span_id}
        return {key: value for key, value in named.items() if value is not None}


def target_of(store: Store, item: Run | Trace | Event) -> Target:
    """Return the run or span that an id refers to.

    Raises:
        TraceUnknown: It is one of several traces of a run, and traces themselves have no labels.
    """
    if isinstance(item, Event):
        return Target(trace_id=item.trace_id, span_id=item.span_id)
    if isinstance(item, Trace):
        run = store.run(item.run_id)
        if run is not None and run.traces > 1:
            raise TraceUnknown(f"traces carry no labels: name the run, {item.run_id}, or a span")
    return Target(run_id=item.run_id)


def labels_of(store: Store, target: Target) -> list[Label]:
    """Return the labels of a run and of its spans, or of a span."""
    return list(store.labels(**target.fields(), limit=_PAGE).items)


def change(settings: Settings, store: Store, target: Target, labels: Sequence[NewLabel], *, remove: bool) -> None:
    """Add labels to a target, or remove those with these names.

    Raises:
        CliError: The owner of the database did not do it, or there is no such label to remove.
    """
    url = other_server(settings.lock_file)
    if not remove:
        for each in labels:
            label = replace(each, **target.fields())
            if url is None:
                store.set_label(label)
            else:
                create_label(settings, url, _body(label))
        return
    for each in labels:
        gone = [label for label in labels_of(store, target) if _is_that(label, target, each)]
        if not gone:
            raise CliError(f"no label {each.name} to remove; leave out --remove to list the labels")
        for label in gone:
            if url is None:
                store.remove_label(label.label_id)
            else:
                delete_label(settings, url, label.label_id)


def _is_that(label: Label, target: Target, named: NewLabel) -> bool:
    is_on_it = (label.run_id, label.trace_id, label.span_id) == (target.run_id, target.trace_id, target.span_id)
    return is_on_it and label.name == named.name


def _body(label: NewLabel) -> dict[str, Any]:
    names = ("run_id", "trace_id", "span_id", "name", "score", "value", "note", "author", "source")
    return {name: value for name in names if (value := getattr(label, name)) is not None}
