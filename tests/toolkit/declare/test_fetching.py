import socket
from contextlib import suppress
from threading import Event, Thread
from types import SimpleNamespace

import pytest
from loopback import Quiet, serving_http

from toolkit.declare.cards import load_cards
from toolkit.errors import CardInvalid, ToolkitError
from toolkit.schemas import fetching

MARKDOWN = "---\nname: remote\nservers: [time]\n---\nHelp.\n"


@pytest.fixture
def serve(monkeypatch):
    """Serve answers by path: (status, headers, body)."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    answers = {}

    class Handler(Quiet):
        def do_GET(self):
            status, headers, body = answers[self.path.partition("?")[0]]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def at(path, body, status=200, **headers):
        answers[path] = (status, headers, body if isinstance(body, bytes) else body.encode())
        return f"http://127.0.0.1:{server.server_port}{path}"

    with serving_http(Handler) as server:
        yield at


def problem_of(place):
    with pytest.raises(CardInvalid) as caught:
        load_cards(place)
    return [str(each) for each in caught.value.problems]


def test_a_card_at_an_address_is_read(serve):
    (config,) = load_cards(serve("/cards/remote.md", MARKDOWN))
    assert (config.name, config.instruction, config.servers) == ("remote", "Help.", ("time",))
    assert (config.origin.is_remote, config.origin.base_path) == (True, None)


def test_yaml_is_known_by_its_ending_or_its_media_type(serve):
    (config,) = load_cards(serve("/a.yaml", "instruction: Help.\n"))
    assert config.name == "a"
    (config,) = load_cards(serve("/b", "instruction: Help.\n", **{"Content-Type": "application/yaml"}))
    assert config.name == "b"


def test_a_redirect_is_followed(serve):
    target = serve("/new/moved.md", "---\n---\nHelp.\n")
    (config,) = load_cards(serve("/old", "", status=302, Location=target))
    assert config.name == "moved"


@pytest.mark.parametrize("key", ["function_tools: [tools.py:f]", "tool_hooks: [hooks.py:f]", "messages: a.md"])
def test_code_and_files_are_never_named_by_an_address(serve, key):
    address = serve("/a.md", f"---\n{key}\n---\nHelp.\n")
    (problem,) = problem_of(address)
    name = key.partition(":")[0]
    assert problem == (
        f"{address}:2: not in a card from an address: {name} would read or run files of this machine; save the card"
    )


def test_what_cannot_be_fetched_is_said_without_secrets_of_the_address(serve):
    address = serve("/gone.md", "", status=404)
    assert problem_of(address + "?token=secret") == [f"{address}:1: the server answered 404 Not Found"]
    with_password = address.replace("http://", "http://me:secret@")
    (problem,) = problem_of(with_password)
    assert "secret" not in problem


def test_a_card_that_is_too_large_is_refused(serve):
    address = serve("/a.md", b"-" * ((1 << 20) + 1))
    assert problem_of(address) == [f"{address}:1: larger than 1,048,576 bytes"]


def test_a_card_that_is_no_text_is_refused(serve):
    address = serve("/a.md", b"---\n\xff")
    assert problem_of(address) == [f"{address}:2: not valid UTF-8"]


def test_nobody_at_the_address_is_said(serve):
    (problem,) = problem_of("http://127.0.0.1:1/a.md")
    assert problem.startswith("http://127.0.0.1:1/a.md:1: cannot be fetched: ")


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://127.0.0.1/a.md"])
def test_only_the_web_is_an_address(address):
    scheme = address.partition(":")[0]
    assert problem_of(address) == [f"{address}:1: expected an http or https address, not {scheme}"]


@pytest.mark.parametrize("arrived", ["http://me:secret@there/a.md", "ftp://there/a.md"])
def test_a_redirect_away_from_https_is_not_read(arrived):
    with pytest.raises(ToolkitError) as caught:
        fetching._received(SimpleNamespace(url=arrived), 99, 1.0, is_safe=True)
    assert str(caught.value) == f"redirected to {arrived[: arrived.index(':')]}://there, which is not safe"


def test_an_address_that_answers_nothing_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as listening, pytest.raises(ToolkitError) as caught:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/a.md"
        fetching.fetch(address, most_bytes=99, timeout_s=0.01)
    assert str(caught.value) == "cannot be fetched: it took longer than 0.01 s"


def test_an_address_that_answers_a_byte_at_a_time_is_given_up():
    over = Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip():
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                connection.recv(9999)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")
                while not over.wait(0.05):
                    connection.sendall(b"x")

        server = Thread(target=drip)
        server.start()
        try:
            address = f"http://127.0.0.1:{listening.getsockname()[1]}/a.md"
            with pytest.raises(ToolkitError) as caught:
                fetching.fetch(address, most_bytes=99, timeout_s=0.3)
            assert str(caught.value) == "cannot be fetched: it took longer than 0.3 s"
        finally:
            over.set()
            server.join()
