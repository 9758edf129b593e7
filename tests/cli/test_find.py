import io
import json

import pytest

from inspector.cli.drawing.hits import find_hit, hit_lines
from inspector.cli.output.terminal import Terminal
from inspector.model import JsonText, SpanError

NOTE = "inv 1137, paid\n twice"
ARGUMENTS, RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"


@pytest.fixture
def invoices(write_spans, span):
    """Two calls of a tool, of which the later one's result holds what the earlier one was given, and a failed one."""
    content = {"input_key": ARGUMENTS, "output_key": RESULT}

    def call(span_id, given, got, **fields):
        attributes = {ARGUMENTS: json.dumps(given), RESULT: json.dumps(got)}
        return span(span_id=span_id, name="execute_tool get_invoice", attributes=attributes, **content, **fields)

    write_spans(
        call("aaaa000000000001", {"invoice": {"number": "INV-1137"}}, {"total": 84932.86}),
        call("bbbb000000000002", {"invoice": {"number": "INV-1"}}, [{"note": f"{'x ' * 50}see {NOTE}"}]),
        span(span_id="cccc000000000003", status="error", error=SpanError("KeyError", "no INV-2000"), trace_id="c" * 32),
    )


def test_a_text_is_found_with_its_place_its_surroundings_and_the_command_that_opens_it(invoices, inspector):
    done = inspector("find", "INV-1137")
    assert (done.returncode, done.stderr) == (0, b"")
    first, around, second, exact = done.stdout.decode().splitlines()
    assert first.endswith("  ✓  tool  execute_tool get_invoice  in result[0].note  inspector show bbbb000000000002")
    assert around == f"    …{'x ' * 14}see «inv 1137», paid twice"
    assert second.endswith("  in arguments.invoice.number  inspector show aaaa000000000001")
    assert exact == "    «INV-1137»"
    command = second.split("  ")[-1].split()[1:]
    assert inspector(*command).stdout.startswith("✓ execute_tool get_invoice\n".encode())


@pytest.mark.parametrize("command", [["find"], ["events", "--q"], ["runs", "--q"], ["stats", "--q"]])
def test_what_of_a_search_is_not_understood_is_said_beside_what_it_found(invoices, inspector, command):
    done = inspector(*command, '"INV-1137')
    assert done.returncode == 0
    assert done.stdout
    assert b"quotation mark without its pair" in done.stderr


def test_what_is_found_can_be_narrowed(invoices, inspector):
    for options, ids in (
        (["INV-2000"], ["cccc"]),
        (["inv*"], ["cccc", "bbbb", "aaaa"]),
        (["inv*", "--in", "4bf9"], ["bbbb", "aaaa"]),
        (["inv*", "--in", "last"], ["cccc"]),
        (["inv*", "--in", "cccc"], ["cccc"]),
        (["inv*", "--status", "error"], ["cccc"]),
        (["inv*", "--limit", "1", "--page", "2"], ["bbbb"]),
        (["paid", "twice"], ["bbbb"]),
        (["84932.86"], ["aaaa"]),
        (['"twice paid"'], []),
    ):
        found = json.loads(inspector("find", *options, "--json").stdout)["items"]
        assert [item["event"]["span_id"][:4] for item in found] == ids, options


def test_a_text_that_a_duplicate_alone_holds_is_found_too(write_spans, span, inspector):
    used = {"kind": "llm", "model": "gpt-5", "input_tokens": 12, "output_tokens": 1}
    outer = span(name="generate", attributes={"otel.scope.name": "framework"}, **used)
    sdk = {"otel.scope.name": "opentelemetry.instrumentation.openai_v2", "raw_json": '"a zebra"'}
    write_spans(outer, span(name="chat gpt-5", parent_id=outer.span_id, dialect="gen_ai/2", attributes=sdk, **used))
    (item,) = json.loads(inspector("find", "zebra", "--json").stdout)["items"]
    assert (item["event"]["span_id"], item["place"]) == ("0000000000000002", "attributes.raw_json")


def test_json_says_where_the_hits_are(invoices, inspector):
    (item,) = json.loads(inspector("find", "2000", "--json").stdout)["items"]
    assert (item["place"], item["text"], item["hits"]) == ("error", "KeyError: no INV-2000", [[17, 21]])
    assert "input" not in item["event"]


def test_nothing_found_is_said_beside_the_output(invoices, inspector):
    done = inspector("find", "no", "such")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"no span holds no such\n")
    assert inspector("find", " ").returncode == 2


def test_a_list_that_goes_on_says_how(invoices, inspector):
    assert inspector("find", "inv*", "--limit", "2").stderr == b"more: --page 2\n"


def prompt(*messages):
    return JsonText(json.dumps([{"role": "user", "content": text} for text in messages]).encode())


def test_the_last_message_of_a_prompt_is_where_a_call_brought_the_text(event):
    hit = find_hit(event(1, kind="llm", input=prompt("the zebra", "the lion", "a zebra again")), "zebra")
    assert (hit.place, hit.text, hit.hits) == ("prompt[2].content", "a zebra again", ((2, 7),))


def test_the_place_with_the_most_of_the_words_is_shown(event):
    hit = find_hit(event(1, input=JsonText(b'{"a": "one", "b": "one and two"}')), "one two")
    assert (hit.place, hit.hits) == ("arguments.b", ((0, 3), (8, 11)))


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("unicode", [True, False])
def test_hits_fit_the_terminal_and_never_control_it(event, columns, unicode):
    hostile = "\x1b[2J\u202e" + "日本 " * 30 + "zebra " * 40
    found = find_hit(event(1, name=hostile, output=JsonText(json.dumps(hostile).encode())), "zebra")
    terminal = Terminal(io.StringIO(), width=columns, unicode=unicode)
    head, around = hit_lines(found, terminal)
    assert len(around) <= columns
    assert "\x1b" not in head + around and "\u202e" not in head + around
    assert (head + around).isascii() or unicode


def test_a_hit_is_coloured_where_colours_are_shown(event):
    found = find_hit(event(1, output=JsonText(b'"a zebra here"')), "zebra")
    assert list(hit_lines(found, Terminal(io.StringIO(), colour=True)))[1] == "    a \x1b[33mzebra\x1b[0m here"
