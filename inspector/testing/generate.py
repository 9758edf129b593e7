"""Writes a test of a recorded run, as a person would have written it."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from inspector.testing.trace import Trace

_LONG_CHARS: Final = 100
_NOT_OF_NAMES: Final = re.compile(r"\W+", re.ASCII)


def name_of(text: str) -> str:
    """Turn any text into a name for a module, a test and a file."""
    return _NOT_OF_NAMES.sub("_", text).strip("_").lower() or "run"


def written_test(name: str, program: Sequence[str], trace: Trace, *, is_frozen: bool = False) -> str:
    """Return the source of a module with one test."""
    answer = _decoded(trace.answer)
    body = "\n".join(f"    {line}" if line else "" for line in _body(program, trace, answer))
    freeze = ", freeze=True" if is_frozen else ""
    imports = "import json\n\n" if isinstance(answer, dict | list) else ""
    return f'{imports}import pytest\n\n\n@pytest.mark.cassette("{name}"{freeze})\ndef test_{name}(trace):\n{body}\n'


def _body(program: Sequence[str], trace: Trace, answer: Any) -> Iterator[str]:
    yield f"trace.run({', '.join(map(_literal, program))})"
    yield ""
    in_order = not trace.is_concurrent
    yield f"assert trace.tools == {_literal(trace.tools)}" if in_order else _of_any_order(trace.tools)
    yield from _shape(answer)
    yield ""
    yield "# Also true of this run; uncomment what matters:"
    for position, call in enumerate(trace.calls() if in_order else ()):
        if call.error is None:
            yield from _comment(f"assert trace.calls()[{position}].args == {_literal(call.args)}")
    if trace.answer is not None and in_order:
        yield from _comment(f"assert trace.answer == {_literal(trace.answer)}")
    yield from _comment(
        f"assert trace.errors == {_literal(trace.errors)}", f"assert len(trace.errors) == {len(trace.errors)}"
    )
    yield from _comment(f"assert trace.tokens <= {trace.tokens}")


def _of_any_order(tools: Sequence[str]) -> str:
    return f"assert sorted(trace.tools) == {_literal(sorted(tools))}  # models were called at the same time"


def _shape(answer: Any) -> Iterator[str]:
    """Describe the form of an answer, which stays the same when its words change."""
    if isinstance(answer, dict):
        yield f"assert sorted(json.loads(trace.answer)) == {_literal(sorted(cast('dict[str, Any]', answer)))}"
    elif isinstance(answer, list):
        yield "assert isinstance(json.loads(trace.answer), list)"
    elif answer is not None:
        yield "assert trace.answer"
    else:
        yield "assert trace.answer is None"


def _decoded(answer: str | None) -> Any:
    """Decode an answer that is JSON."""
    try:
        decoded: Any = json.loads(answer or "")
    except ValueError:
        return answer
    return cast("Any", decoded) if isinstance(decoded, dict | list) else answer


def _comment(line: str, *shorter: str) -> Iterator[str]:
    """Yield the first line that is not too long, if there is one: a line cut short would not be code."""
    yield from (f"# {each}" for each in [each for each in (line, *shorter) if len(each) <= _LONG_CHARS][:1])


def _literal(value: Any) -> str:
    """Return a value as people write it: with double quotation marks if it contains none."""
    if isinstance(value, str):
        text = repr(value)
        return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text else text
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return "{" + ", ".join(f"{_literal(key)}: {_literal(item)}" for key, item in items) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, cast("list[Any]", value))) + "]"
    return repr(value)
