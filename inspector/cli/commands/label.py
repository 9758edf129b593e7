"""``inspector label``: your verdict on a run or a span."""

import math
import time
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, Unpack

import click

from inspector.cli.options import OneOf, Text, WithId, home_option, json_option
from inspector.model import LABEL_FILTER, NOTE, LabelSource, NewLabel


class LabelOptions(TypedDict):
    """The options of ``label``."""

    what: str
    labels: tuple[NewLabel, ...]
    note: str | None
    author: str | None
    source: LabelSource
    remove: bool
    as_json: bool
    home: Path | None


class LabelArgument(click.ParamType[NewLabel, str]):
    """A name, alone or with a number or a word."""

    name = "label"

    def convert(self, value: str | NewLabel, param: click.Parameter | None, ctx: click.Context | None) -> NewLabel:
        """Parse ``good``, ``quality=0.8`` or ``relevance=fair``."""
        if isinstance(value, NewLabel):
            return value
        match = LABEL_FILTER.fullmatch(value)
        if match is None or match[2] or "=" in (match[4] or "") or not value.isprintable():
            self.fail(f"{value!r} is not a label; give good, bad, a tag, or NAME=NUMBER or NAME=WORD", param, ctx)
        name, word = match[1], match[4]
        score = None if word is None else _number(word)
        return NewLabel(name=name, score=score, value=word if score is None else None, time_ns=0)


def _number(word: str) -> float | None:
    try:
        number = float(word)
    except ValueError:
        return None
    return number if math.isfinite(number) and abs(number) <= 1e15 else None


@click.command(cls=WithId)
@click.argument("what", metavar="RUN|SPAN", type=Text())
@click.argument("labels", metavar="[LABEL]...", type=LabelArgument(), nargs=-1)
@click.option("--note", type=Text(), metavar="TEXT", help="The reason for the label, or a note without a label.")
@click.option("--author", type=Text(), metavar="NAME", help="Who gives the label.")
@click.option(
    "--source",
    type=OneOf(["person", "code", "model"]),
    default="person",
    show_default=True,
    help="Kind of author.",
)
@click.option("--remove", is_flag=True, help="Remove these labels, whoever gave them.")
@json_option
@home_option
def label(**options: Unpack[LabelOptions]) -> None:
    """Label a run or a span: good, bad, a tag, NAME=NUMBER or NAME=WORD, with a note. Without LABEL, list its labels.

    RUN or SPAN is an id, a part of one as the lists show it, or 'last'. A label replaces the one of the same name and
    author, and good and bad replace each other; notes are added.
    """
    labels = list(options["labels"])
    if options["remove"] and (not labels or options["note"]):
        raise click.UsageError("--remove takes only names of labels, such as: inspector label last good --remove")
    if options["note"] and not labels:
        labels = [NewLabel(name=NOTE, time_ns=0)]
    from inspector.cli.home import settings_of
    from inspector.cli.lookup import find_any
    from inspector.cli.opening import opened
    from inspector.cli.output.documents import write_json
    from inspector.cli.output.notices import notice
    from inspector.cli.output.rows import label_lines
    from inspector.cli.output.terminal import standard_output
    from inspector.cli.writing.labelling import change, labels_of, target_of

    terminal, settings, now_ns = standard_output(), settings_of(options["home"]), time.time_ns()
    fields = {"note": options["note"], "author": options["author"], "source": options["source"]}
    with opened(settings, write=bool(labels)) as store:
        target = target_of(store, find_any(store, options["what"]))
        labels = [replace(each, time_ns=now_ns, **fields) for each in labels]
        change(settings, store, target, labels, remove=options["remove"])
        found = labels_of(store, target)
    if options["as_json"]:
        write_json({"items": found}, terminal)
    elif found:
        terminal.write(label_lines(found, terminal))
    else:
        notice("no labels")
