import json
import random
import string
from functools import partial
from importlib.metadata import version

import pytest

from inspector import semconv as sc
from inspector.cli.writing.import_files import import_files
from inspector.ingest import Owner
from inspector.model import Filter
from inspector.otlp import decode, decode_protobuf
from inspector.received.redacting import Redacting
from inspector.redaction import Redactor
from inspector.settings import Settings

SECRET = "ghp_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))


@pytest.fixture
def request_with_secrets(make_span, otlp_attributes, make_request):
    """One span of a foreign program that has the secret wherever OTLP has text."""

    def make(**resource):
        span = make_span(
            {
                "note": f"use {SECRET} here",
                "password": SECRET[4:],
                "http.request.header.authorization": [f"Bearer {SECRET}"],
                "nested": {"env": [{"name": "API_KEY", "value": SECRET[4:]}]},
                f"key {SECRET}": 1,
            },
            name=f"call {SECRET}",
            status={"code": 2, "message": f"401 for {SECRET}"},
            events=[{"name": SECRET, "timeUnixNano": "1", "attributes": otlp_attributes({"m": SECRET})}],
            links=[{"traceId": f"{2:032x}", "spanId": f"{2:016x}", "attributes": otlp_attributes({"m": SECRET})}],
        )
        about = {"process.command_args": ["run", "--token", SECRET[4:]], **resource}
        request = json.loads(make_request(span, make_span(), process=None, scope={"s": SECRET}, **about))
        for part in (scopes := request["resourceSpans"][0]["scopeSpans"]):
            part["scope"] |= {"name": f"name {SECRET}", "version": f"version {SECRET}"}
        scopes[0]["schemaUrl"] = request["resourceSpans"][0]["schemaUrl"] = f"https://a.example/{SECRET}"
        return json.dumps(request).encode()

    return make


def leaks(settings):
    """Which files of the home hold a part of the secret."""
    return sorted(
        path.name
        for path in settings.home.rglob("*")
        if path.is_file() and path.parent != settings.spool and SECRET[4:].encode() in path.read_bytes()
    )


def by_otlp(settings, body):
    with Owner(settings) as owner:
        assert owner.intake.deliver(partial(decode, body), len(body)).result(10).spans == 2


def by_import(settings, body):
    file = settings.home.parent / "sent.jsonl"
    file.write_bytes(body)
    assert import_files(settings, [str(file)]).new == 2


def by_spool(settings, body):
    settings.spool.mkdir(parents=True, mode=0o700)
    (settings.spool / "collector.jsonl").write_bytes(body + b"\n")
    with Owner(settings) as owner:
        assert owner.ingest_spools().spans == 2


WAYS = {"redact_otlp": by_otlp, "redact_imports": by_import, "redact_spool": by_spool}


@pytest.mark.parametrize("switch", WAYS)
def test_no_secret_of_another_program_is_stored(switch, settings, request_with_secrets):
    WAYS[switch](settings, request_with_secrets())
    assert leaks(settings) == []


@pytest.mark.parametrize("switch", WAYS)
def test_a_way_in_that_is_switched_off_stores_what_was_sent(switch, tmp_path, request_with_secrets):
    settings = Settings(home=tmp_path / "home", retention_days=36_500, **{switch: False})
    WAYS[switch](settings, request_with_secrets())
    assert "inspector.db" in leaks(settings)


def test_only_the_way_that_is_named_is_switched_off(tmp_path, request_with_secrets):
    settings = Settings(home=tmp_path / "home", retention_days=36_500, redact_imports=False, redact_spool=False)
    by_otlp(settings, request_with_secrets())
    assert leaks(settings) == []


class Counting(Redactor):
    """A redactor that counts the texts it is asked for."""

    asked = 0

    def clean(self, text):
        self.asked += 1
        return super().clean(text)

    def redact_value(self, key, plain):
        self.asked += 1
        return super().redact_value(key, plain)


def test_what_our_recorder_of_this_version_redacted_is_not_searched_again(request_with_secrets):
    ours = {"telemetry.sdk.name": "mcp-agent-inspector", "telemetry.sdk.version": version("mcp-agent-inspector")}
    redactor = Counting()
    sent = decode(request_with_secrets(**ours))
    assert Redacting(lambda: redactor)(sent).spans == sent.spans
    assert redactor.asked == 0
    for other in ({"telemetry.sdk.version": "0.0.1"}, {"telemetry.sdk.name": "opentelemetry"}):
        again = Redacting(lambda: redactor)(decode(request_with_secrets(**ours | other)))
        assert SECRET[4:] not in repr(again)


def test_protobuf_and_json_are_redacted_alike_and_twice_changes_nothing(request_with_secrets):
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    body = request_with_secrets()
    plain = json.loads(body)
    for span in plain["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        span.pop("traceId"), span.pop("spanId"), span.pop("links", None)
    request = json_format.Parse(json.dumps(plain), ExportTraceServiceRequest())
    for at, span in enumerate(request.resource_spans[0].scope_spans[0].spans, start=1):
        span.trace_id, span.span_id = (1).to_bytes(16, "big"), at.to_bytes(8, "big")
    redactor = Redactor(salt=b"x")
    once = Redacting(lambda: redactor)(decode_protobuf(request.SerializeToString()))
    assert once.spans[0].attributes == Redacting(lambda: redactor)(decode(body)).spans[0].attributes
    assert SECRET[4:] not in repr(once)
    assert Redacting(lambda: redactor)(once) == once


def test_neighbours_of_a_span_with_a_secret_stay_as_they_were(make_span, make_request):
    spans = [make_span({"at": number, "text": "nothing to hide"}) for number in range(40)]
    spans[17]["attributes"] += [{"key": "t", "value": {"stringValue": SECRET}}]
    sent = decode(make_request(*spans, process=None))
    out = Redacting(Redactor)(sent)
    changed = [at for at, (one, other) in enumerate(zip(sent.spans, out.spans, strict=True)) if one != other]
    assert changed == [17]


class Noting(Redactor):
    """A redactor that notes what it is asked about."""

    asked = ()

    def clean(self, text):
        self.asked += (text,)
        return super().clean(text)


def test_a_text_that_several_spans_of_a_request_hold_is_searched_once(make_span, make_request):
    text = "the result of the call, which the next question holds as well"
    redactor = Noting()
    sent = decode(make_request(*[make_span({"text": text}) for _ in range(40)], process=None))
    assert Redacting(lambda: redactor)(sent) == sent
    assert sum(each.count(text) for each in redactor.asked) == 1


def test_the_messages_of_a_long_prompt_are_searched_once_however_often_it_is_repeated(make_span, make_request):
    redactor = Noting()
    redacting = Redacting(lambda: redactor)
    filling = "what a tool returned " * 20

    def sent(messages, secret):
        said = [{"role": "user", "content": f"{at} {filling}{secret if at == 3 else ''}"} for at in range(messages)]
        return decode(make_request(make_span({sc.INPUT_MESSAGES: json.dumps(said)}), process=None))

    for messages in range(12, 90, 3):
        request = sent(messages, "")
        assert redacting(request) == request
    assert sum(each.count(f'"80 {filling}') for each in redactor.asked) == 1
    for messages in range(12, 90, 3):
        (span,) = redacting(sent(messages, f"the key is {SECRET}.")).spans
        prompt = json.loads(span.attributes[sc.INPUT_MESSAGES])
        assert len(prompt) == messages
        assert prompt[3]["content"].startswith(f"3 {filling}the key is [redacted:")
        assert prompt[4:] == json.loads(sent(messages, "").spans[0].attributes[sc.INPUT_MESSAGES])[4:]
    assert sum(each.count(SECRET) for each in redactor.asked) == 1


def test_a_text_after_one_that_makes_it_a_secret_is_removed_from_a_long_list_too(make_span, make_request):
    words = [*("word" for _ in range(900)), "--password", "correct-horse-battery"]
    request = decode(make_request(make_span({sc.INPUT_MESSAGES: json.dumps(words)}), process=None))
    assert "correct-horse" not in Redacting(Redactor)(request).spans[0].attributes[sc.INPUT_MESSAGES]


@pytest.mark.parametrize("prompt", ["[1, 2", "[" * 5000, '["\\ud800"]', "[]", '{"a": 1}', "[1e999]"])
def test_a_long_prompt_that_is_no_list_of_messages_is_searched_as_text(prompt, make_span, make_request):
    text = f"{prompt}{' ' * 5000}"
    request = decode(make_request(make_span({sc.INPUT_MESSAGES: text}), process=None))
    assert Redacting(Redactor)(request) == request
    secret = decode(make_request(make_span({sc.INPUT_MESSAGES: text + SECRET}), process=None))
    assert SECRET not in Redacting(Redactor)(secret).spans[0].attributes[sc.INPUT_MESSAGES]


class Failing(Redactor):
    """A redactor whose rules are broken."""

    def clean(self, text):
        return False

    def _rules(self, text):
        raise RuntimeError("broken")


def test_a_redactor_that_fails_hides_what_it_could_not_search(request_with_secrets):
    out = Redacting(Failing)(decode(request_with_secrets()))
    assert len(out.spans) == 2
    assert SECRET[4:] not in repr(out)
    assert out.spans[0].name == "[redacted:search failed]"


def test_what_is_received_is_searchable_but_for_its_secrets(settings, request_with_secrets):
    with Owner(settings) as owner:
        body = request_with_secrets()
        owner.intake.deliver(partial(decode, body), len(body)).result(10)
        while owner.store.index():
            pass
        assert len(list(owner.store.after(0, Filter(), limit=10))) == 2
    assert leaks(settings) == []
