"""Writes what the page knows of filters: ``python tests/filter_fields.py`` after a change of the table."""

from pathlib import Path

from inspector.model import KINDS, PARAMETERS, STATUSES

FILE = Path(__file__).parents[1] / "web" / "src" / "lib" / "filter-fields.ts"
_WIDTH = 120
_TEXTS = ("text", "words", "run id", "trace id", "span id")
_HEAD = "/** The filters there are. Made from inspector/model/filters.py: `python tests/filter_fields.py`. */\n"


def source():
    """Returns the module in TypeScript."""
    lists = [
        ("", "KINDS", KINDS),
        ("", "STATUSES", STATUSES),
        ("Fields that hold one text.", "TEXT_FIELDS", _named(*_TEXTS)),
        ("Fields that hold one number.", "NUMBER_FIELDS", _named("milliseconds", "dollars")),
        ("Fields that hold pairs of a key, or a path, and a value.", "PAIR_FIELDS", _named("pairs")),
    ]
    return "\n".join([_HEAD, *(_constant(*each) for each in lists)])


def _named(*forms):
    return [name for name, row in PARAMETERS.items() if row.form in forms]


def _constant(comment, name, values):
    quoted = [f'"{value}"' for value in values]
    line = f"export const {name} = [{', '.join(quoted)}] as const;"
    if len(line) > _WIDTH:
        line = "\n".join([f"export const {name} = [", *(f"  {value}," for value in quoted), "] as const;"])
    return f"/** {comment} */\n{line}\n" if comment else f"{line}\n"


if __name__ == "__main__":
    FILE.write_text(source(), encoding="utf-8")
