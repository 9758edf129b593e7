import pytest

from inspector.forward import Endpoint, EndpointInvalid


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("http://127.0.0.1:7800", "http://127.0.0.1:7800/v1/traces"),
        ("http://127.0.0.1:7800/", "http://127.0.0.1:7800/v1/traces"),
        ("https://traces.example/otlp", "https://traces.example/otlp/v1/traces"),
        ("https://traces.example/otlp/v1/traces", "https://traces.example/otlp/v1/traces"),
        ("http://[::1]:4318", "http://[::1]:4318/v1/traces"),
    ],
)
def test_the_path_of_the_signal_is_added_where_it_is_missing(given, url):
    assert Endpoint.of(given).url == url


@pytest.mark.parametrize(
    "given",
    [
        "127.0.0.1:7800",
        "ftp://a",
        "http://",
        "http://a:99999",
        "http://u:p@a",
        "http://a?x=1",
        "",
        "file:///etc/passwd",
    ],
)
def test_what_is_no_receiver_is_refused_in_one_line(given):
    with pytest.raises(EndpointInvalid, match="^the endpoint [^\n]*$"):
        Endpoint.of(given)


def test_headers_are_written_as_for_other_exporters():
    endpoint = Endpoint.of("http://a", headers="Authorization=Bearer%20secret, X-Team = a%2Cb")
    assert endpoint.headers == (("Authorization", "Bearer secret"), ("X-Team", "a,b"))


@pytest.mark.parametrize("headers", ["Authorization", "=x", "A b=c", "A=%0d%0aB: c", "A=%E2%82%AC"])
def test_headers_that_are_none_are_refused_without_being_repeated(headers):
    with pytest.raises(EndpointInvalid) as error:
        Endpoint.of("http://a", headers=headers)
    assert "Bearer%20secret" in str(error.value) or "line break" in str(error.value)


@pytest.mark.parametrize(
    ("url", "is_loopback"),
    [("http://localhost:1", True), ("http://127.0.0.9", True), ("http://[::1]", True), ("http://example", False)],
)
def test_no_proxy_is_asked_for_this_machine(url, is_loopback):
    assert Endpoint.of(url).is_loopback is is_loopback


@pytest.mark.parametrize(
    ("given", "configured", "sent"),
    [
        (None, "http://a", True),
        ("http://a/", "http://a", True),
        ("http://b", None, True),
        ("http://b", "http://a", False),
    ],
)
def test_credentials_are_sent_to_the_endpoint_alone_that_they_were_configured_with(given, configured, sent):
    found = Endpoint.chosen(given, configured=configured, headers="A=secret", protocol="http/json")
    assert found.headers == ((("A", "secret"),) if sent else ())


def test_without_an_endpoint_there_is_none():
    assert Endpoint.chosen(None, configured=None, headers="", protocol="http/json") is None
