import urllib.error
import urllib.request

import pytest
from served import SECRET, serving_home

HOST = "box.example"


@pytest.fixture
def status(fork_python, tmp_path):
    """Asks a server with these settings as its proxy would."""

    def ask(proxies, proto):
        named = {"INSPECTOR_PROXIES": proxies} if proxies else {}
        with serving_home(fork_python, tmp_path / "home", INSPECTOR_ALLOWED_HOSTS=HOST, **named) as served:
            headers = {"Host": HOST, "Origin": f"https://{HOST}", "Authorization": f"Bearer {SECRET}"}
            headers |= {"X-Forwarded-Proto": proto, "X-Forwarded-For": "192.0.2.1"} if proto else {}
            request = urllib.request.Request(f"{served.url}/healthz", headers=headers)
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return answer.status
            except urllib.error.HTTPError as error:
                error.close()
                return error.code

    return ask


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("proxies", "proto", "wanted"),
    [
        ("127.0.0.1", "https", 200),
        ("10.0.0.9,127.0.0.0/8", "https", 200),
        ("127.0.0.1", "http", 403),
        ("127.0.0.1", None, 403),
        ("10.0.0.9", "https", 403),
        (None, "https", 403),
    ],
)
def test_the_scheme_is_what_a_declared_proxy_says_and_nobody_else(status, proxies, proto, wanted):
    assert status(proxies, proto) == wanted
