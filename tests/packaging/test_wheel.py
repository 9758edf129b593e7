"""The package as a user gets it: built from this checkout, installed, started, and asked for its page."""

import os
import re
import subprocess
import sysconfig
import urllib.request
import venv
from pathlib import Path

import pytest

INSTALL = ("-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input")


@pytest.fixture
def installed(checkout, tmp_path, run):
    """The ``bin`` of an environment that has the wheel, and beside it only what this environment has."""
    done = run(checkout, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    assert done.returncode == 0, done.stdout
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    done = run(tmp_path, *INSTALL, "--python", str(python), "install", "--no-deps", "--no-index", str(wheel))
    assert done.returncode == 0, done.stdout
    (site,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    (site / "beside.pth").write_text(sysconfig.get_path("purelib"))
    return python.parent


def get(address):
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.headers["content-type"], answer.read()


@pytest.mark.slow
def test_the_wheel_serves_the_app_that_was_built_into_it(installed, tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["INSPECTOR_HOME"] = str(tmp_path / "home")
    found = subprocess.run(
        [installed / "python", "-c", "import inspector.api; print(inspector.api.__file__)"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    package = Path(found.stdout.strip()).parent
    assert package.is_relative_to(tmp_path), found
    server = subprocess.Popen(
        [installed / "inspector", "serve", "--port", "0"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = server.stdout.readline().split()[-1]
        kind, page = get(f"{address}/")
        assert kind == "text/html; charset=utf-8"
        assert page == (package / "web" / "index.html").read_bytes()
        named = re.findall(r'(?:src|href)="\./(assets/[^"]+)"', page.decode())
        assert {Path(name).suffix for name in named} >= {".js", ".css"}
        for file in (package / "web" / "assets").iterdir():
            kind, body = get(f"{address}/assets/{file.name}")
            assert body == file.read_bytes()
        assert get(f"{address}/{named[0]}")[0].startswith(("text/javascript", "image/svg+xml"))
    finally:
        server.terminate()
        server.communicate(timeout=30)
    assert server.returncode == 0
