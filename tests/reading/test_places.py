import pytest

from inspector.reading.places import place_attributes, place_without_secrets
from inspector.redaction import Redactor

REDACTOR = Redactor(salt=b"0" * 16)


@pytest.mark.parametrize(
    ("url", "kept", "server", "port"),
    [
        ("https://user:pass@models.example/v1/x?key=secret#part", "https://models.example/v1/x", "models.example", 443),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1", "::1", 8000),
        ("https://a.example/x?api-version=1&sig=2", "https://a.example/x?api-version=1", "a.example", 443),
    ],
)
def test_an_address_is_kept_without_user_password_and_query(url, kept, server, port):
    assert place_attributes(place_without_secrets(url, REDACTOR)) == {
        "url.full": kept,
        "server.address": server,
        "server.port": port,
    }


@pytest.mark.parametrize(
    "text", ["", "nothing", "ftp://a.example", "https://", "http://a.example:99999", "http://[::1"]
)
def test_what_is_no_address_of_a_request_is_not_kept(text):
    assert place_attributes(place_without_secrets(text, REDACTOR)) == {}


def test_the_command_of_a_server_is_kept_without_its_secrets():
    command = place_without_secrets(["npx", "-y", "server", "--api-key", "planted12345"], REDACTOR)
    (words,) = place_attributes(command).values()
    assert words[:4] == ["npx", "-y", "server", "--api-key"]
    assert "planted" not in words[4]
