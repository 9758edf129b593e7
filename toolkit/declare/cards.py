"""AgentCards: agents declared in Markdown with front matter or in YAML, in files, folders and at addresses."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

from toolkit.declare.config import CODE_KEYS, AgentConfig, Card, Origin, read_config
from toolkit.errors import CardInvalid, CardProblem, ToolkitError
from toolkit.schemas.documents import (
    MOST_BYTES,
    Document,
    decoded,
    has_front_matter,
    parse,
    read_markdown,
    read_yaml,
)
from toolkit.schemas.fetching import fetch
from toolkit.schemas.reading import Key, Misfit

CONFIG_NAMES = ("fastagent.config.yaml", "fast-agent.yaml")
"""Files of servers and settings, which lie among cards and are none."""

TIMEOUT_S = 10.0

_ACCEPTED = "text/markdown, application/yaml, text/*"
_MARKDOWN = (".md", ".markdown")
_YAML = (".yaml", ".yml")
_NEEDED = "no instruction: write it below the front matter, or as the key 'instruction'"
_TWICE = "the instruction is given twice: as this key and below the front matter; keep one"
_NONE_HERE = "no card in this folder: no .yaml, and no .md that begins with '---'"
_NOT_FROM_AN_ADDRESS = "not in a card from an address: {key} would read or run files of this machine; save the card"


def load_cards(place: str | Path) -> list[AgentConfig]:
    """Read the card in a file or at an address, or the cards in a folder; nothing of what they name is loaded.

    In a folder, the names decide the order; Markdown without front matter, a file of settings, and a script for a model
    are no cards.

    Raises:
        CardInvalid: There is no card, or something is wrong; its ``problems`` are all that is.
    """
    configs, problems = read_cards(place)
    if problems:
        raise CardInvalid(tuple(problems))
    return configs


def read_cards(place: str | Path) -> tuple[list[AgentConfig], list[CardProblem]]:
    """Read what can be read, and say what is wrong with the rest."""
    configs: list[AgentConfig] = []
    problems: list[CardProblem] = []
    try:
        for document, origin, stem in _documents(place, problems):
            config, wrong = _config(document, origin, stem)
            problems += wrong
            if config is not None:
                configs.append(config)
    except CardInvalid as error:
        problems += error.problems
    return configs, problems


def _documents(place: str | Path, problems: list[CardProblem]) -> Iterator[tuple[Document, Origin, str]]:
    if isinstance(place, str) and "://" in place:
        document, stem = _fetched(place)
        yield document, _origin(document, None), stem
        return
    for path in _files(Path(place)):
        try:
            read = read_markdown if path.suffix.lower() in _MARKDOWN else read_yaml
            document = read(read_text(path), str(path))
        except CardInvalid as error:
            problems += error.problems
        else:
            yield document, _origin(document, path.parent), path.stem


def _origin(document: Document, folder: Path | None) -> Origin:
    lines = {str(path[0]): line for path, line in document.lines.items() if len(path) == 1}
    return Origin(document.source, document.first_line, lines, folder, is_card=True, is_remote=folder is None)


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        cards = [file for file in sorted(path.iterdir()) if _is_card(file)]
        if not cards:
            raise CardInvalid((CardProblem(str(path), 1, _NONE_HERE),))
        return cards
    if not path.exists():
        raise CardInvalid((CardProblem(str(path), 1, "No such file or directory"),))
    if path.suffix.lower() not in (*_MARKDOWN, *_YAML):
        raise CardInvalid((CardProblem(str(path), 1, f"not a card: expected {', '.join((*_MARKDOWN, *_YAML))}"),))
    return [path]


def _is_card(path: Path) -> bool:
    if not path.is_file() or path.name in CONFIG_NAMES or path.name.startswith("."):
        return False
    try:
        if path.suffix.lower() in _YAML:
            return not _is_script(read_text(path))
        return path.suffix.lower() in _MARKDOWN and has_front_matter(read_text(path))
    except CardInvalid:
        return True  # so that it is told with the others


def read_text(path: Path) -> str:
    """Return what a declaration's file says; one that is far too large says nothing."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise CardInvalid((CardProblem(str(path), 1, error.strerror or "cannot be read"),)) from error
    return decoded(data, str(path))


def _config(document: Document, origin: Origin, stem: str) -> tuple[AgentConfig | None, list[CardProblem]]:
    values: dict[str, Any] = dict(document.values)
    problems: list[CardProblem] = []
    if origin.is_remote:
        problems += [
            document.problem(_NOT_FROM_AN_ADDRESS.format(key=key), key)
            for key in (*CODE_KEYS, "messages")
            if key in document.values
        ]
    if document.body and "instruction" in values:
        problems.append(document.problem(_TWICE, "instruction"))
    elif document.body or "instruction" not in values:
        values["instruction"] = document.body or _NEEDED
        problems += [] if document.body else [document.problem(_NEEDED)]
    values.setdefault("name", stem)
    try:
        config = read_config(Card, values)
    except Misfit as error:
        problems = [*(_problem(document, *problem) for problem in error.problems), *problems]
    else:
        if not problems:
            return config.model_copy(update={"origin": origin}), []
    return None, sorted(problems, key=lambda problem: problem.line)


def _problem(document: Document, path: tuple[Key, ...], sentence: str) -> CardProblem:
    if path == ("name",) and "name" not in document.values:
        return document.problem(f"no name, and the file's {sentence.removeprefix('name: ')}")
    return document.problem(sentence, *path)


def _is_script(text: str) -> bool:
    """Return whether YAML is a script for a model rather than a card: a list, or turns without an instruction."""
    try:
        _, value = parse(text, "")
    except CardInvalid:
        return False
    if not isinstance(value, dict):
        return isinstance(value, list)
    keys = cast("dict[str, Any]", value)
    return "instruction" not in keys and ("turns" in keys or isinstance(keys.get("agents"), dict))


def _shown(address: str) -> str:
    """Return an address for people: without a password, a query or a fragment."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _fetched(address: str) -> tuple[Document, str]:
    """Return the card at an address, and what it is called there, without its ending."""
    source = _shown(address)
    try:
        fetched = fetch(address, most_bytes=MOST_BYTES, timeout_s=TIMEOUT_S, accept=_ACCEPTED)
    except ToolkitError as error:
        raise CardInvalid((CardProblem(source, 1, str(error)),)) from error
    path = PurePosixPath(urlsplit(fetched.url).path)
    is_yaml = path.suffix.lower() in _YAML or fetched.content_type.endswith("yaml")
    return (read_yaml if is_yaml else read_markdown)(decoded(fetched.data, source), source), path.stem
