import base64
import html
import json
import random
import urllib.parse

import planted
import pytest

from inspector.encoding import encode
from inspector.plain import Plain
from inspector.record.values.snapshot import snapshot
from inspector.redaction import Redactor

SECRET = planted.letters(random.Random(5), 21) + "9"
AWKWARD = 'a"b\\c' + planted.letters(random.Random(6), 14) + "7"

OBJECTS = {
    "field": {"api_key": SECRET, "city": "Lisbon"},
    "name and value": {"env": [{"name": "API_KEY", "value": SECRET}], "city": "Lisbon"},
    "name, type and value": {"env": [{"name": "SECRET_KEY", "type": "string", "value": SECRET}], "city": "Lisbon"},
    "value and name": {"env": [{"value": SECRET, "name": "DB_PASSWORD"}], "city": "Lisbon"},
    "key and value": {"headers": [{"key": "X-Api-Key", "value": SECRET}], "city": "Lisbon"},
    "path and value": {"Parameters": [{"Name": "/prod/db_password", "Type": "x", "Value": SECRET}], "city": "Lisbon"},
    "pairs": {"headers": [["Authorization", f"Token {SECRET}"], ["Accept", "text/html"]], "city": "Lisbon"},
    "one pair": {"header": ["x-api-key", SECRET], "city": "Lisbon"},
    "flat headers": {"rawHeaders": ["Host", "a", "X-Api-Key", SECRET, "Accept", "b"], "city": "Lisbon"},
    "cookies": {"cookies": {"theme": "x", "sid": SECRET}, "city": "Lisbon"},
    "arguments": {"argv": ["curl", "-u", f"admin:{SECRET}", "https://a.example"], "city": "Lisbon"},
    "option": {"argv": ["tool", "--token", SECRET], "city": "Lisbon"},
    "auth": {"auth": ["me", SECRET], "city": "Lisbon"},
    "encoded auth": {"auths": {"r.example": {"auth": planted.encoded(f"me:{SECRET}")}}, "city": "Lisbon"},
    "redis": {"argv": ["redis-cli", "-a", SECRET], "city": "Lisbon"},
    "login": {"argv": ["docker", "login", "-u", "me", "-p", SECRET], "city": "Lisbon"},
    "mysql": {"argv": ["/usr/bin/mysql", "-u", "me", f"-p{SECRET}", "app"], "city": "Lisbon"},
    "mysql on Windows": {"argv": ["C:\\bin\\mysql.exe", f"-p{SECRET}"], "city": "Lisbon"},
    "login at once": {"argv": ["docker", "login", f"-p{SECRET}"], "city": "Lisbon"},
    "environment of redis-cli": {"env": {"REDISCLI_AUTH": SECRET}, "city": "Lisbon"},
    "curl at once": {"argv": ["curl", "-s", f"-ume:{SECRET}", "https://a.example"], "city": "Lisbon"},
    "mysql at once": {"argv": ["mysql", f"-p{SECRET}"], "city": "Lisbon"},
    "mysql at a host of that name": {"argv": ["mysql", "-h", "mysql.internal", f"-p{SECRET}"], "city": "Lisbon"},
    "httpie": {"argv": ["http", "-a", f"me:{SECRET}", "a.example"], "city": "Lisbon"},
    "command and arguments": {"command": "redis-cli", "argv": ["-h", "db", "-a", SECRET], "city": "Lisbon"},
    "words of a command": {"cmd": "docker", "argv": ["login", "-u", "me", "-p", SECRET], "city": "Lisbon"},
    "command and one argument": {"command": "/usr/bin/mysql", "argv": [f"-p{SECRET}"], "city": "Lisbon"},
    "sshpass": {"argv": ["sshpass", "-p", SECRET, "ssh", "host"], "city": "Lisbon"},
    "sshpass at once": {"program": "sshpass", "argv": [f"-p{SECRET}", "ssh", "host"], "city": "Lisbon"},
    "personal token": {"GITHUB_PAT": SECRET, "city": "Lisbon"},
    "list": {"passwords": ["first-1", SECRET], "city": "Lisbon"},
}


def nested(value, levels):
    for _ in range(levels):
        value = json.dumps(value)
    return value


def clean(text):
    return SECRET not in text and planted.encoded(SECRET)[:16] not in text


def check(text):
    redactor = Redactor(salt=b"x")
    assert not redactor.clean(text)
    assert not redactor.clean(json.dumps(text))
    out = redactor.redact_text("body", text)
    assert clean(out), out
    # Neither again, nor by who receives it, whose salt is another.
    assert redactor.redact_text("body", out) == out
    assert Redactor(salt=b"y").redact_text("body", out) == out
    return out


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", OBJECTS)
def test_json_within_text_to_the_fourth_level(kind, levels):
    out = check(nested(OBJECTS[kind], levels))
    assert "Lisbon" in out
    for _ in range(levels):
        out = json.loads(out)
    assert out["city"] == "Lisbon"


SPELLINGS = (
    "repr repr-json json-repr url url-plus url-2 url-repr url-indented html html-repr u0022"
    " indented indented-2 indented-8 deep error fence b64 b64-2 data"
)


@pytest.mark.sweep(40)
@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize(
    "write",
    [
        repr,
        lambda value: repr(json.dumps(value)),
        lambda value: json.dumps(repr(value)),
        lambda value: urllib.parse.quote(json.dumps(value)),
        lambda value: urllib.parse.quote_plus(json.dumps(value)),
        lambda value: urllib.parse.quote(urllib.parse.quote(json.dumps(value))),
        lambda value: urllib.parse.quote(repr(value)),
        lambda value: urllib.parse.quote_plus(json.dumps(value, indent=8)),
        lambda value: json.dumps(value).replace('"', "&quot;"),
        lambda value: html.escape(repr(value)),
        lambda value: json.dumps(value).replace('"', "\\u0022"),
        lambda value: json.dumps(value, indent=2),
        lambda value: json.dumps(json.dumps(value, indent=2)),
        lambda value: json.dumps(json.dumps(value, indent=8)),
        lambda value: json.dumps({"a": {"b": {"c": {"d": {"e": {"f": value}}}}}}, indent=8),
        lambda value: f"KeyError: {value!r} in line 7",
        lambda value: f"said:\n```json\n{json.dumps(value)}\n```\nand went on",
        lambda value: planted.encoded(json.dumps(value)),
        lambda value: json.dumps({"data": planted.encoded(json.dumps(value))}),
        lambda value: "data:application/json;base64," + planted.encoded(json.dumps(value)),
    ],
    ids=SPELLINGS.split(),
)
def test_other_spellings_of_objects(kind, write):
    check(write(OBJECTS[kind]))


@pytest.mark.parametrize("kind", OBJECTS)
def test_the_same_objects_as_values_and_with_bytes(kind):
    redactor = Redactor(salt=b"x")

    def as_bytes(value):
        if isinstance(value, str):
            return value.encode()
        if isinstance(value, list):
            return tuple(map(as_bytes, value))
        return {key: as_bytes(item) for key, item in value.items()} if isinstance(value, dict) else value

    for value in (OBJECTS[kind], as_bytes(OBJECTS[kind]) if "argv" not in OBJECTS[kind] else OBJECTS[kind]):
        plain = snapshot(value)
        assert not redactor.clean(encode(plain, max_bytes=1 << 20).text)
        out, count = redactor.redact_value("args", plain)
        assert count >= 1
        assert clean(json.dumps(out)), out
        assert redactor.redact_value("args", out) == (out, 0)


@pytest.mark.parametrize("kind", planted.WAYS)
def test_the_ways_in_which_texts_carry_secrets(kind):
    secret = planted.encoded("me:" + SECRET) if kind == "basic" else SECRET
    text = planted.WAYS[kind] % secret
    out = check(text)
    assert secret not in out
    check(json.dumps({"text": text}))
    check(json.dumps(json.dumps({"text": text})))


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
@pytest.mark.parametrize("key", ["passwd", "note"])
def test_a_value_with_quotes_and_backslashes_goes_whole(key, levels):
    value = {key: AWKWARD if key == "passwd" else {"password": AWKWARD}, "city": "Lisbon"}
    out = Redactor().redact_text("body", nested(value, levels))
    assert AWKWARD[6:] not in out
    for _ in range(levels):
        out = json.loads(out)
    assert out["city"] == "Lisbon"


@pytest.mark.parametrize(
    "write", [repr, lambda text: repr(KeyError(text)), lambda text: repr([repr(text)]), urllib.parse.quote]
)
def test_a_quotation_mark_in_a_value_does_not_end_it_where_the_json_around_it_is_written_once_more(write):
    text = write(json.dumps({"city": "Lisbon", "passwd": 'a"b' + SECRET, "country": "Portugal"}))
    for nested_text in (text, json.dumps({"error": text})):
        out = check(nested_text)
        assert "Lisbon" in out
        assert "Portugal" in out


@pytest.mark.parametrize(
    "text",
    [
        "GET / HTTP/1.1\r\nX-Api-Key: {}\r\nAccept: text/html\r\n\r\n",
        "machine a.example\nlogin me\npassword {}\naccount none",
        "curl -u 'me:{}' https://a.example",
        'KeyError(\'{{"passwd": "{}"}}\')',
        "[('authorization', 'Token {}'), ('accept', 'text/html')]",
    ],
)
@pytest.mark.parametrize("quote", [urllib.parse.quote, urllib.parse.quote_plus])
def test_what_is_found_in_a_text_is_found_in_a_url_that_carries_it(text, quote):
    url = f"https://a.example/?q={quote(text.format(SECRET))}&city=Lisbon"
    assert "&city=Lisbon" in check(url)
    if quote is urllib.parse.quote:
        assert "&city=Lisbon" in check(f"https://b.example/?u={quote(url, safe='')}&city=Lisbon")


@pytest.mark.parametrize(
    "text", ["password{}= '{}'", "API_KEY:{}{}", '"api_key":{}"{}"', "env:\n-{}name: API_KEY\n {}value: {}"]
)
def test_names_and_values_may_stand_far_apart_as_tables_of_settings_are_aligned(text):
    gap = " " * 48
    check(text.format(*[gap] * (text.count("{}") - 1), SECRET))


@pytest.mark.parametrize("text", ["//r.example/:_auth={}", '"auth": "{}"', "_auth = {}\nemail=x", "auth: '{}'"])
def test_a_user_and_a_password_in_base64_go_under_auth_and_nothing_else_does(text):
    assert planted.encoded(f"me:{SECRET}") not in check(text.format(planted.encoded(f"me:{SECRET}")))
    for other in ("Authentication", "required", planted.encoded("no colon is in here"), "YWJj"):
        assert Redactor().redact_text("note", text.format(other)) == text.format(other)


@pytest.mark.parametrize(
    "text", ['{{"größe und länge": 1, "api_key": "{}"}}', '{{"api_key": "{}", "größer als früher": 1}}']
)
def test_base64_of_a_text_of_other_letters_goes_whole_and_so_it_does_between_the_slashes_of_an_address(text):
    encoded = planted.encoded(text.format(SECRET))
    assert check(f"data: {encoded}").startswith("data: [redacted:base64 ")
    out = check(f"https://a.example/{planted.encoded(json.dumps({'api_key': SECRET})).rstrip('=')}/manifest.json")
    assert out.startswith("https://a.example/[redacted:base64 ") and out.endswith("/manifest.json")


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\\n"])
def test_base64_on_many_lines_goes_whole(line_break):
    plain = "a line of a file, and more of it\n" * 6 + f"password={SECRET}\nand more"
    lines = base64.encodebytes(plain.encode())
    text = f"before{line_break}{lines.decode().strip().replace(chr(10), line_break)}{line_break}Words behind it."
    out = Redactor(salt=b"x").redact_text("note", text)
    assert out.startswith(f"before{line_break}[redacted:base64 ")
    assert out.endswith(f"{line_break}Words behind it.")
    assert not Redactor().clean(text)


@pytest.mark.parametrize("lead", ["", "401: ", "first line\n"])
def test_cells_of_a_table_may_stand_between_quotation_marks(lead):
    text = f'{lead}"name","api_key","city"\r\n"me","{SECRET}","Lisbon"\r\n'
    for nested_text in (text, json.dumps({"text": text}), json.dumps(json.dumps([text]))):
        assert "Lisbon" in check(nested_text)


def test_a_table_is_seen_among_other_texts_that_are_cleared_with_it():
    table = json.dumps(f"user\tpassword\nme\t{SECRET}\n")
    for text in (f"one line\nanother\n[{table}, [], []]", f'{{"a": "x\\ny", "t": {table}}}', table):
        assert SECRET not in check(text)


def test_lists_of_names_are_no_pairs():
    redactor = Redactor()
    for text in (
        '{"required": ["password", "email"], "fields": ["token", "name", "id"]}',
        "('token', 'name')",
        '{"name": "token", "description": "The token to use", "in": "query"}',
        '{"headers": ["authorization"], "sort": ["key", "value"]}',
        '{"vary": ["accept", "authorization", "accept-encoding", "x-api-key", "content-type"]}',
    ):
        assert redactor.redact_text("note", text) == text


def test_bytes_of_base64_are_looked_into_once_more():
    value: Plain = {"$type": "bytes", "base64": planted.encoded(f"password={SECRET}")}
    out, count = Redactor().redact_value("body", value)
    assert count == 1
    assert isinstance(out, dict) and SECRET.encode() not in base64.b64decode(str(out["base64"]))
