"""The messages of an imported session are searched for secrets once, not again in each call that repeats them."""

import json

import pytest

from inspector.cli.writing.import_files import import_files
from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings

SECRET = "sk-ant-api03-" + "q7" * 46 + "xAA"
PASSWORD = "Tr0ub4dor&3"


def line_of(at, kind, role, content, **message):
    told = {"type": kind, "sessionId": "s-1", "uuid": f"u{at}", "timestamp": f"2026-11-28T08:00:{at:02d}.000Z"}
    return json.dumps(told | {"message": {"role": role, "content": content, **message}})


def session(calls, result_of):
    """A prompt, and calls of the model that each ask for a tool, whose result the next ones repeat."""
    yield line_of(0, "user", "user", "Look at it", model=None)
    for at in range(1, 2 * calls, 2):
        uses = [{"type": "tool_use", "id": f"t{at}", "name": "Read", "input": {"path": "notes"}}]
        yield line_of(at, "assistant", "assistant", uses, id=f"m{at}", model="claude-sonnet-4-5")
        results = [{"type": "tool_result", "tool_use_id": f"t{at}", "content": result_of(at)}]
        yield line_of(at + 1, "user", "user", results)


def stored(home, lines):
    file = home / "session.jsonl"
    file.write_text("\n".join(lines))
    settings = Settings(home=home)
    assert import_files(settings, [str(file)]).bad_files == []
    with Owner(settings) as owner:
        return [bytes(each.attributes).decode() for each in owner.store.events(Filter(), limit=100, full=True).items]


@pytest.mark.parametrize(
    ("result", "secret"),
    [
        ([{"type": "text", "text": f"the key is {SECRET}."}], SECRET),
        ([{"name": "API_PASSWORD", "type": "text", "value": PASSWORD}], PASSWORD),
        ({"a": {"password": PASSWORD}}, PASSWORD),
        (f"PASSWORD={PASSWORD}\n", PASSWORD),
    ],
)
def test_a_secret_is_in_no_prompt_that_repeats_it(tmp_path, result, secret):
    spans = stored(tmp_path, session(6, lambda at: result if at == 3 else f"result {at}"))
    assert sum("result 9" in each for each in spans) >= 2
    assert sum("redacted:" in each for each in spans) >= 4
    assert not any(secret in each or secret.replace("&", "\\u0026") in each for each in spans)


def test_a_secret_in_the_answer_is_found_like_one_in_a_result(tmp_path):
    answer = [{"type": "text", "text": f"Use {SECRET}"}]
    lines = [*session(3, lambda at: f"result {at}")]
    lines += [line_of(20, "assistant", "assistant", answer, id="m20", model="claude-sonnet-4-5")]
    lines += [line_of(21, "user", "user", "Thanks"), line_of(22, "assistant", "assistant", [], id="m22", model="m")]
    lines += [line_of(23, "assistant", "assistant", [{"type": "text", "text": "Bye"}], id="m23", model="m")]
    spans = stored(tmp_path, lines)
    assert any("Bye" in each for each in spans)
    assert not any(SECRET in each for each in spans)
